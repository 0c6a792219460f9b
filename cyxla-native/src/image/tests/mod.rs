mod bytes;
mod validate;

use cyxla_artifact::{ArrayType, DType};

use super::*;

/// An image with each kind of step, allocation, patch and attribute. Its code is not meant to be run.
#[expect(clippy::too_many_lines, reason = "one value, written out")]
fn sample() -> Image {
    let slice = |allocation, offset, size| Slice {
        allocation,
        offset,
        size,
    };
    let array = |allocation, dtype: DType, dims: &[usize]| {
        let rank = u32::try_from(dims.len()).unwrap();
        Array {
            slice: slice(allocation, 0, dims.iter().product::<usize>() * dtype.size()),
            shape: Shape {
                dtype,
                dims: dims.to_vec(),
                minor_to_major: (0..rank).rev().collect(),
            },
        }
    };
    let temporary = 3;
    let kernel = Step::Kernel(KernelCall {
        function: 0,
        workgroups: [2, 1, 1],
        arguments: vec![slice(0, 0, 24), slice(2, 0, 24), slice(1, 0, 24)],
        results: 1,
        alignment: 64,
    });
    let mut transposed = array(temporary, DType::F32, &[2, 3]);
    transposed.shape.minor_to_major = vec![0, 1];
    let window = WindowDimension {
        size: 2,
        stride: 1,
        padding_low: 0,
        padding_high: 0,
        window_dilation: 1,
        base_dilation: 1,
        reversal: false,
    };
    let steps = vec![
        kernel.clone(),
        Step::Copy(Copy {
            source: array(0, DType::F32, &[2, 3]),
            destination: transposed,
        }),
        Step::Call(Sequence {
            steps: vec![kernel.clone()],
        }),
        Step::While(While {
            condition: Sequence { steps: vec![] },
            body: Sequence {
                steps: vec![kernel.clone()],
            },
            predicate: slice(temporary, 64, 1),
            trip_count: Some(7),
        }),
        Step::Conditional(Conditional {
            index: slice(temporary, 64, 4),
            branches: vec![
                Sequence { steps: vec![] },
                Sequence {
                    steps: vec![kernel],
                },
            ],
        }),
        Step::Dot(Dot {
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
            lhs_batch: vec![],
            rhs_batch: vec![],
            lhs: array(0, DType::F32, &[2, 3]),
            rhs: array(2, DType::F32, &[3, 2]),
            result: array(temporary, DType::F32, &[2, 2]),
        }),
        Step::Convolution(Convolution {
            dimensions: ConvolutionDimensions {
                input_batch: 0,
                input_feature: 2,
                input_spatial: vec![1],
                kernel_input_feature: 1,
                kernel_output_feature: 2,
                kernel_spatial: vec![0],
                output_batch: 0,
                output_feature: 2,
                output_spatial: vec![1],
            },
            window: vec![window],
            feature_groups: 1,
            input: array(0, DType::F32, &[1, 3, 2]),
            kernel: array(2, DType::F32, &[2, 2, 1]),
            result: array(temporary, DType::F32, &[1, 2, 1]),
        }),
        Step::Fft(Fft {
            kind: FftKind::Rfft,
            lengths: vec![3],
            input: array(0, DType::F32, &[2, 3]),
            result: array(temporary, DType::C64, &[2, 2]),
        }),
        Step::Sort(Sort {
            operands: vec![array(temporary, DType::F32, &[2, 3])],
            axis: 1,
            stable: true,
            comparator: 1,
            direction: Some(SortDirection::Ascending),
        }),
        Step::TopK(TopK {
            rows: 2,
            length: 3,
            k: 1,
            input: slice(0, 0, 24),
            values: slice(temporary, 0, 8),
            indices: slice(temporary, 64, 8),
        }),
        Step::RngState {
            state: slice(temporary, 0, 16),
            delta: 5,
        },
        Step::PartitionId {
            result: slice(temporary, 0, 4),
        },
        Step::ReplicaId {
            result: slice(temporary, 4, 4),
        },
        Step::CustomCall(CustomCall {
            target: "scale".into(),
            api_version: ApiVersion::TypedFfi,
            attributes: vec![
                (
                    "factors".into(),
                    Attribute::Array {
                        dtype: DType::F32,
                        bytes: vec![0; 8],
                    },
                ),
                (
                    "options".into(),
                    Attribute::Dictionary(vec![(
                        "mode".into(),
                        Attribute::String(b"fast".to_vec()),
                    )]),
                ),
                (
                    "size".into(),
                    Attribute::Scalar {
                        dtype: DType::I64,
                        bytes: vec![0; 8],
                    },
                ),
            ],
            operands: vec![array(0, DType::F32, &[2, 3])],
            results: vec![array(temporary, DType::F32, &[2, 3])],
        }),
    ];
    let matrix = ArrayType::new(DType::F32, &[2, 3]).unwrap();
    Image {
        name: "jit_f".into(),
        target: Target {
            architecture: Architecture::X86_64,
            features: vec![CpuFeature::Avx, CpuFeature::Avx2],
        },
        code: Code {
            bytes: (0..48).collect(),
            alignment: 16,
            patches: vec![
                Patch {
                    offset: 2,
                    value: PatchValue::Symbol(Symbol::Sinf),
                },
                Patch {
                    offset: 17,
                    value: PatchValue::Code(32),
                },
            ],
        },
        functions: vec![
            Function {
                name: "fusion".into(),
                kind: FunctionKind::Kernel,
                entry: 0,
            },
            Function {
                name: "less".into(),
                kind: FunctionKind::Comparator,
                entry: 16,
            },
        ],
        constants: (0..88).collect(),
        allocations: vec![
            Allocation {
                size: 24,
                role: Role::Input {
                    index: 0,
                    written: false,
                },
            },
            Allocation {
                size: 24,
                role: Role::Output { index: 0 },
            },
            Allocation {
                size: 24,
                role: Role::Constant { offset: 64 },
            },
            Allocation {
                size: 128,
                role: Role::Temporary,
            },
        ],
        inputs: vec![Input {
            array_type: matrix,
            allocation: 0,
        }],
        outputs: vec![Output {
            array_type: matrix,
            slice: slice(1, 0, 24),
        }],
        schedule: Sequence { steps },
    }
}
