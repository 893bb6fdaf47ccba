//! Pieces of a file, told by their beginnings and ends, are those of the whole.

use proptest::prelude::*;
use stepscope_testing::corpus;
use stepscope_xplane::{Piece, Space, stat_names_at_end};

/// The pieces of a file, of each no more than the first bytes looked at.
fn pieces(file: &[u8], head_bytes: usize) -> Option<Vec<(Piece, &[u8])>> {
    let mut pieces = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let piece = Piece::at(&rest[..rest.len().min(head_bytes)])?;
        let (bytes, others) = rest.split_at_checked(usize::try_from(piece.length).ok()?)?;
        pieces.push((piece, bytes));
        rest = others;
    }
    Some(pieces)
}

#[test]
fn heads_and_tails_of_captures_tell_what_whole_files_do() {
    for capture in corpus::captures().into_iter().chain(corpus::fixtures()) {
        for path in &capture.hosts {
            let file = corpus::read_bytes(path).expect("a capture can be read");
            let space = Space::scan(&file);
            let pieces = pieces(&file, 100).expect("captures are pieces");
            let planes = pieces.iter().filter(|(piece, _)| piece.plane.is_some());
            assert_eq!(planes.clone().count(), space.planes.len());
            for ((piece, bytes), plane) in planes.zip(&space.planes) {
                assert_eq!(piece.plane.as_deref(), Some(&*plane.name));
                let names: Vec<&[u8]> = plane.stat_metadata.iter().map(|stat| stat.name).collect();
                let told = count_of_tails(bytes, &names);
                // Threads have many events of few names, so a small part of the end tells.
                assert!(told > 0 || &*plane.name != "/host:CPU", "{}", capture.name);
            }
        }
    }
}

/// Whatever part of the end is at hand, it gives all names of stats or none. How many gave them.
fn count_of_tails(plane: &[u8], expected: &[&[u8]]) -> usize {
    let sorted = |mut names: Vec<&[u8]>| -> Vec<Vec<u8>> {
        names.sort_unstable();
        names.iter().map(|name| name.to_vec()).collect()
    };
    let expected = sorted(expected.to_vec());
    let mut told = 0;
    let lengths = (0..plane.len().min(1500)).chain((1500..plane.len()).step_by(65_521));
    for length in lengths {
        let tail = &plane[plane.len() - length..];
        if let Some(names) = stat_names_at_end(tail) {
            assert_eq!(
                sorted(names),
                expected,
                "the last {length} of {} bytes",
                plane.len()
            );
            told += 1;
        }
    }
    told
}

#[test]
fn what_is_no_beginning_is_refused() {
    assert_eq!(Piece::at(b""), None);
    assert_eq!(Piece::at(b"\x0a"), None, "the length is missing");
    assert_eq!(Piece::at(b"\x00\x01"), None, "no field has the number 0");
    assert_eq!(
        Piece::at(b"\x0a\x20\x1a\x07......."),
        None,
        "the name is not among the first bytes"
    );
    let unnamed = Piece::at(b"\x0a\x02\x08\x01").expect("a plane without a name");
    assert_eq!((unnamed.length, unnamed.plane.as_deref()), (4, Some("")));
    let hostname = Piece::at(b"\x22\x02vm").expect("a text");
    assert_eq!((hostname.length, hostname.plane), (4, None));
}

proptest! {
    #[test]
    fn nothing_breaks_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        if let Some(piece) = Piece::at(&bytes) {
            prop_assert!(piece.length > 0);
        }
        let _ = stat_names_at_end(&bytes);
    }
}
