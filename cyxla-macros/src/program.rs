use cyxla_artifact::{Manifest, ManifestError};
use cyxla_syntax::Declaration;
use proc_macro2::{Span, TokenStream};

use crate::check::check;
use crate::expand::{expansion, stand_in};
use crate::locate::{Surroundings, locate};
use crate::lookup::lookup;
use crate::mistake::Mistake;

/// The expansion of one attribute: a function, or all that is wrong.
pub(crate) fn expand(
    attribute: TokenStream,
    item: TokenStream,
    surroundings: &Surroundings,
) -> TokenStream {
    let declaration = match Declaration::parse(attribute, item) {
        Ok(declaration) => declaration,
        Err(mistakes) => return mistakes.into_compile_error(),
    };
    expand_declaration(&declaration, surroundings).unwrap_or_else(|mistakes| {
        let mut tokens = mistakes.into_compile_error();
        // So that the calls are not errors too.
        tokens.extend(stand_in(&declaration));
        tokens
    })
}

fn expand_declaration(
    declaration: &Declaration,
    surroundings: &Surroundings,
) -> syn::Result<TokenStream> {
    let on_attribute = |mistake: Mistake| syn::Error::new(Span::call_site(), mistake);
    let artifact = locate(surroundings).map_err(on_attribute)?;
    let record = lookup(declaration, &artifact.manifest)?;
    check(declaration, record)?;
    // Its digest is compared here, so that a damaged file stops the compiler and not the finished binary.
    Manifest::load(&artifact.directory, record)
        .map_err(|error| on_attribute(Mistake::Artifact(error)))?;
    for other in &record.other_platforms {
        let read = other.code.read(&artifact.directory);
        read.map_err(|error| on_attribute(Mistake::Artifact(error)))?;
    }
    for image in &record.native.images {
        let read = image.read(&artifact.directory);
        read.map_err(|error| on_attribute(Mistake::Artifact(error)))?;
    }
    for weight in &record.weights.arrays {
        // The build script has compared their content.
        let path = artifact.directory.join(&weight.file);
        let size = std::fs::metadata(&path).map(|metadata| metadata.len()).ok();
        if size.and_then(|size| usize::try_from(size).ok()) != Some(weight.array_type.nbytes()) {
            return Err(on_attribute(Mistake::Artifact(ManifestError::Code {
                path,
            })));
        }
    }
    let path = artifact.directory.join(&record.code.file);
    let code = path
        .to_str()
        .ok_or_else(|| on_attribute(Mistake::PathNotUnicode { path: path.clone() }))?;
    Ok(expansion(declaration, record, code))
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::{CodeFile, DType, Digest, ImageFile, Level, PlatformCode};
    use quote::quote;

    use super::*;
    use crate::testing::{self, leaf};

    fn attribute() -> TokenStream {
        quote!("model:double")
    }

    fn item() -> TokenStream {
        quote!(
            fn double(x: f32) -> cyxla::Result<f32>;
        )
    }

    /// What the compiler sees of a package with one program.
    fn demo() -> (tempfile::TempDir, Surroundings) {
        let record = testing::record(
            &testing::declaration(attribute(), item()),
            "src/main.rs:1",
            vec![leaf("x", DType::F32, &[])],
            vec![leaf("result", DType::F32, &[])],
        );
        let folder = tempfile::tempdir().unwrap();
        testing::write_artifact(folder.path(), &testing::manifest(vec![record]));
        let surroundings = Surroundings {
            artifact: Some(folder.path().to_owned()),
            package: Some("demo".into()),
            directory: None,
        };
        (folder, surroundings)
    }

    fn expanded(surroundings: &Surroundings) -> String {
        expand(attribute(), item(), surroundings).to_string()
    }

    #[test]
    fn the_code_is_included_from_the_artifact() {
        let (folder, surroundings) = demo();
        let path = folder.path().join("double.mlirbc");
        let text = expanded(&surroundings);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(text.contains(&format!("{path:?}")), "{text}");
    }

    #[test]
    fn damaged_code_stops_the_compiler() {
        let (folder, surroundings) = demo();
        let mut code = testing::CODE.to_vec();
        code.push(0);
        std::fs::write(folder.path().join("double.mlirbc"), code).unwrap();
        let text = expanded(&surroundings);
        assert!(text.contains("compile_error"), "{text}");
        assert!(text.contains("is not the file that its manifest was written with"));
    }

    #[test]
    fn images_are_included_from_the_artifact_if_they_are_those_of_its_manifest() {
        let mut record = testing::record(
            &testing::declaration(attribute(), item()),
            "src/main.rs:1",
            vec![leaf("x", DType::F32, &[])],
            vec![leaf("result", DType::F32, &[])],
        );
        record.native.images = vec![ImageFile {
            level: Level::V3,
            file: "double-x86-64-v3.image".into(),
            sha256: Digest::of(b"image"),
        }];
        let (folder, surroundings) = demo();
        testing::write_artifact(folder.path(), &testing::manifest(vec![record]));
        let image = folder.path().join("double-x86-64-v3.image");
        std::fs::write(&image, b"image").unwrap();
        let text = expanded(&surroundings);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(text.contains(&format!("{image:?}")), "{text}");
        std::fs::write(&image, b"damaged").unwrap();
        let text = expanded(&surroundings);
        assert!(text.contains("is not the file that its manifest was written with"));
    }

    #[test]
    fn code_for_other_platforms_is_included_if_it_is_that_of_the_manifest() {
        let mut record = testing::record(
            &testing::declaration(attribute(), item()),
            "src/main.rs:1",
            vec![leaf("x", DType::F32, &[])],
            vec![leaf("result", DType::F32, &[])],
        );
        record.other_platforms = vec![PlatformCode {
            platform: "cuda".into(),
            custom_calls: vec![],
            code: CodeFile {
                file: "double-cuda.mlirbc".into(),
                sha256: Digest::of(b"cuda"),
            },
        }];
        let (folder, surroundings) = demo();
        testing::write_artifact(folder.path(), &testing::manifest(vec![record]));
        let code = folder.path().join("double-cuda.mlirbc");
        std::fs::write(&code, b"cuda").unwrap();
        let text = expanded(&surroundings);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(text.contains(&format!("{code:?}")), "{text}");
        std::fs::write(&code, b"damaged").unwrap();
        let text = expanded(&surroundings);
        assert!(text.contains("is not the file that its manifest was written with"));
    }

    #[test]
    fn a_failed_expansion_still_has_the_function() {
        let text = expanded(&Surroundings::default());
        assert!(text.contains("no build script has lowered"), "{text}");
        assert!(text.contains("fn double (x : f32)"), "{text}");
    }
}
