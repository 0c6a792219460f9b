//! Programs give what they should, on every plugin.

#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "small whole numbers are exact"
)]

mod support;

use cyxla_artifact::DType;
use cyxla_runtime::{Argument, DeviceBuffer, Executable, HostArray, HostView};
use support::{array, clients, copying_client_of, plugins, program, sine, zero_copy_clients};

fn floats(values: &[f32], shape: &[usize]) -> HostArray {
    HostArray::from_slice(values, shape).unwrap()
}

#[test]
fn a_program_computes() {
    for client in clients() {
        let executable = Executable::compile(&client, &sine()).unwrap();
        let results = executable
            .run(&[floats(&[0.5, -1.0], &[2]).view()])
            .unwrap();
        let &[a, b] = results[0].as_slice::<f32>().unwrap() else {
            panic!()
        };
        // 2 sin(0.5) = 0.958851077…, 2 sin(-1) = -1.682941969…
        assert!(
            (a - 0.958_851_1).abs() < 1e-6 && (b + 1.682_942).abs() < 1e-6,
            "{a} {b}"
        );
    }
}

#[test]
fn arguments_keep_their_order_and_shape() {
    let types = [array(DType::F32, &[8, 4]), array(DType::F32, &[])];
    let program = program("rows", &types, &[array(DType::F32, &[8])]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let x: [[f32; 4]; 8] = std::array::from_fn(|i| [i as f32, 1.0, 10.0, 100.0]);
        let results = executable
            .run(&[HostView::of(&x), HostView::of(&2.0_f32)])
            .unwrap();
        let expected: Vec<f32> = (0..8).map(|i| 2.0 * (i as f32 + 111.0)).collect();
        assert_eq!(results[0].as_slice::<f32>().unwrap(), expected);
    }
}

#[test]
fn results_are_row_major() {
    let program = program(
        "transpose",
        &[array(DType::I32, &[2, 3])],
        &[array(DType::I32, &[3, 2])],
    );
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let results = executable
            .run(&[HostView::of(&[[1, 2, 3], [4, 5, 6]])])
            .unwrap();
        assert_eq!(results[0].as_slice::<i32>().unwrap(), [1, 4, 2, 5, 3, 6]);
    }
}

#[test]
fn arrays_at_any_address_give_the_same() {
    let matrix = array(DType::F32, &[128, 64]);
    let program = program("add", &[matrix, matrix], &[matrix]);
    let values: Vec<f32> = (0..128 * 64).map(|i| i as f32).collect();
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect();
    let aligned = floats(&values, &[128, 64]);
    let expected: Vec<f32> = values.iter().map(|value| 2.0 * value).collect();
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        for offset in [0, 1, 4, 16, 32] {
            let mut memory = vec![0; bytes.len() + 128];
            let start = memory.as_ptr().align_offset(64) + offset;
            memory[start..start + bytes.len()].copy_from_slice(&bytes);
            let view = HostView::new(&matrix, &memory[start..start + bytes.len()]).unwrap();
            let results = executable.run(&[view, aligned.view()]).unwrap();
            assert_eq!(results[0].as_slice::<f32>().unwrap(), expected, "{offset}");
        }
        assert_eq!(aligned.as_slice::<f32>().unwrap(), values);
    }
}

#[test]
fn arrays_of_any_size_at_any_address_give_the_same() {
    for size in [1, 63, 64, 65, 8191, 8192, 8193, 65_535, 65_536, 65_537] {
        let bytes = array(DType::U8, &[size]);
        let program = program(&format!("invert_{size}"), &[bytes], &[bytes, bytes]);
        // A pattern that no shift of it repeats early.
        let pattern = |i: usize| (i ^ (i >> 8) ^ (i >> 16)).to_le_bytes()[0];
        let expected: Vec<u8> = (0..size).map(|i| !pattern(i)).collect();
        for client in clients() {
            let executable = Executable::compile(&client, &program).unwrap();
            for offset in [0, 1, 32] {
                let mut memory = vec![0; size + 128];
                let start = memory.as_ptr().align_offset(64) + offset;
                let x = &mut memory[start..start + size];
                for (i, byte) in x.iter_mut().enumerate() {
                    *byte = pattern(i);
                }
                let on_host = HostView::new(&bytes, x).unwrap();
                let on_device = DeviceBuffer::on(&client, &on_host).unwrap();
                let results = executable.run(&[on_host]).unwrap();
                assert!(results[0].bytes() == expected, "{size} at {offset}");
                assert!(results[1].bytes() == on_host.bytes(), "{size} at {offset}");
                let arguments = vec![Argument::Buffer(&on_device)];
                let results = executable.execute(arguments).unwrap();
                let result = results[0].to_host().unwrap();
                assert!(result.bytes() == expected, "{size} on the device");
            }
        }
    }
}

#[test]
fn a_lent_array_is_free_after_the_call() {
    let matrix = array(DType::F32, &[128, 64]);
    let program = program("add", &[matrix, matrix], &[matrix]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        for round in 0..200 {
            // Freed, and allocated again at the same place with other values, in every round.
            let x = floats(&vec![round as f32; 128 * 64], &[128, 64]);
            let results = executable.run(&[x.view(), x.view()]).unwrap();
            drop(x);
            let expected = vec![2.0 * round as f32; 128 * 64];
            assert_eq!(results[0].as_slice::<f32>().unwrap(), expected);
        }
    }
}

#[test]
fn each_call_reads_the_array_that_is_lent_to_it() {
    let matrix = array(DType::F32, &[128, 64]);
    let program = program("add", &[matrix, matrix], &[matrix]);
    let lent = [1.0, 2.0, 4.0].map(|value| floats(&vec![value; 128 * 64], &[128, 64]));
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        for (a, b) in [(0, 1), (1, 0), (1, 1), (2, 1), (2, 1), (0, 2)] {
            let results = executable.run(&[lent[a].view(), lent[b].view()]).unwrap();
            let expected = vec![f32::from(1_u8 << a) + f32::from(1_u8 << b); 128 * 64];
            assert_eq!(results[0].as_slice::<f32>().unwrap(), expected, "{a} {b}");
        }
    }
}

#[test]
fn every_element_type_goes_in_and_out() {
    let name = |dtype| match dtype {
        DType::Bool => "i1",
        DType::I4 => "i4",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U4 => "ui4",
        DType::U8 => "ui8",
        DType::U16 => "ui16",
        DType::U32 => "ui32",
        DType::U64 => "ui64",
        DType::F8E3M4 => "f8E3M4",
        DType::F8E4M3 => "f8E4M3",
        DType::F8E4M3FN => "f8E4M3FN",
        DType::F8E4M3FNUZ => "f8E4M3FNUZ",
        DType::F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
        DType::F8E5M2 => "f8E5M2",
        DType::F8E5M2FNUZ => "f8E5M2FNUZ",
        DType::F8E8M0FNU => "f8E8M0FNU",
        DType::BF16 => "bf16",
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "complex_f32",
        DType::C128 => "complex_f64",
        other => panic!("{other}: no program"),
    };
    for client in clients() {
        for &dtype in DType::ALL {
            let triple = array(dtype, &[3]);
            let program = program(&format!("reverse_{}", name(dtype)), &[triple], &[triple]);
            let executable = Executable::compile(&client, &program).unwrap();
            // Bytes that are values of every type: 0 and 1.
            let mut bytes = vec![0; triple.nbytes()];
            bytes[0] = 1;
            let mut expected = bytes.clone();
            expected.rotate_left(dtype.size());
            let view = HostView::new(&triple, &bytes).unwrap();
            let results = executable.run(&[view]).unwrap();
            assert_eq!(results[0].bytes(), expected, "{dtype}");
            let on_device = DeviceBuffer::on(&client, &view).unwrap();
            let results = executable
                .execute(vec![Argument::Buffer(&on_device)])
                .unwrap();
            let result = results[0].to_host().unwrap();
            assert_eq!(result.bytes(), expected, "{dtype} on the device");
            assert_eq!(on_device.to_host().unwrap().bytes(), bytes, "{dtype}");
        }
    }
}

#[test]
fn four_bit_integers_wrap_and_keep_their_sign() {
    let (signed, unsigned) = (array(DType::I4, &[3]), array(DType::U4, &[3]));
    let program = program("nibbles", &[signed, unsigned], &[signed, unsigned]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        // -3, 5, -8 and 3, 9, 15.
        let x = HostView::new(&signed, &[0xFD, 5, 0xF8]).unwrap();
        let y = HostView::new(&unsigned, &[3, 9, 15]).unwrap();
        let results = executable.run(&[x, y]).unwrap();
        // -6; 10 - 16 = -6; -16 + 16 = 0.
        assert_eq!(results[0].bytes(), [0xFA, 0xFA, 0]);
        // 6; 18 - 16 = 2; 30 - 16 = 14.
        assert_eq!(results[1].bytes(), [6, 2, 14]);
    }
}

#[test]
fn truth_values_are_bytes_0_and_1() {
    let (numbers, flags) = (array(DType::F32, &[4]), array(DType::Bool, &[4]));
    let program = program("compare", &[numbers, numbers], &[flags, flags]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let x = [1.0_f32, 2.0, f32::NAN, -0.0];
        let y = [2.0_f32, 1.0, 0.0, 0.0];
        let results = executable
            .run(&[HostView::of(&x), HostView::of(&y)])
            .unwrap();
        assert_eq!(results[0].bytes(), [1, 0, 0, 0]);
        assert_eq!(results[1].bytes(), [0, 0, 0, 1]);
    }
}

#[test]
fn a_program_may_have_no_arguments() {
    let program = program(
        "constant",
        &[],
        &[array(DType::U8, &[]), array(DType::I64, &[2])],
    );
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let results = executable.run(&[]).unwrap();
        assert_eq!(results[0].as_slice::<u8>().unwrap(), [7]);
        assert_eq!(results[1].as_slice::<i64>().unwrap(), [-1, 5_000_000_000]);
    }
}

#[test]
fn a_program_may_have_no_results() {
    let program = program("nothing", &[array(DType::F32, &[3])], &[]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        assert!(
            executable
                .run(&[HostView::of(&[1.0_f32, 2.0, 3.0])])
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn arrays_may_be_empty() {
    let types = [array(DType::F32, &[0, 3]), array(DType::F32, &[3])];
    let program = program("empty", &types[..1], &types);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let results = executable
            .run(&[HostView::of::<[[f32; 3]; 0]>(&[])])
            .unwrap();
        assert!(results[0].as_slice::<f32>().unwrap().is_empty());
        // The sum of nothing.
        assert_eq!(results[1].as_slice::<f32>().unwrap(), [0.0; 3]);
    }
}

#[test]
fn a_donated_argument_is_not_the_memory_of_the_caller() {
    let vector = array(DType::F64, &[2048]);
    let mut program = program("donate", &[vector], &[vector]);
    program.record.inputs[0].donated = true;
    let x = HostArray::from_slice(&[1.0_f64; 2048], &[2048]).unwrap();
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        for _ in 0..3 {
            let results = executable.run(&[x.view()]).unwrap();
            assert_eq!(results[0].as_slice::<f64>().unwrap(), [2.0; 2048]);
            assert_eq!(x.as_slice::<f64>().unwrap(), [1.0; 2048]);
        }
    }
}

#[test]
fn calls_from_many_threads_do_not_meet() {
    let matrix = array(DType::F32, &[128, 64]);
    let large = program("add", &[matrix, matrix], &[matrix]);
    for client in clients() {
        let small = Executable::compile(&client, &sine()).unwrap();
        let large = Executable::compile(&client, &large).unwrap();
        std::thread::scope(|scope| {
            for thread in 0_u16..8 {
                let (small, large) = (&small, &large);
                scope.spawn(move || {
                    for round in 0_u16..200 {
                        let value = f32::from(thread * 200 + round);
                        let results = small.run(&[HostView::of(&[value, -value])]).unwrap();
                        let &[a, b] = results[0].as_slice::<f32>().unwrap() else {
                            panic!()
                        };
                        assert!(
                            (a - 2.0 * value.sin()).abs() < 1e-5 && a == -b,
                            "{value}: {a} {b}"
                        );
                        let x = floats(&vec![value; 128 * 64], &[128, 64]);
                        let results = large.run(&[x.view(), x.view()]).unwrap();
                        let all = results[0].as_slice::<f32>().unwrap();
                        assert!(all.iter().all(|&sum| sum == 2.0 * value), "{value}");
                    }
                });
            }
        });
    }
}

#[test]
fn an_executable_is_read_back() {
    for client in clients() {
        let executable = Executable::compile(&client, &sine()).unwrap();
        let bytes = executable.serialize().unwrap();
        // SAFETY: the bytes are those that were just serialized.
        let again = unsafe { Executable::deserialize(&client, &bytes, executable.input_types()) };
        let again = again.unwrap();
        assert_eq!(again.output_types(), executable.output_types());
        assert_eq!((again.num_outputs(), again.output_bytes()), (1, vec![8]));
        let x = floats(&[0.25, 3.0], &[2]);
        let (first, second) = (
            executable.run(&[x.view()]).unwrap(),
            again.run(&[x.view()]).unwrap(),
        );
        assert_eq!(first[0].bytes(), second[0].bytes());
    }
}

#[test]
fn an_executable_keeps_its_client_alive() {
    for path in plugins() {
        let client = support::client_of(&path);
        let executable = Executable::compile(&client, &sine()).unwrap();
        drop(client);
        assert!(executable.run(&[HostView::of(&[0.0_f32, 0.0])]).is_ok());
    }
}

#[test]
fn the_probes_find_what_these_plugins_can() {
    for client in zero_copy_clients() {
        assert_eq!(client.platform(), "cpu");
        assert!(
            client.aliased_inputs() && client.inplace_outputs(),
            "{client:?}"
        );
        assert!(client.api_version() >= (0, 81));
        let (minimum, current) = client.stablehlo_versions().unwrap();
        assert!(minimum < current);
    }
}

#[test]
fn a_client_that_copies_says_so() {
    let client = copying_client_of(&plugins()[0]);
    assert!(!client.aliased_inputs() && !client.inplace_outputs());
}
