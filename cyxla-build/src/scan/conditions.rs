use std::collections::BTreeMap;
use std::ffi::OsString;

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

use crate::cargo::Variables;

/// What a `#[cfg]` comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    Yes,
    No,
    /// `test`, say: on for one target and off for another.
    Unknown,
}

/// The configuration that Cargo tells a build script: features, and what is known of the compiler's target.
///
/// It only decides between several items of one name. Programs are lowered whatever their `#[cfg]` says, so that one
/// artifact serves all.
///
/// Source: the Cargo book, "Environment variables Cargo sets for build scripts".
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// `CARGO_CFG_…` and `CARGO_FEATURE_…`; none outside of a build script.
    known: Option<BTreeMap<String, OsString>>,
}

impl Conditions {
    pub(super) fn of_build(variables: &Variables) -> Self {
        // Set in every build script, and never otherwise.
        let in_build_script = variables.given_by_cargo("CARGO_CFG_TARGET_ARCH").is_some();
        Self {
            known: in_build_script.then(|| variables.of_cargo()),
        }
    }

    /// Whether all `#[cfg(…)]` among `attributes` hold.
    pub(super) fn of_item(&self, attributes: &[Attribute]) -> Holds {
        let conditions = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .map(|attribute| match attribute.parse_args::<Meta>() {
                Ok(predicate) => self.predicate(&predicate),
                Err(_) => Holds::Unknown,
            });
        all(conditions)
    }

    fn predicate(&self, predicate: &Meta) -> Holds {
        match predicate {
            Meta::Path(path) => match path.get_ident().map(ToString::to_string).as_deref() {
                Some("true") => Holds::Yes,
                Some("false") => Holds::No,
                Some(name) => self.flag(name),
                None => Holds::Unknown,
            },
            Meta::NameValue(pair) => match (pair.path.get_ident(), &pair.value) {
                (Some(name), Expr::Lit(value)) => match &value.lit {
                    Lit::Str(value) => self.pair(&name.to_string(), &value.value()),
                    _ => Holds::Unknown,
                },
                _ => Holds::Unknown,
            },
            Meta::List(list) => {
                let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
                let Ok(parts) = parts else {
                    return Holds::Unknown;
                };
                let mut parts = parts.iter().map(|part| self.predicate(part));
                match list.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("all") => all(parts),
                    Some("any") => not(all(parts.map(not))),
                    Some("not") => not(parts.next().unwrap_or(Holds::Unknown)),
                    _ => Holds::Unknown,
                }
            }
        }
    }

    fn flag(&self, name: &str) -> Holds {
        match &self.known {
            Some(known) if known.contains_key(&format!("CARGO_CFG_{}", screaming(name))) => {
                Holds::Yes
            }
            Some(_) if matches!(name, "unix" | "windows") => Holds::No,
            // `test`, `doc`, `debug_assertions` and what the build script itself sets.
            _ => Holds::Unknown,
        }
    }

    fn pair(&self, name: &str, value: &str) -> Holds {
        let Some(known) = &self.known else {
            return Holds::Unknown;
        };
        let holds = |holds: bool| if holds { Holds::Yes } else { Holds::No };
        if name == "feature" {
            return holds(known.contains_key(&format!("CARGO_FEATURE_{}", screaming(value))));
        }
        match known.get(&format!("CARGO_CFG_{}", screaming(name))) {
            // One name can have several values: `target_feature`, `target_family`.
            Some(values) => holds(values.to_string_lossy().split(',').any(|one| one == value)),
            None => Holds::Unknown,
        }
    }
}

fn screaming(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}

fn all(parts: impl Iterator<Item = Holds>) -> Holds {
    parts.fold(Holds::Yes, |so_far, part| match (so_far, part) {
        (Holds::No, _) | (_, Holds::No) => Holds::No,
        (Holds::Unknown, _) | (_, Holds::Unknown) => Holds::Unknown,
        (Holds::Yes, Holds::Yes) => Holds::Yes,
    })
}

fn not(condition: Holds) -> Holds {
    match condition {
        Holds::Yes => Holds::No,
        Holds::No => Holds::Yes,
        Holds::Unknown => Holds::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn build_script() -> Conditions {
        Conditions::of_build(&Variables::fixed([
            ("CARGO_CFG_TARGET_ARCH", "x86_64"),
            ("CARGO_CFG_TARGET_FEATURE", "fxsr,sse,sse2"),
            ("CARGO_CFG_UNIX", ""),
            ("CARGO_FEATURE_BIG_STATE", "1"),
        ]))
    }

    #[test]
    fn features_and_the_target_are_known_in_a_build_script() {
        let conditions = build_script();
        for (attribute, holds) in [
            (parse_quote!(#[cfg(feature = "big-state")]), Holds::Yes),
            (parse_quote!(#[cfg(not(feature = "big-state"))]), Holds::No),
            (parse_quote!(#[cfg(target_feature = "sse2")]), Holds::Yes),
            (
                parse_quote!(#[cfg(all(unix, target_arch = "aarch64"))]),
                Holds::No,
            ),
            (parse_quote!(#[cfg(any(windows, unix))]), Holds::Yes),
            (parse_quote!(#[cfg(test)]), Holds::Unknown),
            (parse_quote!(#[cfg(any(test, unix))]), Holds::Yes),
            (parse_quote!(#[cfg(all(test, windows))]), Holds::No),
            (parse_quote!(#[inline]), Holds::Yes),
        ] {
            let attributes: [Attribute; 1] = [attribute];
            assert_eq!(
                conditions.of_item(&attributes),
                holds,
                "{:?}",
                attributes[0].meta
            );
        }
    }

    #[test]
    fn nothing_is_known_outside_of_a_build_script() {
        let conditions = Conditions::of_build(&Variables::fixed([]));
        let attribute: Attribute = parse_quote!(#[cfg(feature = "big")]);
        assert_eq!(conditions.of_item(&[attribute]), Holds::Unknown);
    }
}
