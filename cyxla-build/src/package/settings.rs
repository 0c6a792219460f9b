use std::path::{Path, PathBuf};

use std::str::FromStr;

use cyxla_artifact::{Engine, Level, Platform, UnknownWord};
use serde_json::{Map, Value};

use super::PackageError;

/// What a manifest says to cyxla.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    /// `python`: which Python to lower with.
    pub(crate) python: Option<PythonSetting>,
    /// `python_path`: the folders with the package's Python modules, absolute.
    pub(crate) python_path: Vec<PathBuf>,
    /// Whether `python_path` comes from the workspace, whose manifest a published package does not carry.
    pub(crate) python_path_of_workspace: bool,
    /// `engine`: what runs the programs.
    pub(crate) engine: Option<Engine>,
    /// `levels`: the levels of instructions that machine code is made for.
    pub(crate) levels: Vec<Level>,
    /// `platforms`: the platforms that the programs are lowered for.
    pub(crate) platforms: Vec<Platform>,
}

/// The key `python`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PythonSetting {
    /// `python = "python3.12"` or `python = "env/bin/python"`: a command, or the absolute path of an interpreter.
    Interpreter(PathBuf),
    /// `python = { requirements = "requirements.txt" }`: a managed environment; the absolute path of the file.
    Requirements(PathBuf),
}

const HELP: &str = "the keys are python = \"path/to/python\" or python = { requirements = \"requirements.txt\" }, \
                    python_path = [\"python\"], engine = \"auto\", levels = [\"x86-64-v3\"], platforms = [\"cpu\", \"cuda\"]";

/// The table `cyxla` of a manifest's `metadata`.
struct Table<'a> {
    name: &'static str,
    root: &'a Path,
    keys: Option<&'a Map<String, Value>>,
}

impl Settings {
    /// Reads `[package.metadata]` and `[workspace.metadata]`, each with the folder of its manifest. A key of the package
    /// stands before the same key of the workspace.
    pub(super) fn read(
        package: (&Value, &Path),
        workspace: (&Value, &Path),
    ) -> Result<Self, PackageError> {
        let package = Table::new("package.metadata.cyxla", package)?;
        let workspace = Table::new("workspace.metadata.cyxla", workspace)?;
        let python = match package.python()? {
            Some(python) => Some(python),
            None => workspace.python()?,
        };
        let (python_path, python_path_of_workspace) = match package.python_path()? {
            Some(own) => (own, false),
            None => (workspace.python_path()?.unwrap_or_default(), true),
        };
        Ok(Self {
            python,
            python_path,
            python_path_of_workspace,
            engine: package.engine()?.or(workspace.engine()?),
            levels: package
                .words("levels")?
                .or(workspace.words("levels")?)
                .unwrap_or_default(),
            platforms: package
                .words("platforms")?
                .or(workspace.words("platforms")?)
                .unwrap_or_default(),
        })
    }
}

impl<'a> Table<'a> {
    fn new(
        name: &'static str,
        (metadata, root): (&'a Value, &'a Path),
    ) -> Result<Self, PackageError> {
        let mut table = Self {
            name,
            root,
            keys: None,
        };
        match metadata.get("cyxla") {
            None => {}
            Some(Value::Object(keys)) => table.keys = Some(keys),
            Some(other) => return Err(table.error(format!("`cyxla` is {}", kind(other)))),
        }
        let known = ["engine", "levels", "platforms", "python", "python_path"];
        let unknown = |key: &&String| !known.contains(&key.as_str());
        match table.keys.and_then(|keys| keys.keys().find(unknown)) {
            Some(key) => Err(table.error(format!("there is no key `{key}`"))),
            None => Ok(table),
        }
    }

    fn error(&self, problem: String) -> PackageError {
        PackageError::Setting {
            manifest: self.root.join("Cargo.toml"),
            table: self.name,
            problem,
            help: HELP,
        }
    }

    fn key(&self, name: &str) -> Option<&'a Value> {
        self.keys.and_then(|keys| keys.get(name))
    }

    fn python(&self) -> Result<Option<PythonSetting>, PackageError> {
        match self.key("python") {
            None => Ok(None),
            Some(Value::String(command)) if !command.is_empty() => {
                // A bare name is a command, as in a shell; anything else a path.
                let is_command =
                    Path::new(command).components().count() == 1 && !command.contains(['/', '\\']);
                Ok(Some(PythonSetting::Interpreter(if is_command {
                    command.into()
                } else {
                    self.root.join(command)
                })))
            }
            Some(Value::Object(table)) => match (table.get("requirements"), table.len()) {
                (Some(Value::String(file)), 1) if !file.is_empty() => {
                    Ok(Some(PythonSetting::Requirements(self.root.join(file))))
                }
                _ => Err(self.error("`python` has one key, `requirements`, a path".to_owned())),
            },
            Some(other) => Err(self.error(format!("`python` is {}", kind(other)))),
        }
    }

    fn engine(&self) -> Result<Option<Engine>, PackageError> {
        let wrong = |problem| self.error(format!("`engine`: {problem}"));
        match self.key("engine") {
            None => Ok(None),
            Some(Value::String(text)) => match text.parse() {
                Ok(engine) => Ok(Some(engine)),
                Err(error @ UnknownWord { .. }) => Err(wrong(error.to_string())),
            },
            Some(other) => Err(wrong(format!("it is {}", kind(other)))),
        }
    }

    /// A list of words.
    fn words<T: FromStr<Err = UnknownWord>>(
        &self,
        key: &str,
    ) -> Result<Option<Vec<T>>, PackageError> {
        let wrong = |problem| self.error(format!("`{key}`: {problem}"));
        match self.key(key) {
            None => Ok(None),
            Some(Value::Array(words)) => words
                .iter()
                .map(|word| match word {
                    Value::String(text) => text
                        .parse()
                        .map_err(|error: UnknownWord| wrong(error.to_string())),
                    other => Err(wrong(format!("there is {}", kind(other)))),
                })
                .collect::<Result<_, _>>()
                .map(Some),
            Some(other) => Err(wrong(format!("it is {}", kind(other)))),
        }
    }

    fn python_path(&self) -> Result<Option<Vec<PathBuf>>, PackageError> {
        let wrong = |found: &Value| {
            self.error(format!(
                "`python_path` is a list of folders, not {}",
                kind(found)
            ))
        };
        match self.key("python_path") {
            None => Ok(None),
            Some(Value::Array(folders)) => folders
                .iter()
                .map(|folder| match folder {
                    Value::String(folder) => Ok(self.root.join(folder)),
                    other => Err(wrong(other)),
                })
                .collect::<Result<_, _>>()
                .map(Some),
            Some(other) => Err(wrong(other)),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(package: &Value, workspace: &Value) -> Result<Settings, PackageError> {
        Settings::read(
            (package, Path::new("/ws/pkg")),
            (workspace, Path::new("/ws")),
        )
    }

    #[test]
    fn a_key_of_the_package_stands_before_that_of_the_workspace() {
        let workspace = json!({"cyxla": {"python": "env/bin/python", "python_path": ["lib"]}});
        let package = json!({"cyxla": {"python_path": ["python"]}, "docs": {}});
        let settings = read(&package, &workspace).unwrap();
        let interpreter = PythonSetting::Interpreter("/ws/env/bin/python".into());
        assert_eq!(settings.python, Some(interpreter));
        assert_eq!(settings.python_path, [Path::new("/ws/pkg/python")]);
        assert!(!settings.python_path_of_workspace);
        let settings = read(&Value::Null, &workspace).unwrap();
        assert_eq!(settings.python_path, [Path::new("/ws/lib")]);
    }

    #[test]
    fn a_bare_name_is_a_command() {
        let settings = read(&json!({"cyxla": {"python": "python3.12"}}), &Value::Null).unwrap();
        let command = PythonSetting::Interpreter("python3.12".into());
        assert_eq!(settings.python, Some(command));
    }

    #[test]
    fn requirements_lie_beside_their_manifest() {
        let python = json!({"requirements": "requirements.txt"});
        let settings = read(&Value::Null, &json!({"cyxla": {"python": python}})).unwrap();
        let file = PythonSetting::Requirements("/ws/requirements.txt".into());
        assert_eq!(settings.python, Some(file));
    }

    #[test]
    fn a_wrong_key_is_named_with_those_that_exist() {
        let error = read(&json!({"cyxla": {"pyton": "x"}}), &Value::Null).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(
            "[package.metadata.cyxla] of /ws/pkg/Cargo.toml: there is no key `pyton`"
        ));
        assert!(text.contains("python_path = [\"python\"]"), "{text}");
    }

    #[test]
    fn wrong_values_are_named() {
        for (value, problem) in [
            (json!({"cyxla": {"python": 3}}), "`python` is a number"),
            (
                json!({"cyxla": {"python": {"requirement": "x"}}}),
                "one key, `requirements`",
            ),
            (json!({"cyxla": {"python_path": "python"}}), "not a string"),
            (json!({"cyxla": {"python_path": [1]}}), "not a number"),
            (
                json!({"cyxla": {"platforms": ["gpu"]}}),
                "`platforms`: `gpu` is no platform, which are cpu, cuda, rocm, tpu",
            ),
            (json!({"cyxla": {"levels": 3}}), "`levels`: it is a number"),
            (json!({"cyxla": []}), "`cyxla` is a list"),
        ] {
            let error = read(&Value::Null, &value).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
            assert!(
                error.contains("[workspace.metadata.cyxla] of /ws/Cargo.toml"),
                "{error}"
            );
        }
    }
}
