use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use cyxla_artifact::{
    DType, Declared, Engine, Linalg, Platform, ProgramRecord, StableHloVersion, WeightsIn,
};
use cyxla_syntax::{Declaration, EntryPoint, Slot};
use syn::ext::IdentExt as _;

use super::evaluate::Site;
use super::resolve::Evaluator;
use super::tree::{Found, Tree};
use super::{Place, ScanError};
use crate::error::Error;
use crate::protocol::{Argument, Binding};

/// A program to be lowered, as it is declared in Rust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    /// The function in Rust.
    pub(crate) name: String,
    /// The Python function, `module:function`.
    pub(crate) target: String,
    /// What was declared, and where.
    pub(crate) declared: Declared,
    /// The arguments, in calling order.
    pub(crate) arguments: Vec<Argument>,
    /// The Python object that gives example arguments, `module:object`.
    pub(crate) example_args: Option<String>,
    /// Whether `jax_enable_x64` is to be on.
    pub(crate) x64: bool,
    /// Whether the declaration says so itself.
    pub(crate) x64_explicit: bool,
    /// Arguments that are given when it is lowered.
    pub(crate) bind: Vec<Binding>,
    /// Bytes from which arrays are weights, if the declaration says so.
    pub(crate) weights_from: Option<u64>,
    /// Where its weights are, if the declaration says so.
    pub(crate) weights: Option<WeightsIn>,
    /// Custom calls that are allowed beyond those that JAX promises to keep.
    pub(crate) custom_calls: Vec<String>,
    /// What linear algebra is lowered to, if the declaration says so.
    pub(crate) linalg: Option<Linalg>,
    /// What is to run it, if the program says so itself.
    pub(crate) engine: Option<Engine>,
    /// The platforms to lower for, if the declaration says so; else empty.
    pub(crate) platforms: Vec<Platform>,
    /// The StableHLO version to write the code at.
    pub(crate) stablehlo_version: Option<StableHloVersion>,
    /// Files, as written in the declaration, that the lowering depends on unseen.
    pub(crate) deps: Vec<String>,
}

impl Program {
    /// Whether this is the program that `record` was made of.
    pub(crate) fn is(&self, record: &ProgramRecord) -> bool {
        self.name == record.name
            && self.target == record.target
            && self.declared.signature == record.declared.signature
            && self.declared.options == record.declared.options
    }
}

/// Name, target, signature, options: what the macro knows of a declaration.
type Key = (String, String, String, String);

/// The programs that the declarations of a package come to, sorted.
///
/// A declaration that is part of several crates, or is written twice, is one program.
pub(super) fn programs(tree: &Tree) -> Result<Vec<Program>, Error> {
    let mut evaluator = Evaluator::new(tree);
    let mut programs: BTreeMap<Key, (Program, Place)> = BTreeMap::new();
    let mut errors = Vec::new();
    for found in &tree.declarations {
        let program = match program(&mut evaluator, found) {
            Ok(program) => program,
            Err(all) => {
                errors.extend(all);
                continue;
            }
        };
        let key = (
            program.name.clone(),
            program.target.clone(),
            program.declared.signature.clone(),
            program.declared.options.clone(),
        );
        match programs.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert((program, found.place.clone()));
            }
            Entry::Occupied(mut entry) => {
                let (known, first) = entry.get_mut();
                if known.arguments == program.arguments && known.x64 == program.x64 {
                    known.declared.places.extend(program.declared.places);
                } else {
                    errors.push(ScanError::Contradiction {
                        function: known.name.clone(),
                        first: Box::new(first.clone()),
                        first_types: types(known),
                        second: Box::new(found.place.clone()),
                        second_types: types(&program),
                    });
                }
            }
        }
    }
    // A file that several crates share gives the same errors again.
    let mut seen = BTreeSet::new();
    errors.retain(|error| seen.insert(error.to_string()));
    match Error::of_all(errors.into_iter().map(Error::from)) {
        Some(error) => Err(error),
        None => Ok(programs
            .into_values()
            .map(|(mut program, _)| {
                program.declared.places.sort();
                program.declared.places.dedup();
                program
            })
            .collect()),
    }
}

fn types(program: &Program) -> String {
    let argument = |argument: &Argument| match &argument.array_type {
        Some(ty) => format!("{}: {ty}", argument.name),
        None => format!("{}: _", argument.name),
    };
    program
        .arguments
        .iter()
        .map(argument)
        .collect::<Vec<_>>()
        .join(", ")
}

fn program(evaluator: &mut Evaluator<'_>, found: &Found) -> Result<Program, Vec<ScanError>> {
    let Declaration {
        target,
        options,
        function,
    } = &found.declaration;
    let site = Site {
        scope: found.scope,
        file: &found.file,
        bindings: &[],
    };
    let by_example = options.args.is_some();
    let mut needs_x64 = false;
    let mut arguments = Vec::new();
    let mut errors = Vec::new();
    for parameter in &function.parameters {
        let array_type = match &parameter.ty {
            Slot::Type(ty) => {
                needs_x64 |= evaluator.dtype(ty, site).is_ok_and(DType::needs_x64);
                match evaluator.array_type(ty, site) {
                    Ok(array_type) => Some(array_type),
                    // The compiler compares what it is with what Python gives.
                    Err(_) if by_example => None,
                    Err(reason) => {
                        errors.push(ScanError::UnknownType {
                            place: found.place.clone(),
                            function: function.name(),
                            argument: parameter.name(),
                            reason: Box::new(reason),
                        });
                        None
                    }
                }
            }
            Slot::Infer(_) if by_example => None,
            Slot::Infer(_) => {
                errors.push(ScanError::NoType {
                    place: found.place.clone(),
                    function: function.name(),
                    argument: parameter.name(),
                });
                None
            }
        };
        arguments.push(Argument {
            name: parameter.name(),
            array_type,
            donated: found.declaration.donates(parameter),
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // Of results only the kind of element matters, and one that can't be told is taken to be no 64-bit one: if it is, the
    // compiler finds that the program gives another type.
    for value in &function.returned.values {
        let dtype = value.ty.ty().map(|ty| evaluator.dtype(ty, site));
        needs_x64 |= matches!(dtype, Some(Ok(dtype)) if dtype.needs_x64());
    }
    let (signature, declared_options) = found.declaration.declared();
    Ok(Program {
        name: function.name(),
        target: target.to_string(),
        declared: Declared {
            signature,
            options: declared_options,
            places: vec![found.place.to_string()],
        },
        arguments,
        example_args: options.args.as_ref().map(ToString::to_string),
        x64: options.x64.unwrap_or(needs_x64),
        x64_explicit: options.x64.is_some(),
        bind: bindings(&options.bind),
        weights_from: options.weights_from,
        weights: options.weights,
        custom_calls: options.custom_calls.clone(),
        linalg: options.linalg,
        engine: options.engine,
        platforms: options.platforms.clone(),
        stablehlo_version: options.stablehlo_version,
        deps: options.deps.clone(),
    })
}

fn bindings(bind: &[(syn::Ident, EntryPoint)]) -> Vec<Binding> {
    let binding = |(name, target): &(syn::Ident, EntryPoint)| Binding {
        name: name.unraw().to_string(),
        target: target.to_string(),
    };
    bind.iter().map(binding).collect()
}
