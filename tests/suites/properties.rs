//! Laws of the arithmetic that lint stands on: versions and networks.

use ipnet::{IpNet, Ipv4Net};
use kubexm_model::cluster::formats::{Networks, Vip};
use kubexm_model::cluster::networks::{blocks, overlap};
use kubexm_model::version::Version;
use proptest::prelude::*;

fn network() -> impl Strategy<Value = Ipv4Net> {
    (any::<u32>(), 0_u8..=32).prop_map(|(address, length)| Ipv4Net::new(address.into(), length).unwrap().trunc())
}

fn version() -> impl Strategy<Value = String> {
    let number = 0_u64..200;
    let tail =
        prop_oneof![Just(String::new()), "-(alpha|beta|rc)\\.[0-9]{1,2}".prop_map(|tail| tail.replace(".0", ".1"))];
    (number.clone(), number.clone(), number, tail).prop_map(|(a, b, c, tail)| format!("{a}.{b}.{c}{tail}"))
}

proptest! {
    #[test]
    fn networks_overlap_if_and_only_if_they_share_an_address(a in network(), b in network()) {
        let first = |net: &Ipv4Net| u64::from(u32::from(net.network()));
        let last = |net: &Ipv4Net| u64::from(u32::from(net.broadcast()));
        let share = first(&a) <= last(&b) && first(&b) <= last(&a);
        prop_assert_eq!(overlap(&IpNet::V4(a), &IpNet::V4(b)), share);
        prop_assert_eq!(overlap(&IpNet::V4(b), &IpNet::V4(a)), share);
    }

    #[test]
    fn as_many_blocks_fit_as_can_be_counted(length in 8_u8..=24, more in 0_u8..=8) {
        let net = Ipv4Net::new(0.into(), length).unwrap();
        let counted = net.subnets(length + more).unwrap().count() as u128;
        prop_assert_eq!(blocks(length, length + more), counted);
    }

    #[test]
    fn networks_are_written_as_they_are_read(a in network()) {
        let text = a.to_string();
        prop_assert_eq!(text.parse::<Networks>().unwrap().to_string(), text);
    }

    #[test]
    fn a_virtual_address_lies_in_its_network(address in any::<u32>(), length in proptest::option::of(0_u8..=32)) {
        let address = std::net::Ipv4Addr::from(address);
        let text = length.map_or(address.to_string(), |length| format!("{address}/{length}"));
        let vip: Vip = text.parse().unwrap();
        prop_assert!(vip.network().contains(&vip.address));
        prop_assert_eq!(vip.to_string(), text);
    }

    #[test]
    fn versions_order_as_semantic_versions_do(a in version(), b in version()) {
        let ours = a.parse::<Version>().unwrap().cmp(&b.parse().unwrap());
        let theirs = semver::Version::parse(&a).unwrap().cmp(&semver::Version::parse(&b).unwrap());
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn order_is_total(a in version(), b in version(), c in version()) {
        let [a, b, c]: [Version; 3] = [a, b, c].map(|text| text.parse().unwrap());
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        prop_assert_eq!(a == b, a.cmp(&b).is_eq());
    }

    #[test]
    fn a_leading_v_and_a_missing_patch_change_nothing(major in 0_u64..99, minor in 0_u64..99) {
        let short: Version = format!("v{major}.{minor}").parse().unwrap();
        let long: Version = format!("{major}.{minor}.0").parse().unwrap();
        prop_assert_eq!(short, long);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let catalogue = &*CATALOGUE;
        let _ = kubexm_model::cluster::read(vec![("t".to_owned(), text)], &[], catalogue);
    }

    #[test]
    fn no_mangled_cluster_makes_the_reader_panic(cut in any::<prop::sample::Index>(), insert in "[\\[\\]{}:,&*!|>'\"%@` \n\t-]{0,4}") {
        let sample = kubexm_tests::text(&kubexm_tests::root().join("tests/fixtures/clusters/broken/twelve.yaml"));
        let at = (0..=sample.len()).filter(|at| sample.is_char_boundary(*at)).nth(cut.index(sample.chars().count())).unwrap();
        let text = format!("{}{insert}{}", &sample[..at], &sample[at..]);
        let reading = kubexm_model::cluster::read(vec![("t".to_owned(), text)], &[], &CATALOGUE);
        let _ = kubexm_model::console::report::text(&reading);
    }
}

static CATALOGUE: std::sync::LazyLock<kubexm_model::catalogue::Catalogue> =
    std::sync::LazyLock::new(kubexm_tests::catalogue);
