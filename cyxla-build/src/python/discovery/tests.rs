use std::collections::BTreeMap;

use super::*;
use crate::python::fake::{Fake, Folder};

/// A package in a workspace, with the variables of its build.
struct Package {
    root: Folder,
    variables: BTreeMap<&'static str, String>,
    request: EnvironmentRequest,
}

impl Package {
    fn new() -> Self {
        let root = Folder::new();
        let package_root = root.path().join("member");
        std::fs::create_dir(&package_root).unwrap();
        let request = EnvironmentRequest {
            package_root,
            workspace_root: root.path().to_owned(),
            builder: None,
            metadata: None,
        };
        Self {
            root,
            variables: BTreeMap::new(),
            request,
        }
    }

    fn set(mut self, variable: &'static str, value: impl Into<String>) -> Self {
        self.variables.insert(variable, value.into());
        self
    }

    /// Sets a variable to a path in the workspace.
    fn set_path(self, variable: &'static str, name: &str) -> Self {
        let path = self.root.path().join(name);
        self.set(variable, path.to_str().unwrap())
    }

    fn with(self, name: &str, fake: &Fake) -> Self {
        self.root.interpreter(name, fake);
        self
    }

    fn builder(mut self, name: &str) -> Self {
        self.request.builder = Some(PythonSetting::Interpreter(name.into()));
        self
    }

    fn metadata(mut self, name: &str) -> Self {
        self.request.metadata = Some(PythonSetting::Interpreter(name.into()));
        self
    }

    fn find(&self) -> Result<PythonEnvironment, PythonError> {
        self.find_with(&self.variables())
    }

    fn find_with(&self, variables: &Variables) -> Result<PythonEnvironment, PythonError> {
        crate::python::environment(&self.request, variables)
    }

    /// All that the search may read; what is not set is empty.
    fn variables(&self) -> Variables {
        let names = ["CYXLA_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"];
        let value = |name| self.variables.get(name).map_or("", String::as_str);
        Variables::fixed(names.map(|name| (name, value(name))))
    }

    /// The origin of what is found.
    fn origin(&self) -> Origin {
        self.find().unwrap().origin().clone()
    }

    /// The error without the temporary directory in it.
    fn error(&self) -> String {
        let text = self.find().unwrap_err().to_string();
        text.replace(self.root.path().to_str().unwrap(), "/w")
    }
}

fn good() -> Fake {
    Fake::python("3.12.1").jax("0.10.2")
}

fn everywhere() -> Package {
    Package::new()
        .with("variable", &good())
        .with("member/builder", &good())
        .with("member/metadata", &good())
        .with("active/bin/python", &good())
        .with("member/.venv/bin/python", &good())
        .with(".venv/bin/python", &good())
        .with("conda/bin/python", &good())
        .with("path/python3", &good())
        .with("path/python", &good())
        .set_path("VIRTUAL_ENV", "active")
        .set_path("CONDA_PREFIX", "conda")
        .set_path("PATH", "path")
}

#[test]
fn the_order_is_the_documented_one() {
    let all = everywhere()
        .set_path("CYXLA_PYTHON", "variable")
        .builder("./builder")
        .metadata("./metadata");
    assert_eq!(all.origin(), Origin::Variable);
    let mut package = all.set("CYXLA_PYTHON", "");
    assert_eq!(package.origin(), Origin::Builder);
    package.request.builder = None;
    assert_eq!(package.origin(), Origin::Metadata);
    package.request.metadata = None;
    assert_eq!(package.origin(), Origin::VirtualEnv);

    let remove = |name: &str| std::fs::remove_file(package.root.path().join(name)).unwrap();
    remove("active/bin/python");
    assert_eq!(package.origin(), Origin::PackageVenv);
    remove("member/.venv/bin/python");
    assert_eq!(package.origin(), Origin::WorkspaceVenv);
    remove(".venv/bin/python");
    assert_eq!(package.origin(), Origin::CondaPrefix);
    remove("conda/bin/python");
    assert_eq!(package.origin(), Origin::Path("python3".to_owned()));
    remove("path/python3");
    assert_eq!(package.origin(), Origin::Path("python".to_owned()));
}

#[test]
fn one_that_will_not_do_is_passed_over_for_the_next() {
    let package = everywhere()
        .with("active/bin/python", &Fake::python("3.12.1"))
        .with(
            "member/.venv/bin/python",
            &Fake::python("3.9.0").jax("0.4.30"),
        )
        .with(".venv/bin/python", &Fake::python("3.12.1").jax("0.6.1"));
    assert_eq!(package.origin(), Origin::CondaPrefix);
}

#[test]
fn what_is_found_says_what_it_is() {
    let package = Package::new()
        .with("env/bin/python", &good())
        .set_path("VIRTUAL_ENV", "env");
    let found = package.find().unwrap();
    assert_eq!(
        found.interpreter(),
        package.root.path().join("env/bin/python")
    );
    assert_eq!(found.version(), "3.12.1");
    assert_eq!(found.jax_version(), Some("0.10.2"));
    assert_eq!(found.site_packages(), Path::new("/site"));
    assert!(!found.created());
}

#[test]
fn only_the_variables_that_were_needed_are_read() {
    let package = everywhere();
    let variables = package.variables();
    package.find_with(&variables).unwrap();
    assert_eq!(
        variables.read(),
        ["CYXLA_PYTHON", "PYTHONPATH", "VIRTUAL_ENV"]
    );
}

#[test]
fn a_bare_name_is_looked_up_on_path() {
    let package = Package::new()
        .with("path/python3.12", &good())
        .with("member/python3.12", &Fake::script("exit 1"))
        .set_path("PATH", "path")
        .set("CYXLA_PYTHON", "python3.12");
    assert_eq!(package.origin(), Origin::Variable);
}

#[test]
fn one_that_was_asked_for_is_never_passed_over() {
    let cases = [
        (
            everywhere().set_path("CYXLA_PYTHON", "none"),
            "CYXLA_PYTHON",
        ),
        (everywhere().builder("none/python"), "Builder::python"),
        (
            everywhere().metadata("none/python"),
            "[package.metadata.cyxla] python",
        ),
    ];
    for (package, origin) in cases {
        let text = package.error();
        let start = format!("the Python that was asked for cannot be used\n    {origin}  /w/");
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains("no such file\n  help: correct "), "{text}");
    }
}

#[test]
fn one_that_was_asked_for_and_has_no_jax_says_how_to_install_it() {
    let package = Package::new()
        .with("python3", &Fake::python("3.11.7"))
        .set_path("CYXLA_PYTHON", "python3");
    assert_eq!(
        package.error(),
        "the Python that was asked for cannot be used
    CYXLA_PYTHON  /w/python3: Python 3.11.7 without JAX
  help: `/w/python3 -m pip install -U jax`"
    );
}

#[test]
fn a_name_that_is_not_on_path_is_shown() {
    let package = Package::new().set("CYXLA_PYTHON", "python3.99");
    assert!(
        package
            .error()
            .contains("CYXLA_PYTHON  python3.99: not on PATH\n")
    );
}

#[test]
fn without_any_python_all_places_are_listed() {
    let package = Package::new()
        .set_path("VIRTUAL_ENV", "gone")
        .set_path("PATH", "path");
    assert_eq!(
        package.error(),
        "no working Python was found; it is needed at build time to run JAX
  tried, in this order:
    CYXLA_PYTHON                     not set
    Builder::python                  not given
    [package.metadata.cyxla] python  not given
    VIRTUAL_ENV                      /w/gone/bin/python: no such file
    .venv of the package             /w/member/.venv/bin/python: no such file
    .venv of the workspace           /w/.venv/bin/python: no such file
    CONDA_PREFIX                     not set
    python3 on PATH                  not on PATH
    python on PATH                   not on PATH
  help: install Python 3.10 or newer (package `python3`), then JAX: \
             `python3 -m venv .venv && .venv/bin/python -m pip install jax` in the package
  help: or set CYXLA_PYTHON to the interpreter of an environment that has JAX"
    );
}

#[test]
fn python_without_jax_reads_differently() {
    let package = Package::new()
        .with("path/python3", &Fake::python("3.11.2"))
        .with("path/python", &Fake::python("2.7.18"))
        .set_path("PATH", "path");
    let text = package.error();
    assert!(
        text.starts_with("Python was found, but no JAX in it\n"),
        "{text}"
    );
    for line in [
        "    python3 on PATH                  /w/path/python3: Python 3.11.2 without JAX\n",
        "    python on PATH                   /w/path/python: Python 2.7.18, older than 3.10\n",
        "  help: install JAX: `/w/path/python3 -m venv .venv && .venv/bin/python -m pip install jax`",
        "          python = { requirements = \"requirements.txt\" }\n",
        "  help: or set CYXLA_PYTHON",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

#[test]
fn jax_is_installed_into_the_environment_where_there_is_one() {
    let package = Package::new()
        .with("member/.venv/bin/python", &Fake::python("3.11.2"))
        .with("path/python3", &Fake::python("3.11.2"))
        .set_path("PATH", "path");
    let expected = "help: install JAX: `/w/member/.venv/bin/python -m pip install -U jax`\n";
    assert!(package.error().contains(expected));
}

#[test]
fn too_old_jax_and_too_old_python_read_differently_again() {
    let package = Package::new()
        .with("path/python3", &Fake::python("3.11.2").jax("0.4.30"))
        .set_path("PATH", "path");
    let text = package.error();
    let headline = "JAX was found, but none that is new enough (0.6.2 or newer)\n";
    assert!(text.starts_with(headline), "{text}");
    assert!(text.contains("python3: Python 3.11.2 with JAX 0.4.30, older than 0.6.2\n"));

    let package = package.with("path/python3", &Fake::python("3.8.18"));
    let text = package.error();
    let headline = "Python was found, but none that JAX runs on (CPython 3.10 or newer)\n";
    assert!(text.starts_with(headline), "{text}");
}

#[test]
fn a_directory_that_was_asked_for_says_which_file_to_name() {
    let package = Package::new()
        .with("env/bin/python", &good())
        .set_path("CYXLA_PYTHON", "env");
    let text = package.error();
    assert!(text.contains("a directory, not an interpreter"), "{text}");
    assert!(text.contains("such as /w/env/bin/python"), "{text}");
}
