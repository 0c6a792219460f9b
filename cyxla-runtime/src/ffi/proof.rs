//! A compilation that shows whether a plugin has a handler.

use std::fmt::Write as _;

use cyxla_pjrt_sys::{
    Args as _, PJRT_Client_Compile_Args, PJRT_LoadedExecutable_Destroy_Args, PJRT_Program,
};

use crate::client::Client;
use crate::compile_options::compile_options;
use crate::error::ApiError;

/// Compiles a program that does nothing but call each target, for nobody to run.
///
/// # Errors
/// The plugin has no handler for a target, or can't compile at all.
pub(super) fn compile(client: &Client, targets: &[&str]) -> Result<(), ApiError> {
    let code = program(targets);
    let format = "mlir";
    let program = PJRT_Program {
        // The plugin only reads it; the field is shared with functions that write.
        code: code.as_ptr().cast_mut().cast(),
        code_size: code.len(),
        format: format.as_ptr().cast(),
        format_size: format.len(),
        ..PJRT_Program::new()
    };
    let options = compile_options();
    let mut args = PJRT_Client_Compile_Args {
        client: client.raw(),
        program: &raw const program,
        compile_options: options.as_ptr().cast(),
        compile_options_size: options.len(),
        ..PJRT_Client_Compile_Args::new()
    };
    // SAFETY: the client is alive; code and options are only needed during the call. The executable is ours, and destroyed
    // once.
    unsafe {
        client.api().call(&mut args)?;
        let mut args = PJRT_LoadedExecutable_Destroy_Args {
            executable: args.executable,
            ..PJRT_LoadedExecutable_Destroy_Args::new()
        };
        client.api().call(&mut args)
    }
}

/// StableHLO as text, which every plugin takes.
fn program(targets: &[&str]) -> String {
    let mut calls = String::new();
    for (index, target) in targets.iter().enumerate() {
        let name = target.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string can't fail.
        let _ = writeln!(
            calls,
            "    %{index} = stablehlo.custom_call @\"{name}\"() \
             {{api_version = 4 : i32, backend_config = {{}}, has_side_effect = true}} : () -> tensor<f32>"
        );
    }
    format!("module @proof {{\n  func.func public @main() {{\n{calls}    return\n  }}\n}}\n")
}

#[cfg(test)]
mod tests {
    use cyxla_ffi::CallFrame;
    use cyxla_pjrt_sys::xla_ffi::{XLA_FFI_CallFrame, XLA_FFI_Error, XLA_FFI_Metadata_Extension};

    use super::*;
    use crate::ffi::registry::register_raw;
    use crate::ffi::{is_handled, register_ffi_target};
    use crate::plugin::Plugin;

    /// Says that it is made for a version of the interface that no plugin has.
    unsafe extern "C" fn from_the_future(frame: *mut XLA_FFI_CallFrame) -> *mut XLA_FFI_Error {
        // SAFETY: plugins call it once, to be told the metadata.
        unsafe {
            let extension = (*frame)
                .extension_start
                .cast::<XLA_FFI_Metadata_Extension>();
            let metadata = (*extension).metadata;
            (*metadata).api_version.major_version = 0;
            (*metadata).api_version.minor_version = 99;
        }
        std::ptr::null_mut()
    }

    fn clients() -> impl Iterator<Item = Client> {
        let plugins = cyxla_test_environment::plugins().into_iter();
        plugins.map(|path| Client::new(&Plugin::new("cpu", path), &[]).unwrap())
    }

    #[test]
    fn a_handler_that_a_plugin_drops_without_an_error_is_noticed() {
        for client in clients() {
            let target = "proof_from_the_future";
            // SAFETY: a function of that type.
            let registered = unsafe { register_raw(client.api(), target, from_the_future) };
            // Some plugins do say so.
            if registered.is_ok() {
                let error = compile(&client, &[target]).unwrap_err();
                assert!(error.message.contains(target), "{error}");
            }
        }
    }

    #[test]
    fn a_target_without_a_handler_is_named() {
        for client in clients() {
            let error = compile(&client, &["proof_of_nothing"]).unwrap_err();
            assert!(error.message.contains("proof_of_nothing"), "{error}");
        }
    }

    #[test]
    fn targets_with_odd_names_are_proven() {
        let target = r#"a "quoted" \name é"#;
        let nothing = |_: &mut CallFrame<'_>| Ok(());
        register_ffi_target(target, nothing).unwrap();
        for client in clients() {
            assert!(is_handled(&client, target).unwrap());
            compile(&client, &[target]).unwrap();
        }
    }

    #[test]
    fn names_with_quotes_stay_one_name() {
        assert!(program(&["x", r#"a"b\c"#]).contains(r#"%1 = stablehlo.custom_call @"a\"b\\c"()"#));
    }
}
