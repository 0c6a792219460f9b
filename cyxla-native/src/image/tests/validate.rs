use cyxla_artifact::{ArrayType, DType};

use super::sample;
use crate::image::{
    Allocation, CpuFeature, Function, FunctionKind, Image, ImageError, PatchValue, Role, Slice,
    Step,
};

/// Why the sample is refused after a change.
#[track_caller]
fn refused(change: impl FnOnce(&mut Image)) -> String {
    let mut image = sample();
    assert_eq!(image.validate(), Ok(()));
    change(&mut image);
    match image.validate() {
        Err(ImageError::Inconsistent { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

/// The first step of a kind.
macro_rules! first {
    ($image:expr, $kind:ident) => {
        $image
            .schedule
            .steps
            .iter_mut()
            .find_map(|step| match step {
                Step::$kind(step) => Some(step),
                _ => None,
            })
            .unwrap()
    };
}

#[test]
fn patches_lie_in_the_code_and_do_not_overlap() {
    refused(|image| image.code.patches[1].offset = 41);
    refused(|image| image.code.patches[1].offset = 9);
    refused(|image| image.code.patches.swap(0, 1));
    refused(|image| image.code.patches[1].value = PatchValue::Code(49));
}

#[test]
fn functions_begin_in_the_code_and_are_called_as_what_they_are() {
    refused(|image| image.functions[0].entry = 48);
    refused(|image| first!(image, Kernel).function = 1);
    refused(|image| first!(image, Kernel).function = 2);
    refused(|image| first!(image, Sort).comparator = 0);
    refused(|image| {
        image.functions[0] = Function {
            kind: FunctionKind::Comparator,
            ..image.functions[0].clone()
        };
    });
}

#[test]
fn slices_lie_in_their_allocations() {
    for slice in [
        Slice {
            allocation: 4,
            offset: 0,
            size: 0,
        },
        Slice {
            allocation: 0,
            offset: 0,
            size: 25,
        },
        Slice {
            allocation: 0,
            offset: 64,
            size: 0,
        },
        Slice {
            allocation: 0,
            offset: 64,
            size: usize::MAX - 63,
        },
    ] {
        refused(|image| first!(image, Kernel).arguments[0] = slice);
    }
}

#[test]
fn constants_and_borrowed_arguments_are_not_written() {
    for allocation in [0, 2] {
        let reason = refused(|image| first!(image, Copy).destination.slice.allocation = allocation);
        assert!(reason.ends_with("is not for writing"), "{reason}");
        refused(|image| first!(image, Sort).operands[0].slice.allocation = allocation);
        refused(|image| first!(image, Dot).result.slice.allocation = allocation);
        refused(|image| first!(image, TopK).values.allocation = allocation);
        refused(|image| first!(image, CustomCall).results[0].slice.allocation = allocation);
    }
}

#[test]
fn a_donated_argument_is_written() {
    let mut image = sample();
    image.allocations[0].role = Role::Input {
        index: 0,
        written: true,
    };
    first!(image, Sort).operands[0].slice.allocation = 0;
    assert_eq!(image.validate(), Ok(()));
}

#[test]
fn arrays_are_as_long_as_their_shapes() {
    refused(|image| first!(image, Copy).source.shape.dims[0] = 3);
    refused(|image| first!(image, Copy).source.shape.dims[0] = usize::MAX);
    refused(|image| first!(image, Copy).source.slice.size = 20);
    refused(|image| first!(image, Copy).source.shape.minor_to_major = vec![1, 1]);
    refused(|image| first!(image, Copy).source.shape.minor_to_major = vec![1]);
    refused(|image| first!(image, Copy).source.shape.minor_to_major = vec![1, 2]);
}

#[test]
fn a_copy_keeps_the_type_and_does_not_overlap() {
    refused(|image| first!(image, Copy).source.shape.dtype = DType::I32);
    refused(|image| first!(image, Copy).source.shape.dims = vec![3, 2]);
    refused(|image| {
        let copy = first!(image, Copy);
        copy.source.slice = Slice {
            offset: 8,
            ..copy.destination.slice
        };
    });
}

#[test]
fn roles_of_allocations_and_places_of_arguments_and_results_agree() {
    refused(|image| image.inputs[0].allocation = 3);
    refused(|image| {
        image.allocations.push(Allocation {
            size: 24,
            role: Role::Input {
                index: 0,
                written: false,
            },
        });
    });
    refused(|image| image.allocations[1].role = Role::Output { index: 1 });
    refused(|image| image.outputs[0].slice.allocation = 3);
    refused(|image| image.inputs[0].array_type = ArrayType::scalar(DType::F32));
    refused(|image| image.outputs[0].array_type = ArrayType::scalar(DType::F32));
    refused(|image| image.inputs.clear());
    refused(|image| image.outputs.clear());
}

#[test]
fn constants_lie_where_they_are_aligned() {
    refused(|image| image.allocations[2].role = Role::Constant { offset: 32 });
    refused(|image| image.allocations[2].role = Role::Constant { offset: 128 });
    refused(|image| image.constants.truncate(87));
}

#[test]
fn allocations_fit_into_memory() {
    refused(|image| image.allocations[3].size = usize::MAX / 2);
}

#[test]
fn workgroups_are_some_and_can_be_counted() {
    refused(|image| first!(image, Kernel).workgroups = [1, 0, 1]);
    refused(|image| first!(image, Kernel).workgroups = [u64::MAX, 2, 1]);
}

#[test]
fn arguments_of_kernels_are_aligned() {
    refused(|image| {
        first!(image, Kernel).arguments[2] = Slice {
            allocation: 3,
            offset: 16,
            size: 24,
        };
    });
    refused(|image| first!(image, Kernel).alignment = 24);
    refused(|image| first!(image, Kernel).alignment = 128);
    refused(|image| first!(image, Kernel).results = 4);
}

#[test]
fn predicates_and_indices_have_their_size() {
    refused(|image| first!(image, While).predicate.size = 4);
    refused(|image| first!(image, Conditional).index.size = 8);
    refused(|image| first!(image, Conditional).branches.clear());
    refused(|image| {
        let choice = first!(image, Conditional);
        choice.index.size = 1;
        choice.branches.pop();
    });
}

#[test]
fn the_axes_of_a_dot_fit_together() {
    refused(|image| first!(image, Dot).rhs_contracting = vec![1]);
    refused(|image| first!(image, Dot).lhs_contracting = vec![2]);
    refused(|image| first!(image, Dot).lhs_batch = vec![1]);
    refused(|image| {
        let dot = first!(image, Dot);
        dot.lhs_contracting.clear();
        dot.rhs_contracting.clear();
    });
}

#[test]
fn a_convolution_has_as_many_places_as_its_window() {
    refused(|image| first!(image, Convolution).window[0].stride = 0);
    refused(|image| first!(image, Convolution).window[0].stride = 2);
    refused(|image| first!(image, Convolution).window[0].padding_low = 1);
    refused(|image| first!(image, Convolution).window[0].padding_high = i64::MAX);
    refused(|image| first!(image, Convolution).window[0].base_dilation = u64::MAX);
    refused(|image| first!(image, Convolution).window[0].window_dilation = 2);
    refused(|image| first!(image, Convolution).feature_groups = 2);
    refused(|image| first!(image, Convolution).dimensions.input_spatial = vec![2]);
    refused(|image| first!(image, Convolution).dimensions.kernel_spatial = vec![]);
}

#[test]
fn a_fourier_transform_has_its_lengths() {
    refused(|image| first!(image, Fft).lengths = vec![4]);
    refused(|image| first!(image, Fft).lengths = vec![]);
    refused(|image| first!(image, Fft).lengths = vec![1, 1, 3]);
    refused(|image| first!(image, Fft).input.shape.minor_to_major = vec![0, 1]);
    refused(|image| first!(image, Fft).kind = crate::image::FftKind::Fft);
}

#[test]
fn top_k_has_room() {
    refused(|image| first!(image, TopK).k = 2);
    refused(|image| first!(image, TopK).rows = usize::MAX);
    refused(|image| {
        let top_k = first!(image, TopK);
        (top_k.k, top_k.length) = (3, 1);
    });
}

#[test]
fn attributes_have_the_size_of_their_type_and_are_sorted() {
    refused(|image| first!(image, CustomCall).attributes.swap(0, 1));
    refused(|image| {
        let copy = first!(image, CustomCall).attributes[0].clone();
        first!(image, CustomCall).attributes.insert(0, copy);
    });
    refused(|image| {
        first!(image, CustomCall).attributes[2].1 = crate::image::Attribute::Scalar {
            dtype: DType::F32,
            bytes: vec![0; 8],
        };
    });
}

#[test]
fn features_are_sorted() {
    refused(|image| image.target.features.push(CpuFeature::Avx));
}
