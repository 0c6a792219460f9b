use cyxla_artifact::{LINALG_CALLS, Manifest, ProgramRecord, is_xla_call};

use crate::scan::Program;

/// Says of each custom call that nobody has a handler for, as far as the build can tell, that it is so: neither
/// `cyxla-linalg`, nor the user's own code, which would be named in `custom_calls`. JAX lets some such calls pass, because
/// it promises to keep them.
///
/// It is told from the artifact, so that every build says it and not only the one that lowered the program.
pub(crate) fn unknown(programs: &[Program], manifest: &Manifest) -> Vec<String> {
    let of_record = |record: &ProgramRecord| {
        let program = programs.iter().find(|program| program.is(record));
        program.map_or_else(Vec::new, |program| of_program(program, record))
    };
    manifest.programs.iter().flat_map(of_record).collect()
}

fn of_program(program: &Program, record: &ProgramRecord) -> Vec<String> {
    let targets = record.custom_calls.iter();
    targets
        .filter(|target| {
            !is_xla_call(target)
                && !LINALG_CALLS.contains(&target.as_str())
                && !program.custom_calls.contains(target)
        })
        .map(|target| warning(record, target))
        .collect()
}

fn warning(record: &ProgramRecord, target: &str) -> String {
    let place = record.declared.places.first().map_or("", String::as_str);
    format!(
        "{place}: `{}` calls `{target}`, which cyxla has no handler for; register one at run time and say so with \
         `custom_calls = [\"{target}\"]`",
        record.name
    )
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::{
        CodeFile, Declared, Digest, Native, Provenance, SCHEMA, StableHloVersion, Weights,
    };

    use super::*;

    /// A program that makes `calls`, and names those of `named`.
    fn unknown_of(calls: &[&str], named: &[&str]) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let program = Program {
            name: "step".into(),
            target: "model:step".into(),
            declared: Declared {
                signature: "fn step()".into(),
                options: String::new(),
                places: vec!["src/main.rs:3".into()],
            },
            arguments: vec![],
            example_args: None,
            x64: false,
            x64_explicit: false,
            bind: vec![],
            weights_from: None,
            weights: None,
            custom_calls: words(named),
            linalg: None,
            engine: None,
            platforms: vec![],
            stablehlo_version: None,
            deps: vec![],
        };
        let record = ProgramRecord {
            name: program.name.clone(),
            target: program.target.clone(),
            declared: program.declared.clone(),
            location: None,
            platform: "cpu".into(),
            x64: false,
            inputs: vec![],
            outputs: vec![],
            custom_calls: words(calls),
            stablehlo_version: StableHloVersion::DEFAULT,
            calling_convention: 10,
            code: CodeFile {
                file: "step.mlirbc".into(),
                sha256: Digest::of(b""),
            },
            other_platforms: vec![],
            native: Native::default(),
            weights: Weights::default(),
        };
        let manifest = Manifest {
            schema: SCHEMA,
            package: "demo".into(),
            request: Digest::of(b""),
            sources: vec![],
            environment: vec![],
            provenance: Provenance::default(),
            programs: vec![record],
        };
        unknown(&[program], &manifest)
    }

    #[test]
    fn what_nobody_has_a_handler_for_is_named() {
        assert_eq!(
            unknown_of(&["LuDecomposition", "lapack_spotrf_ffi", "mine"], &["mine"]),
            [
                "src/main.rs:3: `step` calls `LuDecomposition`, which cyxla has no handler for; register one at run time \
                 and say so with `custom_calls = [\"LuDecomposition\"]`"
            ]
        );
    }

    #[test]
    fn what_linear_algebra_and_xla_do_needs_no_word() {
        let calls = [
            "Eigh",
            "cpu_csr_sparse_dense_ffi",
            "lapack_zunmqr_ffi",
            "mhlo.erf",
        ];
        assert_eq!(unknown_of(&calls, &[]), [""; 0]);
    }
}
