//! Analyses: pure functions from a session to a typed report.
