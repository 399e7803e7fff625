//! One page that shows what a bundle holds.
