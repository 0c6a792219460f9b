//! Executables of real jaxlibs become images, step by step what JAX asked for.

#![allow(
    clippy::unwrap_used,
    reason = "the functions that prepare a test are part of it"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cyxla_artifact::{ArrayType, DType, Level};
use cyxla_build::native::{NotExpressible, Source, images};
use cyxla_build::{Argument, LowerRequest, lower};
use cyxla_native::image::{
    Attribute, CpuFeature, FftKind, Image, PatchValue, Role, Sequence, Step, Symbol,
};

/// The jaxlibs whose executables are known.
const KNOWN: [&str; 2] = ["0.10.2", "0.12.0.1"];

type Programs = BTreeMap<&'static str, Result<Image, NotExpressible>>;

/// An argument for each function of `baked.py`.
fn declared() -> Vec<(&'static str, Vec<(DType, &'static [usize])>)> {
    use DType::{BF16, Bool, F32, F64, I4, I32};
    vec![
        ("elementwise", vec![(F32, &[2])]),
        ("transcendental", vec![(F64, &[64])]),
        ("constants", vec![(F32, &[3, 2])]),
        ("twice", vec![(F32, &[3])]),
        ("accumulated", vec![(F32, &[8]), (F32, &[8])]),
        ("product", vec![(F32, &[64, 32])]),
        ("looped", vec![(F32, &[40, 40])]),
        ("scanned", vec![(F32, &[10, 5])]),
        ("chosen", vec![(Bool, &[]), (F32, &[40, 40])]),
        ("switched", vec![(I32, &[]), (F32, &[40, 40])]),
        ("sorted_together", vec![(F32, &[50]), (I32, &[50])]),
        ("transformed", vec![(F32, &[3, 64])]),
        (
            "convolved",
            vec![(F32, &[2, 16, 15, 3]), (F32, &[3, 3, 3, 8])],
        ),
        ("largest", vec![(F32, &[4, 50])]),
        ("factored", vec![(F64, &[5, 5])]),
        ("called", vec![(F32, &[3])]),
        ("in_small_floats", vec![(BF16, &[8, 8])]),
        ("of_packed_integers", vec![(I4, &[8])]),
    ]
}

/// The code of every function of `baked.py`, lowered once with one JAX: what is lowered is the same for all.
fn lowered() -> &'static [(&'static str, Source)] {
    static LOWERED: OnceLock<(tempfile::TempDir, Vec<(&'static str, Source)>)> = OnceLock::new();
    let (_, sources) = LOWERED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let sources = declared()
            .into_iter()
            .map(|(name, types)| {
                let mut request = LowerRequest::new(format!("baked:{name}"));
                let arguments = types.iter().enumerate().map(|(index, (dtype, shape))| {
                    let argument =
                        Argument::new(format!("x{index}"), ArrayType::new(*dtype, shape).unwrap());
                    if name == "accumulated" && index == 1 {
                        argument.donated()
                    } else {
                        argument
                    }
                });
                request.arguments = Some(arguments.collect());
                request.python_path = vec!["tests/python".into()];
                request.python = Some(cyxla_test_environment::main().interpreter().to_owned());
                request.custom_calls = vec!["scale".into()];
                let program = lower(&request).unwrap_or_else(|error| panic!("{name}: {error}"));
                let file = folder.path().join(format!("{name}.mlirbc"));
                std::fs::write(&file, &program.code).unwrap();
                let mut source = Source::new(file);
                if name == "called" {
                    source.custom_calls = vec!["scale".into()];
                }
                (name, source)
            })
            .collect();
        (folder, sources)
    });
    sources
}

fn baked(python: &Path, level: Level) -> Programs {
    let (names, sources): (Vec<_>, Vec<_>) = lowered().iter().cloned().unzip();
    let mut levels = images(python, &sources, &[level]).unwrap();
    names.into_iter().zip(levels.remove(0)).collect()
}

/// All programs, for each known jaxlib that can run here, at the level of AVX2.
fn all() -> &'static [(String, Programs)] {
    static ALL: OnceLock<Vec<(String, Programs)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let environments = KNOWN.iter().filter_map(|version| {
            let python: PathBuf = cyxla_test_environment::jax(version)?
                .interpreter()
                .to_owned();
            Some((version.to_string(), baked(&python, Level::V3)))
        });
        environments.collect()
    })
}

/// Checks the image of one function, of each jaxlib.
#[track_caller]
fn each(name: &str, check: impl Fn(&Image)) {
    assert!(!all().is_empty());
    for (version, programs) in all() {
        match &programs[name] {
            Ok(image) => check(image),
            Err(reason) => panic!("jaxlib {version}, {name}: {reason}"),
        }
    }
}

/// All steps, also those within others.
fn steps(sequence: &Sequence) -> Vec<&Step> {
    let mut all = Vec::new();
    for step in &sequence.steps {
        all.push(step);
        match step {
            Step::Call(called) => all.extend(steps(called)),
            Step::While(repetition) => {
                all.extend(steps(&repetition.condition));
                all.extend(steps(&repetition.body));
            }
            Step::Conditional(choice) => all.extend(choice.branches.iter().flat_map(steps)),
            _ => {}
        }
    }
    all
}

/// The one step of a kind.
macro_rules! only {
    ($image:expr, $kind:ident) => {{
        let found: Vec<_> = steps(&$image.schedule)
            .into_iter()
            .filter_map(|step| match step {
                Step::$kind(step) => Some(step),
                _ => None,
            })
            .collect();
        assert_eq!(found.len(), 1, "{:#?}", $image.schedule);
        found[0]
    }};
}

fn types(image: &Image) -> (Vec<String>, Vec<String>) {
    (
        image
            .inputs
            .iter()
            .map(|input| input.array_type.to_string())
            .collect(),
        image
            .outputs
            .iter()
            .map(|output| output.array_type.to_string())
            .collect(),
    )
}

#[test]
fn an_elementwise_program_is_one_kernel_from_argument_to_result() {
    each("elementwise", |image| {
        assert_eq!(types(image), (vec!["f32[2]".into()], vec!["f32[2]".into()]));
        let kernel = only!(image, Kernel);
        assert_eq!(image.schedule.steps.len(), 1);
        let roles: Vec<Role> = kernel
            .arguments
            .iter()
            .map(|slice| image.allocations[slice.allocation as usize].role)
            .collect();
        let input = Role::Input {
            index: 0,
            written: false,
        };
        assert_eq!(roles, [input, Role::Output { index: 0 }]);
        assert_eq!((kernel.workgroups, kernel.results), ([1, 1, 1], 1));
    });
}

#[test]
fn routines_of_the_system_are_symbols() {
    each("transcendental", |image| {
        let symbols: Vec<Symbol> = image
            .code
            .patches
            .iter()
            .filter_map(|patch| match patch.value {
                PatchValue::Symbol(symbol) => Some(symbol),
                _ => None,
            })
            .collect();
        for symbol in [Symbol::Atan2, Symbol::Pow, Symbol::Fmod] {
            assert!(symbols.contains(&symbol), "{symbol} is not in {symbols:?}");
        }
    });
}

#[test]
fn constants_have_their_values() {
    each("constants", |image| {
        let values: Vec<f32> = image
            .constants
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect();
        let wanted = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
        assert!(
            values.windows(6).any(|window| window == wanted),
            "{values:?}"
        );
    });
}

#[test]
fn a_result_that_is_an_argument_is_found() {
    each("twice", |image| {
        assert_eq!(image.outputs.len(), 3);
    });
}

#[test]
fn a_donated_argument_is_written() {
    each("accumulated", |image| {
        let roles: Vec<Role> = image
            .inputs
            .iter()
            .map(|input| image.allocations[input.allocation as usize].role)
            .collect();
        let role = |index, written| Role::Input { index, written };
        assert_eq!(roles, [role(0, false), role(1, true)]);
        assert_eq!(
            image.outputs[0].slice.allocation,
            image.inputs[1].allocation
        );
    });
}

#[test]
fn a_product_of_matrices_contracts_its_axes() {
    each("product", |image| {
        let dot = only!(image, Dot);
        assert_eq!(
            (&dot.lhs_contracting[..], &dot.lhs_batch[..]),
            (&[1][..], &[][..])
        );
        assert_eq!(dot.result.shape.dims, [64, 64]);
    });
}

#[test]
fn a_loop_knows_its_count() {
    each("looped", |image| {
        let repetition = only!(image, While);
        assert_eq!(repetition.trip_count, Some(7));
        assert!(
            steps(&repetition.body)
                .iter()
                .any(|step| matches!(step, Step::Dot(_)))
        );
    });
}

#[test]
fn a_scan_gives_its_carry_and_its_rows() {
    each("scanned", |image| {
        assert_eq!(types(image).1, ["f32[5]", "f32[10]"]);
    });
}

#[test]
fn a_choice_has_its_branches() {
    each("chosen", |image| {
        let choice = only!(image, Conditional);
        assert_eq!((choice.index.size, choice.branches.len()), (4, 2));
        only!(image, Sort);
        only!(image, Dot);
    });
    each("switched", |image| {
        let choice = only!(image, Conditional);
        assert_eq!((choice.index.size, choice.branches.len()), (4, 3));
    });
}

#[test]
fn arrays_that_are_sorted_together_have_one_comparator() {
    each("sorted_together", |image| {
        let sort = only!(image, Sort);
        assert_eq!((sort.operands.len(), sort.axis, sort.stable), (2, 0, true));
    });
}

#[test]
fn a_fourier_transform_has_its_length() {
    each("transformed", |image| {
        let fft = only!(image, Fft);
        assert_eq!((fft.kind, &fft.lengths[..]), (FftKind::Rfft, &[64][..]));
        assert_eq!(fft.result.shape.dims, [3, 33]);
    });
}

#[test]
fn a_convolution_has_its_window() {
    each("convolved", |image| {
        let convolution = only!(image, Convolution);
        let strides: Vec<u64> = convolution
            .window
            .iter()
            .map(|window| window.stride)
            .collect();
        assert_eq!(strides, [2, 1]);
        // 16 rows with stride 2 and 15 columns.
        assert_eq!(convolution.result.shape.dims, [2, 8, 15, 8]);
    });
}

#[test]
fn the_largest_elements_of_rows_are_found() {
    each("largest", |image| {
        let top_k = only!(image, TopK);
        assert_eq!((top_k.rows, top_k.length, top_k.k), (4, 50, 2));
    });
}

#[test]
fn linear_algebra_calls_lapack_with_its_attributes() {
    each("factored", |image| {
        let call = only!(image, CustomCall);
        assert_eq!(call.target, "lapack_dpotrf_ffi");
        let uplo = Attribute::Scalar {
            dtype: DType::U8,
            bytes: b"L".to_vec(),
        };
        assert_eq!(call.attributes, [("uplo".to_owned(), uplo)]);
    });
}

#[test]
fn a_custom_call_of_the_user_needs_no_handler_to_be_compiled() {
    each("called", |image| {
        let call = only!(image, CustomCall);
        assert_eq!(call.target, "scale");
        let scalar = |dtype, bytes: &[u8]| Attribute::Scalar {
            dtype,
            bytes: bytes.to_vec(),
        };
        let wanted = [
            ("factor", scalar(DType::F64, &2.5_f64.to_le_bytes())),
            ("name", Attribute::String(b"a\"b".to_vec())),
            ("steps", scalar(DType::I64, &3_i64.to_le_bytes())),
        ];
        assert_eq!(
            call.attributes,
            wanted.map(|(name, value)| (name.to_owned(), value))
        );
    });
}

#[test]
fn small_floats_are_multiplied() {
    each("in_small_floats", |image| {
        assert_eq!(types(image).1, ["bf16[8,8]"]);
    });
}

#[test]
fn integers_that_share_a_byte_are_not_expressible() {
    for (version, programs) in all() {
        let reason = programs["of_packed_integers"].as_ref().unwrap_err();
        assert_eq!(
            reason.to_string(),
            "it has arrays of int4",
            "jaxlib {version}"
        );
    }
}

#[test]
fn a_level_needs_no_more_than_its_instructions_do() {
    let python = cyxla_test_environment::main().interpreter();
    let beyond = [
        CpuFeature::Avx,
        CpuFeature::Avx2,
        CpuFeature::Fma,
        CpuFeature::Avx512f,
    ];
    for (name, image) in baked(python, Level::V2) {
        if let Ok(image) = image {
            let features = &image.target.features;
            assert!(
                !features.iter().any(|feature| beyond.contains(feature)),
                "{name} needs {features:?}"
            );
        }
    }
}

#[test]
fn the_same_program_has_the_same_image() {
    let (version, programs) = &all()[0];
    let python = cyxla_test_environment::jax(version).unwrap();
    let again = baked(python.interpreter(), Level::V3);
    let differing: Vec<_> = programs
        .iter()
        .filter(|(name, image)| again[**name] != **image)
        .map(|(name, _)| *name)
        // XLA makes one kernel of this loop, and gives it its arguments in the order of a table of addresses.
        .filter(|name| *name != "scanned")
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn an_older_jaxlib_is_no_error_but_a_reason() {
    let Some(python) = cyxla_test_environment::jax("0.6.2") else {
        return;
    };
    for (name, image) in baked(python.interpreter(), Level::V3) {
        let reason = image.unwrap_err().to_string();
        assert!(!reason.contains('\n'), "{name}: {reason}");
    }
}

#[test]
fn a_python_that_is_not_there_is_named() {
    let error = images(Path::new("no/such/python"), &[], &[Level::V3]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("can't start no/such/python: "),
        "{error}"
    );
}
