//! Arrays that stay on the device.

#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::float_cmp, reason = "small whole numbers are exact")]

mod support;

use cyxla_artifact::{DType, LoweredProgram};
use cyxla_runtime::{
    Argument, ArgumentError, Buffer, BufferError, Client, DeviceBuffer, Error, Executable,
    ExecuteError, HostArray, HostView,
};
use support::{array, client_of, clients, plugins, program, zero_copy_clients};

type Grid = [[f32; 32]; 64];

/// x + y in the memory of x, and the sum of y.
fn step() -> LoweredProgram {
    let grid = array(DType::F32, &[64, 32]);
    let mut program = program("step", &[grid, grid], &[grid, array(DType::F32, &[])]);
    program.record.inputs[0].donated = true;
    program
}

fn on(client: &Client, value: f32) -> DeviceBuffer {
    DeviceBuffer::on(client, &HostView::of(&[[value; 32]; 64])).unwrap()
}

fn all(buffer: &DeviceBuffer) -> Vec<f32> {
    buffer
        .to_host()
        .unwrap()
        .as_slice::<f32>()
        .unwrap()
        .to_vec()
}

/// What a host can read without a copy lies here.
fn address(buffer: &DeviceBuffer) -> usize {
    buffer.view().unwrap().bytes().as_ptr().addr()
}

#[test]
fn arrays_go_to_the_device_and_back() {
    for client in clients() {
        let numbers: [[i16; 5]; 3] = [[1, 2, 3, 4, 5], [-6, 7, -8, 9, 10], [11, 12, 13, 14, 15]];
        let buffer = Buffer::on(&client, &numbers).unwrap();
        assert_eq!(*buffer.to_host().unwrap(), numbers);
        let flags = Buffer::on(&client, &[true, false, true]).unwrap();
        assert_eq!(*flags.to_host().unwrap(), [true, false, true]);
        let empty = Buffer::on(&client, &[[0_f64; 3]; 0]).unwrap();
        assert_eq!(*empty.to_host().unwrap(), [[0.0; 3]; 0]);
    }
}

#[test]
fn arrays_are_read_where_they_are() {
    for client in zero_copy_clients() {
        let buffer = Buffer::on(&client, &[[1.5_f32, 2.5], [3.5, 4.5]]).unwrap();
        assert_eq!(buffer.view().unwrap(), &[[1.5, 2.5], [3.5, 4.5]]);
        let flags = Buffer::on(&client, &[true, false]).unwrap();
        assert_eq!(flags.view().unwrap(), &[true, false]);
        let empty = Buffer::on(&client, &[0_u8; 0]).unwrap();
        assert_eq!(empty.view().unwrap(), &[0; 0]);
    }
}

#[test]
fn what_the_host_can_not_read_in_place_is_no_view_but_can_be_copied() {
    for client in clients() {
        let nibbles = [cyxla_runtime::I4::new(-3).unwrap(); 3];
        let buffer = Buffer::on(&client, &nibbles).unwrap();
        let error = buffer.view().unwrap_err();
        assert!(
            matches!(&error, Error::Buffer(e) if matches!(**e, BufferError::NotVisible { .. })),
            "{error}"
        );
        assert!(error.to_string().contains("to_host()"), "{error}");
        assert_eq!(*buffer.to_host().unwrap(), nibbles);
    }
    let copying = support::copying_client_of(&plugins()[0]);
    let buffer = Buffer::on(&copying, &[1.0_f32]).unwrap();
    assert!(buffer.view().is_err());
    assert_eq!(*buffer.to_host().unwrap(), [1.0]);
}

#[test]
fn a_donated_state_is_changed_in_place() {
    for client in zero_copy_clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let ones = on(&client, 1.0);
        let mut state = on(&client, 0.0);
        let start = address(&state);
        for round in 1_u8..=20 {
            let arguments = vec![Argument::Donated(state), Argument::Buffer(&ones)];
            let mut results = executable.execute(arguments).unwrap();
            assert_eq!(all(&results[1]), [2048.0]);
            state = results.swap_remove(0);
            assert_eq!(address(&state), start, "the memory is reused");
            assert_eq!(all(&state), [f32::from(round); 2048]);
        }
        assert_eq!(all(&ones), [1.0; 2048]);
    }
}

#[test]
fn a_donated_argument_may_come_from_the_host() {
    for client in clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let (x, y): (Grid, Grid) = ([[2.0; 32]; 64], [[0.5; 32]; 64]);
        let arguments = [HostView::of(&x), HostView::of(&y)].map(Argument::Host);
        let results = executable.execute(arguments.into()).unwrap();
        assert_eq!(all(&results[0]), [2.5; 2048]);
        assert_eq!(x, [[2.0; 32]; 64]);
    }
}

#[test]
fn one_array_can_be_several_arguments() {
    let grid = array(DType::F32, &[128, 64]);
    let program = program("add", &[grid, grid], &[grid]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let threes = HostArray::from_slice(&vec![3.0_f32; 8192], &[128, 64]).unwrap();
        let x = DeviceBuffer::on(&client, &threes.view()).unwrap();
        let results = executable
            .execute(vec![Argument::Buffer(&x), Argument::Buffer(&x)])
            .unwrap();
        assert_eq!(all(&results[0]), vec![6.0; 8192]);
    }
}

#[test]
fn an_argument_that_is_taken_over_must_be_given_away() {
    for client in clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let x = on(&client, 1.0);
        let arguments = vec![Argument::Buffer(&x), Argument::Buffer(&x)];
        let error = executable.execute(arguments).unwrap_err();
        assert!(
            matches!(&error, Error::Argument(e) if matches!(**e, ArgumentError::Donated { .. })),
            "{error}"
        );
        assert!(error.to_string().contains("`x0`"), "{error}");
        assert_eq!(all(&x), [1.0; 2048]);
    }
}

#[test]
fn an_argument_that_is_not_reused_may_be_given_away() {
    let grid = array(DType::F32, &[128, 64]);
    let program = program("add", &[grid, grid], &[grid]);
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let ones = HostArray::from_slice(&vec![1.0_f32; 8192], &[128, 64]).unwrap();
        let x = || DeviceBuffer::on(&client, &ones.view()).unwrap();
        let arguments = vec![Argument::Donated(x()), Argument::Donated(x())];
        let results = executable.execute(arguments).unwrap();
        assert_eq!(all(&results[0]), vec![2.0; 8192]);
    }
}

#[test]
fn types_are_checked() {
    for client in zero_copy_clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let x = on(&client, 1.0);
        // As many bytes.
        let other = DeviceBuffer::on(&client, &HostView::of(&[[1_i32; 32]; 64])).unwrap();
        let arguments = vec![Argument::Donated(x), Argument::Buffer(&other)];
        let error = executable.execute(arguments).unwrap_err();
        assert!(error.to_string().contains("i32[64,32]"), "{error}");
        let error = Buffer::<Grid>::try_from(other).unwrap_err();
        assert!(
            error.to_string().contains("Buffer<[[i32; 32]; 64]>"),
            "{error}"
        );
        let typed = Buffer::<Grid>::try_from(on(&client, 4.0)).unwrap();
        assert_eq!(typed.view().unwrap()[63], [4.0; 32]);
    }
}

#[test]
fn arrays_of_another_client_are_refused() {
    let all = zero_copy_clients();
    let again = client_of(&plugins()[0]);
    for (own, other) in [(&all[0], &all[1]), (&all[0], &again)] {
        let executable = Executable::compile(own, &step()).unwrap();
        let x = on(own, 1.0);
        let y = on(other, 1.0);
        let arguments = vec![Argument::Donated(x), Argument::Buffer(&y)];
        let error = executable.execute(arguments).unwrap_err();
        assert!(
            matches!(&error, Error::Argument(e) if matches!(**e, ArgumentError::Client { .. })),
            "{error}"
        );
    }
}

#[test]
fn a_failed_call_tells_what_became_of_a_donated_argument() {
    let (scalar, vector) = (array(DType::F32, &[]), array(DType::F64, &[2048]));
    let mut program = program("too_large_donate", &[scalar, vector], &[scalar, vector]);
    program.record.inputs[1].donated = true;
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let state = HostArray::from_slice(&[7.0_f64; 2048], &[2048]).unwrap();
        let state = DeviceBuffer::on(&client, &state.view()).unwrap();
        let arguments = vec![
            Argument::Host(HostView::of(&1.0_f32)),
            Argument::Donated(state),
        ];
        let error = executable.start(arguments).unwrap().wait().unwrap_err();
        let text = error.to_string();
        let Error::Execute(error) = error else {
            panic!("{text}")
        };
        let ExecuteError::Failed { donated, .. } = *error else {
            panic!("{text}")
        };
        assert_eq!((donated.len(), donated[0].name.as_str()), (1, "x1"));
        match &donated[0].buffer {
            Some(buffer) => {
                assert!(text.contains("`x1` is unchanged"), "{text}");
                let host = buffer.to_host().unwrap();
                assert_eq!(host.as_slice::<f64>().unwrap(), [7.0; 2048]);
            }
            None => assert!(text.contains("`x1` is lost"), "{text}"),
        }
    }
}

#[test]
fn an_array_keeps_its_client_alive() {
    for path in plugins() {
        let client = client_of(&path);
        let executable = Executable::compile(&client, &step()).unwrap();
        let arguments = vec![
            Argument::Donated(on(&client, 1.0)),
            Argument::Donated(on(&client, 2.0)),
        ];
        let mut results = executable.execute(arguments).unwrap();
        let host = executable
            .run(&[
                HostView::of(&[[1.0_f32; 32]; 64]),
                HostView::of(&[[5.0_f32; 32]; 64]),
            ])
            .unwrap();
        let other = results.remove(0);
        drop((executable, client, results));
        assert_eq!(all(&other), [3.0; 2048]);
        assert_eq!(host[0].as_slice::<f32>().unwrap(), [6.0; 2048]);
    }
}

#[test]
fn results_on_the_host_can_outlive_the_call_that_follows() {
    let vector = array(DType::F32, &[2]);
    for client in clients() {
        let executable =
            Executable::compile(&client, &program("sine", &[vector], &[vector])).unwrap();
        let first = executable.run(&[HostView::of(&[0.0_f32, 0.5])]).unwrap();
        let second = executable.run(&[HostView::of(&[1.0_f32, -0.5])]).unwrap();
        let [first, second] = [first, second].map(|r| r[0].as_slice::<f32>().unwrap()[1]);
        // 2 sin(0.5)
        assert!(
            (first - 0.958_851_1).abs() < 1e-6 && first == -second,
            "{first} {second}"
        );
    }
}

#[test]
fn arrays_can_be_used_from_other_threads() {
    for client in clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let ones = on(&client, 1.0);
        std::thread::scope(|scope| {
            for thread in 0_u8..4 {
                let (executable, ones, client) = (&executable, &ones, &client);
                scope.spawn(move || {
                    let mut state = on(client, f32::from(thread));
                    for _ in 0..100 {
                        let arguments = vec![Argument::Donated(state), Argument::Buffer(ones)];
                        state = executable.execute(arguments).unwrap().swap_remove(0);
                    }
                    assert_eq!(all(&state), [100.0 + f32::from(thread); 2048]);
                });
            }
        });
    }
}

#[test]
fn a_started_program_gives_its_results_later() {
    for client in clients() {
        let executable = Executable::compile(&client, &step()).unwrap();
        let ones = on(&client, 1.0);
        let mut state = on(&client, 0.0);
        for _ in 0..10 {
            let arguments = vec![Argument::Donated(state), Argument::Buffer(&ones)];
            let pending = executable.start(arguments).unwrap();
            state = pending.wait().unwrap().swap_remove(0);
        }
        assert_eq!(all(&state), [10.0; 2048]);
    }
}

#[test]
fn a_started_program_that_fails_says_so_at_the_wait() {
    let (scalar, vector) = (array(DType::F32, &[]), array(DType::F64, &[2048]));
    let mut program = program("too_large_donate", &[scalar, vector], &[scalar, vector]);
    program.record.inputs[1].donated = true;
    for client in clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let state = HostArray::from_slice(&[7.0_f64; 2048], &[2048]).unwrap();
        let arguments = vec![
            Argument::Host(HostView::of(&1.0_f32)),
            Argument::Donated(DeviceBuffer::on(&client, &state.view()).unwrap()),
        ];
        let pending = executable.start(arguments).unwrap();
        let error = pending.wait().unwrap_err();
        assert!(
            error.to_string().contains("the donated argument `x1`"),
            "{error}"
        );
    }
}

#[test]
fn results_of_a_program_that_fails_say_so_and_so_does_what_follows() {
    let (scalar, vector) = (array(DType::F32, &[]), array(DType::F64, &[2048]));
    let too_large = program("too_large_donate", &[scalar, vector], &[scalar, vector]);
    let donate = program("donate", &[vector], &[vector]);
    for client in clients() {
        let [too_large, donate] =
            [&too_large, &donate].map(|program| Executable::compile(&client, program).unwrap());
        let state = HostArray::from_slice(&[7.0_f64; 2048], &[2048]).unwrap();
        let state = DeviceBuffer::on(&client, &state.view()).unwrap();
        let arguments = vec![
            Argument::Host(HostView::of(&1.0_f32)),
            Argument::Donated(state),
        ];
        // Whether it fails before it returns is up to the plugin.
        let error = match too_large.execute(arguments) {
            Err(error) => error,
            Ok(mut results) => {
                let error = results[0].to_host().unwrap_err();
                let arguments = vec![Argument::Donated(results.swap_remove(1))];
                let next = donate.execute(arguments);
                let next = next.and_then(|results| results[0].to_host());
                assert!(next.is_err());
                error
            }
        };
        assert!(error.to_string().contains("Out of memory"), "{error}");
    }
}
