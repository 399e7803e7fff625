//! Laws that hold for every name.

use proptest::prelude::*;

use super::registry::DEFAULT;
use super::{Reference, Registry, Site};

fn registry() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        Just("localhost".to_owned()),
        Just(DEFAULT.to_owned()),
        "[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?){1,3}",
        any::<u128>().prop_map(|bits| format!("[{}]", std::net::Ipv6Addr::from(bits))),
    ];
    let with_port = (host, proptest::option::of(1_u16..)).prop_map(|(host, port)| match port {
        Some(port) => format!("{host}:{port}"),
        None => host,
    });
    // A name without a dot is a registry only with a port.
    prop_oneof![3 => with_port, 1 => "[a-z][a-z0-9]{0,7}:[1-9][0-9]{0,3}"]
}

fn repository() -> impl Strategy<Value = String> {
    "[a-z0-9]{1,5}((\\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}(/[a-z0-9]{1,5}((\\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}){0,5}"
}

/// Names as people and manifests write them: with and without registry, tag and digest.
fn written() -> impl Strategy<Value = String> {
    let tag = proptest::option::of("[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,20}");
    let digest = proptest::option::of("[0-9a-f]{64}");
    (proptest::option::of(registry()), repository(), tag, digest).prop_map(|(registry, repository, tag, digest)| {
        // Without a registry, a first part with a dot would be read as one.
        let registry =
            registry.or_else(|| Registry::is_meant_by(repository.split('/').next()?).then(|| DEFAULT.to_owned()));
        let registry = registry.map_or(String::new(), |registry| format!("{registry}/"));
        let tag = tag.map_or(String::new(), |tag| format!(":{tag}"));
        let digest = digest.map_or(String::new(), |digest| format!("@sha256:{digest}"));
        format!("{registry}{repository}{tag}{digest}")
    })
}

/// Names out of few parts, so that two of them are often nearly the same.
fn alike() -> impl Strategy<Value = String> {
    let others = ["", "a.b/", "a.b:1/", "a:1/", "[::1]/", "[::1]:1/", "[::1:1]/"].map(str::to_owned);
    let registry = prop::sample::select([others.to_vec(), vec![format!("{DEFAULT}/")]].concat());
    let repository = prop::sample::select(vec!["x", "library/x", "a/x", "x/a_1/x", "library/a_1/x"]);
    let tag = prop::sample::select(vec!["", ":latest", ":1"]);
    (registry, repository, tag).prop_map(|(registry, repository, tag)| format!("{registry}{repository}{tag}"))
}

fn site() -> impl Strategy<Value = Site> {
    let prefix = proptest::option::of("[a-z]{1,5}(/[a-z]{1,5}){0,2}");
    (registry(), prefix).prop_map(|(registry, prefix)| Site::new(&registry, prefix.as_deref()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_are_read_as_the_same_image(text in written()) {
        let reference: Reference = text.parse().unwrap();
        prop_assert_eq!(&reference.to_string().parse::<Reference>().unwrap(), &reference);
        prop_assert_eq!(&reference.familiar().parse::<Reference>().unwrap(), &reference);
        prop_assert!(reference.familiar().len() <= reference.to_string().len());
    }

    #[test]
    fn rewriting_keeps_tag_and_digest_changes_nothing_twice_and_comes_back(text in written(), site in site()) {
        let reference: Reference = text.parse().unwrap();
        let rewritten = reference.rewrite(&site).unwrap();
        prop_assert_eq!((rewritten.tag(), rewritten.digest()), (reference.tag(), reference.digest()));
        prop_assert_eq!(rewritten.tag_is_explicit(), reference.tag_is_explicit());
        prop_assert_eq!(rewritten.registry(), site.registry());
        prop_assert!(site.holds(&rewritten));
        prop_assert_eq!(&rewritten.to_string().parse::<Reference>().unwrap(), &rewritten);
        prop_assert_eq!(&rewritten.rewrite(&site).unwrap(), &rewritten);
        if site.holds(&reference) {
            prop_assert_eq!(&rewritten, &reference);
        } else {
            prop_assert_eq!(rewritten.original(&site), Some(reference));
        }
    }

    #[test]
    fn two_images_never_become_one(a in alike(), b in alike(), site in site()) {
        let (a, b): (Reference, Reference) = (a.parse().unwrap(), b.parse().unwrap());
        prop_assume!(!site.holds(&a) && !site.holds(&b));
        prop_assert_eq!(a == b, a.rewrite(&site) == b.rewrite(&site));
    }

    #[test]
    fn a_registry_is_read_back_from_its_path(text in registry()) {
        let registry: Registry = text.parse().unwrap();
        prop_assert_eq!(Registry::from_path(&registry.path()), Some(registry));
    }

    #[test]
    fn an_original_is_what_would_be_rewritten_to_it(path in "([a-z0-9._]{1,8}/){1,3}[a-z]{1,3}", site in site()) {
        if let Ok(reference) = format!("{site}/{path}:1").parse::<Reference>()
            && let Some(original) = reference.original(&site)
        {
            prop_assert_eq!(original.rewrite(&site).unwrap(), reference);
        }
    }

    #[test]
    fn no_text_makes_it_panic_and_what_is_accepted_is_read_back(text in "[a-zA-Z0-9:/@._\\-\\[\\] é\n]{0,40}|\\PC{0,40}") {
        if let Ok(reference) = text.parse::<Reference>() {
            prop_assert_eq!(reference.to_string().parse::<Reference>().unwrap(), reference);
        }
        let _ = text.parse::<Site>();
        let _ = Registry::from_path(&text);
    }
}
