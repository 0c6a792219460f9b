//! The arrays that programs hold, on the device.
//!
//! ```text
//! binary ──┐                                    one copy per content and client
//! file ────┼─► WeightData ─► store.rs ─► WeightSet ─► frame, behind the arguments of the caller
//!          │    map.rs                       ▲
//! .safetensors ── safetensors.rs, names.rs ──┘ load_weights
//! ```

mod current;
mod error;
mod files;
mod map;
mod names;
mod safetensors;
mod store;
mod swap;

use std::sync::Arc;

use cyxla_artifact::ArrayType;

pub(crate) use current::CurrentWeights;
pub use error::WeightsError;
pub(crate) use files::found;
pub(crate) use store::{WeightStore, of_program};

use crate::device::OwnedBuffer;

/// All weights of a program, in the order in which its module takes them.
pub(crate) struct WeightSet(pub(crate) Box<[Arc<OwnedBuffer>]>);

/// One array of the weights of a [`Program`](crate::Program): an argument that was bound with `bind(…)`, or an array that the
/// Python function closes over.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProgramWeight {
    /// The name of the bound parameter and the path below it, `params['w']`; of an array that the function closes over its
    /// variable, or `constants[0]` if that is not known.
    pub path: &'static str,
    /// Element type and shape.
    pub array_type: ArrayType,
    /// Whether it was bound to a parameter, as opposed to closed over.
    pub bound: bool,
    pub(crate) sha256: [u8; 32],
    pub(crate) source: WeightSource,
}

/// Where the elements of an array are.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum WeightSource {
    /// In the binary.
    Binary(&'static [u8]),
    /// In a file of this name, which the build has left in this folder.
    File {
        name: &'static str,
        folder: &'static str,
    },
}

impl ProgramWeight {
    #[doc(hidden)]
    pub const fn new(
        path: &'static str,
        array_type: ArrayType,
        bound: bool,
        sha256: [u8; 32],
        source: WeightSource,
    ) -> Self {
        Self {
            path,
            array_type,
            bound,
            sha256,
            source,
        }
    }

    /// Bytes of its elements.
    pub const fn nbytes(&self) -> usize {
        self.array_type.nbytes()
    }

    /// The name of the file with its elements, if they are not in the binary (`weights = "file"`).
    pub const fn file(&self) -> Option<&'static str> {
        match self.source {
            WeightSource::Binary(_) => None,
            WeightSource::File { name, .. } => Some(name),
        }
    }
}
