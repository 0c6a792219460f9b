//! Builds at the same time, and builds that are killed.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::project::{LOWERED, Project, files};

/// Two profiles and two target directories are the same to a build script: another OUT_DIR, the same package.
#[test]
fn two_builds_of_a_package_at_once_both_succeed() {
    let project = Project::new();
    let other = Project::new();
    let builds = || {
        [project.target(), other.target()].map(|target| {
            let cargo = project.cargo("build").env("CYXLA_UPDATE", "1");
            cargo.env("CARGO_TARGET_DIR", target).spawn()
        })
    };
    for factor in ["2 * x", "3 * x"] {
        project.write(
            "python/model.py",
            format!("def f(x):\n    return {factor}\n"),
        );
        for mut build in builds() {
            assert!(build.wait().unwrap().success());
        }
        let mut starts = project.starts();
        starts.sort();
        assert_eq!(starts, ["lower", "lower", "probe", "probe"]);
        let result = &factor[..1];
        let run = project.cargo("run --quiet").without_python();
        assert_eq!(run.stdout(), result);
        let run = project.cargo("run --quiet").without_python();
        assert_eq!(run.env("CARGO_TARGET_DIR", other.target()).stdout(), result);
        assert_eq!(files(&project.root().join(".cyxla")).len(), 2);
    }
}

#[test]
fn a_killed_build_leaves_nothing_behind_that_matters() {
    let project = Project::new();
    let sleepy = "\
import pathlib
import time

pathlib.Path(__file__ + '.running').touch()
time.sleep(1000)


def f(x):
    return 3 * x
";
    let kill_a_build = || {
        let model = std::fs::read_to_string(project.root().join("python/model.py")).unwrap();
        project.write("python/model.py", sleepy);
        let mut build = project.cargo("build").spawn();
        let running = project.root().join("python/model.py.running");
        wait_for(&running);
        let group = format!("-{}", build.id());
        let kill = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(kill.unwrap().success());
        build.wait().unwrap();
        std::fs::remove_file(running).unwrap();
        project.write("python/model.py", model);
        project.starts();
    };

    // The first build, and one that follows another.
    kill_a_build();
    assert_eq!(project.run(), "2");
    assert_eq!(project.starts(), LOWERED);
    let whole = project.artifact();
    kill_a_build();
    assert_eq!(project.run(), "2");
    assert!(project.starts().len() <= LOWERED.len());
    assert_eq!(project.artifact(), whole);
}

fn wait_for(file: &Path) {
    let start = Instant::now();
    while !file.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{} is not there",
            file.display()
        );
        sleep(Duration::from_millis(10));
    }
}
