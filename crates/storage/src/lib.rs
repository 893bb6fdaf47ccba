//! Where sessions are: folders, files, archives. All file I/O of profiles.
