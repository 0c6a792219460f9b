//! What can't be used is refused with an error that names it.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::path::Path;

use cyxla_artifact::{DType, StableHloVersion};
use cyxla_runtime::{
    ArgumentError, Client, CompileError, Error, Executable, HostArray, HostView, OptionValue,
    Options, Plugin, PluginError,
};
use support::{array, library, plugins, program_of, sine, zero_copy_clients};

fn plugin_error(path: &Path) -> (PluginError, String) {
    let error = Client::new(&Plugin::new("cpu", path), &[]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&path.display().to_string()) && text.contains("\n  help: "),
        "{text}"
    );
    match error {
        Error::Plugin(error) => (*error, text),
        other => panic!("{other}"),
    }
}

#[test]
fn a_plugin_that_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let (error, text) = plugin_error(&directory.path().join("lost.so"));
    assert!(matches!(error, PluginError::NotLoadable { .. }), "{text}");
    assert!(text.contains("No such file"), "{text}");
}

#[test]
fn a_plugin_that_is_a_text_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plugin.so");
    std::fs::write(&file, "not a library\n").unwrap();
    let (error, text) = plugin_error(&file.canonicalize().unwrap());
    assert!(matches!(error, PluginError::NotLoadable { .. }), "{text}");
}

#[test]
fn a_library_that_is_no_plugin() {
    let directory = tempfile::tempdir().unwrap();
    let file = library(directory.path(), "other", "int other(void) { return 1; }");
    let (error, text) = plugin_error(&file.canonicalize().unwrap());
    assert!(matches!(error, PluginError::NoGetPjrtApi { .. }), "{text}");
    assert!(text.contains("GetPjrtApi"), "{text}");
}

#[test]
fn a_plugin_whose_preload_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let file = library(directory.path(), "plugin", "int other(void) { return 1; }");
    let plugin = Plugin::new("cpu", &file).preload(directory.path().join("lost.so"));
    let text = Client::new(&plugin, &[]).unwrap_err().to_string();
    assert!(text.contains("lost.so"), "{text}");
}

#[test]
fn a_plugin_for_a_device_without_driver_is_not_even_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let site_packages = directory.path().join("lib/python3.12/site-packages");
    for (platform, wheel) in [
        ("cuda13", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"),
        ("cuda12", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"),
        ("rocm7", "jax_plugins/xla_rocm7/xla_rocm_plugin.so"),
        ("tpu", "libtpu/libtpu.so"),
    ] {
        let here = match platform {
            "rocm7" => Path::new("/dev/kfd").exists(),
            "tpu" => Path::new("/dev/accel0").exists() || Path::new("/dev/vfio/0").exists(),
            _ => Path::new("/dev/nvidiactl").exists() || Path::new("/dev/dxg").exists(),
        };
        if here {
            continue;
        }
        let loaded = directory.path().join(format!("{platform}.loaded"));
        let source = format!(
            "#include <stdio.h>\n__attribute__((constructor)) static void load(void) {{ fclose(fopen({loaded:?}, \"w\")); }}"
        );
        let made = library(directory.path(), platform, &source);
        let path = site_packages.join(wheel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::rename(made, &path).unwrap();

        let options = Options::new().plugin_path(path.canonicalize().unwrap());
        let error = Client::open(&options).unwrap_err();
        let text = error.to_string();
        let Error::Plugin(error) = error else {
            panic!("{text}");
        };
        let PluginError::NoDriver {
            platform: named, ..
        } = *error
        else {
            panic!("{text}");
        };
        assert_eq!(named, platform);
        assert!(text.contains("\n  help: "), "{text}");
        assert!(!loaded.exists(), "{text}");
    }
}

/// A plugin that gives a table with this head and no functions.
fn head(size: usize, major: i32, minor: i32) -> String {
    format!(
        "#include <stddef.h>
         static struct {{ size_t size; void *extensions; size_t version_size; void *none; int major, minor; void *functions[200]; }}
           table = {{ {size}, 0, 24, 0, {major}, {minor}, {{0}} }};
         const void *GetPjrtApi(void) {{ return &table; }}"
    )
}

#[test]
fn plugins_of_other_versions() {
    let directory = tempfile::tempdir().unwrap();
    for (major, minor) in [(0, 80), (0, 54), (1, 0), (1, 90)] {
        let file = library(
            directory.path(),
            &format!("v{major}_{minor}"),
            &head(984, major, minor),
        );
        let (error, text) = plugin_error(&file.canonicalize().unwrap());
        assert!(matches!(error, PluginError::Version { .. }), "{text}");
        assert!(
            text.contains(&format!("{major}.{minor} ")) && text.contains("0.81"),
            "{text}"
        );
    }
}

#[test]
fn a_plugin_without_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let null = library(
        directory.path(),
        "null",
        "const void *GetPjrtApi(void) { return 0; }",
    );
    let (error, text) = plugin_error(&null.canonicalize().unwrap());
    assert!(matches!(error, PluginError::NoApi { .. }), "{text}");
    let small = library(directory.path(), "small", &head(40, 0, 90));
    let (error, text) = plugin_error(&small.canonicalize().unwrap());
    assert!(matches!(error, PluginError::NoApi { .. }), "{text}");
}

#[test]
fn a_plugin_without_functions() {
    let directory = tempfile::tempdir().unwrap();
    let file = library(directory.path(), "hollow", &head(984, 0, 81));
    let file = file.canonicalize().unwrap();
    let text = Client::new(&Plugin::new("cpu", &file), &[])
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("PJRT_Plugin_Initialize") && text.contains("hollow.so"),
        "{text}"
    );
}

#[test]
fn an_option_that_would_end_the_process() {
    for path in plugins() {
        for value in [
            OptionValue::Str("many".into()),
            OptionValue::Int(0),
            OptionValue::Bool(true),
        ] {
            let text = format!("cpu_device_count = {value}");
            let options = [("cpu_device_count".to_owned(), value)];
            let error = Client::new(&Plugin::new("cpu", &path), &options).unwrap_err();
            assert!(error.to_string().contains(&text), "{error}");
        }
    }
}

#[test]
fn an_option_that_the_plugin_does_not_know() {
    for path in plugins() {
        let options = [("no_such_option".to_owned(), OptionValue::Int(1))];
        // Old plugins take no notice of it.
        if let Err(error) = Client::new(&Plugin::new("cpu", &path), &options) {
            let text = error.to_string();
            assert!(
                text.contains("no_such_option = 1") && text.contains("\n  help: "),
                "{text}"
            );
        }
    }
}

fn compile_error(client: &Client, code: Vec<u8>) -> (CompileError, String) {
    let pair = array(DType::F32, &[2]);
    let error =
        Executable::compile(client, &program_of("broken", code, &[pair], &[pair])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`broken`") && text.contains("\n  help: "),
        "{text}"
    );
    match error {
        Error::Compile(error) => (*error, text),
        other => panic!("{other}"),
    }
}

#[test]
fn code_that_is_no_bytecode() {
    for client in zero_copy_clients() {
        for code in [&b""[..], b"module {}", b"ML\xefR", &[0xFF; 100]] {
            let (error, text) = compile_error(&client, code.to_vec());
            assert!(matches!(error, CompileError::NoBytecode { .. }), "{text}");
        }
    }
}

#[test]
fn code_that_is_cut_off() {
    let code = sine().code;
    for client in zero_copy_clients() {
        for end in [24, 40, code.len() / 2, code.len() - 1] {
            let (error, text) = compile_error(&client, code[..end].to_vec());
            assert!(matches!(error, CompileError::Refused { .. }), "{text}");
            assert!(text.contains("1.10.0"), "{text}");
        }
    }
}

#[test]
fn code_that_is_scrambled() {
    let mut code = sine().code.to_vec();
    for byte in &mut code[24..] {
        *byte = byte.wrapping_mul(31).wrapping_add(7);
    }
    for client in zero_copy_clients() {
        let (error, text) = compile_error(&client, code.clone());
        assert!(matches!(error, CompileError::Refused { .. }), "{text}");
    }
}

#[test]
fn code_at_a_version_that_the_plugin_does_not_read() {
    let rewritten = |version: &str| {
        let mut code = sine().code.to_vec();
        let start = code.windows(6).position(|text| text == b"1.10.0").unwrap();
        code[start..start + 6].copy_from_slice(version.as_bytes());
        code
    };
    for client in zero_copy_clients() {
        for version in ["1.99.0", "0.08.0"] {
            let (error, text) = compile_error(&client, rewritten(version));
            assert!(matches!(error, CompileError::Version { .. }), "{text}");
            let found: StableHloVersion = version.parse().unwrap();
            let (_, current) = client.stablehlo_versions().unwrap();
            let remedy = if found > current {
                format!("stablehlo_version = \"{current}\"")
            } else {
                "with a newer JAX".to_owned()
            };
            assert!(
                text.contains(&found.to_string()) && text.contains(&remedy),
                "{text}"
            );
        }
    }
}

#[test]
fn a_program_for_another_platform() {
    let mut program = sine();
    program.record.platform = "cuda".into();
    for client in zero_copy_clients() {
        let text = Executable::compile(&client, &program)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("lowered for cuda") && text.contains("runs on cpu"),
            "{text}"
        );
    }
}

#[test]
fn a_program_that_returns_something_else() {
    let pair = array(DType::F32, &[2]);
    let code = sine().code.to_vec();
    for client in zero_copy_clients() {
        for outputs in [
            vec![],
            vec![pair, pair],
            vec![array(DType::F64, &[2])],
            vec![array(DType::F32, &[2, 1])],
        ] {
            let program = program_of("sine", code.clone(), &[pair], &outputs);
            let error = Executable::compile(&client, &program).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains(&format!("[f32[2]] instead of {outputs:?}")),
                "{error}"
            );
        }
    }
}

#[test]
fn arguments_that_do_not_fit() {
    for client in zero_copy_clients() {
        let executable = Executable::compile(&client, &sine()).unwrap();
        let fits = HostArray::from_array(&[1.0_f32, 2.0]);
        for arguments in [vec![], vec![fits.view(), fits.view()]] {
            let text = executable.run(&arguments).unwrap_err().to_string();
            assert!(
                text.contains(&format!("takes 1 argument arrays, not {}", arguments.len())),
                "{text}"
            );
        }
        // Of the same size in bytes, which is all that PJRT looks at.
        for view in [
            HostView::of(&[1_i32, 2]),
            HostView::of(&1.0_f64),
            HostView::of(&[[1.0_f32], [2.0]]),
        ] {
            let Error::Argument(error) = executable.run(&[view]).unwrap_err() else {
                panic!()
            };
            let ArgumentError::Type {
                program,
                index: 0,
                name,
                expected,
                found,
                ..
            } = *error
            else {
                panic!()
            };
            assert_eq!((program.as_str(), name.as_str()), ("sine", "x0"));
            assert_eq!(
                (*expected, *found),
                (array(DType::F32, &[2]), *view.array_type())
            );
        }
        assert!(executable.run(&[fits.view()]).is_ok());
    }
}

#[test]
fn bytes_that_are_no_executable() {
    let pair = array(DType::F32, &[2]);
    for client in zero_copy_clients() {
        let bytes = Executable::compile(&client, &sine())
            .unwrap()
            .serialize()
            .unwrap();
        for wrong in [&[][..], b"nonsense", &bytes[..bytes.len() / 2]] {
            // SAFETY: plugins were seen to refuse such bytes; nothing is run.
            let error = unsafe { Executable::deserialize(&client, wrong, &[pair]) }.unwrap_err();
            let Error::Compile(error) = error else {
                panic!("{error}")
            };
            assert!(
                matches!(*error, CompileError::Deserialize { .. }),
                "{error}"
            );
        }
    }
}

#[test]
fn a_program_that_takes_more_memory_than_there_is() {
    let scalar = array(DType::F32, &[]);
    let program = support::program("too_large", &[scalar], &[scalar]);
    for client in zero_copy_clients() {
        let executable = Executable::compile(&client, &program).unwrap();
        let error = executable.run(&[HostView::of(&1.0_f32)]).unwrap_err();
        assert!(matches!(error, Error::Execute(_)), "{error}");
        // 2^47 bytes.
        let text = error.to_string();
        assert!(
            text.contains("Out of memory allocating 140737488355328 bytes"),
            "{text}"
        );
        assert!(text.contains("`too_large`"), "{text}");
    }
}
