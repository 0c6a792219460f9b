use super::*;
use crate::package::PythonSetting;
use crate::python::EnvironmentRequest;
use crate::python::fake::{Fake, Folder};

/// A directory `bin` for PATH, `cache` and `requirements.txt`.
struct Machine(Folder);

impl Machine {
    /// With `python3`, and no uv.
    fn new(python3: &Fake) -> Self {
        let folder = Folder::new();
        folder.file("requirements.txt", "jax==0.10.2\n");
        folder.interpreter("bin/python3", python3);
        Self(folder)
    }

    /// With a uv that makes environments with JAX.
    fn with_uv(install: &str) -> Self {
        let machine = Self::new(&Fake::python("3.12.1"));
        machine.0.uv(&Fake::python("3.12.1").jax("0.10.2"), install);
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn environment(&self) -> ManagedEnvironment {
        ManagedEnvironment::new(self.path("requirements.txt"))
    }

    fn variables(&self, python: &str) -> Variables {
        Variables::fixed([
            ("PATH", &self.text("bin")),
            ("CYXLA_CACHE_DIR", &self.text("cache")),
            ("CYXLA_DATA_DIR", &self.text("data")),
            ("CYXLA_PYTHON", python),
        ])
    }

    fn create(&self) -> Result<PythonEnvironment, PythonError> {
        self.create_from(&self.environment())
    }

    fn create_from(
        &self,
        environment: &ManagedEnvironment,
    ) -> Result<PythonEnvironment, PythonError> {
        let made = environment.create_with(&self.variables(""));
        made.map(|(environment, _)| environment)
    }

    /// The error, without the temporary directory in it.
    fn error(&self, environment: &ManagedEnvironment) -> String {
        let error = self.create_from(environment).unwrap_err();
        error.to_string().replace(&self.text(""), "/w/")
    }

    /// As a package that asks for this environment in its metadata.
    fn find(&self, python: &str) -> Result<PythonEnvironment, PythonError> {
        let request = EnvironmentRequest {
            package_root: self.path(""),
            workspace_root: self.path(""),
            builder: None,
            metadata: Some(PythonSetting::Requirements("requirements.txt".into())),
        };
        crate::python::environment(&request, &self.variables(python))
    }

    /// The environments in the cache directory.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("cache/python"))
            .into_iter()
            .flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_dir()).collect()
    }
}

fn directory_of(environment: &PythonEnvironment) -> &Path {
    environment
        .interpreter()
        .parent()
        .unwrap()
        .parent()
        .unwrap()
}

#[test]
fn an_environment_is_made_once_and_found_again() {
    let machine = Machine::with_uv("");
    let made = machine.create().unwrap();
    let found = machine.create().unwrap();
    assert!(made.created() && !found.created());
    assert_eq!(made.interpreter(), found.interpreter());
    assert!(made.interpreter().starts_with(machine.path("cache/python")));
    assert_eq!(machine.0.uv_log(), "venv\npip\n");
    assert!(made.watched().contains(&machine.path("requirements.txt")));
}

#[test]
fn other_requirements_or_another_interpreter_make_another_environment() {
    let machine = Machine::with_uv("");
    machine.create().unwrap();
    machine.0.file("requirements.txt", "jax==0.9.0\n");
    machine.create().unwrap();
    let other = machine
        .0
        .interpreter("other/python3", &Fake::python("3.13.0"));
    machine
        .create_from(&machine.environment().interpreter(other))
        .unwrap();
    assert_eq!(machine.kept().len(), 3);
}

#[test]
fn a_half_made_environment_is_made_anew() {
    let machine = Machine::with_uv("");
    let made = machine.create().unwrap();
    let directory = directory_of(&made);
    fs::remove_file(directory.join(COMPLETE)).unwrap();
    fs::write(directory.join("left over"), "").unwrap();

    assert!(machine.create().unwrap().created());
    assert!(directory.join(COMPLETE).is_file());
    assert!(!directory.join("left over").exists());
}

#[test]
fn an_environment_that_runs_no_more_is_made_anew() {
    let machine = Machine::with_uv("");
    let made = machine.create().unwrap();
    fs::remove_file(made.interpreter()).unwrap();
    std::os::unix::fs::symlink("/gone/python3", made.interpreter()).unwrap();
    assert!(machine.create().unwrap().created());
    assert!(!machine.create().unwrap().created());
}

#[test]
fn a_failure_leaves_nothing_and_the_next_build_starts_anew() {
    let machine = Machine::with_uv("echo 'No solution found: no version of jax==0.10.2'; exit 1");
    let text = machine.error(&machine.environment());
    let start = "installing the requirements failed (exit status: 1)\n  command: /w/bin/uv pip";
    assert!(text.starts_with(start), "{text}");
    let end = "  its last lines:
    No solution found: no version of jax==0.10.2
  help: correct that line of /w/requirements.txt, or set CYXLA_PYTHON to a version of Python for \
               which the package has a release";
    assert!(text.ends_with(end), "{text}");
    assert_eq!(machine.kept(), Vec::<PathBuf>::new());

    machine.0.uv(&Fake::python("3.12.1"), "");
    assert!(machine.create().unwrap().created());
}

#[test]
fn builds_at_the_same_time_make_it_once() {
    let machine = Machine::with_uv("sleep 0.2");
    let made: Vec<PythonEnvironment> = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| machine.create().unwrap()))
            .collect();
        builds
            .into_iter()
            .map(|build| build.join().unwrap())
            .collect()
    });
    assert_eq!(
        made.iter()
            .filter(|environment| environment.created())
            .count(),
        1
    );
    assert_eq!(machine.0.uv_log(), "venv\npip\n");
}

#[test]
fn a_finished_environment_is_not_waited_for() {
    let machine = Machine::with_uv("");
    let made = machine.create().unwrap();
    let directory = directory_of(&made);
    let lock = format!("{}.lock", directory.display());
    let lock = File::open(lock).unwrap();
    lock.lock().unwrap();
    assert!(!machine.create().unwrap().created());
}

#[test]
fn the_users_python3_is_taken_unless_it_is_too_old() {
    let machine = Machine::with_uv("");
    for minor in [8, 9, 12, 13] {
        let fake = Fake::python(&format!("3.{minor}.0"));
        machine
            .0
            .interpreter(&format!("bin/python3.{minor}"), &fake);
    }
    let named = |machine: &Machine| {
        let made = machine.create().unwrap();
        let name = directory_of(&made).file_name().unwrap().to_str().unwrap();
        name.split('-').next().unwrap().to_owned()
    };
    assert_eq!(named(&machine), "3.12");
    machine.0.interpreter("bin/python3", &Fake::python("3.9.2"));
    assert_eq!(named(&machine), "3.13");
    machine.0.interpreter(
        "bin/python3",
        &Fake::python("3.11.0").implementation("PyPy"),
    );
    assert_eq!(named(&machine), "3.13");
}

#[test]
fn a_python_without_venv_says_what_to_install() {
    let machine = Machine::new(&Fake::python("3.11.2").without_venv());
    assert_eq!(
        machine.error(&machine.environment()),
        "no Python was found to make the environment of /w/requirements.txt from
  tried, in this order:
    python3 on PATH  /w/bin/python3: Python 3.11.2 without `venv` and `ensurepip`
    python on PATH   not on PATH
  help: install what makes virtual environments (on Debian and Ubuntu `apt install \
         python3.11-venv`), or uv (`pipx install uv`)
  help: set CYXLA_PYTHON to an interpreter to make it from"
    );
    machine.0.uv(&Fake::python("3.11.2"), "");
    assert!(machine.create().unwrap().created(), "uv needs no venv");
}

#[test]
fn without_a_python_that_is_new_enough_one_is_asked_for() {
    let machine = Machine::new(&Fake::python("3.8.18"));
    let text = machine.error(&machine.environment());
    assert!(
        text.contains("python3: Python 3.8.18, older than 3.10\n"),
        "{text}"
    );
    assert!(
        text.contains("help: install Python 3.10 or newer"),
        "{text}"
    );
}

#[test]
fn an_interpreter_that_was_given_is_never_passed_over() {
    let machine = Machine::with_uv("");
    machine
        .0
        .interpreter("bin/python3.8", &Fake::python("3.8.18"));
    let text = machine.error(&machine.environment().interpreter("python3.8"));
    assert!(
        text.contains("python3.8: Python 3.8.18, older than 3.10"),
        "{text}"
    );
    let text = machine.error(&machine.environment().interpreter("python3.99"));
    assert!(text.contains("python3.99: not on PATH"), "{text}");
}

#[test]
fn a_cache_directory_that_cannot_be_made_is_named() {
    let machine = Machine::with_uv("");
    machine.0.file("cache", "a file in the way");
    let text = machine.error(&machine.environment());
    assert!(
        text.starts_with("cannot create the directory /w/cache/python: "),
        "{text}"
    );
    assert!(text.contains("help: set CYXLA_CACHE_DIR"), "{text}");
}

#[test]
fn a_package_gets_its_environment_and_the_plugin_in_it() {
    let machine = Machine::with_uv("");
    let library = machine
        .0
        .file("site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "");
    let made = Fake::python("3.12.1")
        .jax("0.10.2")
        .site_packages(&machine.path("site"));
    machine.0.uv(&made, "");

    let found = machine.find("").unwrap();
    assert_eq!(
        *found.origin(),
        Origin::Managed(machine.path("requirements.txt"))
    );
    assert_eq!(found.jax_version(), Some("0.10.2"));
    let file = machine.path("data/plugins/xla-cpu-pjrt/plugin.toml");
    let table: toml::Table = fs::read_to_string(file).unwrap().parse().unwrap();
    assert_eq!(table["library"].as_str(), library.to_str());
}

#[test]
fn requirements_without_jax_are_an_error() {
    let machine = Machine::with_uv("");
    machine.0.uv(&Fake::python("3.12.1"), "");
    let text = machine.find("").unwrap_err().to_string();
    let expected = format!(
        "the environment of {} cannot lower programs: Python 3.12.1 without JAX\n  help: add the \
         line `jax>=0.6.2` to it",
        machine.text("requirements.txt")
    );
    assert_eq!(text, expected);
}

#[test]
fn the_variable_is_taken_as_it_is_if_it_has_jax_and_as_the_base_if_not() {
    let machine = Machine::with_uv("");
    machine
        .0
        .interpreter("with", &Fake::python("3.12.1").jax("0.10.2"));
    machine.0.interpreter("without", &Fake::python("3.13.0"));
    let with = machine.find(&machine.text("with")).unwrap();
    assert_eq!(with.interpreter(), machine.path("with"));
    assert_eq!(machine.0.uv_log(), "");

    let without = machine.find(&machine.text("without")).unwrap();
    assert!(without.created());
    let name = directory_of(&without)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap();
    assert!(name.starts_with("3.13-"), "{name}");

    let gone = machine.find(&machine.text("gone")).unwrap_err().to_string();
    assert!(gone.contains("CYXLA_PYTHON"), "{gone}");
}
