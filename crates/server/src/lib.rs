//! The HTTP server: reports as JSON, timeline tiles as binary columns, the embedded UI.
