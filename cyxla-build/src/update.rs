//! Brings the artifact of a package up to date, with as little work as will do.
//!
//! ```text
//! .cyxla holds? ──yes──► copy it                  Committed
//!      │no
//! OUT_DIR holds? ─yes──► nothing to do            Fresh
//!      │no
//! docs.rs? ───────yes──► copy .cyxla as it is     Committed
//!      │no
//! CYXLA_OFFLINE? ─yes──► error, with all reasons
//!      │no
//! Python ──────────────► OUT_DIR                  Lowered     CYXLA_UPDATE=1: asked first, and .cyxla too
//! ```
//!
//! The committed copy comes first, so that a package that has one is built alike everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cyxla_artifact::{Digest, Manifest, Provenance, SCHEMA, Source};

use crate::cargo::{Variables, variable};
use crate::error::Error;
use crate::freshness::{self, Asked, Change, Local, Lowering, Stamps, Tools};
use crate::lower::LoweredAll;
use crate::store::{self, COMMITTED, StoreError};

/// Where the programs of an artifact came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing changed since they were lowered.
    Fresh,
    /// From the committed copy, `.cyxla`.
    Committed,
    /// Python lowered them now.
    Lowered,
    /// The package declares none.
    Empty,
}

/// What there is to do.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub(crate) asked: Asked<'a>,
    pub(crate) tools: Tools,
    pub(crate) variables: &'a Variables,
    /// The folder of the artifact.
    pub(crate) out: &'a Path,
}

/// What Python did.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) lowered: LoweredAll,
    pub(crate) interpreter: PathBuf,
    /// Existing files of the Python environment that change with it.
    pub(crate) watched: Vec<PathBuf>,
}

/// Has Python lower all programs of the task into a folder.
pub(crate) type Lower<'a> = &'a dyn Fn(&Path) -> Result<Made, Error>;

/// What was done.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) manifest: Manifest,
    /// Files of the Python environment that the artifact rests on.
    pub(crate) local_files: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

/// How often programs are lowered if their sources change meanwhile.
const MOST_TRIES: usize = 3;

impl Task<'_> {
    /// Brings the artifact up to date.
    pub(crate) fn update(&self, lower: Lower<'_>) -> Result<Done, Error> {
        if self.asked.programs.is_empty() {
            return self.empty();
        }
        let package = self.asked.package;
        let update = self.variables.is_on(variable::UPDATE) && !package.is_unpacked_copy();
        let offline = self.variables.is_on(variable::OFFLINE);
        let docs = self.variables.is_on(variable::DOCS_RS);
        if update && offline {
            return Err(StoreError::Contradiction.into());
        }
        let local = Local::read(self.out);
        let kept = local.as_ref().map(|local| local.stamps.clone());
        let mut stamps = Stamps::kept(kept.unwrap_or_default());
        if update {
            let done = self.lower(lower, &mut stamps)?;
            let manifest = Manifest {
                // Values of this machine, which no other machine compares with.
                environment: Vec::new(),
                ..done.manifest.clone()
            };
            store::write(&manifest, self.out, &self.committed())?;
            return Ok(done);
        }
        let (committed, committed_changes) =
            self.look(&self.committed(), &mut stamps, |this, found, stamps| {
                freshness::committed_changes(found, &this.asked, stamps)
            });
        if let (Some(manifest), true) = (&committed, committed_changes.is_empty()) {
            return self.copy_committed(manifest, &stamps);
        }
        let lowering = local.and_then(|local| local.lowered);
        let (lowered, lowered_changes) = self.look(self.out, &mut stamps, |this, found, stamps| {
            match &lowering {
                Some(lowering) => freshness::lowered_changes(
                    found,
                    lowering,
                    &this.asked,
                    &this.tools,
                    this.variables,
                    stamps,
                ),
                // A copy of a committed artifact that does not hold any more.
                None => vec![Change::Absent],
            }
        });
        let is_committed = committed_changes != [Change::Absent];
        let mut done = match (lowered, lowering) {
            (Some(manifest), Some(lowering)) if lowered_changes.is_empty() => {
                self.keep(manifest, lowering, &stamps)?
            }
            _ if docs || offline => match committed {
                Some(manifest) if docs => return self.copy_committed(&manifest, &stamps),
                _ => {
                    let reasons = [
                        reasons("OUT_DIR", &lowered_changes),
                        reasons(COMMITTED, &committed_changes),
                    ]
                    .concat();
                    return Err(if docs {
                        StoreError::Docs { reasons }
                    } else {
                        StoreError::Offline { reasons }
                    }
                    .into());
                }
            },
            _ => self.lower(lower, &mut stamps)?,
        };
        if is_committed {
            let why: Vec<String> = committed_changes.iter().map(ToString::to_string).collect();
            done.warnings.push(format!(
                "the committed programs in {COMMITTED} are stale: {}; CYXLA_UPDATE=1 refreshes them",
                why.join("; ")
            ));
        }
        Ok(done)
    }

    fn committed(&self) -> PathBuf {
        self.asked.package.root.join(COMMITTED)
    }

    /// The artifact in a folder, if it can be used, and what speaks against it.
    fn look(
        &self,
        folder: &Path,
        stamps: &mut Stamps,
        changes: impl FnOnce(&Self, &Manifest, &mut Stamps) -> Vec<Change>,
    ) -> (Option<Manifest>, Vec<Change>) {
        match store::open(folder, stamps) {
            Ok(manifest) => {
                let changes = changes(self, &manifest, stamps);
                (Some(manifest), changes)
            }
            Err(change) => (None, vec![change]),
        }
    }

    fn empty(&self) -> Result<Done, Error> {
        let manifest = self.manifest(Vec::new(), Vec::new(), Provenance::default());
        store::write(&manifest, self.out, self.out)?;
        Ok(Done {
            outcome: Outcome::Empty,
            manifest,
            local_files: Vec::new(),
            warnings: Vec::new(),
        })
    }

    fn copy_committed(&self, manifest: &Manifest, stamps: &Stamps) -> Result<Done, Error> {
        let manifest = self.with_places(manifest.clone());
        store::write(&manifest, &self.committed(), self.out)?;
        store::write_local(&Local::new(None, stamps.to_keep()), self.out)?;
        Ok(Done {
            outcome: Outcome::Committed,
            manifest,
            local_files: Vec::new(),
            warnings: Vec::new(),
        })
    }

    fn keep(&self, manifest: Manifest, lowering: Lowering, stamps: &Stamps) -> Result<Done, Error> {
        let manifest = self.with_places(manifest);
        let local_files = lowering.files.keys().cloned().collect();
        store::write(&manifest, self.out, self.out)?;
        store::write_local(&Local::new(Some(lowering), stamps.to_keep()), self.out)?;
        Ok(Done {
            outcome: Outcome::Fresh,
            manifest,
            local_files,
            warnings: Vec::new(),
        })
    }

    /// The manifest with the places where the programs are declared now: lines move without any other change.
    fn with_places(&self, mut manifest: Manifest) -> Manifest {
        for record in &mut manifest.programs {
            let program = self
                .asked
                .programs
                .iter()
                .map(|(program, _)| program)
                .find(|program| program.is(record));
            if let Some(program) = program {
                record.declared.places.clone_from(&program.declared.places);
            }
        }
        manifest
    }

    fn lower(&self, lower: Lower<'_>, stamps: &mut Stamps) -> Result<Done, Error> {
        // Said before Python runs for what it can't be enough for.
        self.sources(self.asked.dependencies, stamps)?;
        let mut before: Option<Vec<Source>> = None;
        let mut tries = 0;
        loop {
            let start = SystemTime::now();
            let staging = store::staging(self.out)?;
            let made = lower(staging.path())?;
            let mut files = made.lowered.reads.files.clone();
            files.extend_from_slice(self.asked.dependencies);
            let sources = self.sources(&files, stamps)?;
            tries += 1;
            // A file was saved while Python was reading: was it the old content or the new? Python code that itself writes
            // what it reads makes the same content each time.
            let is_torn =
                files.iter().any(|file| is_newer(file, start)) && before.as_ref() != Some(&sources);
            if !is_torn || tries == MOST_TRIES {
                return self.store(made, sources, staging.path(), stamps);
            }
            before = Some(sources);
        }
    }

    fn sources(&self, files: &[PathBuf], stamps: &mut Stamps) -> Result<Vec<Source>, StoreError> {
        freshness::sources(files, self.asked.package, stamps)
            .map_err(|(path, source)| StoreError::Dependency { path, source })
    }

    fn store(
        &self,
        made: Made,
        sources: Vec<Source>,
        staging: &Path,
        stamps: &mut Stamps,
    ) -> Result<Done, Error> {
        let LoweredAll {
            provenance,
            programs,
            reads,
        } = made.lowered;
        let mut environment: Vec<_> = reads
            .environment
            .iter()
            .map(|read| freshness::variable(&read.name, self.variables))
            .collect();
        environment.sort();
        environment.dedup();
        let records =
            self.asked
                .programs
                .iter()
                .zip(programs)
                .map(|((program, request), lowered)| {
                    lowered.record(program.name.clone(), request, program.declared.clone())
                });
        let mut manifest = self.manifest(sources, records.collect(), provenance);
        manifest.environment = environment;
        store::write(&manifest, staging, self.out)?;
        let local_files: Vec<PathBuf> = made
            .watched
            .into_iter()
            .chain(reads.distributions)
            .filter(|path| path.is_file())
            .collect();
        let digests: BTreeMap<PathBuf, Digest> = local_files
            .iter()
            .filter_map(|path| Some((path.clone(), stamps.digest(path).ok()?)))
            .collect();
        let lowering = Lowering {
            tools: self.tools.clone(),
            interpreter: made.interpreter,
            files: digests,
        };
        store::write_local(&Local::new(Some(lowering), stamps.to_keep()), self.out)?;
        Ok(Done {
            outcome: Outcome::Lowered,
            manifest,
            local_files,
            warnings: Vec::new(),
        })
    }

    fn manifest(
        &self,
        sources: Vec<Source>,
        programs: Vec<cyxla_artifact::ProgramRecord>,
        provenance: Provenance,
    ) -> Manifest {
        Manifest {
            schema: SCHEMA,
            package: self.asked.package.name.clone(),
            request: self.asked.digest(),
            sources,
            environment: Vec::new(),
            provenance,
            programs,
        }
    }
}

fn is_newer(file: &Path, time: SystemTime) -> bool {
    let modified = fs::metadata(file).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified > time)
}

fn reasons(of: &str, changes: &[Change]) -> String {
    let lines: Vec<String> = changes
        .iter()
        .map(|change| format!("  {of}: {change}\n"))
        .collect();
    lines.concat()
}
