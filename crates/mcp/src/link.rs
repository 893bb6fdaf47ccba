//! Where a person sees the evidence: the address of the page, or the command that serves it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use stepscope_analysis::telling::shell;
use stepscope_analysis::views::timeline::SliceRefReport;
use stepscope_storage::shown;

use crate::roots::Chosen;

/// As in `ui/src/shell/hash.ts`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b',')
    .remove(b':')
    .remove(b'/')
    .remove(b'@')
    .remove(b'$')
    .remove(b';')
    .remove(b'[')
    .remove(b']');

/// Options of analyses that the page has as parameters of the same name, and those of its timeline, as
/// in `ui/src/timeline/address.ts`.
const SELECTION: [&str; 12] = [
    "steps", "series", "time", "device", "host", "program", "match", "slice", "window", "area",
    "at", "cause",
];

/// A view of a session with the selection among these options. `page` is the address of the server
/// of the pages.
pub(crate) fn open(
    page: Option<&str>,
    chosen: &Chosen<'_>,
    view: &str,
    options: &[(String, String)],
) -> String {
    let hash = place(chosen, view, options);
    match page {
        Some(page) => format!("{}/{hash}", page.trim_end_matches('/')),
        None => format!(
            "`stepscope view {}` prints an address; add {hash}",
            shell::word(&shown(&chosen.root.path))
        ),
    }
}

/// A view of a session within the pages: what follows their address.
pub(crate) fn place(chosen: &Chosen<'_>, view: &str, options: &[(String, String)]) -> String {
    let mut given: Vec<&(String, String)> = options
        .iter()
        .filter(|(name, value)| SELECTION.contains(&name.as_str()) && !value.is_empty())
        .collect();
    given.sort();
    let given: Vec<String> = given
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ESCAPED)))
        .collect();
    let question = if given.is_empty() { "" } else { "?" };
    format!(
        "#/s/{}/{view}{question}{}",
        chosen.summary.key,
        given.join("&")
    )
}

/// A range on the timeline, and what caused it.
#[derive(Debug, Default)]
pub(crate) struct Range<'a> {
    pub(crate) start_ps: i64,
    pub(crate) end_ps: i64,
    /// The host or device at whose tracks it leads.
    pub(crate) place: &'a str,
    /// The op to select at the place; without one, what the device there waited for.
    pub(crate) op: &'a str,
    /// The slice to select instead.
    pub(crate) slice: Option<SliceRefReport>,
}

impl Range<'_> {
    /// The parameters of the timeline that open it there, as in `ui/src/timeline/link.ts`.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let margin = (self.end_ps.saturating_sub(self.start_ps) / 2).max(1000);
        let from = self.start_ps.saturating_sub(margin).max(0);
        let to = self.end_ps.saturating_add(margin);
        let (name, caused_by) = match (self.slice, self.op) {
            (Some(slice), _) => ("slice", on_page(slice)),
            (None, "") => ("cause", "idle".to_owned()),
            (None, op) => ("cause", format!("op:{op}")),
        };
        vec![
            ("window".to_owned(), format!("{from}..{to}")),
            (
                "area".to_owned(),
                format!("{}..{}", self.start_ps, self.end_ps),
            ),
            ("at".to_owned(), self.place.to_owned()),
            (name.to_owned(), caused_by),
        ]
    }
}

/// The address of a slice in the page's links; answers write it with slashes.
pub(crate) fn on_page(slice: SliceRefReport) -> String {
    format!("{}:{}:{}", slice.track, slice.lane, slice.index)
}

/// The address of the server of the pages, without what follows its path: a token has no place in
/// answers.
pub(crate) fn base(page: &str) -> String {
    let end = page.find(['?', '#']).unwrap_or(page.len());
    page[..end].trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_left_out() {
        assert_eq!(
            base("http://127.0.0.1:6006/?token=x#/s"),
            "http://127.0.0.1:6006"
        );
        assert_eq!(base("http://lab/stepscope/"), "http://lab/stepscope");
    }

    #[test]
    fn a_range_opens_with_time_around_it_and_its_cause() {
        let range = Range {
            start_ps: 10_000,
            end_ps: 30_000,
            place: "host-1/TPU:0",
            ..Range::default()
        };
        let told = |range: &Range<'_>| {
            let pairs = range.parameters().into_iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            pairs.join("&")
        };
        let place = "window=0..40000&area=10000..30000&at=host-1/TPU:0";
        assert_eq!(told(&range), format!("{place}&cause=idle"));
        let op = Range {
            op: "dot.1",
            ..range
        };
        assert_eq!(told(&op), format!("{place}&cause=op:dot.1"));
        let slice = SliceRefReport {
            track: 7,
            lane: 0,
            index: 12,
        };
        let caused = Range {
            slice: Some(slice),
            ..op
        };
        assert_eq!(told(&caused), format!("{place}&slice=7:0:12"));
    }

    #[test]
    fn paths_are_words_of_a_shell() {
        assert_eq!(shell::word("/logs/a-b"), "/logs/a-b");
        assert_eq!(shell::word("/my logs/$(x)'"), r"'/my logs/$(x)'\'''");
    }
}
