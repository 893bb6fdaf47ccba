//! Test support: fixtures, a builder that draws profiles from text, an independent oracle.
