//! JAX programs inside Rust binaries.
//!
//! A function under [`#[cyxla::program]`](macro@program) is a JAX function: `cargo build` lowers it and bakes it into the
//! binary, the Rust compiler checks shapes and element types, and at run time there is no Python.
//!
//! # A program in four files
//!
//! `Cargo.toml`: this crate to call programs, `cyxla-build` to lower them, and the Python packages that lowering needs.
//!
//! ```toml
//! [dependencies]
//! cyxla = "0.1"
//!
//! [build-dependencies]
//! cyxla-build = "0.1"
//!
//! [package.metadata.cyxla]
//! python = { requirements = "requirements.txt" }
//! ```
//!
//! `requirements.txt` names JAX and a wheel with a PJRT plugin for the CPU, `jax` and, say, `xla-cpu-pjrt`. An own environment
//! serves as well: without the entry, the active virtual environment, `.venv` or `python3` is taken.
//!
//! `build.rs`: finds the programs of the package and has JAX lower them.
//!
//! ```ignore
//! fn main() {
//!     cyxla_build::Builder::new().python_path("python").run();
//! }
//! ```
//!
//! `python/model.py`: any function that `jax.jit` takes.
//!
//! ```python
//! def predict(x, scale):
//!     return x.sum(axis=1) * scale
//! ```
//!
//! `src/main.rs`: the signature, and the call.
//!
//! ```ignore
//! #[cyxla::program("model:predict")]
//! fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;
//!
//! fn main() -> cyxla::Result<()> {
//!     let sums = predict(&[[1.0; 4]; 8], 0.5)?;
//!     assert_eq!(sums, [2.0; 8]);
//!     Ok(())
//! }
//! ```
//!
//! # Types
//!
//! Nested arrays are the array types: `f32` is JAX's `f32[]`, `[[f32; 4]; 8]` is `f32[8,4]`, row major. The elements are
//! `bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, and of this crate [`BF16`], [`F16`], [`Complex`], [`I4`], [`U4`] and
//! the 8-bit floats such as [`F8E4M3FN`]. 64-bit types are computed in 64 bits: JAX's x64 mode is on for programs that
//! name them.
//!
//! How an argument or result is declared says what happens to its memory:
//!
//! | declared | what happens to the memory |
//! |---|---|
//! | `x: f32`, `x: [f32; 8]` | by value, for small arrays |
//! | `x: &[[f32; 4]; 8]` | borrowed, never changed; copied if it is small or not aligned |
//! | `x: &cyxla::Host<[[f32; 4]; 8]>` | borrowed, never changed; on the heap where the program reads it in place ([`Host`]) |
//! | `x: &cyxla::Buffer<[[f32; 4]; 8]>` | is on the device and stays there ([`Buffer`]) |
//! | `x: cyxla::Buffer<[[f32; 4]; 8]>` | moved in, which is donated: a result takes its memory, and using it afterwards does not compile |
//! | `-> cyxla::Result<[f32; 8]>` | by value |
//! | `-> cyxla::Result<Box<[[f32; 1024]; 1024]>>` | on the heap from the start, never on the stack |
//! | `-> cyxla::Result<cyxla::Host<[[f32; 1024]; 1024]>>` | the same, aligned for the next call |
//! | `-> cyxla::Result<cyxla::Buffer<[[f32; 4]; 8]>>` | stays on the device, to be read there or to be the next argument |
//! | `-> cyxla::Result<([f32; 8], f32)>` | one element for each array, in the order of the leaves of JAX's pytree |
//!
//! An argument that is a slice of numbers already needs no copy: [`from_slice`] makes it a nested array, and [`as_slice`] is the
//! way back. [`Host`] is an owned array on the heap, of any size, at the alignment at which plugins use memory in place. With
//! the feature `ndarray` there are the same conversions for its arrays and views: `from_ndarray`, `as_ndarray`.
//!
//! ```
//! use cyxla::Host;
//!
//! let pixels = vec![0.5_f32; 480 * 640];
//! let image: &[[f32; 640]; 480] = cyxla::from_slice(&pixels)?;
//! assert_eq!(image[479][639], 0.5);
//!
//! let mut kernel = Host::<[[f32; 3]; 3]>::zeros();
//! kernel[1][1] = 1.0;
//! assert_eq!(kernel.as_slice()[4], 1.0);
//! # Ok::<(), cyxla::Error>(())
//! ```
//!
//! A type may be left to Python with `_`; [the attribute](macro@program) says when.
//!
//! # Rust inside of JAX
//!
//! A JAX program can call back into Rust, with gradients: [`#[cyxla::ffi_handler]`](macro@ffi_handler) makes a function the
//! handler of a custom call.
//!
//! # Run time
//!
//! The first call loads a PJRT plugin, the library that compiles and runs StableHLO, and compiles the program or loads it
//! from the disk cache; `predict::program().load()` does so ahead. A call may also be started and waited for later,
//! `predict::start(…)`, or be prepared for a loop, `predict::prepare()`: see [the attribute](macro@program). The plugin of a managed environment is found by itself.
//! [`find_plugin`] tells where else plugins are looked for, [`initialize`] chooses one in code.
//!
//! A program can also be machine code in the binary, and needs no plugin then: `engine = "native"` in
//! [the attribute](macro@program#machine-code).
//!
//! Programs that are not known at compile time are run by [`Executable`], which checks types on every call.

#![forbid(unsafe_code)]

pub use cyxla_artifact as artifact;
pub use cyxla_artifact::{
    ArrayType, ArrayTypeError, DType, Engine, LoweredProgram, StableHloVersion,
};
/// Makes a function the handler of a custom call: JAX programs call Rust.
///
/// ```
/// use cyxla::ffi;
///
/// /// √(Σ x² + ε) of each row.
/// #[cyxla::ffi_handler("my_norm")]
/// fn my_norm(
///     x: ffi::Array<f32, 2>,
///     eps: f32,
///     mut out: ffi::ArrayMut<f32, 1>,
/// ) -> Result<(), ffi::Error> {
///     for (out, row) in out.iter_mut().zip(x.rows()) {
///         *out = (row.iter().map(|x| x * x).sum::<f32>() + eps).sqrt();
///     }
///     Ok(())
/// }
///
/// my_norm::register()?;
/// # Ok::<(), cyxla::Error>(())
/// ```
///
/// In Python, where `eps` is of the type that the handler takes:
///
/// ```python
/// def norms(x):
///     result = jax.ShapeDtypeStruct(x.shape[:1], x.dtype)
///     return jax.ffi.ffi_call("my_norm", result)(x, eps=numpy.float32(1e-6))
/// ```
///
/// And in Rust, `custom_calls = ["my_norm"]` in the attribute [`program`](macro@program) of what calls it.
///
/// # Parameters
///
/// | type | is |
/// |---|---|
/// | [`ffi::Array<T, N>`](ffi::Array) | the next argument, with elements `T` and `N` axes |
/// | [`ffi::ArrayMut<T, N>`](ffi::ArrayMut) | the next result, which holds anything until it is written |
/// | [`ffi::AnyArray`], [`ffi::AnyArrayMut`] | the same, of a type that the function looks at |
/// | `bool`, `i8` … `u64`, `f32`, `f64`, `&str`, `&[i64]`, [`ffi::Attributes`] | the attribute of the parameter's name |
/// | `Option` of these | the attribute, if there is one |
///
/// Element types, numbers of axes and of arrays are checked before the function is called; what does not fit is an error of
/// the program. So is an `Err` of the function, and a panic. An argument that XLA has put into the memory of a result is
/// copied first. Attributes are exactly of the type that Python gave.
///
/// # The handler
///
/// The function stays a function. Beside it comes a type of its name: `my_norm::register()` registers the handler under
/// `my_norm::TARGET`, [`register_ffi_target`] does so under another name. Without a name in the attribute, the target is
/// called as the function. A function that can't fail returns nothing. For a handler with state, give a closure to
/// [`register_ffi_target`].
///
/// Handlers are called on the CPU only, perhaps from several threads at once, and must not call programs of cyxla. JAX can't
/// see into them: for gradients, write a second handler and join both with `jax.custom_vjp`; for `jax.vmap`, give
/// `vmap_method` to `jax.ffi.ffi_call`.
pub use cyxla_macros::ffi_handler;
/// Turns a signature into a typed call of a JAX program.
///
/// ```ignore
/// #[cyxla::program("model:predict")]
/// fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;
/// ```
///
/// The string is a Python entry point, `module:function`; the function may be an attribute, `model:Plant.step`. Parameters
/// are the leaves of the function's arguments in JAX's order, so an array each unless an argument is a pytree. Doc comments,
/// visibility and other attributes stay as they are.
///
/// What the signature says is compared with what was lowered, and a difference is a compile error on the type that is
/// wrong. A constant or an alias may stand in a type.
///
/// # Arguments and results
///
/// `A` is an array type such as `f32` or `[[f32; 4]; 8]`. Small arguments are best passed as `A`, large ones as `&A`.
///
/// | argument | |
/// |---|---|
/// | `A`, `&A` | an array anywhere on the host |
/// | `Host<A>`, `&Host<A>` | an array of the host that the program reads in place: [`Host`] |
/// | `&Buffer<A>` | an array that stays on the device: [`Buffer`] |
/// | `Buffer<A>` | the same, donated: a result takes its memory |
///
/// | result | |
/// |---|---|
/// | `A` | by value |
/// | `Box<A>`, `Host<A>` | on the heap from the start |
/// | `Buffer<A>` | stays on the device |
///
/// `cyxla::Result<T>` holds one of these, or a tuple: one element for each array, at most 24. `Box`, `Host` and `Buffer` are known
/// by these names, and may stand behind a path.
///
/// # More ways to call
///
/// Beside the function comes a type of its name, with the same visibility and without values, which is imported along with it:
///
/// | | |
/// |---|---|
/// | `predict::program()` | the [`Program`], to load it ahead of the first call and to ask for its types |
/// | `predict::start(…)` | takes what the function takes and returns while the program runs: a [`Pending`] to wait for |
/// | `predict::prepare()` | a call with memory of its own, for loops: a [`Prepared`]; for at most 24 arguments |
///
/// ```ignore
/// let pending = predict::start(&x, 0.5)?;
/// let meanwhile = something_else();
/// let sums = pending.wait()?;
///
/// let mut call = predict::prepare()?;
/// for scale in [0.5, 1.0, 2.0] {
///     let (x, s) = call.inputs();
///     *x = next_table();
///     *s = scale;
///     println!("{:?}", call.run()?);
/// }
/// ```
///
/// # Donation
///
/// A program may put a result into the memory of an argument that its caller gives up. For state that is updated again and
/// again this saves an allocation, and half of the memory.
///
/// ```ignore
/// #[cyxla::program("model:step")]
/// fn step(state: Buffer<[f32; 1 << 20]>, force: f32) -> cyxla::Result<Buffer<[f32; 1 << 20]>>;
///
/// let mut state = Buffer::from(&start)?;
/// for force in forces {
///     state = step(state, force)?;
/// }
/// ```
///
/// A `Buffer` by value is donated, and so are the parameters that the option `donate` names and those that Python itself
/// declares, with `jax.jit(…, donate_argnums=…)`. What is donated is taken by value, in any of the forms above. JAX finds for
/// it a result of the same type; if none is left, the memory is freed after the call, and the build warns of it.
///
/// # Types from Python
///
/// With `args`, shapes come from Python: a callable or value that gives example arguments, or `jax.ShapeDtypeStruct`s. The
/// signature may still name them, or leave each to Python with `_`. `Result<_>` stands for all results: a tuple if there
/// are several. A result of more than 64 KiB comes in a `Box` where `_` stands for it, so that it stays off the stack.
///
/// ```ignore
/// #[cyxla::program("model:predict", args = "model:example_args")]
/// fn predict(x: &_, scale: _) -> cyxla::Result<_>;
/// ```
///
/// `_` may stand inside of what holds an array too: `x: &Buffer<_>`, `Result<Host<_>>`. Without `args`, it may stand for
/// results only.
///
/// # Options
///
/// Behind the target, `name = value`:
///
/// | option | meaning |
/// |---|---|
/// | `args = "model:example_args"` | example arguments, for types that come from Python |
/// | `x64 = true` | JAX's `jax_enable_x64`; unless said, on for programs that name 64-bit types |
/// | `custom_calls = ["my_target"]` | custom calls that the program may make beyond those that JAX promises to keep |
/// | `deps = ["weights.safetensors"]` | files, relative to the package, whose change lowers the program anew; Python files and files that Python opens are known without |
/// | `donate = [state]` | parameters, by name, whose memory a result may take; a `Buffer` by value needs no mention |
/// | `engine = "native"` | [machine code](#machine-code) in the binary; `"auto"` where that can be, else a PJRT plugin; the usual one is `"pjrt"` |
/// | `bind(params = "model:load_params")` | parameters of the Python function that get their value now, by keyword or position: arrays in it are [weights](Program::weights), anything else stays as it is |
/// | `weights = "file"` | where the weights are: `"binary"`, which is the usual place; `"file"`, in files beside it; `"code"`, in the code of the program, as JAX writes it |
/// | `weights_from = 65536` | bytes from which an array that the function closes over is a weight; by default 4096 |
/// | `linalg = "portable"` | [linear algebra](#linear-algebra) without custom calls; the other way, `"lapack"`, is the usual one |
/// | `platforms = ["cpu", "cuda"]` | the platforms that the program is [lowered for](#platforms), of `cpu`, `cuda`, `rocm` and `tpu`; usually the CPU alone |
/// | `stablehlo_version = "1.10.0"` | the StableHLO version of the code: newer for operations that this one lacks, older for older plugins |
/// | `crate = "renamed"` | the name of this crate, if the package gives it another |
///
/// ```ignore
/// #[cyxla::program(
///     "model:filter",
///     args = "model:example_args",
///     x64 = true,
///     deps = ["data/coefficients.bin"],
/// )]
/// fn filter(signal: &[f64; 4096]) -> cyxla::Result<Box<[f64; 4096]>>;
/// ```
///
/// # Platforms
///
/// With `platforms = ["cpu", "cuda"]` the binary holds the program once for each platform, and the run time takes that of the
/// plugin that it has loaded; a program that was not lowered for it is refused with both named. To lower for a GPU needs none.
/// On GPUs, what JAX has custom calls for there (`jnp.linalg`, random numbers) is lowered to operations that XLA expands
/// itself, because only the Python package of the plugin has handlers for them; what can't be lowered so, such as
/// `jnp.linalg.eig`, is an error of the build.
///
/// # Machine code
///
/// With `engine = "native"`, XLA compiles the program when the package is built, and its machine code becomes part of the binary:
/// no plugin at run time, no compilation at the first call.
///
/// ```ignore
/// #[cyxla::program("controller:act", engine = "native")]
/// fn act(observation: &[f32; 12]) -> cyxla::Result<[f32; 4]>;
///
/// println!("{}", act::program().engine()?);      // native
/// ```
///
/// With `"auto"`, a PJRT plugin runs what can't be machine code: the build says of which programs and why, and so does
/// [`Program::engine`]. `engine` and `levels`, the instructions that there is code for, also stand in
/// `[package.metadata.cyxla]` of `Cargo.toml` for all programs. It takes the feature `native`, which is on by default, and
/// runs on x86-64 with Linux.
///
/// A call that was started has come to its end when `start` returns. A [`Buffer`] that machine code makes is memory of the host.
/// Large kernels use the threads of the `rayon` pool that the caller is in, else of the global one. A debug build multiplies large
/// matrices slowly, unless `gemm-f32` and `gemm-f64` are optimised as said [below](#linear-algebra).
///
/// # Linear algebra
///
/// JAX lowers `jnp.linalg`, `jax.lax.linalg`, `jax.scipy.linalg` and `jax.experimental.sparse` to custom calls for the CPU.
/// The feature `linalg`, which is on by default, has handlers for all of them, and none needs to be named in `custom_calls`.
///
/// Debug builds compile the handlers without optimisation, which takes up to 500 times as long as a release build. Mostly
/// less than twice as long is left if this one crate is optimised, by
///
/// ```toml
/// [profile.dev.package.cyxla-linalg]
/// opt-level = 2
/// ```
///
/// in the `Cargo.toml` of the workspace.
///
/// With `linalg = "portable"`, a program is lowered to operations that XLA expands itself, as for platforms without LAPACK, and
/// needs no handler. `Builder::linalg` of `cyxla-build` makes that the usual way of a package. It has limits:
///
/// | function | with `"portable"` |
/// |---|---|
/// | cholesky, LU, solve, QR, and what is made of them: inv, det, expm, … | as exact; at 512 × 512 in f32, 1.5 to 3.5 times as long |
/// | eigh, svd, and what is made of them: pinv, lstsq, norm, … | f64 is exact to about 3e-7; at 512 × 512 in f32, 36 and 21 times as long |
/// | eig, schur, hessenberg, tridiagonal, QR with pivots, and what is made of them: sqrtm, funm, roots, … | refused by the build, with the name of the primitive |
///
/// Compiling a program with eigh or svd takes several seconds then. JAX must be 0.6.2 or newer, as for every program.
pub use cyxla_macros::program;
#[doc(hidden)]
pub use cyxla_runtime::__private;
pub use cyxla_runtime::{
    ApiError, Argument, ArgumentError, Array, AsArray, BF16, Bound, Buffer, BufferError,
    CacheError, CacheKey, CacheOutcome, CacheStatistics, CachedProgram, Client, ClientError,
    CompileError, CompileStatistics, Compiled, Complex, DeviceBuffer, DiskCache, Donated, Element,
    Error, ErrorCode, ErrorInfo, Executable, ExecuteError, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN,
    F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16, FfiError, Host, HostArray, HostArrayError,
    HostView, I4, NativeError, OptionValue, Options, Output, PLATFORM_PREFERENCE, Parameter,
    Pending, Plugin, PluginError, PluginModule, PluginSource, Prepared, Program, ProgramWeight,
    Result, RunsOn, RuntimeInfo, Searched, U4, WeightsError, as_mut_slice, as_slice,
    available_plugins, cache, compile_options, compile_program, compile_program_in, default_client,
    default_plugin, error_info, find_plugin, from_slice, from_slice_mut, initialize,
    is_initialized, register_ffi_target, register_plugin, runtime_info,
};
#[cfg(feature = "ndarray")]
pub use cyxla_runtime::{
    NdArray, as_mut_ndarray, as_ndarray, from_ndarray, from_ndarray_mut, ndarray,
};

/// What a handler of a custom call sees: see [`ffi_handler`](macro@ffi_handler) and [`register_ffi_target`].
///
/// | | |
/// |---|---|
/// | [`Handler`](ffi::Handler) | what is called: a function of a frame |
/// | [`CallFrame`](ffi::CallFrame) | one call: arguments, results, attributes |
/// | [`Array`](ffi::Array), [`ArrayMut`](ffi::ArrayMut) | an argument and a result with element type and number of axes checked |
/// | [`AnyArray`](ffi::AnyArray), [`AnyArrayMut`](ffi::AnyArrayMut) | the same, of a type known at run time |
/// | [`Attributes`](ffi::Attributes) | numbers, strings, arrays and dictionaries that the program gives by name |
/// | [`Error`](ffi::Error) | why a handler failed |
/// | [`OwnedCall`](ffi::OwnedCall) | a call without JAX, for tests of handlers |
///
/// Source: `jax.ffi`; `xla/ffi/api/c_api.h`.
pub mod ffi {
    #[doc(inline)]
    pub use cyxla_ffi::*;
}
