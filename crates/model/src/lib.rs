//! The session model: hosts, devices, tracks, slices, ops, programs, steps, and its ingest from XPlane.
