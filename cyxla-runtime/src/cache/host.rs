//! What the processor of this machine can do: an executable of another one may use instructions that are not here, and
//! XLA loads it all the same.

use std::sync::OnceLock;

macro_rules! detected {
    ($detect:ident: $($feature:tt)*) => {{
        let mut features: Vec<&'static str> = Vec::new();
        $(if std::arch::$detect!($feature) {
            features.push($feature);
        })*
        Some(features)
    }};
}

/// The instruction sets that this processor has and the system allows, sorted; none if they can't be told on this
/// architecture.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
pub(super) fn features() -> Option<Vec<&'static str>> {
    detected!(is_x86_feature_detected:
        "adx" "aes" "avx" "avx2" "avx512bf16" "avx512bitalg" "avx512bw" "avx512cd" "avx512dq" "avx512f" "avx512ifma"
        "avx512vbmi" "avx512vbmi2" "avx512vl" "avx512vnni" "avx512vp2intersect" "avx512vpopcntdq" "bmi1" "bmi2"
        "cmpxchg16b" "f16c" "fma" "fxsr" "gfni" "lzcnt" "movbe" "pclmulqdq" "popcnt" "rdrand" "rdseed" "rtm" "sha" "sse"
        "sse2" "sse3" "sse4.1" "sse4.2" "sse4a" "ssse3" "tbm" "vaes" "vpclmulqdq" "xsave" "xsavec" "xsaveopt" "xsaves"
    )
}

/// The instruction sets that this processor has and the system allows, sorted; none if they can't be told on this
/// architecture.
#[cfg(target_arch = "aarch64")]
pub(super) fn features() -> Option<Vec<&'static str>> {
    detected!(is_aarch64_feature_detected:
        "aes" "bf16" "bti" "crc" "dit" "dotprod" "dpb" "dpb2" "f32mm" "f64mm" "fcma" "fhm" "flagm" "fp16" "frintts"
        "i8mm" "jsconv" "lse" "lse2" "mte" "neon" "paca" "pacg" "pmull" "rand" "rcpc" "rcpc2" "rdm" "sb" "sha2" "sha3"
        "sm4" "ssbs" "sve" "sve2" "sve2-aes" "sve2-bitperm" "sve2-sha3" "sve2-sm4" "tme"
    )
}

/// The instruction sets that this processor has and the system allows, sorted; none if they can't be told on this
/// architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
pub(super) fn features() -> Option<Vec<&'static str>> {
    None
}

/// Which processor this is, where the system tells: a compiler tunes for it and may know instruction sets of it that
/// [`features`] does not.
pub(super) fn model() -> &'static str {
    // Some kernels measure the frequency of each processor before they answer.
    static MODEL: OnceLock<String> = OnceLock::new();
    MODEL.get_or_init(read_model)
}

fn read_model() -> String {
    // Linux describes each processor in turn; the first will do, and the file is long on a large machine.
    let mut text = vec![0; 16 << 10];
    let length = std::fs::File::open("/proc/cpuinfo")
        .and_then(|mut file| std::io::Read::read(&mut file, &mut text))
        .unwrap_or(0);
    text.truncate(length);
    model_of(&String::from_utf8_lossy(&text))
}

fn model_of(cpuinfo: &str) -> String {
    let wanted = [
        "vendor_id",
        "cpu family",
        "model",
        "CPU implementer",
        "CPU architecture",
        "CPU variant",
        "CPU part",
    ];
    let first = cpuinfo.lines().take_while(|line| !line.trim().is_empty());
    let fields = first.filter_map(|line| line.split_once(':'));
    let values: Vec<&str> = fields
        .filter(|(name, _)| wanted.contains(&name.trim()))
        .map(|(_, value)| value.trim())
        .collect();
    values.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_x86_64_has_sse2() {
        // Part of the architecture's baseline.
        assert!(features().unwrap().contains(&"sse2"));
    }

    #[cfg(target_arch = "aarch64")]
    #[test]
    fn every_aarch64_here_has_neon() {
        assert!(features().unwrap().contains(&"neon"));
    }

    #[test]
    fn features_are_sorted() {
        if let Some(features) = features() {
            assert!(features.is_sorted(), "{features:?}");
        }
    }

    #[test]
    fn the_first_processor_is_described() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\
                   \nprocessor\t: 1\nvendor_id\t: Other\n";
        assert_eq!(model_of(x86), "AuthenticAMD 25 17");
        let arm = "processor\t: 0\nFeatures\t: fp\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n\
                   CPU part\t: 0xd40\n";
        assert_eq!(model_of(arm), "0x41 8 0x1 0xd40");
        assert_eq!(model_of(""), "");
    }
}
