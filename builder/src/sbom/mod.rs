//! The bill of materials as SPDX and CycloneDX.
