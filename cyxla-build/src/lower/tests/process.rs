//! The process: what it prints, how it ends, and what interpreters can't do.

use std::time::{Duration, Instant};

use cyxla_artifact::DType::F32;

use super::*;

const X: &[(&str, DType, &[usize])] = &[("x", F32, &[])];

fn error_of(interpreter: &Path, program: ProgramRequest) -> LowerError {
    let output = tempfile::tempdir().unwrap();
    lower_in(&package(), interpreter, &[program], output.path()).unwrap_err()
}

#[test]
fn what_user_code_prints_does_not_reach_the_answer() {
    if let Some(interpreter) = interpreter() {
        let outcomes = lower_each(&interpreter, &[program("noisy:silent", X)]);
        assert!(outcomes[0].is_ok(), "{outcomes:?}");
    }
}

#[test]
fn a_full_pipe_and_what_is_left_running_do_not_hold_it_up() {
    if let Some(interpreter) = interpreter() {
        let start = Instant::now();
        let outcomes = lower_each(&interpreter, &[program("talkative:identity", X)]);
        assert!(outcomes[0].is_ok(), "{outcomes:?}");
        assert!(
            start.elapsed() < Duration::from_secs(19),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_process_that_user_code_ends_is_told_of_with_its_last_words() {
    if let Some(interpreter) = interpreter() {
        let error = error_of(&interpreter, program("dies:exits", X)).to_string();
        for part in [
            interpreter.to_str().unwrap(),
            "exit status: 7, while it lowered `dies:exits`",
            "\n  | last words before os._exit",
            "\n  help: ",
        ] {
            assert!(error.contains(part), "no {part:?} in:\n{error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_process_that_is_killed_is_told_of() {
    if let Some(interpreter) = interpreter() {
        let error = error_of(&interpreter, program("dies:is_killed", X)).to_string();
        assert!(error.contains("signal: 9 (SIGKILL)"), "{error}");
        assert!(error.contains("last words before the signal"), "{error}");
    }
}

#[test]
fn an_interpreter_that_is_not_there() {
    let error = error_of(Path::new("/no/such/python"), program("refused:identity", X));
    assert!(matches!(error, LowerError::Start { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("/no/such/python") && text.contains("CYXLA_PYTHON"),
        "{text}"
    );
}

/// A Python that sees a made-up package `jax` before any other.
#[cfg(unix)]
fn with_jax(interpreter: &Path, text: Option<&str>) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    let (path, flags) = match text {
        Some(text) => {
            std::fs::create_dir(folder.path().join("jax")).unwrap();
            std::fs::write(folder.path().join("jax/__init__.py"), text).unwrap();
            (folder.path().to_str().unwrap().to_owned(), "")
        }
        // Without site-packages.
        None => (String::new(), "-S"),
    };
    let script = format!(
        "#!/bin/sh\nPYTHONPATH='{path}' exec '{}' {flags} \"$@\"\n",
        interpreter.display()
    );
    std::fs::write(&python, script).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, python)
}

#[cfg(unix)]
#[test]
fn a_python_whose_jax_can_not_be_used_says_so() {
    if let Some(interpreter) = interpreter() {
        for (jax, kind, parts) in [
            (
                None,
                FailureKind::NoJax,
                ["has no JAX", "-m pip install jax"],
            ),
            (
                Some("__version__ = '0.4.30'"),
                FailureKind::OldJax,
                [
                    "has JAX 0.4.30; 0.6.2 or newer is needed",
                    "pip install --upgrade jax",
                ],
            ),
            (
                Some("import absl_that_is_missing"),
                FailureKind::BrokenJax,
                [
                    "No module named 'absl_that_is_missing'",
                    "pip install absl_that_is_missing",
                ],
            ),
            (
                Some("raise RuntimeError('jaxlib is too old')"),
                FailureKind::BrokenJax,
                [
                    "RuntimeError: jaxlib is too old",
                    "-m pip install --force-reinstall jax",
                ],
            ),
        ] {
            let (_folder, python) = with_jax(&interpreter, jax);
            let error = error_of(&python, program("refused:identity", X));
            let LowerError::Environment(failure) = &error else {
                panic!("{error}");
            };
            assert_eq!(failure.kind, kind);
            let text = error.to_string();
            for part in parts {
                assert!(text.contains(part), "no {part:?} in:\n{text}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn something_that_is_no_python_is_told_of() {
    let error = error_of(Path::new("/bin/true"), program("refused:identity", X));
    assert!(matches!(error, LowerError::Died { .. }), "{error:?}");
}
