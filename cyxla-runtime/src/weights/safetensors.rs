//! Files in the format of safetensors: the length of a header in eight bytes, the header in JSON, the elements.
//!
//! Source: the format as README.md of github.com/huggingface/safetensors describes it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use cyxla_artifact::{ArrayType, DType};
use serde::Deserialize;

use super::WeightsError;
use crate::host::HostMemory;

/// The longest header that the format allows, in bytes.
const LONGEST_HEADER: u64 = 100_000_000;

/// The name of what is no tensor in the header.
const METADATA: &str = "__metadata__";

/// An open file.
#[derive(Debug)]
pub(super) struct SafeTensors {
    path: PathBuf,
    file: File,
    tensors: BTreeMap<String, Tensor>,
    /// The first byte of the elements.
    start: u64,
}

/// One array in a file.
#[derive(Debug, Deserialize)]
pub(super) struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl SafeTensors {
    /// # Errors
    /// The file can't be read, or is in another format.
    pub(super) fn open(path: &Path) -> Result<Self, WeightsError> {
        let failed = |source| WeightsError::Open {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        match read_header(&mut file, size) {
            Ok((tensors, start)) => Ok(Self {
                path: path.to_owned(),
                file,
                tensors,
                start,
            }),
            Err(reason) => Err(WeightsError::Format {
                path: path.to_owned(),
                reason,
            }),
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What its tensors are called.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.tensors.keys().map(String::as_str)
    }

    /// The tensor of a name that the file has.
    pub(super) fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.get(name)
    }

    /// The elements of one of its tensors, row major.
    pub(super) fn read(&mut self, offsets: [u64; 2]) -> Result<HostMemory, WeightsError> {
        let failed = |source| WeightsError::Open {
            path: self.path.clone(),
            source,
        };
        let [from, to] = offsets;
        let len =
            usize::try_from(to - from).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        let mut memory = HostMemory::zeroed(len);
        self.file
            .seek(SeekFrom::Start(self.start + from))
            .and_then(|_| self.file.read_exact(memory.bytes_mut()))
            .map_err(failed)?;
        Ok(memory)
    }
}

impl Tensor {
    /// Its type, if cyxla has arrays of it and it has as many bytes as that says.
    pub(super) fn array_type(&self) -> Option<ArrayType> {
        let dtype = match self.dtype.as_str() {
            "BOOL" => DType::Bool,
            "I8" => DType::I8,
            "I16" => DType::I16,
            "I32" => DType::I32,
            "I64" => DType::I64,
            "U8" => DType::U8,
            "U16" => DType::U16,
            "U32" => DType::U32,
            "U64" => DType::U64,
            "F8_E4M3" => DType::F8E4M3FN,
            "F8_E5M2" => DType::F8E5M2,
            "F8_E8M0" => DType::F8E8M0FNU,
            "F16" => DType::F16,
            "BF16" => DType::BF16,
            "F32" => DType::F32,
            "F64" => DType::F64,
            "C64" => DType::C64,
            _ => return None,
        };
        let array_type = ArrayType::new(dtype, &self.shape).ok()?;
        let [from, to] = self.data_offsets;
        let bytes = u64::try_from(array_type.nbytes()).ok()?;
        (to - from == bytes).then_some(array_type)
    }

    /// Where its elements begin and end, from the end of the header.
    pub(super) fn offsets(&self) -> [u64; 2] {
        self.data_offsets
    }

    /// Its type, for messages: `F32[3,4]`.
    pub(super) fn described(&self) -> String {
        let shape: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        format!("{}[{}]", self.dtype, shape.join(","))
    }
}

/// The tensors of a file of `size` bytes, and where their elements begin.
fn read_header(
    file: &mut impl io::Read,
    size: u64,
) -> Result<(BTreeMap<String, Tensor>, u64), String> {
    let short = |_| "it is too short for its header".to_owned();
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(short)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_HEADER || length > size {
        return Err(format!("its header would have {length} bytes"));
    }
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header).map_err(short)?;
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&header).map_err(|error| error.to_string())?;
    entries.remove(METADATA);
    let start = 8 + length;
    let room = size.saturating_sub(start);
    let mut tensors = BTreeMap::new();
    for (name, entry) in entries {
        let tensor: Tensor =
            serde_json::from_value(entry).map_err(|error| format!("`{name}`: {error}"))?;
        let [from, to] = tensor.data_offsets;
        if from > to || to > room {
            return Err(format!(
                "`{name}` would be at the bytes {from} to {to} of {room}"
            ));
        }
        tensors.insert(name, tensor);
    }
    Ok((tensors, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(json: &str, data: usize) -> Result<BTreeMap<String, Tensor>, String> {
        let mut bytes = u64::try_from(json.len()).unwrap().to_le_bytes().to_vec();
        bytes.extend(json.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        let size = u64::try_from(bytes.len()).unwrap();
        read_header(&mut bytes.as_slice(), size).map(|(tensors, _)| tensors)
    }

    #[test]
    fn the_tensors_of_a_header_are_read() {
        let json = r#"{"__metadata__": {"format": "np"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}"#;
        let tensors = header(json, 24).unwrap();
        assert_eq!(tensors.len(), 1);
        let expected = ArrayType::new(DType::F32, &[2, 3]).unwrap();
        assert_eq!(tensors["w"].array_type(), Some(expected));
        assert_eq!(tensors["w"].described(), "F32[2,3]");
    }

    #[test]
    fn what_can_not_be_is_refused() {
        for json in [
            "",
            "[]",
            r#"{"w": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}"#,
            r#"{"w": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}"#,
            r#"{"w": {"dtype": "F32", "shape": [7], "data_offsets": [0, 28]}}"#,
            r#"{"w": {"dtype": "F32"}}"#,
        ] {
            assert!(header(json, 24).is_err(), "{json}");
        }
        assert!(read_header(&mut [255_u8; 9].as_slice(), 9).is_err());
        assert!(read_header(&mut [0_u8; 3].as_slice(), 3).is_err());
    }

    #[test]
    fn a_tensor_with_other_bytes_than_its_type_says_has_none() {
        let json = r#"{"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
            "v": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}"#;
        let tensors = header(json, 24).unwrap();
        assert_eq!(tensors["w"].array_type(), None);
        assert_eq!(tensors["v"].array_type(), None);
    }
}
