use cyxla_artifact::DType;

use super::super::{
    Array, Convolution, Dot, Fft, FftKind, FunctionKind, Image, Shape, Sort, TopK, WindowDimension,
};
use super::arrays::{distinct, is_row_major};
use super::{Check, ensure};

pub(super) fn dot(image: &Image, dot: &Dot) -> Check {
    image.readable_array(&dot.lhs)?;
    image.readable_array(&dot.rhs)?;
    image.writable_array(&dot.result)?;
    let left = Factor::new(&dot.lhs.shape, &dot.lhs_batch, &dot.lhs_contracting)?;
    let right = Factor::new(&dot.rhs.shape, &dot.rhs_batch, &dot.rhs_contracting)?;
    ensure!(
        left.batch == right.batch && left.contracting == right.contracting,
        "the axes of a dot have different lengths"
    );
    ensure!(
        dot.lhs.shape.dtype == dot.rhs.shape.dtype,
        "the factors of a dot have different types"
    );
    let result = [left.batch, left.free, right.free].concat();
    ensure!(
        dot.result.shape.dims == result,
        "the result of a dot has the axes {:?}, not {result:?}",
        dot.result.shape.dims
    );
    Ok(())
}

/// The lengths of the axes of one factor of a dot.
struct Factor {
    batch: Vec<usize>,
    contracting: Vec<usize>,
    free: Vec<usize>,
}

impl Factor {
    fn new(shape: &Shape, batch: &[u32], contracting: &[u32]) -> Result<Self, String> {
        let dims = &shape.dims;
        let bound = [batch, contracting].concat();
        ensure!(
            distinct(&bound, dims.len()),
            "{bound:?} are no axes of a factor with {}",
            dims.len()
        );
        let lengths = |axes: &[u32]| axes.iter().map(|&axis| dims[axis as usize]).collect();
        let free = dims.iter().enumerate();
        let free = free.filter(|(axis, _)| !bound.iter().any(|&bound| bound as usize == *axis));
        Ok(Self {
            batch: lengths(batch),
            contracting: lengths(contracting),
            free: free.map(|(_, &length)| length).collect(),
        })
    }
}

pub(super) fn convolution(image: &Image, convolution: &Convolution) -> Check {
    let Convolution {
        dimensions: axes,
        window,
        feature_groups,
        input,
        kernel,
        result,
    } = convolution;
    image.readable_array(input)?;
    image.readable_array(kernel)?;
    image.writable_array(result)?;
    ensure!(
        input.shape.dtype == kernel.shape.dtype && input.shape.dtype == result.shape.dtype,
        "a convolution mixes element types"
    );
    let spatial = window.len();
    ensure!(
        (1..=3).contains(&spatial),
        "a convolution has {spatial} spatial axes"
    );
    let all = |array: &Array, first: u32, second: u32, rest: &[u32]| {
        let axes = [&[first, second], rest].concat();
        array.shape.dims.len() == spatial + 2
            && axes.len() == spatial + 2
            && distinct(&axes, spatial + 2)
    };
    ensure!(
        all(
            input,
            axes.input_batch,
            axes.input_feature,
            &axes.input_spatial
        ) && all(
            kernel,
            axes.kernel_input_feature,
            axes.kernel_output_feature,
            &axes.kernel_spatial
        ) && all(
            result,
            axes.output_batch,
            axes.output_feature,
            &axes.output_spatial
        ),
        "the axes of a convolution don't fit its arrays"
    );
    let length = |array: &Array, axis: u32| array.shape.dims[axis as usize];
    let groups = usize::try_from(*feature_groups).unwrap_or(0);
    let features = length(result, axes.output_feature);
    ensure!(
        groups > 0
            && Some(length(input, axes.input_feature))
                == groups.checked_mul(length(kernel, axes.kernel_input_feature))
            && features == length(kernel, axes.kernel_output_feature)
            && features % groups == 0
            && length(input, axes.input_batch) == length(result, axes.output_batch),
        "the features of a convolution don't fit together"
    );
    for (place, window) in window.iter().enumerate() {
        let from = length(input, axes.input_spatial[place]);
        let to = length(result, axes.output_spatial[place]);
        ensure!(
            window.size == length(kernel, axes.kernel_spatial[place]) as u64
                && positions(window, from) == Some(to as u64),
            "spatial axis {place} of a convolution has {to} places"
        );
    }
    Ok(())
}

/// The number of places that a kernel takes along an axis of `length` elements; none if there is no such number.
fn positions(window: &WindowDimension, length: usize) -> Option<u64> {
    let stretched = |length: u64, dilation: u64| match length {
        0 => Some(0),
        _ if dilation == 0 => None,
        _ => (length - 1).checked_mul(dilation)?.checked_add(1),
    };
    let base = i64::try_from(stretched(length as u64, window.base_dilation)?).ok()?;
    let padded = base
        .checked_add(window.padding_low)?
        .checked_add(window.padding_high)?;
    let size = i64::try_from(stretched(window.size, window.window_dilation)?).ok()?;
    if window.stride == 0 {
        return None;
    }
    if padded < size || padded == 0 {
        return Some(0);
    }
    Some(u64::try_from(padded - size).ok()? / window.stride + 1)
}

pub(super) fn fft(image: &Image, fft: &Fft) -> Check {
    let Fft {
        kind,
        lengths,
        input,
        result,
    } = fft;
    image.readable_array(input)?;
    image.writable_array(result)?;
    ensure!(
        is_row_major(&input.shape) && is_row_major(&result.shape),
        "a Fourier transform is not row major"
    );
    let types = (input.shape.dtype, result.shape.dtype);
    let fits = match kind {
        FftKind::Fft | FftKind::Ifft => {
            matches!(types, (DType::C64, DType::C64) | (DType::C128, DType::C128))
        }
        FftKind::Rfft => matches!(types, (DType::F32, DType::C64) | (DType::F64, DType::C128)),
        FftKind::Irfft => matches!(types, (DType::C64, DType::F32) | (DType::C128, DType::F64)),
    };
    ensure!(fits, "a Fourier transform can't be of {types:?}");
    let (from, to) = (&input.shape.dims, &result.shape.dims);
    let axes = lengths.len();
    ensure!(
        (1..=3).contains(&axes) && from.len() == to.len() && axes <= from.len(),
        "a Fourier transform is over {axes} axes"
    );
    // Of real data, half of the last axis is left out.
    let mut half = lengths.clone();
    if let Some(last) = half.last_mut() {
        *last = *last / 2 + 1;
    }
    let (before, after) = match kind {
        FftKind::Fft | FftKind::Ifft => (lengths, lengths),
        FftKind::Rfft => (lengths, &half),
        FftKind::Irfft => (&half, lengths),
    };
    let rows = from.len() - axes;
    ensure!(
        from[..rows] == to[..rows] && from[rows..] == before[..] && to[rows..] == after[..],
        "a Fourier transform of lengths {lengths:?} is from {from:?} to {to:?}"
    );
    Ok(())
}

pub(super) fn sort(image: &Image, sort: &Sort) -> Check {
    image.function(sort.comparator, FunctionKind::Comparator)?;
    let first = sort.operands.first().ok_or("nothing is sorted")?;
    for operand in &sort.operands {
        image.writable_array(operand)?;
        ensure!(
            operand.shape.dims == first.shape.dims
                && operand.shape.minor_to_major == first.shape.minor_to_major,
            "arrays of different shapes are sorted together"
        );
    }
    ensure!(
        (sort.axis as usize) < first.shape.dims.len(),
        "arrays are sorted along axis {}, which they lack",
        sort.axis
    );
    Ok(())
}

pub(super) fn top_k(image: &Image, top_k: &TopK) -> Check {
    let TopK {
        rows,
        length,
        k,
        input,
        values,
        indices,
    } = top_k;
    image.readable(*input)?;
    image.writable(*values)?;
    image.writable(*indices)?;
    let nbytes = |length: &usize| rows.checked_mul(*length)?.checked_mul(4);
    ensure!(
        k <= length
            && Some(input.size) == nbytes(length)
            && Some(values.size) == nbytes(k)
            && Some(indices.size) == nbytes(k),
        "the {k} largest of {rows} rows of {length} elements don't fit their memory"
    );
    Ok(())
}
