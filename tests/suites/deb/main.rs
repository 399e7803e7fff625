//! Debian packages: versions, archives and closures, with dpkg and apt of this machine as the judges.

/// apt as a judge.
mod apt;
/// The program, from repositories to a bundle.
mod bundle;
/// Numbers that are the same in every run.
mod chance;
/// Closures in made-up archives.
mod generated;
/// Our verdicts.
mod ours;
/// Closures in Debian's archive.
mod real;
/// Repositories that must not be trusted.
mod tampered;
/// Versions against dpkg.
mod versions;
