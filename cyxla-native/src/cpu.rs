//! What this processor can do.

use crate::image::{Architecture, CpuFeature, Target};

/// Whether this process runs on that instruction set.
pub(crate) fn is_this(architecture: Architecture) -> bool {
    cfg!(all(target_arch = "x86_64", not(windows))) && architecture == Architecture::X86_64
}

/// The features that are needed and are not here.
pub(crate) fn missing(target: &Target) -> Vec<CpuFeature> {
    let features = target.features.iter().copied();
    features.filter(|&feature| !has(feature)).collect()
}

#[cfg(target_arch = "x86_64")]
fn has(feature: CpuFeature) -> bool {
    macro_rules! detect {
        ($($variant:ident = $name:tt),* $(,)?) => {
            match feature {
                $(CpuFeature::$variant => is_x86_feature_detected!($name),)*
                // Neither is in the list that can be asked for: `cmpxchg16b` and `lahf` are in every processor with AVX.
                CpuFeature::Cmpxchg16b => is_x86_feature_detected!("cmpxchg16b"),
                CpuFeature::Lahfsahf => is_x86_feature_detected!("sse4.2"),
            }
        };
    }
    detect! {
        Sse3 = "sse3", Ssse3 = "ssse3", Sse41 = "sse4.1", Sse42 = "sse4.2", Sse4a = "sse4a", Popcnt = "popcnt",
        Avx = "avx", Avx2 = "avx2", Fma = "fma", F16c = "f16c", Bmi1 = "bmi1", Bmi2 = "bmi2", Lzcnt = "lzcnt",
        Movbe = "movbe", Adx = "adx", Aes = "aes", Pclmulqdq = "pclmulqdq", Sha = "sha", Gfni = "gfni", Vaes = "vaes",
        Vpclmulqdq = "vpclmulqdq", Avx512f = "avx512f", Avx512bw = "avx512bw", Avx512cd = "avx512cd",
        Avx512dq = "avx512dq", Avx512vl = "avx512vl", Avx512ifma = "avx512ifma", Avx512vbmi = "avx512vbmi",
        Avx512vbmi2 = "avx512vbmi2", Avx512vnni = "avx512vnni", Avx512bitalg = "avx512bitalg",
        Avx512vpopcntdq = "avx512vpopcntdq", Avx512bf16 = "avx512bf16", Avx512fp16 = "avx512fp16",
        Avx512vp2intersect = "avx512vp2intersect", Avxvnni = "avxvnni", Avxifma = "avxifma",
        Avxneconvert = "avxneconvert", Avxvnniint8 = "avxvnniint8", Avxvnniint16 = "avxvnniint16",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_: CpuFeature) -> bool {
    false
}
