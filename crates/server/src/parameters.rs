//! Parameters of a request: `?name=value`, parsed with errors that name the wrong one.

use std::collections::HashSet;

use axum::extract::FromRequestParts;
use axum::extract::Query;
use axum::http::request::Parts;
use stepscope_model::{Picos, Session, Span, TrackId};

use crate::error::ApiError;

/// All parameters, in order.
pub(crate) struct Parameters(pub(crate) Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let Query(pairs) = query.map_err(|_| {
            ApiError::bad_request("Parameters must have the form name=value&name=value.")
        })?;
        Ok(Self(pairs))
    }
}

impl Parameters {
    /// The value of a parameter that may be given once; an empty one is treated as absent.
    fn once(&self, name: &str) -> Result<Option<&str>, ApiError> {
        if self.0.iter().filter(|(key, _)| key == name).count() > 1 {
            let error = format!("The parameter {name} is given several times.");
            return Err(ApiError::bad_request(error).with_hint("Give it once."));
        }
        Ok(self.get(name))
    }

    /// The first value of a parameter; an empty one is treated as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, ApiError> {
        let missing = || ApiError::bad_request(format!("The parameter {name} is missing."));
        self.once(name)?.ok_or_else(missing)
    }

    /// A time; scripts may send fractions, which are rounded.
    pub(crate) fn picos(&self, name: &str) -> Result<Picos, ApiError> {
        picos(name, self.text(name)?)
    }

    pub(crate) fn picos_or(&self, name: &str, default: Picos) -> Result<Picos, ApiError> {
        self.once(name)?
            .map_or(Ok(default), |value| picos(name, value))
    }

    /// From `start_ps` to `end_ps`.
    pub(crate) fn window(&self) -> Result<Span, ApiError> {
        let (start, end) = (self.picos("start_ps")?, self.picos("end_ps")?);
        if end < start {
            return Err(ApiError::bad_request("end_ps is before start_ps."));
        }
        Ok(Span::new(start, end))
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, ApiError> {
        let text = self.text(name)?;
        text.parse()
            .map_err(|_| wrong(name, text, "a whole number"))
    }

    pub(crate) fn number_or<T: std::str::FromStr>(
        &self,
        name: &str,
        default: T,
    ) -> Result<T, ApiError> {
        match self.once(name)? {
            Some(_) => self.number(name),
            None => Ok(default),
        }
    }

    /// Comma-separated numbers, each at most once: every repetition would be answered again.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Vec<u32>>, ApiError> {
        let Some(text) = self.once(name)? else {
            return Ok(None);
        };
        let number = |part: &str| part.trim().parse().ok();
        let numbers: Option<Vec<u32>> = text.split(',').map(number).collect();
        let numbers = numbers.ok_or_else(|| wrong(name, text, "comma-separated numbers"))?;
        let mut named = HashSet::new();
        if let Some(twice) = numbers.iter().find(|number| !named.insert(**number)) {
            let error = format!("The parameter {name} names {twice} several times.");
            return Err(ApiError::bad_request(error).with_hint("Name each number once."));
        }
        Ok(Some(numbers))
    }

    /// The requested tracks, or all; an unknown one is an error.
    pub(crate) fn tracks(&self, session: &Session) -> Result<Vec<TrackId>, ApiError> {
        let Some(numbers) = self.list("tracks")? else {
            return Ok(session.track_ids().collect());
        };
        let count = session.tracks.len();
        if let Some(unknown) = numbers.iter().find(|&&number| number as usize >= count) {
            let error = format!("Unknown track {unknown}; the session has {count} tracks.");
            return Err(ApiError::not_found(error));
        }
        Ok(numbers.into_iter().map(TrackId).collect())
    }
}

fn picos(name: &str, text: &str) -> Result<Picos, ApiError> {
    if let Ok(whole) = text.parse() {
        return Ok(Picos(whole));
    }
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| wrong(name, text, "a time in picoseconds"))?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, like times"
    )]
    Ok(Picos(number.round() as i64))
}

fn wrong(name: &str, text: &str, wanted: &str) -> ApiError {
    let text: String = text.chars().take(60).collect();
    ApiError::bad_request(format!(
        "The parameter {name} is {text:?}; it must be {wanted}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(pairs: &[(&str, &str)]) -> Parameters {
        let pairs = pairs.iter();
        Parameters(
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn times_may_have_fractions_and_must_be_numbers() {
        let given = parameters(&[("a", "12"), ("b", "1.5e3"), ("c", "NaN"), ("d", "1e99")]);
        assert_eq!(given.picos("a"), Ok(Picos(12)));
        assert_eq!(given.picos("b"), Ok(Picos(1500)));
        assert!(given.picos("c").is_err());
        assert_eq!(given.picos("d"), Ok(Picos::MAX));
        assert!(given.picos("e").is_err());
    }

    #[test]
    fn windows_do_not_run_backwards() {
        assert!(
            parameters(&[("start_ps", "5"), ("end_ps", "4")])
                .window()
                .is_err()
        );
        assert!(
            parameters(&[("start_ps", "5"), ("end_ps", "5")])
                .window()
                .is_ok()
        );
    }

    #[test]
    fn lists_have_numbers_only() {
        assert_eq!(
            parameters(&[("ids", "1, 2,3")]).list("ids"),
            Ok(Some(vec![1, 2, 3]))
        );
        assert_eq!(parameters(&[("ids", "")]).list("ids"), Ok(None));
        assert!(parameters(&[("ids", "1,-2")]).list("ids").is_err());
    }

    #[test]
    fn nothing_is_asked_for_twice() {
        let error = parameters(&[("ids", "1,2,1")]).list("ids");
        let error = error.expect_err("1 is named twice").report;
        assert!(
            error.error.contains("ids names 1 several times"),
            "{error:?}"
        );
        assert_eq!(error.hint, "Name each number once.");
        let twice = parameters(&[("ids", "1"), ("ids", "2")]);
        assert!(twice.list("ids").is_err());
        assert!(twice.number::<u32>("ids").is_err());
    }
}
