//! OS packages: from package names to the complete closure a node needs, for any target from any host.
//!
//! The two families read their own repositories and speak their own dependency language; both end in a
//! [`solve::Universe`] of packages and rules, and one solver answers for both.

/// Keys and lists that the program carries.
pub mod data;
/// Debian, Ubuntu and their kin.
pub mod deb;
/// Enterprise Linux, openEuler and their kin.
pub mod rpm;
/// Who signed a repository.
pub mod signature;
/// The solver and what it sees.
pub mod solve;
