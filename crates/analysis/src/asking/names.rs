//! Distinct names for several sessions.

/// Distinct names for sessions, given as (name, path). A name that several sessions share is prefixed
/// with a folder of the path that distinguishes it; names that are still equal are numbered.
pub fn distinct_names<'a>(sessions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let sessions: Vec<(&str, &str)> = sessions.into_iter().collect();
    let mut names: Vec<String> = sessions
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let folders: Vec<Vec<&str>> = sessions.iter().map(|(_, place)| parts(place)).collect();
    for (index, name) in names.iter_mut().enumerate() {
        let twins = (0..sessions.len())
            .filter(|&other| other != index && sessions[other].0 == sessions[index].0);
        // The last folder that no session of the same name has at the same distance from its end.
        let own = folders[index].iter().rev();
        let differs = own.enumerate().find(|(distance, part)| {
            let mut twins = twins.clone();
            twins.all(|twin| folders[twin].iter().rev().nth(*distance) != Some(*part))
        });
        if twins.clone().next().is_some()
            && let Some((_, part)) = differs
        {
            *name = format!("{part}/{name}");
        }
    }
    numbered(names)
}

/// The names, with a number appended to repeated ones.
pub(super) fn numbered(mut names: Vec<String>) -> Vec<String> {
    let plain = names.clone();
    for (index, name) in names.iter_mut().enumerate() {
        let earlier = plain[..index]
            .iter()
            .filter(|other| **other == plain[index]);
        let count = earlier.count();
        if count > 0 {
            *name = format!("{name} ({})", count + 1);
        }
    }
    names
}

/// Paths of sessions without the leading folders that all share. The last part is always kept.
pub(super) fn whole_places<'a>(
    sessions: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let places: Vec<Vec<&str>> = sessions
        .into_iter()
        .map(|(name, place)| match parts(place) {
            parts if parts.is_empty() => vec![name],
            parts => parts,
        })
        .collect();
    let mut shared = 0;
    while let Some(part) = places.first().and_then(|first| first.get(shared)) {
        let is_shared = |place: &Vec<&str>| place.len() > shared + 1 && place[shared] == *part;
        if !places.iter().all(is_shared) {
            break;
        }
        shared += 1;
    }
    places
        .iter()
        .map(|place| place[shared..].join("/"))
        .collect()
}

/// The parts of a path, without those that profilers add.
fn parts(place: &str) -> Vec<&str> {
    let parts = place.split(['/', '\\']);
    parts
        .filter(|part| !matches!(*part, "" | "." | "plugins" | "profile"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{distinct_names, whole_places};

    #[test]
    fn whole_places_begin_where_sessions_part() {
        let places = whole_places([
            ("run", "/logs/1gpu/lcam/plugins/profile/run"),
            ("run", "/logs/2gpu/lcam/plugins/profile/run"),
        ]);
        assert_eq!(places, ["1gpu/lcam/run", "2gpu/lcam/run"]);
        assert_eq!(whole_places([("run", "/logs/a/run")]), ["run"]);
        assert_eq!(whole_places([("demo", "")]), ["demo"]);
        assert_eq!(
            whole_places([("a", "/logs/a"), ("b", "/logs/a")]),
            ["a", "a"]
        );
    }

    #[test]
    fn names_say_what_differs() {
        let apart = distinct_names([("adam", "/x/adam"), ("muon", "/x/muon")]);
        assert_eq!(apart, ["adam", "muon"]);
        let same = [
            ("run", "/logs/adam/plugins/profile/run"),
            ("run", "/logs/muon/plugins/profile/run"),
            ("other", "/logs/other"),
        ];
        assert_eq!(distinct_names(same), ["adam/run", "muon/run", "other"]);
        let itself = [("run", "/logs/run"), ("run", "/logs/run")];
        assert_eq!(distinct_names(itself), ["run", "run (2)"]);
        assert_eq!(distinct_names([("a", ""), ("a", "")]), ["a", "a (2)"]);
    }
}
