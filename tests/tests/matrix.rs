//! One artifact serves every plugin, whatever JAX made it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::path::Path;

use cyxla::{ArrayType, Client, DType, HostArray, Plugin, compile_program};
use cyxla_build::{Argument, LowerRequest};

/// What `run` gives on every plugin for the function lowered by every JAX.
fn everywhere(target: &str, argument: &HostArray, check: impl Fn(&[HostArray])) {
    for version in cyxla_test_environment::JAX {
        let Some(environment) = cyxla_test_environment::jax(version) else {
            continue;
        };
        let mut request = LowerRequest::new(target);
        request.python = Some(environment.interpreter().to_owned());
        request.python_path = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("python")];
        request.arguments = Some(vec![Argument::new("x", *argument.array_type())]);
        let program = cyxla_build::lower(&request).unwrap();
        let plugins = cyxla_test_environment::plugins();
        assert!(!plugins.is_empty());
        for library in plugins {
            let context = format!("JAX {version} on {}", library.display());
            let client = Client::new(&Plugin::new("cpu", &library), &[]).unwrap();
            let (executable, _) = compile_program(&client, &program, false)
                .unwrap_or_else(|error| panic!("{context}: {error}"));
            let results = executable.run(&[argument.view()]);
            check(&results.unwrap_or_else(|error| panic!("{context}: {error}")));
        }
    }
}

fn vector(elements: &[f32]) -> HostArray {
    HostArray::from_slice(elements, &[elements.len()]).unwrap()
}

fn close(found: &HostArray, expected: &[f32]) {
    let found = found.as_slice::<f32>().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-6 * expected.abs().max(1.0),
            "{found} is not {expected}"
        );
    }
}

#[test]
fn special_functions() {
    // Abramowitz and Stegun, table 7.1, and sinh by its definition.
    let sinh = [0.0, 0.521_095_3, -1.175_201_2];
    everywhere("matrix:special", &vector(&[0.0, 0.5, -1.0]), |results| {
        close(&results[0], &[0.0, 0.520_499_9, -0.842_700_8]);
        close(&results[1], &sinh);
    });
}

#[test]
fn the_largest_elements() {
    everywhere(
        "matrix:largest",
        &vector(&[3.0, -1.0, 7.0, 5.0]),
        |results| {
            close(&results[0], &[7.0, 5.0]);
            assert_eq!(results[1].as_slice::<i32>(), Some(&[2, 3][..]));
        },
    );
}

#[test]
fn random_numbers() {
    let seed = HostArray::from_array(&42i32);
    assert_eq!(*seed.array_type(), ArrayType::scalar(DType::I32));
    everywhere("matrix:uniform", &seed, |results| {
        let numbers = results[0].as_slice::<f32>().unwrap();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        // The mean of 1000 such has a standard deviation of 1/√12000 < 0.01.
        let mean = numbers.iter().sum::<f32>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    });
}

#[test]
fn loops() {
    everywhere(
        "matrix:accumulate",
        &vector(&[1.0, 2.0, 3.0, 4.0]),
        |results| {
            close(&results[0], &[10.0]);
            close(&results[1], &[1.0, 3.0, 6.0, 10.0]);
        },
    );
}
