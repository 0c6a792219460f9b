use cyxla_artifact::{Leaf, Manifest, ProgramRecord};

use crate::scan::Program;

/// Says of each argument that Rust gives away, and whose memory no result takes, that it is so.
///
/// It is told from the artifact, so that every build says it and not only the one that lowered the program.
pub(crate) fn in_vain(programs: &[Program], manifest: &Manifest) -> Vec<String> {
    let of_record = |record: &ProgramRecord| {
        let program = programs.iter().find(|program| program.is(record));
        program.map_or_else(Vec::new, |program| of_program(program, record))
    };
    manifest.programs.iter().flat_map(of_record).collect()
}

fn of_program(program: &Program, record: &ProgramRecord) -> Vec<String> {
    // Another number of leaves is an error that the compiler reports.
    if program.arguments.len() != record.inputs.len() {
        return Vec::new();
    }
    let arguments = program.arguments.iter().zip(&record.inputs);
    arguments
        .filter(|(argument, leaf)| argument.donated && !leaf.donated)
        .map(|(_, leaf)| warning(record, leaf))
        .collect()
}

fn warning(record: &ProgramRecord, leaf: &Leaf) -> String {
    let place = record.declared.places.first().map_or("", String::as_str);
    format!(
        "{place}: `{}` of `{}` is donated in vain: {} has no result of type {} left to take its memory; borrow it, \
         or leave it out of `donate`",
        leaf.path, record.name, record.target, leaf.array_type
    )
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::{
        ArrayType, CodeFile, DType, Declared, Digest, Native, Provenance, SCHEMA, StableHloVersion,
        Weights,
    };

    use super::*;
    use crate::protocol::Argument;

    fn program(arguments: Vec<Argument>) -> Program {
        Program {
            name: "step".into(),
            target: "model:step".into(),
            declared: Declared {
                signature: "fn step()".into(),
                options: String::new(),
                places: vec!["src/main.rs:3".into()],
            },
            arguments,
            example_args: None,
            x64: false,
            x64_explicit: false,
            bind: vec![],
            weights_from: None,
            weights: None,
            custom_calls: vec![],
            linalg: None,
            engine: None,
            platforms: vec![],
            stablehlo_version: None,
            deps: vec![],
        }
    }

    fn manifest(program: &Program, donated: &[bool]) -> Manifest {
        let leaf = |(i, &donated)| Leaf {
            path: format!("x{i}"),
            array_type: ArrayType::scalar(DType::F32).in_array(4),
            donated,
        };
        let record = ProgramRecord {
            name: program.name.clone(),
            target: program.target.clone(),
            declared: program.declared.clone(),
            location: None,
            platform: "cpu".into(),
            x64: false,
            inputs: donated.iter().enumerate().map(leaf).collect(),
            outputs: vec![],
            custom_calls: vec![],
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
        Manifest {
            schema: SCHEMA,
            package: "demo".into(),
            request: Digest::of(b""),
            sources: vec![],
            environment: vec![],
            provenance: Provenance::default(),
            programs: vec![record],
        }
    }

    #[test]
    fn what_no_result_takes_is_named() {
        let argument = || Argument::inferred("x");
        let program = program(vec![
            argument().donated(),
            argument(),
            argument().donated(),
            argument(),
        ]);
        // The last is donated by Python itself.
        let manifest = manifest(&program, &[true, false, false, true]);
        assert_eq!(
            in_vain(&[program], &manifest),
            [
                "src/main.rs:3: `x2` of `step` is donated in vain: model:step has no result of type f32[4] left to take \
                 its memory; borrow it, or leave it out of `donate`"
            ]
        );
    }

    #[test]
    fn other_declarations_and_other_numbers_of_leaves_say_nothing() {
        let donated = program(vec![Argument::inferred("x").donated()]);
        let two = manifest(&donated, &[false, false]);
        assert_eq!(in_vain(std::slice::from_ref(&donated), &two), [""; 0]);
        let mut other = donated.clone();
        other.declared.options = "donate = [x]".into();
        let manifest = manifest(&other, &[false]);
        assert_eq!(in_vain(&[donated], &manifest), [""; 0]);
    }
}
