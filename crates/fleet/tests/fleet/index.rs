//! Roll-ups that executors make are those that one process makes.

use std::fs;
use std::path::Path;

use crate::processes::{executor, index, scheduler};
use crate::support::fixtures;

/// Names and contents of the files of a catalog.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in [folder.to_path_buf(), folder.join("roll-ups")] {
        for file in fs::read_dir(folder).expect("a folder").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if file.path().is_file() && name != "lock" {
                files.push((name, fs::read(file.path()).expect("a file")));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn executors_make_the_roll_ups_of_a_shared_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    let logs = fixtures().join("planted-cpu");
    let (_scheduler, address) = scheduler(home);
    // Executors of these tests keep roll-ups in `catalog`.
    let _executors = [0, 1].map(|_| executor(&address, 1, &logs, home));
    let (shared, own) = (home.join("catalog"), home.join("own"));
    let told = index(&logs, &shared, Some(&address), home);
    assert!(
        told.contains(r#""unchanged_count":0,"failed":[]"#),
        "{told}"
    );
    index(&logs, &own, None, home);
    assert_eq!(files(&shared), files(&own));
    let told = index(&logs, &shared, Some(&address), home);
    assert!(told.contains(r#""unchanged_count":5"#), "{told}");
    let elsewhere = home.join("elsewhere");
    let told = index(&logs, &elsewhere, Some(&address), home);
    assert!(told.contains("executors keep theirs elsewhere"), "{told}");
}
