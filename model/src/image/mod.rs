//! Names of container images.
