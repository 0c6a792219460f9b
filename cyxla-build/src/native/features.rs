//! What code needs of a processor.

use cyxla_native::image::CpuFeature;
use iced_x86::{CpuidFeature, Decoder, DecoderOptions};

use super::NotExpressible;
use super::link::Linker;
use super::proto::TargetMachine;

/// The features that the instructions of the code belong to.
///
/// The compiler is told of all features of the machine that it runs on, also those that are no part of the level that it
/// compiles for; most are never used. Where instructions can't be told from data, it is all that the compiler was told.
pub(super) fn needed(
    linker: &Linker,
    machine: &TargetMachine,
) -> Result<Vec<CpuFeature>, NotExpressible> {
    let mut features = match used(linker) {
        Some(features) => features?,
        None => told(machine),
    };
    features.sort();
    features.dedup();
    Ok(features)
}

/// The features of the instructions; none if not all of it are instructions.
fn used(linker: &Linker) -> Option<Result<Vec<CpuFeature>, NotExpressible>> {
    let mut features = Vec::new();
    for range in &linker.instructions {
        let bytes = linker.code.bytes.get(range.clone())?;
        for instruction in Decoder::new(64, bytes, DecoderOptions::NONE) {
            if instruction.is_invalid() {
                return None;
            }
            for &feature in instruction.cpuid_features() {
                match of_instruction(feature) {
                    Need::Nothing => {}
                    Need::Feature(feature) if features.contains(&feature) => {}
                    Need::Feature(feature) => features.push(feature),
                    Need::Unknown => {
                        return Some(Err(NotExpressible::new(format!(
                            "it has instructions of {feature:?}"
                        ))));
                    }
                }
            }
        }
    }
    Some(Ok(features))
}

enum Need {
    /// Every x86-64 has it.
    Nothing,
    Feature(CpuFeature),
    Unknown,
}

fn of_instruction(feature: CpuidFeature) -> Need {
    use CpuFeature as F;
    use CpuidFeature as C;
    Need::Feature(match feature {
        C::INTEL8086 | C::INTEL186 | C::INTEL286 | C::INTEL386 | C::INTEL486 | C::X64 | C::FPU
        | C::FPU287 | C::FPU387 | C::CMOV | C::CX8 | C::FXSR | C::MMX | C::SSE | C::SSE2
        | C::MULTIBYTENOP | C::PAUSE | C::CPUID | C::TSC | C::CLFSH
        // Hints, which other processors pass over.
        | C::CET_IBT => return Need::Nothing,
        C::SSE3 => F::Sse3,
        C::SSSE3 => F::Ssse3,
        C::SSE4_1 => F::Sse41,
        C::SSE4_2 => F::Sse42,
        C::SSE4A => F::Sse4a,
        C::POPCNT => F::Popcnt,
        C::CMPXCHG16B => F::Cmpxchg16b,
        C::AVX => F::Avx,
        C::AVX2 => F::Avx2,
        C::FMA => F::Fma,
        C::F16C => F::F16c,
        C::BMI1 => F::Bmi1,
        C::BMI2 => F::Bmi2,
        C::LZCNT => F::Lzcnt,
        C::MOVBE => F::Movbe,
        C::ADX => F::Adx,
        C::AES => F::Aes,
        C::PCLMULQDQ => F::Pclmulqdq,
        C::SHA => F::Sha,
        C::GFNI => F::Gfni,
        C::VAES => F::Vaes,
        C::VPCLMULQDQ => F::Vpclmulqdq,
        C::AVX512F => F::Avx512f,
        C::AVX512BW => F::Avx512bw,
        C::AVX512CD => F::Avx512cd,
        C::AVX512DQ => F::Avx512dq,
        C::AVX512VL => F::Avx512vl,
        C::AVX512_IFMA => F::Avx512ifma,
        C::AVX512_VBMI => F::Avx512vbmi,
        C::AVX512_VBMI2 => F::Avx512vbmi2,
        C::AVX512_VNNI => F::Avx512vnni,
        C::AVX512_BITALG => F::Avx512bitalg,
        C::AVX512_VPOPCNTDQ => F::Avx512vpopcntdq,
        C::AVX512_BF16 => F::Avx512bf16,
        C::AVX512_FP16 => F::Avx512fp16,
        C::AVX512_VP2INTERSECT => F::Avx512vp2intersect,
        C::AVX_VNNI => F::Avxvnni,
        C::AVX_IFMA => F::Avxifma,
        C::AVX_NE_CONVERT => F::Avxneconvert,
        C::AVX_VNNI_INT8 => F::Avxvnniint8,
        C::AVX_VNNI_INT16 => F::Avxvnniint16,
        _ => return Need::Unknown,
    })
}

/// The features that the compiler was told of, `+avx,-amx-tile`, as far as an image can name them. Others it is told of are
/// for systems, for hints, or part of every x86-64.
fn told(machine: &TargetMachine) -> Vec<CpuFeature> {
    let on = machine.features.split(',');
    let on = on.filter_map(|feature| feature.strip_prefix('+'));
    on.filter_map(|name| {
        let name = match name {
            "bmi" => "bmi1",
            "cx16" => "cmpxchg16b",
            "pclmul" => "pclmulqdq",
            "sahf" => "lahfsahf",
            _ => name,
        };
        name.parse().ok()
    })
    .collect()
}
