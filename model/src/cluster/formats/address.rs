//! Addresses and networks that cluster.yaml writes as one text.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One address, or one of each family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses(Vec<IpAddr>);

/// One network, or one of each family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

/// An address that moves between hosts, and the prefix length of its network where it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vip {
    /// The address.
    pub address: IpAddr,
    /// The prefix length, if it was written.
    pub prefix: Option<u8>,
}

/// The text is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an address or network of the expected form")]
pub struct NotAnAddress;

impl Addresses {
    /// The addresses, first the one of the primary family.
    pub fn as_slice(&self) -> &[IpAddr] {
        &self.0
    }
}

impl From<IpAddr> for Addresses {
    fn from(address: IpAddr) -> Self {
        Self(vec![address])
    }
}

impl Networks {
    /// The networks, first the one of the primary family.
    pub fn as_slice(&self) -> &[IpNet] {
        &self.0
    }
}

impl Vip {
    /// The network it must be in; /24 or /64 unless the prefix length was given.
    pub fn network(&self) -> IpNet {
        let usual = if self.address.is_ipv4() { 24 } else { 64 };
        // `from_str` has checked the length, so the fallback is never taken.
        IpNet::new(self.address, self.prefix.unwrap_or(usual)).unwrap_or_else(|_| self.address.into()).trunc()
    }
}

/// One thing, or two of different families, comma separated.
fn one_or_two<T: FromStr>(text: &str, is_ipv4: impl Fn(&T) -> bool) -> Result<Vec<T>, NotAnAddress> {
    let parts: Vec<T> =
        text.split(',').map(|part| part.trim().parse().map_err(|_| NotAnAddress)).collect::<Result<_, _>>()?;
    match parts.as_slice() {
        [_] => Ok(parts),
        [a, b] if is_ipv4(a) != is_ipv4(b) => Ok(parts),
        _ => Err(NotAnAddress),
    }
}

impl FromStr for Addresses {
    type Err = NotAnAddress;
    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        one_or_two(text, IpAddr::is_ipv4).map(Self)
    }
}
impl FromStr for Networks {
    type Err = NotAnAddress;
    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        one_or_two(text, |net: &IpNet| net.addr().is_ipv4()).map(Self)
    }
}
impl FromStr for Vip {
    type Err = NotAnAddress;
    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().map_err(|_| NotAnAddress)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotAnAddress)?;
        IpNet::new(address, prefix.unwrap_or(0)).map_err(|_| NotAnAddress)?;
        Ok(Self { address, prefix })
    }
}

fn joined<T: fmt::Display>(parts: &[T], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&parts.iter().map(T::to_string).collect::<Vec<_>>().join(","))
}
impl fmt::Display for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(&self.0, f)
    }
}
impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(&self.0, f)
    }
}
impl fmt::Display for Vip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix {
            Some(prefix) => write!(f, "{}/{prefix}", self.address),
            None => self.address.fmt(f),
        }
    }
}

macro_rules! written_as_text {
    ($name:ident, $format:literal, $pattern:expr) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "format": $format, "pattern": $pattern})
            }
        }
    };
}
written_as_text!(Addresses, "addresses", super::ADDRESSES);
written_as_text!(Networks, "networks", super::NETWORKS);
written_as_text!(Vip, "vip", super::VIP);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_networks_are_of_two_families() {
        let both: Networks = "10.244.0.0/16, fd00:10:244::/56".parse().unwrap();
        assert_eq!(both.to_string(), "10.244.0.0/16,fd00:10:244::/56");
        assert!("10.0.0.0/8,10.1.0.0/16".parse::<Networks>().is_err());
        assert!("10.0.0.0/33".parse::<Networks>().is_err());
    }

    #[test]
    fn a_virtual_address_knows_its_network() {
        let network = |text: &str| text.parse::<Vip>().unwrap().network().to_string();
        assert_eq!(network("10.0.3.100"), "10.0.3.0/24");
        assert_eq!(network("10.0.3.100/22"), "10.0.0.0/22");
        assert_eq!(network("fd00::5"), "fd00::/64");
        assert!("10.0.3.100/33".parse::<Vip>().is_err());
    }
}
