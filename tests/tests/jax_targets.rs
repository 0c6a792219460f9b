//! Who serves the custom calls of `jnp.linalg`: cyxla, a handler of the user's own, or nobody.
//!
//! Handlers are registered for a whole process, so each test has one for itself.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use cyxla::ffi::{CallFrame, Error};
use cyxla::{
    Client, CompileError, Executable, FfiError, HostArray, HostView, LoweredProgram, Options,
    compile_program, register_ffi_target,
};
use cyxla_build::{Argument, LowerRequest};

/// Runs `body` in a process of its own, which runs the test `name` only.
fn alone(name: &str, body: impl FnOnce()) {
    const VARIABLE: &str = "CYXLA_TEST_ALONE";
    if std::env::var_os(VARIABLE).is_some() {
        return body();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

/// `jnp.linalg.cholesky` or another function of f32[2,2].
fn lowered(target: &str) -> LoweredProgram {
    let mut request = LowerRequest::new(target);
    request.python = Some(cyxla_test_environment::main().interpreter().to_owned());
    request.python_path = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("python")];
    request.arguments = Some(vec![Argument::new("a", *matrix().array_type())]);
    cyxla_build::lower(&request).unwrap()
}

fn cholesky() -> &'static LoweredProgram {
    static PROGRAM: OnceLock<LoweredProgram> = OnceLock::new();
    PROGRAM.get_or_init(|| lowered("linalg:cholesky"))
}

/// (4, 2; 2, 5), whose factor is (2, 0; 1, 2).
fn matrix() -> HostArray {
    HostArray::from_array(&[[4.0_f32, 2.0], [2.0, 5.0]])
}

/// A client of each plugin.
fn clients(jax_targets: bool) -> Vec<Client> {
    let plugins = cyxla_test_environment::plugins().into_iter();
    let open = |library| {
        let options = Options::new().plugin_path(library);
        Client::open(&options.jax_targets(jax_targets)).unwrap()
    };
    let clients: Vec<_> = plugins.map(open).collect();
    assert!(!clients.is_empty());
    clients
}

fn compiled(client: &Client, program: &LoweredProgram) -> Executable {
    compile_program(client, program, false).unwrap().0
}

fn factor(client: &Client) -> Vec<f32> {
    let results = compiled(client, cholesky()).run(&[matrix().view()]);
    results.unwrap()[0].as_slice::<f32>().unwrap().to_vec()
}

/// A potrf that finds seven everywhere.
fn sevens(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let parts = frame.parts::<1, 2>()?;
    let ([x], [out, info]) = (parts.arguments, parts.results);
    out.in_place_of::<f32>(&x)?.fill(7.0);
    info.into_slice::<i32>()?.fill(0);
    Ok(())
}

/// JAX takes the lower triangle of what the handler gives.
const SEVENS: [f32; 4] = [7.0, 0.0, 7.0, 7.0];

#[track_caller]
fn assert_duplicate(target: &str) {
    let error = register_ffi_target(target, sevens).unwrap_err();
    assert!(
        matches!(&error, cyxla::Error::Ffi(error)
            if matches!(&**error, FfiError::Duplicate { target: known } if known == target)),
        "{error}"
    );
}

#[test]
fn without_handlers_linear_algebra_is_refused_by_name() {
    alone("without_handlers_linear_algebra_is_refused_by_name", || {
        for client in clients(false) {
            let error = compile_program(&client, cholesky(), false).unwrap_err();
            assert!(
                matches!(&error, cyxla::Error::Compile(error)
                    if matches!(&**error, CompileError::CustomCalls { targets, .. } if *targets == ["lapack_spotrf_ffi"])),
                "{error}"
            );
            assert!(error.to_string().contains("jax_targets"), "{error}");
        }
    });
}

#[test]
fn a_handler_of_a_user_serves_a_name_of_lapack_before_the_plugin_is_loaded() {
    alone(
        "a_handler_of_a_user_serves_a_name_of_lapack_before_the_plugin_is_loaded",
        || {
            register_ffi_target("lapack_spotrf_ffi", sevens).unwrap();
            for client in clients(false) {
                assert_eq!(factor(&client), SEVENS);
            }
        },
    );
}

#[test]
fn a_handler_of_a_user_serves_a_name_of_lapack_after_the_plugin_was_loaded() {
    alone(
        "a_handler_of_a_user_serves_a_name_of_lapack_after_the_plugin_was_loaded",
        || {
            let clients = clients(false);
            assert!(compile_program(&clients[0], cholesky(), false).is_err());
            register_ffi_target("lapack_spotrf_ffi", sevens).unwrap();
            for client in &clients {
                assert_eq!(factor(client), SEVENS);
            }
            assert_duplicate("lapack_spotrf_ffi");
        },
    );
}

#[test]
fn names_that_cyxla_serves_are_refused() {
    alone("names_that_cyxla_serves_are_refused", || {
        let clients = clients(true);
        for (target, _) in cyxla_linalg::targets() {
            assert_duplicate(target);
        }
        for client in &clients {
            assert_eq!(factor(client), [2.0, 0.0, 1.0, 2.0]);
        }
    });
}

#[test]
fn a_handler_of_a_user_keeps_its_name_and_cyxla_serves_the_others() {
    alone(
        "a_handler_of_a_user_keeps_its_name_and_cyxla_serves_the_others",
        || {
            register_ffi_target("lapack_spotrf_ffi", sevens).unwrap();
            let qr = lowered("linalg:qr");
            for client in clients(true) {
                assert_eq!(factor(&client), SEVENS);
                // (1, 0; 0, 1) is its own R, up to signs.
                let identity = [[1.0_f32, 0.0], [0.0, 1.0]];
                let results = compiled(&client, &qr).run(&[HostView::of(&identity)]);
                let r = results.unwrap()[1].as_slice::<f32>().unwrap().to_vec();
                assert_eq!([r[0].abs(), r[1], r[3].abs()], [1.0, 0.0, 1.0]);
            }
        },
    );
}

#[test]
fn clients_of_a_plugin_have_the_handlers_too() {
    alone("clients_of_a_plugin_have_the_handlers_too", || {
        for library in cyxla_test_environment::plugins() {
            let plugin = cyxla::Plugin::new("cpu", library);
            let client = Client::new(&plugin, &[]).unwrap();
            assert_eq!(factor(&client), [2.0, 0.0, 1.0, 2.0]);
        }
    });
}
