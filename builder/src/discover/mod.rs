//! Images named in Kubernetes manifests.
