//! Where arrays live: in a caller's memory, in memory of their own, on the device.

#![allow(clippy::unwrap_used, reason = "a test")]

use cyxla::{Buffer, Host, I4, Parameter};

type Grid = [[f32; 256]; 64];
type Large = [[f32; 8192]; 8192];

#[cyxla::program("memory:add")]
fn add(x: &Grid, y: &Host<Grid>) -> cyxla::Result<Box<Grid>>;

#[cyxla::program("memory:add")]
fn add_host(x: &Host<Grid>, y: &Grid) -> cyxla::Result<Host<Grid>>;

#[cyxla::program("memory:add")]
fn add_device(x: &Buffer<Grid>, y: &Buffer<Grid>) -> cyxla::Result<Buffer<Grid>>;

#[cyxla::program("memory:add")]
fn add_large(x: &Large, y: &Buffer<Large>) -> cyxla::Result<Host<Large>>;

#[cyxla::program("memory:step")]
fn step(state: Buffer<Grid>, force: &Grid) -> cyxla::Result<(Buffer<Grid>, f32)>;

#[cyxla::program("memory:step", donate = [state])]
fn step_by_option(state: Buffer<Grid>, force: f32) -> cyxla::Result<(Buffer<Grid>, f32)>;

#[cyxla::program("memory:jitted_step")]
fn jitted_step(state: Buffer<Grid>, force: &Grid) -> cyxla::Result<Buffer<Grid>>;

#[cyxla::program("memory:jitted_step")]
fn jitted_step_of_the_host(state: Host<Grid>, force: f32) -> cyxla::Result<Host<Grid>>;

#[cyxla::program("memory:jitted_step")]
fn advance(state: Buffer<Grid>, force: f32) -> cyxla::Result<Buffer<Grid>>;

#[cyxla::program("memory:swap")]
fn swap(a: Buffer<Grid>, b: Buffer<Grid>) -> cyxla::Result<(Buffer<Grid>, Buffer<Grid>)>;

#[cyxla::program("memory:flags")]
fn flags(x: &[f32; 3]) -> cyxla::Result<(Host<[bool; 3]>, Buffer<i32>)>;

#[cyxla::program("memory:constant")]
fn constant() -> cyxla::Result<Host<[[f32; 32]; 32]>>;

#[cyxla::program("memory:nibbles")]
fn nibbles(x: &Buffer<[I4; 3]>) -> cyxla::Result<Host<[I4; 3]>>;

#[cyxla::program("memory:add")]
fn add_nothing(
    x: &Host<[[f64; 3]; 0]>,
    y: &Buffer<[[f64; 3]; 0]>,
) -> cyxla::Result<Host<[[f64; 3]; 0]>>;

#[cyxla::program("memory:add")]
fn add_scalars(x: &Host<f64>, y: &Buffer<f64>) -> cyxla::Result<Buffer<f64>>;

fn grid(value: f32) -> Host<Grid> {
    Host::from_fn(|_| value)
}

fn donations(parameters: &[Parameter]) -> Vec<bool> {
    parameters
        .iter()
        .map(|parameter| parameter.donated)
        .collect()
}

#[test]
fn host_arrays_are_arguments_and_results() {
    let (x, y) = (grid(1.0), grid(2.0));
    assert_eq!(*add(&x, &y).unwrap(), *grid(3.0));
    let mut z = add_host(&x, &y).unwrap();
    assert_eq!(z, grid(3.0));
    // A result is as good as any other array: it can be changed, kept over other calls, and passed on.
    z[63][255] = 10.0;
    let sum = add_host(&z, &x).unwrap();
    assert_eq!((sum[63][255], sum[0][0]), (11.0, 4.0));
    assert_eq!((z[63][255], z[0][0]), (10.0, 3.0));
}

#[test]
fn one_array_can_be_both_arguments() {
    let x = grid(1.5);
    assert_eq!(*add(&x, &x).unwrap(), *grid(3.0));
    let x = Buffer::from(&x).unwrap();
    assert_eq!(add_device(&x, &x).unwrap().view().unwrap(), &*grid(3.0));
}

#[test]
fn arrays_on_the_device_are_arguments_and_results() {
    let x = Buffer::from(&grid(1.0)).unwrap();
    let y = add_device(&x, &x).unwrap();
    let z = add_device(&y, &x).unwrap();
    assert_eq!(z.to_host().unwrap(), grid(3.0));
    assert_eq!(x.view().unwrap()[63], [1.0; 256]);
}

#[test]
fn arrays_of_256_megabytes_do_not_touch_the_stack() {
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let check = || {
        let mut x = Host::<Large>::zeros();
        x[8191][8191] = 1.0;
        let y = Buffer::from(&x).unwrap();
        let z = add_large(&x, &y).unwrap();
        assert_eq!((z[8191][8191], z[8191][0]), (2.0, 0.0));
    };
    small_stack.spawn(check).unwrap().join().unwrap();
}

#[test]
fn a_state_that_is_moved_through_stays_in_its_memory() {
    let force = grid(0.25);
    // The first step brings it to memory that machine code can write to.
    let (mut state, largest) = step(Buffer::from(&grid(0.0)).unwrap(), &force).unwrap();
    assert_eq!(largest, 0.25);
    let start = std::ptr::from_ref(state.view().unwrap());
    for round in 2_u8..=40 {
        let (next, largest) = step(state, &force).unwrap();
        assert_eq!(largest, 0.25 * f32::from(round));
        state = next;
        assert!(std::ptr::eq(state.view().unwrap(), start));
    }
    assert_eq!(*state.to_host().unwrap(), *grid(10.0));
}

#[test]
fn steps_that_nobody_waits_for_come_out_in_order() {
    let mut state = Buffer::from(&grid(0.0)).unwrap();
    for round in 1_u16..=1000 {
        state = advance(state, 0.25 * f32::from(round % 2)).unwrap();
        if round % 100 == 0 {
            let expected = 0.125 * f32::from(round);
            assert_eq!(state.view().unwrap(), &*grid(expected));
        }
    }
}

#[test]
fn donation_is_declared_by_value_by_option_and_by_jax() {
    for program in [
        step::program(),
        step_by_option::program(),
        jitted_step::program(),
    ] {
        assert_eq!(donations(program.inputs()), [true, false]);
    }
    assert_eq!(donations(add_device::program().inputs()), [false, false]);

    let state = Buffer::from(&grid(1.0)).unwrap();
    let (state, largest) = step_by_option(state, 2.0).unwrap();
    assert_eq!(largest, 3.0);
    let start = std::ptr::from_ref(state.view().unwrap());
    let state = jitted_step(state, &grid(1.0)).unwrap();
    assert_eq!(state.view().unwrap(), &*grid(4.0));
    assert!(std::ptr::eq(state.view().unwrap(), start));
}

#[test]
fn a_host_array_can_be_given_away_too() {
    let state = grid(1.0);
    let state = jitted_step_of_the_host(state, 1.0).unwrap();
    let state = jitted_step_of_the_host(state, 0.5).unwrap();
    assert_eq!(state, grid(2.5));
}

#[test]
fn two_arguments_can_be_given_away() {
    let (mut a, mut b) = (
        Buffer::from(&grid(1.0)).unwrap(),
        Buffer::from(&grid(10.0)).unwrap(),
    );
    for _ in 0..2 {
        (a, b) = swap(a, b).unwrap();
    }
    assert_eq!(
        (a.view().unwrap()[0][0], b.view().unwrap()[0][0]),
        (4.0, 40.0)
    );
}

#[test]
fn truth_values_stay_truth_values() {
    let (positive, count) = flags(&[1.0, -1.0, 0.5]).unwrap();
    assert_eq!(*positive, [true, false, true]);
    assert_eq!(count.view().unwrap(), &2);
}

#[test]
fn a_changed_result_does_not_change_the_program() {
    let mut first = constant().unwrap();
    assert_eq!(first[31][31], 1023.0);
    first.as_mut_slice().fill(-1.0);
    drop(first);
    assert_eq!(constant().unwrap()[31][31], 1023.0);
}

#[test]
fn four_bit_integers_live_on_the_device() {
    let x = Buffer::from(&[-3, 3, 1].map(|i| I4::new(i).unwrap())).unwrap();
    let y = nibbles(&x).unwrap();
    assert_eq!(y.map(I4::get), [-6, 6, 2]);
}

#[test]
fn arrays_may_be_empty_and_scalars_may_live_anywhere() {
    let empty = add_nothing(&Host::zeros(), &Buffer::from(&[[0.0; 3]; 0]).unwrap()).unwrap();
    assert_eq!(empty.len(), 0);
    let sum = add_scalars(&Host::from_array(&1.5), &Buffer::from(&2.0).unwrap()).unwrap();
    assert_eq!(sum.view().unwrap(), &3.5);
}

#[test]
fn arrays_on_the_device_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Buffer<Grid>>();
    check::<Host<Grid>>();
    let shared = Buffer::from(&grid(1.0)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0_u8..4 {
            let shared = &shared;
            scope.spawn(move || {
                let mut state = Buffer::from(&grid(f32::from(thread))).unwrap();
                for _ in 0..50 {
                    state = step(state, shared.view().unwrap()).unwrap().0;
                }
                assert_eq!(state.view().unwrap(), &*grid(50.0 + f32::from(thread)));
            });
        }
    });
}
