//! An image as bytes.
//!
//! | bytes | hold |
//! |---|---|
//! | 0–7 | [`MAGIC`] |
//! | 8–11 | [`VERSION`], little endian |
//! | 12–43 | the SHA-256 of all that follows |
//! | 44– | the fields of [`Image`], in order |
//!
//! Equal images have equal bytes, and other bytes are not read: each value has one way to be written.

use cyxla_artifact::Digest;

use super::wire::{Item, Reader, Wire};
use super::{
    Allocation, ApiVersion, Array, Attribute, Code, Conditional, Convolution,
    ConvolutionDimensions, Copy, CustomCall, Dot, Fft, FftKind, Function, FunctionKind, Image,
    ImageError, Input, KernelCall, Output, Patch, PatchValue, Role, Sequence, Shape, Slice, Sort,
    SortDirection, Step, Target, TopK, While, WindowDimension,
};

/// The first bytes of an image.
pub const MAGIC: [u8; 8] = *b"\x7fcyxla\r\n";

/// The version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;

const DIGEST: usize = MAGIC.len() + 4;
const FIELDS: usize = DIGEST + 32;

impl Image {
    /// The image as bytes. Equal images give equal bytes on any machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.code.bytes.len() + self.constants.len() + 4096);
        out.extend(MAGIC);
        VERSION.write(&mut out);
        out.extend([0; 32]);
        self.write(&mut out);
        let digest = Digest::of(&out[FIELDS..]);
        out[DIGEST..FIELDS].copy_from_slice(digest.as_bytes());
        out
    }

    /// Reads an image. What it gives holds to all that [`Image::validate`] checks.
    ///
    /// # Errors
    /// The bytes are none of this version, damaged, or contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ImageError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(ImageError::NoImage);
        }
        let mut reader = Reader::new(bytes, MAGIC.len());
        let found = u32::read(&mut reader)?;
        if found != VERSION {
            return Err(ImageError::Version { found });
        }
        let digest = reader.take(32)?;
        if digest != Digest::of(&bytes[FIELDS..]).as_bytes() {
            return Err(ImageError::Checksum);
        }
        let image = Self::read(&mut reader)?;
        reader.finish()?;
        image.validate()?;
        Ok(image)
    }
}

macro_rules! wire_struct {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.write(out);)*
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
                Ok(Self { $($field: Wire::read(reader)?),* })
            }
        }

        impl Item for $name {}
    )*};
}

wire_struct! {
    Image { name, target, code, functions, constants, allocations, inputs, outputs, schedule }
    Target { architecture, features }
    Code { bytes, alignment, patches }
    Patch { offset, value }
    Function { name, kind, entry }
    Allocation { size, role }
    Slice { allocation, offset, size }
    Shape { dtype, dims, minor_to_major }
    Array { slice, shape }
    Input { array_type, allocation }
    Output { array_type, slice }
    KernelCall { function, workgroups, arguments, results, alignment }
    While { condition, body, predicate, trip_count }
    Conditional { index, branches }
    Copy { source, destination }
    Dot { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch, lhs, rhs, result }
    Convolution { dimensions, window, feature_groups, input, kernel, result }
    ConvolutionDimensions {
        input_batch, input_feature, input_spatial, kernel_input_feature, kernel_output_feature, kernel_spatial,
        output_batch, output_feature, output_spatial,
    }
    WindowDimension { size, stride, padding_low, padding_high, window_dilation, base_dilation, reversal }
    Fft { kind, lengths, input, result }
    Sort { operands, axis, stable, comparator, direction }
    TopK { rows, length, k, input, values, indices }
    CustomCall { target, api_version, attributes, operands, results }
}

macro_rules! wire_enum {
    ($($name:ident, $unknown:literal: {
        $($number:literal = $variant:ident $(($value:ident))? $({ $($field:ident),* })?,)*
    })*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($value))? $({ $($field),* })? => {
                        out.push($number);
                        $($value.write(out);)?
                        $($($field.write(out);)*)?
                    })*
                }
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
                Ok(match u8::read(reader)? {
                    $($number => {
                        $(let $value = Wire::read(reader)?;)?
                        $($(let $field = Wire::read(reader)?;)*)?
                        Self::$variant $(($value))? $({ $($field),* })?
                    })*
                    _ => return Err(reader.malformed($unknown)),
                })
            }
        }

        impl Item for $name {}
    )*};
}

wire_enum! {
    PatchValue, "a kind of patch is unknown": { 1 = Code(offset), 2 = Symbol(symbol), }
    FunctionKind, "a kind of function is unknown": { 1 = Kernel, 2 = Comparator, }
    Role, "a role of an allocation is unknown": {
        1 = Input { index, written },
        2 = Output { index },
        3 = Temporary,
        4 = Constant { offset },
    }
    Step, "a kind of step is unknown": {
        1 = Kernel(call),
        2 = Copy(copy),
        3 = Call(sequence),
        4 = While(repetition),
        5 = Conditional(choice),
        6 = Dot(dot),
        7 = Convolution(convolution),
        8 = Fft(fft),
        9 = Sort(sort),
        10 = TopK(top_k),
        11 = RngState { state, delta },
        12 = PartitionId { result },
        13 = ReplicaId { result },
        14 = CustomCall(call),
    }
    FftKind, "a kind of Fourier transform is unknown": { 0 = Fft, 1 = Ifft, 2 = Rfft, 3 = Irfft, }
    SortDirection, "a direction is unknown": { 1 = Ascending, 2 = Descending, }
    ApiVersion, "a way to call a handler is unknown": { 4 = TypedFfi, }
}

impl Wire for Sequence {
    fn write(&self, out: &mut Vec<u8>) {
        self.steps.write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        reader.deeper(|reader| {
            Ok(Self {
                steps: Wire::read(reader)?,
            })
        })
    }
}

impl Item for Sequence {}

impl Wire for Attribute {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Scalar { dtype, bytes } => {
                out.push(1);
                dtype.write(out);
                bytes.write(out);
            }
            Self::String(bytes) => {
                out.push(2);
                bytes.write(out);
            }
            Self::Array { dtype, bytes } => {
                out.push(3);
                dtype.write(out);
                bytes.write(out);
            }
            Self::Dictionary(entries) => {
                out.push(4);
                entries.write(out);
            }
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        Ok(match u8::read(reader)? {
            1 => Self::Scalar {
                dtype: Wire::read(reader)?,
                bytes: Wire::read(reader)?,
            },
            2 => Self::String(Wire::read(reader)?),
            3 => Self::Array {
                dtype: Wire::read(reader)?,
                bytes: Wire::read(reader)?,
            },
            4 => Self::Dictionary(reader.deeper(Wire::read)?),
            _ => return Err(reader.malformed("a kind of attribute is unknown")),
        })
    }
}
