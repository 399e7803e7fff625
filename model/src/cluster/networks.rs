//! Arithmetic of networks.

use ipnet::IpNet;

/// Whether two networks share addresses.
pub fn overlap(a: &IpNet, b: &IpNet) -> bool {
    a.contains(&b.network()) || b.contains(&a.network())
}

/// How many blocks of a prefix length fit into a network of another, at most 2^64.
pub fn blocks(network: u8, block: u8) -> u128 {
    1_u128 << u32::from(block.saturating_sub(network).min(64))
}

/// The number of addresses of a network, at most 2^64.
pub fn addresses(network: &IpNet) -> u128 {
    blocks(network.prefix_len(), network.max_prefix_len())
}
