//! How large a session may be to be replayed.

use stepscope_model::Session;

/// Slices of device work that are replayed at most: the graph takes about 200 bytes for each.
const MOST_SLICES: usize = 25_000_000;

/// Why a session with so many slices of device work is not replayed.
pub(super) fn too_large(slices: usize) -> Option<String> {
    (slices > MOST_SLICES).then(|| {
        format!(
            "The devices recorded {} million slices; more than {} million are not replayed, since that \
             would take many gigabytes of memory. `stepscope export PATH --steps 3..6 --xplane \
             part.xplane.pb` writes some steps, or with `--host` some hosts, to a recording of their \
             own, which can be.",
            slices / 1_000_000,
            MOST_SLICES / 1_000_000
        )
    })
}

/// Slices of device work.
pub(crate) fn slices(session: &Session) -> usize {
    let devices = session.device_ids();
    let tracks = devices.flat_map(|device| session.work_tracks(device));
    tracks.map(|(_, track)| track.slice_count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_slices_than_memory_holds_are_refused() {
        assert_eq!(too_large(MOST_SLICES), None);
        let why = too_large(57_000_000).unwrap_or_default();
        assert!(
            why.contains("57 million slices; more than 25 million"),
            "{why}"
        );
    }
}
