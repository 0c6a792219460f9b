use cyxla_artifact::{ArrayType, DType};
use cyxla_native::image::{Array, Shape, Slice, from_xla_number};

use super::{NotExpressible, ensure, proto};

/// A number of XLA that counts something.
pub(super) fn count<N: TryFrom<i64>>(number: i64, what: &str) -> Result<N, NotExpressible> {
    N::try_from(number).map_err(|_| NotExpressible::new(format!("{what} is {number}")))
}

/// Axes of an array.
pub(super) fn axes(numbers: &[i64]) -> Result<Vec<u32>, NotExpressible> {
    numbers.iter().map(|&axis| count(axis, "an axis")).collect()
}

/// The element type of this number.
pub(super) fn dtype(number: i32) -> Result<DType, NotExpressible> {
    let dtype = u8::try_from(number).ok().and_then(from_xla_number);
    let dtype = dtype.ok_or_else(|| {
        NotExpressible::new(match number {
            17 => "it has a token".to_owned(),
            13 => "it has a tuple within a tuple".to_owned(),
            _ => format!("it has arrays of the element type that has number {number} in XLA"),
        })
    })?;
    // Two of them are in one byte, and not on the host.
    ensure!(
        !matches!(dtype, DType::I4 | DType::U4),
        "it has arrays of {}",
        dtype.name()
    );
    Ok(dtype)
}

/// The shape of an array whose elements lie close.
pub(super) fn shape(proto: &proto::Shape) -> Result<Shape, NotExpressible> {
    ensure!(
        !proto.is_dynamic_dimension.contains(&true),
        "it has an array whose shape changes from call to call"
    );
    let dims = proto.dimensions.iter();
    let dims = dims.map(|&length| count(length, "the length of an axis"));
    Ok(Shape {
        dtype: dtype(proto.element_type)?,
        dims: dims.collect::<Result<_, _>>()?,
        minor_to_major: match &proto.layout {
            Some(layout) => {
                ensure!(
                    layout.tail_padding_alignment_in_elements <= 1,
                    "it has an array with padding behind its elements"
                );
                axes(&layout.minor_to_major)?
            }
            None => Vec::new(),
        },
    })
}

/// The type of an argument or result, which must be row major.
pub(super) fn array_type(proto: &proto::Shape, what: &str) -> Result<ArrayType, NotExpressible> {
    let shape = shape(proto)?;
    let rank = shape.dims.len();
    let row_major = (0..rank)
        .rev()
        .eq(shape.minor_to_major.iter().map(|&axis| axis as usize));
    ensure!(row_major, "{what} is not row major");
    ArrayType::new(shape.dtype, &shape.dims).map_err(NotExpressible::new)
}

/// A slice; its allocation has the number that XLA gave it.
pub(super) fn slice(proto: Option<&proto::AllocationSlice>) -> Result<Slice, NotExpressible> {
    let proto = proto.ok_or_else(|| NotExpressible::new("a step lacks one of its buffers"))?;
    Ok(Slice {
        allocation: count(proto.allocation, "the index of a buffer")?,
        offset: count(proto.offset, "the offset of a slice")?,
        size: count(proto.size, "the size of a slice")?,
    })
}

/// An array in memory.
pub(super) fn array(proto: Option<&proto::ShapedSlice>) -> Result<Array, NotExpressible> {
    let proto = proto.ok_or_else(|| NotExpressible::new("a step lacks one of its arrays"))?;
    let given = proto.shape.as_ref();
    let given = given.ok_or_else(|| NotExpressible::new("an array of a step has no shape"))?;
    Ok(Array {
        slice: slice(proto.slice.as_ref())?,
        shape: shape(given)?,
    })
}
