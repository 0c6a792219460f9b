use std::path::PathBuf;

use cyxla_artifact::ManifestError;

/// How a package gets a build script that lowers its programs.
const BUILD_SCRIPT: &str = concat!(
    "to Cargo.toml add\n",
    "          [build-dependencies]\n",
    "          cyxla-build = \"",
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR"),
    "\"\n",
    "        and to build.rs\n",
    "          fn main() {\n",
    "              cyxla_build::Builder::new().run()\n",
    "          }"
);

/// Everything that can be wrong between a declaration and what the build script lowered: one table, one voice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Mistake {
    // The artifact.
    #[error("no build script has lowered the programs of this package\n  help: {BUILD_SCRIPT}")]
    NoBuildScript,
    #[error(
        "the build script of this package has not run, or has failed: there is no {}\n  \
         help: build with `cargo build` and read what the build script says",
        path.display()
    )]
    NotRun { path: PathBuf },
    #[error(
        "the programs of package `{found}` are no programs of this package, `{package}`: the variable CYXLA_ARTIFACT comes \
         from outside\n  help: unset CYXLA_ARTIFACT; if `{package}` has no build script yet, {BUILD_SCRIPT}"
    )]
    OtherPackage { found: String, package: String },
    #[error("{0}")]
    Artifact(ManifestError),
    #[error(
        "{} is no Unicode path\n  help: build in a folder with a Unicode name",
        path.display()
    )]
    PathNotUnicode { path: PathBuf },

    // The record.
    #[error(
        "the build script has seen no program `{name}` of {target}\n  \
         help: save the file and build again, after `touch build.rs` if it is of a new target; the build script reads the \
         targets of the package (lib, bins, examples, tests, benches) and their modules, but no declaration that a macro writes or that stands in a doctest\n        {known}"
    )]
    UnknownProgram {
        name: String,
        target: String,
        known: String,
    },
    #[error(
        "the build script has not seen this declaration of `{name}`\n  \
         help: save the file and build again; it has seen{known}"
    )]
    OtherSignatures { name: String, known: String },
    #[error(
        "the build script has seen other options of `{name}`: {seen}\n  \
         help: save the file and build again"
    )]
    OtherOptions { name: String, seen: String },

    // Declaration against record.
    #[error("{target} takes {taken}, declared {declared}\n  help: {list}")]
    Arguments {
        target: String,
        taken: String,
        declared: String,
        list: String,
    },
    #[error(
        "{target} takes `{path}` here; `{name}` is another argument\n  \
         help: arguments come in the order of Python: {order}"
    )]
    Order {
        target: String,
        path: String,
        name: String,
        order: String,
    },
    #[error(
        "`{path}` of {target} is donated: a result takes its memory\n  \
         help: take it by value: `Buffer<{array}>`, or `{array}`"
    )]
    DonatedReference {
        target: String,
        path: String,
        array: String,
    },
    #[error("{target} returns {returned}, declared {declared}\n  help: write `{written}`; {list}")]
    Results {
        target: String,
        returned: String,
        declared: String,
        written: String,
        list: String,
    },
    #[error(
        "{target} returns {count} arrays, a typed function at most {most}\n  \
         help: return fewer, stacked into larger ones, or run it through `cyxla::Executable`"
    )]
    TooManyResults {
        target: String,
        count: usize,
        most: usize,
    },
}
