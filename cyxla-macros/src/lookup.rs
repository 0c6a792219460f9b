use cyxla_artifact::{Manifest, ProgramRecord};
use cyxla_syntax::Declaration;

use crate::mistake::Mistake;

/// The most programs that a message lists.
const LISTED: usize = 12;

/// The record of the program that `declaration` declares.
///
/// Several functions may share name and target; what they declare tells them apart. If just one does, it is the one, even
/// if the text of its signature has changed since: what counts are the types, which are compared later.
pub(crate) fn lookup<'a>(
    declaration: &Declaration,
    manifest: &'a Manifest,
) -> syn::Result<&'a ProgramRecord> {
    let name = declaration.function.name();
    let target = declaration.target.to_string();
    let (signature, options) = declaration.declared();
    let candidates: Vec<_> = manifest
        .programs
        .iter()
        .filter(|record| record.name == name && record.target == target)
        .collect();
    let same = candidates.iter().find(|record| {
        record.declared.signature == signature && record.declared.options == options
    });
    let ident = &declaration.function.ident;
    match (same, candidates.as_slice()) {
        (Some(same), _) => Ok(same),
        (None, []) => Err(syn::Error::new(
            declaration.target.span,
            Mistake::UnknownProgram {
                known: known(manifest, &name, &target),
                name,
                target,
            },
        )),
        (None, [only]) if only.declared.options == options => Ok(only),
        (None, [only]) => {
            let seen = match only.declared.options.as_str() {
                "" => "none".to_owned(),
                options => format!("`{options}`"),
            };
            Err(syn::Error::new_spanned(
                ident,
                Mistake::OtherOptions { name, seen },
            ))
        }
        (None, several) => {
            let known = several.iter().map(|record| described(record)).collect();
            Err(syn::Error::new_spanned(
                ident,
                Mistake::OtherSignatures { name, known },
            ))
        }
    }
}

/// The programs of the manifest, those first that share the name or the target.
fn known(manifest: &Manifest, name: &str, target: &str) -> String {
    let mut records: Vec<_> = manifest.programs.iter().collect();
    if records.is_empty() {
        return "it has seen no program at all".to_owned();
    }
    records.sort_by_key(|record| record.name != name && record.target != target);
    let lines = records.iter().take(LISTED).map(|record| {
        let places = record.declared.places.join(", ");
        format!(
            "\n          `{}` of {}, {places}",
            record.name, record.target
        )
    });
    let more = records.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| format!("\n          … and {more} more"));
    format!("it has seen{}", lines.chain(rest).collect::<String>())
}

fn described(record: &ProgramRecord) -> String {
    let declared = &record.declared;
    let options = match declared.options.as_str() {
        "" => String::new(),
        options => format!(" with {options}"),
    };
    let places = declared.places.join(", ");
    format!("\n          `{}`{options}, {places}", declared.signature)
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;
    use quote::quote;

    use super::*;
    use crate::testing;

    fn scale(dtype: &str, options: &proc_macro2::TokenStream) -> Declaration {
        let dtype: syn::Type = syn::parse_str(dtype).unwrap();
        testing::declaration(
            quote!("model:scale", #options),
            quote!(fn scale(x: #dtype) -> cyxla::Result<#dtype>;),
        )
    }

    fn manifest(declarations: &[(&Declaration, &str)]) -> Manifest {
        let leaf = |path| vec![testing::leaf(path, DType::F32, &[])];
        testing::manifest(
            declarations
                .iter()
                .map(|(declaration, place)| {
                    testing::record(declaration, place, leaf("x"), leaf("result"))
                })
                .collect(),
        )
    }

    fn error(declaration: &Declaration, manifest: &Manifest) -> String {
        lookup(declaration, manifest).unwrap_err().to_string()
    }

    #[test]
    fn what_is_declared_tells_programs_of_one_name_apart() {
        let (single, double) = (scale("f32", &quote!()), scale("f64", &quote!()));
        let manifest = manifest(&[(&single, "src/a.rs:1"), (&double, "src/b.rs:2")]);
        assert_eq!(lookup(&single, &manifest).unwrap(), &manifest.programs[0]);
        assert_eq!(lookup(&double, &manifest).unwrap(), &manifest.programs[1]);
        assert_eq!(
            error(&scale("i32", &quote!()), &manifest),
            "the build script has not seen this declaration of `scale`\n  \
             help: save the file and build again; it has seen\
             \n          `fn scale(x: f32) -> f32`, src/a.rs:1\
             \n          `fn scale(x: f64) -> f64`, src/b.rs:2"
        );
    }

    #[test]
    fn a_single_program_is_found_under_another_signature() {
        let manifest = manifest(&[(&scale("f32", &quote!()), "src/a.rs:1")]);
        assert!(lookup(&scale("f64", &quote!()), &manifest).is_ok());
    }

    #[test]
    fn other_options_make_a_stale_manifest() {
        let plain = scale("f32", &quote!());
        let wide = scale("f32", &quote!(x64 = true));
        assert_eq!(
            error(&plain, &manifest(&[(&wide, "src/a.rs:1")])),
            "the build script has seen other options of `scale`: `x64 = true`\n  \
             help: save the file and build again"
        );
        assert!(error(&wide, &manifest(&[(&plain, "src/a.rs:1")])).contains("`scale`: none"));
    }

    #[test]
    fn an_unknown_program_is_answered_with_the_nearest_ones() {
        let others: Vec<_> = (0..LISTED)
            .map(|i| {
                let name = quote::format_ident!("other{i}");
                testing::declaration(
                    quote!("model:other"),
                    quote!(fn #name() -> cyxla::Result<f32>;),
                )
            })
            .collect();
        let near = testing::declaration(
            quote!("model:rescale"),
            quote!(
                fn scale() -> R::Result<f32>;
            ),
        );
        let mut all: Vec<_> = others.iter().map(|other| (other, "src/a.rs:1")).collect();
        all.push((&near, "src/b.rs:2"));
        let error = error(&scale("f32", &quote!()), &manifest(&all));
        let lines: Vec<_> = error.lines().map(str::trim).collect();
        assert_eq!(
            lines[0],
            "the build script has seen no program `scale` of model:scale"
        );
        assert_eq!(lines[3], "`scale` of model:rescale, src/b.rs:2");
        assert_eq!(lines[4], "`other0` of model:other, src/a.rs:1");
        assert_eq!(lines.last(), Some(&"… and 1 more"));
    }

    #[test]
    fn an_empty_manifest_knows_nothing() {
        let error = error(&scale("f32", &quote!()), &manifest(&[]));
        assert!(error.ends_with("it has seen no program at all"), "{error}");
    }
}
