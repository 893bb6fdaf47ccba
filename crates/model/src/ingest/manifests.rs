//! Manifests of a session's hosts: which host each belongs to, and messages about damage.

use crate::manifest::ManifestInput;
use crate::session::Session;
use crate::warning::{Warning, WarningKind};

impl Session {
    /// Assigns manifests to hosts. One that could not be read, or not completely, becomes a warning
    /// that no figure depends on it.
    #[must_use]
    pub fn with_manifests(mut self, manifests: Vec<ManifestInput>) -> Self {
        for ManifestInput { host, manifest } in manifests {
            let problem = match manifest {
                Err(problem) => problem,
                Ok(manifest) => {
                    let problem = manifest.problems.join(", ");
                    if let Some(found) = self.hosts.iter_mut().find(|known| known.name == host) {
                        found.manifest = Some(manifest);
                    }
                    problem
                }
            };
            if !problem.is_empty() {
                self.warnings.push(Warning {
                    kind: WarningKind::Missing,
                    message: format!(
                        "the manifest next to the profile ({host}.stepscope.json) could not be read \
                         wholly: {problem}; figures do not depend on it"
                    ),
                    hint: String::new(),
                    host,
                });
            }
        }
        self
    }
}
