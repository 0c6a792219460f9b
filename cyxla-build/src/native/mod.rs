//! XLA's executable of a program, as an image for the native engine.
//!
//! ```text
//! StableHLO ─► compile.rs, compile.py: jaxlib
//!      ▼
//! serialized executable
//!      │ proto/        messages of XLA
//!      ├─ objects.rs   ELF object files ──► link.rs ──► code, functions      features.rs: what it needs of a processor
//!      ├─ buffers.rs   buffer assignment, literal.rs ──► allocations, constants, inputs, outputs
//!      └─ schedule.rs  thunks, attributes.rs ──► steps
//!                                                    ▼
//!                                                  Image
//! ```
//!
//! What can't be expressed, or isn't known exactly, is said so and not guessed: the program is then run with PJRT.
//!
//! Source: `CompilationResultProto` in xla/service/cpu/executable.proto, as jaxlib 0.10 to 0.12 write it.

mod attributes;
mod bake;
mod buffers;
mod compile;
mod features;
mod link;
mod literal;
mod objects;
mod proto;
mod schedule;
mod shape;

use std::fmt;

use cyxla_native::image::{Architecture, Image, Target};

pub(crate) use bake::{Baking, CpuTarget, IMAGE, bake, not_baked};
pub(crate) use compile::script_digest;
pub use compile::{NativeError, Source, images};
pub use cyxla_artifact::Level;

use buffers::Buffers;
use link::Linker;
use proto::{CompilationResult, ObjectKind, Outer, TargetMachine};

/// Why a program has no image.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct NotExpressible {
    /// The reason, as the build report tells it.
    pub reason: String,
}

impl NotExpressible {
    fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
        }
    }
}

/// Gives an error unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($reason:tt)*) => {
        if !$condition {
            return Err($crate::native::NotExpressible::new(format!($($reason)*)));
        }
    };
}
use ensure;

/// The bytes that jaxlib's client for the CPU serializes an executable to, or a CPU plugin, as an image.
///
/// The same bytes give the same image. It needs of the processor what its instructions need, not all that it was compiled
/// for.
///
/// # Errors
/// The executable holds what an image has no words for, or is of a format that isn't known.
pub fn translate(serialized: &[u8]) -> Result<Image, NotExpressible> {
    let result = executable(serialized)?;
    ensure!(
        result.object_kind() == ObjectKind::Kernels,
        "its machine code is of a kind that this version of cyxla doesn't know"
    );
    let module = result.module.and_then(|outer| outer.module);
    let module = module.ok_or_else(|| NotExpressible::new("it comes without its HLO module"))?;
    let machine = result
        .target
        .ok_or_else(|| NotExpressible::new("it doesn't say what processor it is for"))?;
    let architecture = architecture(&machine)?;
    let linker = Linker::new(&result.objects, &result.symbols)?;
    let features = features::needed(&linker, &machine)?;
    let buffers = Buffers::new(&module, &result.buffer_assignment)?;
    let mut scheduler = schedule::Scheduler::new(&linker);
    let schedule = scheduler.sequence(&result.thunk_sequence, 0)?;
    let mut image = Image {
        name: module.name.clone(),
        target: Target {
            architecture,
            features,
        },
        code: linker.code.clone(),
        functions: scheduler.functions,
        constants: Vec::new(),
        allocations: Vec::new(),
        inputs: buffers.inputs()?,
        outputs: buffers.outputs(&module)?,
        schedule,
    };
    buffers.finish(&mut image)?;
    image.validate().map_err(NotExpressible::new)?;
    Ok(image)
}

/// The executable in what was serialized.
///
/// PJRT writes `ExecutableAndOptionsProto`; the client of jaxlib since 0.9 writes a message of IFRT before it, behind its
/// length.
///
/// Source: xla/python/pjrt_ifrt/pjrt_executable.cc.
fn executable(serialized: &[u8]) -> Result<CompilationResult, NotExpressible> {
    const IFRT: &[u8] = b"pjrt_ifrt";
    let unknown = || {
        NotExpressible::new("it was serialized in a way that this version of cyxla doesn't know")
    };
    let mut rest = serialized;
    let length = prost::encoding::decode_varint(&mut rest).ok();
    let header = length.and_then(|length| rest.split_at_checked(usize::try_from(length).ok()?));
    let bytes = match header {
        Some((header, behind)) if header.windows(IFRT.len()).any(|part| part == IFRT) => behind,
        _ => serialized,
    };
    let outer: Outer = proto::some(bytes, "it").map_err(|_| unknown())?;
    ensure!(!outer.executable.is_empty(), "{}", unknown());
    proto::some(&outer.executable, "it").map_err(|_| unknown())
}

fn architecture(machine: &TargetMachine) -> Result<Architecture, NotExpressible> {
    let triple = &machine.triple;
    let known = triple.starts_with("x86_64-") && triple.contains("-linux");
    ensure!(
        known,
        "it is for {triple}, and this version of cyxla knows x86-64 Linux only"
    );
    Ok(Architecture::X86_64)
}

#[cfg(test)]
mod tests;
