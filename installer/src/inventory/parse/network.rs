//! Interfaces, routes, names, ports, proxies.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use super::{Misunderstood, Said};
use crate::inventory::facts::{Interface, Listener, Network, Protocol, Proxy, Route};

/// A route that is up, and one that refuses.
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;
/// The states of sockets that wait for somebody: TCP that listens, UDP that is bound.
const LISTEN: &str = "0A";
const BOUND: &str = "07";

pub(super) fn network(said: &Said<'_>) -> Result<Network, Misunderstood> {
    let mut interfaces: BTreeMap<String, Interface> = said.each("link", link)?.into_iter().collect();
    for (name, address) in said.each("address", address)? {
        if let (Some(interface), Some(address)) = (interfaces.get_mut(&name), address) {
            interface.addresses.push(address);
        }
    }
    let mut routes: Vec<Route> = said.all("route4").skip(1).filter_map(route4).collect();
    routes.extend(said.all("route6").filter_map(route6));
    let mut proxies = said.each("proxy-environment", |line| proxy(None, line))?;
    proxies.extend(said.each("proxy-file", |line| {
        let (file, setting) = line.split_once(' ')?;
        proxy(Some(file), setting)
    })?);
    Ok(Network {
        interfaces,
        routes,
        nameservers: resolver(said, "nameserver").filter_map(|text| text.split('%').next()?.parse().ok()).collect(),
        search: resolver(said, "search").map(str::to_owned).collect(),
        listening: listening(said)?,
        proxies,
    })
}

/// `2: eth0@if5: <…> mtu 1500 qdisc … state UP …\    link/ether 02:… brd …`
fn link(line: &str) -> Option<(String, Interface)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|each| *each == word).and_then(|place| words.get(place + 1));
    let hardware = words.iter().position(|word| word.trim_start_matches('\\').starts_with("link/"));
    let interface = Interface {
        mtu: after("mtu")?.parse().ok()?,
        state: after("state").map(|state| state.to_lowercase()).unwrap_or_default(),
        mac: hardware.and_then(|place| words.get(place + 1)).map(|&mac| mac.to_owned()).unwrap_or_default(),
        addresses: vec![],
    };
    Some((name_of(words.get(1)?)?, interface))
}

/// `eth0@if5:` is called `eth0`.
fn name_of(word: &str) -> Option<String> {
    word.split('@').next().map(|name| name.trim_end_matches(':').to_owned())
}

/// `2: eth0    inet 10.0.0.5/24 brd …`. busybox also lists links here, which have no address.
fn address(line: &str) -> Option<(String, Option<IpNet>)> {
    let mut words = line.split_whitespace().skip(1);
    let (name, family, address) = (words.next()?, words.next()?, words.next()?);
    let name = name_of(name)?;
    if !family.starts_with("inet") {
        return Some((name, None));
    }
    let with_length = if address.contains('/') { address.to_owned() } else { format!("{address}/32") };
    Some((name, Some(with_length.parse().ok()?)))
}

/// A line of `/proc/net/route`: interface, destination, gateway, flags, three more, mask; numbers in host order.
fn route4(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [interface, to, gateway, flags, _, _, _, mask, ..] = fields[..] else { return None };
    let number = |text| u32::from_str_radix(text, 16).ok();
    let address = |text| number(text).map(|number| Ipv4Addr::from(number.swap_bytes()));
    if number(flags)? & (UP | REJECT) != UP {
        return None;
    }
    let to = IpNet::with_netmask(address(to)?.into(), address(mask)?.into()).ok()?;
    let gateway = address(gateway).filter(|gateway| !gateway.is_unspecified()).map(IpAddr::V4);
    Some(Route { to, gateway, interface: interface.to_owned() })
}

/// A line of `/proc/net/ipv6_route`: destination, its length, source, its length, gateway, three more, flags, interface.
fn route6(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [to, length, _, _, gateway, _, _, _, flags, interface] = fields[..] else { return None };
    let address = |text| u128::from_str_radix(text, 16).ok().map(Ipv6Addr::from);
    let (to, gateway) = (address(to)?, address(gateway)?);
    if u32::from_str_radix(flags, 16).ok()? & (UP | REJECT) != UP || interface == "lo" || to.is_multicast() {
        return None;
    }
    let to = IpNet::new(to.into(), u8::from_str_radix(length, 16).ok()?).ok()?;
    let gateway = Some(gateway).filter(|gateway| !gateway.is_unspecified()).map(IpAddr::V6);
    Some(Route { to, gateway, interface: interface.to_owned() })
}

/// The words after a keyword of resolv.conf.
fn resolver<'a>(said: &Said<'a>, keyword: &'static str) -> impl Iterator<Item = &'a str> {
    said.all("resolver").flat_map(move |line| {
        let mut words = line.split_whitespace();
        let ours = words.next() == Some(keyword);
        words.filter(move |_| ours)
    })
}

fn listening(said: &Said<'_>) -> Result<Vec<Listener>, Misunderstood> {
    let processes: BTreeMap<&str, &str> = said.all("process").filter_map(|line| line.split_once(' ')).collect();
    let mut holders: BTreeMap<&str, &str> = BTreeMap::new();
    let mut process = None;
    for line in said.all("holder") {
        match line.split_once(' ') {
            Some(("process", pid)) => process = processes.get(pid).copied(),
            Some(("socket", inode)) => holders.extend(process.map(|name| (inode, name))),
            _ => return Err(super::bad("holder", line)),
        }
    }
    let tables = [
        ("socket-tcp", Protocol::Tcp, LISTEN),
        ("socket-tcp6", Protocol::Tcp, LISTEN),
        ("socket-udp", Protocol::Udp, BOUND),
        ("socket-udp6", Protocol::Udp, BOUND),
    ];
    let mut found = vec![];
    for (key, protocol, wanted) in tables {
        for line in said.all(key).skip(1) {
            let (address, port, state, inode) = socket(line).ok_or_else(|| super::bad(key, line))?;
            if state == wanted {
                let process = holders.get(inode).map(|&name| name.to_owned());
                found.push(Listener { protocol, address, port, process });
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// A line of `/proc/net/tcp` and its kin: number, local address, remote address, state, …, inode as the tenth field.
fn socket(line: &str) -> Option<(IpAddr, u16, &str, &str)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    let word = |text: &str| u32::from_str_radix(text, 16).ok().map(u32::swap_bytes);
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(address)?)),
        32 => {
            let mut words = (0..4).map(|index| word(address.get(index * 8..index * 8 + 8)?));
            let whole = words.try_fold(0, |whole: u128, word| word.map(|word| whole << 32 | u128::from(word)))?;
            IpAddr::V6(Ipv6Addr::from(whole))
        }
        _ => return None,
    };
    Some((address, u16::from_str_radix(port, 16).ok()?, fields.get(3)?, fields.get(9)?))
}

/// `http_proxy="http://…"`
fn proxy(file: Option<&str>, setting: &str) -> Option<Proxy> {
    let (variable, value) = setting.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']).to_owned();
    Some(Proxy { file: file.map(str::to_owned), variable: variable.trim().to_owned(), value })
}
