use super::coded::coded;

/// The processor that an image needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The instruction set.
    pub architecture: Architecture,
    /// The optional instructions that the code needs, sorted and each once. A processor that lacks one can't run it.
    pub features: Vec<CpuFeature>,
}

coded! {
    /// An instruction set.
    Architecture, "architecture":
    /// 64-bit x86, System V calling convention.
    X86_64 = 1, "x86_64";
    /// 64-bit Arm, AAPCS64 calling convention.
    Aarch64 = 2, "aarch64";
}

coded! {
    /// Optional instructions of a processor, by the names of `is_x86_feature_detected!`. SSE2 and less every x86-64 has.
    CpuFeature, "CPU feature":
    /// SSE3.
    Sse3 = 1, "sse3";
    /// Supplemental SSE3.
    Ssse3 = 2, "ssse3";
    /// SSE4.1.
    Sse41 = 3, "sse4.1";
    /// SSE4.2.
    Sse42 = 4, "sse4.2";
    /// AMD's SSE4a.
    Sse4a = 5, "sse4a";
    /// `popcnt`.
    Popcnt = 6, "popcnt";
    /// `cmpxchg16b`.
    Cmpxchg16b = 7, "cmpxchg16b";
    /// `lahf` and `sahf` in 64-bit mode.
    Lahfsahf = 8, "lahfsahf";
    /// AVX.
    Avx = 9, "avx";
    /// AVX2.
    Avx2 = 10, "avx2";
    /// Fused multiply-add of three operands.
    Fma = 11, "fma";
    /// Conversions of half precision.
    F16c = 12, "f16c";
    /// Bit manipulation, first set.
    Bmi1 = 13, "bmi1";
    /// Bit manipulation, second set.
    Bmi2 = 14, "bmi2";
    /// `lzcnt`.
    Lzcnt = 15, "lzcnt";
    /// `movbe`.
    Movbe = 16, "movbe";
    /// `adcx` and `adox`.
    Adx = 17, "adx";
    /// AES rounds.
    Aes = 18, "aes";
    /// Carry-less multiplication.
    Pclmulqdq = 19, "pclmulqdq";
    /// SHA-1 and SHA-256 rounds.
    Sha = 20, "sha";
    /// Galois field instructions.
    Gfni = 21, "gfni";
    /// AES on wide vectors.
    Vaes = 22, "vaes";
    /// Carry-less multiplication on wide vectors.
    Vpclmulqdq = 23, "vpclmulqdq";
    /// AVX-512 foundation.
    Avx512f = 24, "avx512f";
    /// AVX-512 on bytes and words.
    Avx512bw = 25, "avx512bw";
    /// AVX-512 conflict detection.
    Avx512cd = 26, "avx512cd";
    /// AVX-512 on doublewords and quadwords.
    Avx512dq = 27, "avx512dq";
    /// AVX-512 on vectors of 128 and 256 bits.
    Avx512vl = 28, "avx512vl";
    /// AVX-512 52-bit fused multiply-add of integers.
    Avx512ifma = 29, "avx512ifma";
    /// AVX-512 byte permutations.
    Avx512vbmi = 30, "avx512vbmi";
    /// AVX-512 byte compression and shifts.
    Avx512vbmi2 = 31, "avx512vbmi2";
    /// AVX-512 dot products of integers.
    Avx512vnni = 32, "avx512vnni";
    /// AVX-512 bit algorithms.
    Avx512bitalg = 33, "avx512bitalg";
    /// AVX-512 population count.
    Avx512vpopcntdq = 34, "avx512vpopcntdq";
    /// AVX-512 on bfloat16.
    Avx512bf16 = 35, "avx512bf16";
    /// AVX-512 on half precision.
    Avx512fp16 = 36, "avx512fp16";
    /// AVX-512 pairwise intersection.
    Avx512vp2intersect = 37, "avx512vp2intersect";
    /// Dot products of integers without AVX-512.
    Avxvnni = 38, "avxvnni";
    /// 52-bit fused multiply-add of integers without AVX-512.
    Avxifma = 39, "avxifma";
    /// Conversions of bfloat16 and half precision without AVX-512.
    Avxneconvert = 40, "avxneconvert";
    /// Dot products of bytes.
    Avxvnniint8 = 41, "avxvnniint8";
    /// Dot products of words.
    Avxvnniint16 = 42, "avxvnniint16";
}
