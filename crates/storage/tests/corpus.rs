//! Real captures, if available.

use std::fs;
use std::path::PathBuf;

use crate::common::{Tree, bytes_of, found, gzip, hosts, names, notes_of, tar};
use stepscope_storage::NoteKind;
use stepscope_testing::corpus::say_skipped;

fn corpus() -> Option<PathBuf> {
    let folder = stepscope_testing::corpus::corpus_folder();
    if !folder.is_dir() {
        say_skipped(&format!("no corpus at {}", folder.display()));
        return None;
    }
    Some(folder)
}

#[test]
fn the_whole_corpus_is_one_folder_of_sessions() {
    let Some(corpus) = corpus() else { return };
    let found = found(&corpus);
    let mut expected = Vec::new();
    let mut runs: Vec<PathBuf> = fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("plugins/profile"))
        .filter(|path| path.is_dir())
        .collect();
    runs.sort();
    for run in runs {
        expected.extend(
            fs::read_dir(run)
                .unwrap()
                .map(|entry| entry.unwrap().path()),
        );
    }
    assert!(!expected.is_empty());
    let captures = found
        .sessions
        .iter()
        .filter(|files| !files.hosts.is_empty());
    assert_eq!(captures.count(), expected.len());
    // Programs without a capture are separate sessions.
    let programs = found.sessions.len() - expected.len();
    assert_eq!(programs, 2);
    for path in expected {
        let location = path.strip_prefix(&corpus).unwrap().to_str().unwrap();
        let session = found.session(location).unwrap();
        assert!(
            session
                .name
                .ends_with(path.file_name().unwrap().to_str().unwrap())
        );
        assert!(session.hosts.iter().all(|host| host.size_bytes > 0));
    }
    let unique: std::collections::BTreeSet<&str> = names(&found).into_iter().collect();
    assert_eq!(unique.len(), found.sessions.len());
    assert_eq!(notes_of(&found, NoteKind::Unreadable).len(), 0);
}

#[test]
fn four_hosts_read_the_same_from_an_archive() {
    let Some(corpus) = corpus() else { return };
    let direct = found(corpus.join("cpu-jax-4hosts"));
    let session = &direct.sessions[0];
    assert_eq!(session.name, "mlp_dp");
    assert_eq!(hosts(session), ["host-0", "host-1", "host-2", "host-3"]);
    let contents: Vec<Vec<u8>> = session.hosts.iter().map(bytes_of).collect();
    let entries: Vec<(String, &[u8])> = session
        .hosts
        .iter()
        .zip(&contents)
        .map(|(host, content)| {
            (
                format!("mlp_dp/{}.xplane.pb", host.host),
                content.as_slice(),
            )
        })
        .collect();
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(name, content)| (name.as_str(), *content))
        .collect();
    let tree = Tree::new();
    let archived = found(tree.file("run.tar.gz", &gzip(&tar(&entries))));
    assert_eq!(names(&archived), ["mlp_dp"]);
    for (host, content) in archived.sessions[0].hosts.iter().zip(&contents) {
        assert_eq!(&bytes_of(host), content);
    }
}
