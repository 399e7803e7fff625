//! Debian packages: versions, archives and closures, with dpkg and apt of this machine as the judges.

/// Numbers that are the same in every run.
mod chance;
/// Versions against dpkg.
mod versions;
