//! One folder of a search with the files to be read in it.

use std::path::PathBuf;

use crate::host_file::HostFile;
use crate::kind::{FileKind, Role};

/// One folder, on disk or in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// Path from the root of the search; an archive counts as a folder.
    pub(crate) location: Vec<String>,
    /// Absolute path used for naming: an archive without its suffixes.
    pub(crate) naming: Vec<String>,
    /// Path for notes.
    pub(crate) path: PathBuf,
    pub(crate) hosts: Vec<HostFile>,
    /// Memory profiles.
    pub(crate) memory: Vec<HostFile>,
    /// Serialized programs.
    pub(crate) programs: Vec<HostFile>,
    /// Manifests, by their hosts.
    pub(crate) manifests: Vec<HostFile>,
    /// Traces for viewers, which are read if there is no profile.
    pub(crate) traces: Vec<HostFile>,
    pub(crate) others: Vec<(FileKind, String)>,
    pub(crate) joined_from: Vec<String>,
}

impl Folder {
    pub(crate) fn new(location: Vec<String>, naming: Vec<String>, path: PathBuf) -> Self {
        let (hosts, memory) = (Vec::new(), Vec::new());
        let (programs, manifests, traces) = (Vec::new(), Vec::new(), Vec::new());
        let (others, joined_from) = (Vec::new(), Vec::new());
        Self {
            location,
            naming,
            path,
            hosts,
            memory,
            programs,
            manifests,
            traces,
            others,
            joined_from,
        }
    }

    /// The subfolder with this name.
    pub(crate) fn child(&self, name: &str) -> Self {
        let location = with_last(&self.location, name);
        Self::new(
            location,
            with_last(&self.naming, name),
            self.path.join(name),
        )
    }

    /// The archive with this name, as a folder.
    pub(crate) fn archive(&self, name: &str) -> Self {
        let naming = with_last(&self.naming, &Role::Archive.title(name));
        Self::new(
            with_last(&self.location, name),
            naming,
            self.path.join(name),
        )
    }

    /// The run's name: what follows `plugins/profile/`, where nested runs have their parts joined
    /// by a slash; elsewhere the folder's own name.
    pub(crate) fn run_name(&self) -> String {
        let is_profile_folder = |pair: &[String]| pair == ["plugins", "profile"];
        let profile_folder = self.naming.windows(2).rposition(is_profile_folder);
        match profile_folder.map(|position| &self.naming[position + 2..]) {
            Some(run) if !run.is_empty() => run.join("/"),
            _ => self
                .naming
                .last()
                .map_or_else(|| "session".to_owned(), Clone::clone),
        }
    }
}

fn with_last(parts: &[String], last: &str) -> Vec<String> {
    parts.iter().cloned().chain([last.to_owned()]).collect()
}
