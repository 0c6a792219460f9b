//! Finds the cases of a folder.

use std::fs;
use std::io;
use std::path::Path;

/// The names of the modules in `directory` that define `fn` and `example_args`, sorted.
///
/// # Errors
/// The folder or a module can't be read.
pub fn cases(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        if let (Some(name), Some("py")) = (name, path.extension().and_then(|it| it.to_str()))
            && is_case(&fs::read_to_string(&path)?)
        {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn is_case(source: &str) -> bool {
    defines(source, "fn") && defines(source, "example_args")
}

/// Whether a line at the module's level defines or assigns `name`.
fn defines(source: &str, name: &str) -> bool {
    source.lines().any(|line| {
        let defined = line.strip_prefix("def ").unwrap_or(line);
        let rest = defined.strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| {
            if defined.len() < line.len() {
                rest.starts_with('(')
            } else {
                rest.starts_with('=') && !rest.starts_with("==")
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_assignments_make_a_case() {
        assert!(is_case(
            "def fn(x): return x\ndef example_args(): return (1.,)\n"
        ));
        assert!(is_case("fn = jax.jit(f)\nexample_args=lambda: (1.,)\n"));
    }

    #[test]
    fn other_modules_are_none() {
        assert!(!is_case("def fn(x): return x\n"));
        assert!(!is_case("def fn(x):\n    def example_args(): ...\n"));
        assert!(!is_case("def fn_of(x): ...\ndef example_args(): ...\n"));
        assert!(!is_case("# fn = 1\nexample_args = fn\n"));
    }
}
