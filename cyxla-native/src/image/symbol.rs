use super::coded::coded;

coded! {
    /// A routine that machine code of XLA calls and that is not in its objects, by its name in C.
    ///
    /// Source: xla/backends/cpu/codegen/builtin_definition_generator.cc, and what LLVM lowers intrinsics to.
    Symbol, "symbol":
    /// `void *memcpy(void *, const void *, size_t)`
    Memcpy = 1, "memcpy";
    /// `void *memmove(void *, const void *, size_t)`
    Memmove = 2, "memmove";
    /// `void *memset(void *, int, size_t)`
    Memset = 3, "memset";
    /// `double sin(double)`
    Sin = 10, "sin";
    /// `float sinf(float)`
    Sinf = 11, "sinf";
    /// `double cos(double)`
    Cos = 12, "cos";
    /// `float cosf(float)`
    Cosf = 13, "cosf";
    /// `void sincos(double, double *, double *)`
    Sincos = 14, "sincos";
    /// `void sincosf(float, float *, float *)`
    Sincosf = 15, "sincosf";
    /// `double tan(double)`
    Tan = 16, "tan";
    /// `float tanf(float)`
    Tanf = 17, "tanf";
    /// `double asin(double)`
    Asin = 18, "asin";
    /// `float asinf(float)`
    Asinf = 19, "asinf";
    /// `double acos(double)`
    Acos = 20, "acos";
    /// `float acosf(float)`
    Acosf = 21, "acosf";
    /// `double atan(double)`
    Atan = 22, "atan";
    /// `float atanf(float)`
    Atanf = 23, "atanf";
    /// `double atan2(double, double)`
    Atan2 = 24, "atan2";
    /// `float atan2f(float, float)`
    Atan2f = 25, "atan2f";
    /// `double sinh(double)`
    Sinh = 26, "sinh";
    /// `float sinhf(float)`
    Sinhf = 27, "sinhf";
    /// `double cosh(double)`
    Cosh = 28, "cosh";
    /// `float coshf(float)`
    Coshf = 29, "coshf";
    /// `double tanh(double)`
    Tanh = 30, "tanh";
    /// `float tanhf(float)`
    Tanhf = 31, "tanhf";
    /// `double asinh(double)`
    Asinh = 32, "asinh";
    /// `float asinhf(float)`
    Asinhf = 33, "asinhf";
    /// `double acosh(double)`
    Acosh = 34, "acosh";
    /// `float acoshf(float)`
    Acoshf = 35, "acoshf";
    /// `double atanh(double)`
    Atanh = 36, "atanh";
    /// `float atanhf(float)`
    Atanhf = 37, "atanhf";
    /// `double exp(double)`
    Exp = 40, "exp";
    /// `float expf(float)`
    Expf = 41, "expf";
    /// `double exp2(double)`
    Exp2 = 42, "exp2";
    /// `float exp2f(float)`
    Exp2f = 43, "exp2f";
    /// `double expm1(double)`
    Expm1 = 44, "expm1";
    /// `float expm1f(float)`
    Expm1f = 45, "expm1f";
    /// `double log(double)`
    Log = 46, "log";
    /// `float logf(float)`
    Logf = 47, "logf";
    /// `double log2(double)`
    Log2 = 48, "log2";
    /// `float log2f(float)`
    Log2f = 49, "log2f";
    /// `double log10(double)`
    Log10 = 50, "log10";
    /// `float log10f(float)`
    Log10f = 51, "log10f";
    /// `double log1p(double)`
    Log1p = 52, "log1p";
    /// `float log1pf(float)`
    Log1pf = 53, "log1pf";
    /// `double pow(double, double)`
    Pow = 54, "pow";
    /// `float powf(float, float)`
    Powf = 55, "powf";
    /// `double cbrt(double)`
    Cbrt = 56, "cbrt";
    /// `float cbrtf(float)`
    Cbrtf = 57, "cbrtf";
    /// `double sqrt(double)`
    Sqrt = 58, "sqrt";
    /// `float sqrtf(float)`
    Sqrtf = 59, "sqrtf";
    /// `double hypot(double, double)`
    Hypot = 60, "hypot";
    /// `float hypotf(float, float)`
    Hypotf = 61, "hypotf";
    /// `double erf(double)`
    Erf = 62, "erf";
    /// `float erff(float)`
    Erff = 63, "erff";
    /// `double erfc(double)`
    Erfc = 64, "erfc";
    /// `float erfcf(float)`
    Erfcf = 65, "erfcf";
    /// `double tgamma(double)`
    Tgamma = 66, "tgamma";
    /// `float tgammaf(float)`
    Tgammaf = 67, "tgammaf";
    /// `double __powidf2(double, int)`
    Powidf2 = 68, "__powidf2";
    /// `float __powisf2(float, int)`
    Powisf2 = 69, "__powisf2";
    /// `double fmod(double, double)`
    Fmod = 70, "fmod";
    /// `float fmodf(float, float)`
    Fmodf = 71, "fmodf";
    /// `double fma(double, double, double)`
    Fma = 72, "fma";
    /// `float fmaf(float, float, float)`
    Fmaf = 73, "fmaf";
    /// `double floor(double)`
    Floor = 74, "floor";
    /// `float floorf(float)`
    Floorf = 75, "floorf";
    /// `double ceil(double)`
    Ceil = 76, "ceil";
    /// `float ceilf(float)`
    Ceilf = 77, "ceilf";
    /// `double trunc(double)`
    Trunc = 78, "trunc";
    /// `float truncf(float)`
    Truncf = 79, "truncf";
    /// `double round(double)`
    Round = 80, "round";
    /// `float roundf(float)`
    Roundf = 81, "roundf";
    /// `double roundeven(double)`
    Roundeven = 82, "roundeven";
    /// `float roundevenf(float)`
    Roundevenf = 83, "roundevenf";
    /// `double rint(double)`, to the nearest and of two the even
    Rint = 84, "rint";
    /// `float rintf(float)`, to the nearest and of two the even
    Rintf = 85, "rintf";
    /// `double nearbyint(double)`, as `rint`
    Nearbyint = 86, "nearbyint";
    /// `float nearbyintf(float)`, as `rintf`
    Nearbyintf = 87, "nearbyintf";
    /// `double copysign(double, double)`
    Copysign = 88, "copysign";
    /// `float copysignf(float, float)`
    Copysignf = 89, "copysignf";
    /// `_Float16 __truncsfhf2(float)`: the half in the lower 16 bits of `xmm0`
    TruncSfHf = 100, "__truncsfhf2";
    /// `_Float16 __truncdfhf2(double)`: the half in the lower 16 bits of `xmm0`
    TruncDfHf = 101, "__truncdfhf2";
    /// `float __extendhfsf2(_Float16)`: the half in the lower 16 bits of `xmm0`
    ExtendHfSf = 102, "__extendhfsf2";
    /// `uint16_t __gnu_f2h_ieee(float)`: XLA's own routine, see xla/service/cpu/runtime_fp16.h for the register of the half
    GnuF2h = 103, "__gnu_f2h_ieee";
    /// `float __gnu_h2f_ieee(uint16_t)`: XLA's own routine, see xla/service/cpu/runtime_fp16.h for the register of the half
    GnuH2f = 104, "__gnu_h2f_ieee";
    /// `__bf16 __truncsfbf2(float)`: the result in the lower 16 bits of `xmm0`
    TruncSfBf = 105, "__truncsfbf2";
    /// `__bf16 __truncdfbf2(double)`: the result in the lower 16 bits of `xmm0`
    TruncDfBf = 106, "__truncdfbf2";
}
