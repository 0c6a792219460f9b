//! How values are written: numbers little endian, lists behind their length, one of several behind its number.

use cyxla_artifact::{ArrayType, DType};

use super::dtype::{from_xla_number, xla_number};
use super::{Architecture, CpuFeature, ImageError, Symbol};

/// How deep sequences may lie in one another, and dictionaries of attributes.
pub(super) const MAX_DEPTH: u32 = 64;

/// A value that is part of an image.
pub(super) trait Wire: Sized {
    fn write(&self, out: &mut Vec<u8>);
    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError>;
}

/// A value that lists hold. Bytes are none: a list of bytes is read at once.
pub(super) trait Item: Wire {}

/// What was not read yet.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// Reads from byte `offset` on.
    pub(super) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self {
            bytes,
            offset,
            depth: 0,
        }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], ImageError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let taken = rest
            .get(..count)
            .ok_or_else(|| self.malformed("it ends early"))?;
        self.offset += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ImageError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn malformed(&self, what: &'static str) -> ImageError {
        ImageError::Malformed {
            what,
            offset: self.offset,
        }
    }

    /// Reads something that may hold more of its kind.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ImageError>,
    ) -> Result<T, ImageError> {
        if self.depth == MAX_DEPTH {
            return Err(self.malformed("it is nested too deep"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    pub(super) fn finish(self) -> Result<(), ImageError> {
        if self.offset < self.bytes.len() {
            return Err(self.malformed("there are more bytes than it has"));
        }
        Ok(())
    }
}

macro_rules! wire_number {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
                reader.array().map(Self::from_le_bytes)
            }
        }

        impl Item for $number {}
    )*};
}

wire_number!(u16, u32, u64, i64);

impl Wire for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        let number = u64::read(reader)?;
        Self::try_from(number)
            .map_err(|_| reader.malformed("a number is too large for this machine"))
    }
}

impl Item for usize {}

impl Wire for u8 {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        reader.array().map(|[byte]| byte)
    }
}

impl Wire for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        match u8::read(reader)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(reader.malformed("a truth value is neither 0 nor 1")),
        }
    }
}

impl Wire for Vec<u8> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        let count = usize::read(reader)?;
        reader.take(count).map(<[u8]>::to_vec)
    }
}

impl Wire for String {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        Self::from_utf8(Vec::read(reader)?).map_err(|_| reader.malformed("a text is not UTF-8"))
    }
}

impl<T: Item> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        for item in self {
            item.write(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        let count = usize::read(reader)?;
        // The count is only believed as far as bytes are there: no room is made ahead.
        (0..count).map(|_| T::read(reader)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        bool::read(reader)?.then(|| T::read(reader)).transpose()
    }
}

impl<T: Wire + Copy + Default, const N: usize> Wire for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        for item in self {
            item.write(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        let mut array = [T::default(); N];
        for item in &mut array {
            *item = T::read(reader)?;
        }
        Ok(array)
    }
}

impl<T: Wire> Wire for (String, T) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        Ok((String::read(reader)?, T::read(reader)?))
    }
}

impl<T: Wire> Item for (String, T) {}

macro_rules! wire_coded {
    ($($name:ty, $unknown:literal;)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                self.code().write(out);
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
                Self::from_code(u16::read(reader)?).ok_or_else(|| reader.malformed($unknown))
            }
        }

        impl Item for $name {}
    )*};
}

wire_coded! {
    Architecture, "an architecture is unknown";
    CpuFeature, "a CPU feature is unknown";
    Symbol, "a symbol is unknown";
}

impl Wire for DType {
    fn write(&self, out: &mut Vec<u8>) {
        xla_number(*self).unwrap_or(0).write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        from_xla_number(u8::read(reader)?)
            .ok_or_else(|| reader.malformed("an element type is unknown"))
    }
}

impl Wire for ArrayType {
    fn write(&self, out: &mut Vec<u8>) {
        self.dtype().write(out);
        self.shape().to_vec().write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, ImageError> {
        let dtype = DType::read(reader)?;
        let shape = Vec::read(reader)?;
        Self::new(dtype, &shape).map_err(|_| reader.malformed("an array is too large"))
    }
}
