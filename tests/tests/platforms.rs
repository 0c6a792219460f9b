//! Programs that are lowered for other platforms too, on a plugin for the CPU.

#![allow(clippy::unwrap_used, reason = "a test")]

use cyxla::CompileError;

#[cyxla::program("model:transpose", platforms = ["cuda", "cpu"])]
fn for_both(x: &[[f32; 3]; 2]) -> cyxla::Result<[[f32; 2]; 3]>;

#[cyxla::program("model:transpose", platforms = ["cuda"])]
fn for_cuda(x: &[[f32; 3]; 2]) -> cyxla::Result<[[f32; 2]; 3]>;

const X: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

#[test]
fn the_module_for_the_platform_of_the_plugin_runs() {
    assert_eq!(for_both(&X).unwrap(), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    let program = for_both::program();
    assert_eq!(program.platforms(), ["cpu", "cuda"]);
    assert_eq!(program.lowered_for("cuda").unwrap().platform(), "cuda");
    assert!(program.lowered_for("tpu").is_none());
}

#[test]
fn a_program_for_another_platform_only_is_refused_and_both_are_named() {
    let error = for_cuda(&X).unwrap_err();
    let text = error.to_string();
    let cyxla::Error::Compile(error) = error else {
        panic!("{text}");
    };
    assert!(matches!(*error, CompileError::Platform { .. }), "{text}");
    assert!(text.contains("`for_cuda` was lowered for cuda"), "{text}");
    assert!(text.contains("runs on cpu"), "{text}");
    assert!(text.contains("help: lower it for cpu"), "{text}");
}
