use cyxla_artifact::{Leaf, ProgramRecord};
use cyxla_syntax::{Declaration, Parameter, Passing, Report};
use proc_macro2::TokenStream;
use quote::quote;

use crate::mistake::Mistake;
use crate::types::{listed, result_text};

/// The most results that a typed function has: the largest tuple that the run time receives.
const MOST_RESULTS: usize = 24;

/// Compares what can be compared without knowing what constants and aliases mean: numbers and names.
pub(crate) fn check(declaration: &Declaration, record: &ProgramRecord) -> syn::Result<()> {
    let mut report = Report::default();
    check_arguments(declaration, record, &mut report);
    check_results(declaration, record, &mut report);
    report.finish()
}

fn arrays(count: usize) -> String {
    match count {
        0 => "no array".to_owned(),
        1 => "1 array".to_owned(),
        _ => format!("{count} arrays"),
    }
}

fn declared(count: usize) -> String {
    match count {
        0 => "is none".to_owned(),
        1 => "is 1".to_owned(),
        _ => format!("are {count}"),
    }
}

fn check_arguments(declaration: &Declaration, record: &ProgramRecord, report: &mut Report) {
    let parameters = &declaration.function.parameters;
    let inputs = &record.inputs;
    if parameters.len() == inputs.len() {
        check_order(parameters, record, report);
        return check_donated(parameters, record, report);
    }
    let mistake = Mistake::Arguments {
        target: record.target.clone(),
        taken: arrays(inputs.len()),
        declared: declared(parameters.len()),
        list: match inputs.as_slice() {
            [] => "leave the parameters out".to_owned(),
            inputs => format!("its arguments are{}", listed(inputs)),
        },
    };
    match parameters.get(inputs.len()..) {
        Some(surplus) if !surplus.is_empty() => {
            let written = surplus.iter().map(|parameter| {
                let (name, written) = (&parameter.name, &parameter.written);
                quote!(#name: #written)
            });
            report.on(written.collect::<TokenStream>(), mistake);
        }
        _ => report.at(declaration.function.parentheses, mistake),
    }
}

/// Names are free, unless one is that of another argument: then two arguments have been mixed up.
fn check_order(parameters: &[Parameter], record: &ProgramRecord, report: &mut Report) {
    let paths: Vec<&str> = record
        .inputs
        .iter()
        .map(|leaf| leaf.path.as_str())
        .collect();
    // Where several leaves have a name, it tells none of them.
    let is_of_one = |name: &str| paths.iter().filter(|path| leaf_name(path) == name).count() == 1;
    for (parameter, &path) in parameters.iter().zip(&paths) {
        let name = parameter.name();
        if name != path && name != leaf_name(path) && is_of_one(&name) {
            let mistake = Mistake::Order {
                target: record.target.clone(),
                path: path.to_owned(),
                name,
                order: paths.join(", "),
            };
            report.on(&parameter.name, mistake);
        }
    }
}

/// What the program overwrites is its own: it is taken by value.
fn check_donated(parameters: &[Parameter], record: &ProgramRecord, report: &mut Report) {
    for (parameter, leaf) in parameters.iter().zip(&record.inputs) {
        if leaf.donated && parameter.by == Passing::Reference {
            let mistake = Mistake::DonatedReference {
                target: record.target.clone(),
                path: leaf.path.clone(),
                array: leaf.array_type.rust().to_string(),
            };
            report.on(&parameter.written, mistake);
        }
    }
}

/// What a leaf is called below its path: `w` of `params['w']` and of `params.w`; all of `x`. An index is no name that
/// Rust has.
fn leaf_name(path: &str) -> &str {
    match path.strip_suffix("']") {
        Some(keys) => keys.rsplit_once("['").map_or(path, |(_, key)| key),
        None => path.rsplit_once('.').map_or(path, |(_, name)| name),
    }
}

fn check_results(declaration: &Declaration, record: &ProgramRecord, report: &mut Report) {
    let returned = &declaration.function.returned;
    let outputs = &record.outputs;
    if outputs.len() > MOST_RESULTS {
        let mistake = Mistake::TooManyResults {
            target: record.target.clone(),
            count: outputs.len(),
            most: MOST_RESULTS,
        };
        return report.on(&returned.success, mistake);
    }
    if !returned.is_open() && returned.values.len() != outputs.len() {
        let mistake = Mistake::Results {
            target: record.target.clone(),
            returned: arrays(outputs.len()),
            declared: declared(returned.values.len()),
            written: result_written(outputs),
            list: match outputs.as_slice() {
                [] => "the function returns nothing".to_owned(),
                outputs => format!("its results are{}", listed(outputs)),
            },
        };
        report.on(&returned.success, mistake);
    }
}

fn result_written(outputs: &[Leaf]) -> String {
    let types: Vec<_> = outputs
        .iter()
        .map(|leaf| result_text(&leaf.array_type))
        .collect();
    match types.as_slice() {
        [single] => format!("cyxla::Result<{single}>"),
        several => format!("cyxla::Result<({})>", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;
    use crate::testing;

    fn predict() -> ProgramRecord {
        let declared = testing::declaration(
            quote!("model:predict"),
            quote!(
                fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;
            ),
        );
        testing::record(
            &declared,
            "src/main.rs:1",
            vec![
                testing::leaf("x", DType::F32, &[8, 4]),
                testing::leaf("scale", DType::F32, &[]),
            ],
            vec![testing::leaf("result", DType::F32, &[8])],
        )
    }

    fn mistakes(item: TokenStream, record: &ProgramRecord) -> Vec<String> {
        let declaration = testing::declaration(quote!("model:predict"), item);
        match check(&declaration, record) {
            Ok(()) => vec![],
            Err(error) => error.into_iter().map(|each| each.to_string()).collect(),
        }
    }

    #[test]
    fn types_are_left_to_the_compiler() {
        let item = quote!(
            fn predict(a: u8, b: MyType) -> cyxla::Result<OtherType>;
        );
        assert_eq!(mistakes(item, &predict()), [""; 0]);
    }

    #[test]
    fn leaves_of_a_pytree_keep_their_order() {
        let mut record = predict();
        record.inputs = vec![
            testing::leaf("p['b']", DType::F32, &[3]),
            testing::leaf("p.w", DType::F32, &[3]),
            testing::leaf("x[0]", DType::F32, &[3]),
        ];
        let found = |item| mistakes(item, &record);
        let right = quote!(
            fn predict(b: &_, w: &_, first: &_) -> cyxla::Result<_>;
        );
        assert_eq!(found(right), [""; 0]);
        let swapped = quote!(
            fn predict(w: &_, b: &_, first: &_) -> cyxla::Result<_>;
        );
        let found = found(swapped);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("takes `p['b']` here"), "{found:?}");
        // Two leaves of one name tell nothing.
        record.inputs[1] = testing::leaf("q['b']", DType::F32, &[3]);
        let ambiguous = quote!(
            fn predict(a: &_, w: &_, b: &_) -> cyxla::Result<_>;
        );
        assert_eq!(mistakes(ambiguous, &record), [""; 0]);
    }

    #[test]
    fn a_missing_argument_is_named_with_its_type() {
        let item = quote!(
            fn predict(x: &[[f32; 4]; 8]) -> cyxla::Result<[f32; 8]>;
        );
        assert_eq!(
            mistakes(item, &predict()),
            ["model:predict takes 2 arrays, declared is 1\n  \
              help: its arguments are\
              \n          `x`: [[f32; 4]; 8], which is f32[8,4]\
              \n          `scale`: f32, which is f32[]"]
        );
    }

    #[test]
    fn wrong_numbers_of_arguments_and_results_are_reported_together() {
        let item = quote!(
            fn predict(x: _, scale: _, more: _) -> cyxla::Result<(_, _)>;
        );
        let found = mistakes(item, &predict());
        assert!(found[0].starts_with("model:predict takes 2 arrays, declared are 3\n"));
        assert_eq!(
            found[1],
            "model:predict returns 1 array, declared are 2\n  \
             help: write `cyxla::Result<[f32; 8]>`; its results are\
             \n          `result`: [f32; 8], which is f32[8]"
        );
    }

    #[test]
    fn arguments_in_another_order_than_in_python_are_refused() {
        let item = quote!(
            fn predict(scale: _, x: _) -> cyxla::Result<_>;
        );
        let found = mistakes(item, &predict());
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0],
            "model:predict takes `x` here; `scale` is another argument\n  \
             help: arguments come in the order of Python: x, scale"
        );
    }

    #[test]
    fn what_is_donated_is_taken_by_value() {
        let mut record = predict();
        record.inputs[0].donated = true;
        for by_value in [
            quote!(
                fn predict(x: Buffer<_>, scale: f32) -> cyxla::Result<_>;
            ),
            quote!(
                fn predict(x: Host<_>, scale: f32) -> cyxla::Result<_>;
            ),
            quote!(
                fn predict(x: _, scale: &f32) -> cyxla::Result<_>;
            ),
        ] {
            assert_eq!(mistakes(by_value, &record), [""; 0]);
        }
        for by_reference in [
            quote!(
                fn predict(x: &_, scale: f32) -> cyxla::Result<_>;
            ),
            quote!(
                fn predict(x: &Host<_>, scale: f32) -> cyxla::Result<_>;
            ),
            quote!(
                fn predict(x: &Buffer<[[f32; 4]; 8]>, scale: f32) -> cyxla::Result<_>;
            ),
        ] {
            assert_eq!(
                mistakes(by_reference, &record),
                [
                    "`x` of model:predict is donated: a result takes its memory\n  \
                      help: take it by value: `Buffer<[[f32; 4]; 8]>`, or `[[f32; 4]; 8]`"
                ]
            );
        }
    }

    #[test]
    fn one_underscore_stands_for_any_number_of_results() {
        let mut record = predict();
        let item = quote!(
            fn predict(x: _, scale: _) -> cyxla::Result<_>;
        );
        record.outputs = vec![];
        assert_eq!(mistakes(item.clone(), &record), [""; 0]);
        record.outputs = vec![testing::leaf("result[0]", DType::F32, &[]); 24];
        assert_eq!(mistakes(item.clone(), &record), [""; 0]);
        record.outputs = vec![testing::leaf("result[0]", DType::F32, &[]); 25];
        assert!(mistakes(item, &record)[0].starts_with("model:predict returns 25 arrays"));
    }

    #[test]
    fn a_function_without_results_is_declared_so() {
        let mut record = predict();
        record.outputs = vec![];
        let item = quote!(
            fn predict(x: _, scale: _) -> cyxla::Result<f32>;
        );
        assert_eq!(
            mistakes(item, &record),
            ["model:predict returns no array, declared is 1\n  \
              help: write `cyxla::Result<()>`; the function returns nothing"]
        );
    }
}
