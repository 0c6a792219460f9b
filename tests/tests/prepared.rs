//! Calls that are bound to memory of their own.

#![allow(clippy::unwrap_used, reason = "a test")]

use cyxla::{Buffer, I4};

#[cyxla::program("memory:add")]
fn add(x: &[f32; 2], y: f32) -> cyxla::Result<[f32; 2]>;

type Row = [f64; 3];

#[cyxla::program("memory:three")]
fn three(a: f64, b: &Row, c: &Buffer<[Row; 5]>)
-> cyxla::Result<(Row, Buffer<[Row; 5]>, [Row; 5])>;

#[cyxla::program("memory:nibbles")]
fn nibbles(x: [I4; 3]) -> cyxla::Result<[I4; 3]>;

#[cyxla::program("memory:flags")]
fn flags(x: &[f32; 3]) -> cyxla::Result<([bool; 3], i32)>;

#[cyxla::program("memory:step")]
fn step(state: Buffer<[f32; 4096]>, force: f32) -> cyxla::Result<(Buffer<[f32; 4096]>, f32)>;

#[cyxla::program("memory:constant")]
fn constant() -> cyxla::Result<Box<[[f32; 32]; 32]>>;

#[cyxla::program("memory:add")]
fn add_large(x: &[[f32; 1024]; 2048], y: f32) -> cyxla::Result<Box<[[f32; 1024]; 2048]>>;

#[test]
fn arguments_keep_their_values_from_run_to_run() {
    let mut call = add::prepare().unwrap();
    *call.inputs().1 = 0.5;
    for round in 0_u8..100 {
        let value = f32::from(round);
        *call.inputs().0 = [value, -value];
        assert_eq!(call.run().unwrap(), &[value + 0.5, 0.5 - value]);
    }
    assert_eq!(call.outputs(), &[99.5, -98.5]);
}

#[test]
fn arrays_begin_as_zeros() {
    let mut call = add::prepare().unwrap();
    assert_eq!(call.outputs(), &[0.0, 0.0]);
    assert_eq!(call.inputs(), (&mut [0.0, 0.0], &mut 0.0));
    assert_eq!(call.run().unwrap(), &[0.0, 0.0]);
}

#[test]
fn many_arguments_and_results_are_bound_together() {
    let mut call = three::prepare().unwrap();
    let (a, b, c) = call.inputs();
    (*a, *b) = (1.0, [1.0, 2.0, 3.0]);
    *c = [[10.0, 20.0, 30.0]; 5];
    let (sum, product, copy) = call.run().unwrap();
    assert_eq!(sum, &[2.0, 3.0, 4.0]);
    assert_eq!(product, &[[10.0, 40.0, 90.0]; 5]);
    assert_eq!(copy, &[[10.0, 20.0, 30.0]; 5]);
}

#[test]
fn elements_that_share_bytes_on_the_device_are_bound_too() {
    let mut call = nibbles::prepare().unwrap();
    *call.inputs() = [1, -2, 3].map(|i| I4::new(i).unwrap());
    assert_eq!(call.run().unwrap().map(I4::get), [2, -4, 6]);
    call.inputs()[0] = I4::new(3).unwrap();
    assert_eq!(call.run().unwrap().map(I4::get), [6, -4, 6]);
}

#[test]
fn truth_values_are_bound_too() {
    let mut call = flags::prepare().unwrap();
    *call.inputs() = [1.0, -1.0, 2.0];
    assert_eq!(call.run().unwrap(), (&[true, false, true], &2));
}

#[test]
fn an_argument_that_is_taken_over_is_copied_by_each_run() {
    let mut call = step::prepare().unwrap();
    *call.inputs().1 = 1.0;
    for _ in 0..3 {
        let (state, largest) = call.run().unwrap();
        assert_eq!((state, *largest), (&[1.0; 4096], 1.0));
    }
    // The state goes on where it is written back.
    let next = *call.run().unwrap().0;
    *call.inputs().0 = next;
    assert_eq!(*call.run().unwrap().1, 2.0);
}

#[test]
fn a_program_without_arguments_can_be_prepared() {
    let mut call = constant::prepare().unwrap();
    call.inputs();
    assert_eq!(call.run().unwrap()[31][31], 1023.0);
}

#[test]
fn large_arrays_are_bound_too() {
    let mut call = add_large::prepare().unwrap();
    let (x, y) = call.inputs();
    x[2047] = [3.0; 1024];
    *y = 1.0;
    let sum = call.run().unwrap();
    assert_eq!((sum[0][0], sum[2047][1023]), (1.0, 4.0));
}

#[test]
fn each_thread_has_a_call_of_its_own() {
    fn check<T: Send>(value: T) -> T {
        value
    }
    let calls: Vec<_> = (0..4).map(|_| add::prepare().unwrap()).collect();
    std::thread::scope(|scope| {
        for (thread, call) in (0_u8..).zip(calls) {
            let mut call = check(call);
            scope.spawn(move || {
                for round in 0_u8..200 {
                    *call.inputs().0 = [f32::from(round), f32::from(thread)];
                    let expected = [f32::from(round), f32::from(thread)];
                    assert_eq!(call.run().unwrap(), &expected);
                }
            });
        }
    });
}
