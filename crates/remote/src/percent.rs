//! Percent-encoded parts of URLs.

use std::borrow::Cow;

/// `%20` as a space. Text that is not UTF-8 when decoded stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
}
