//! A bundle that builds upon another: read as one with it, and refused without it.

use std::io::Read;

use kubexm_model::bundle::{Bundle, BundleSet, Elsewhere, Member, MemberPath, Receipt, Refusal, Statement, Verified};
use kubexm_tests::bundles::{member, open, pack, plan, small, statement, trust, write};
use kubexm_tests::noise;

fn base() -> Bundle<Verified> {
    open(pack(&small(), &[1], 1), &trust(&[1])).unwrap()
}

/// What is new, and a blob of the base.
fn update(shared: &Member) -> Bundle<Verified> {
    let members = [member(Some(MemberPath::Lock), b"locked again", true), member(None, &noise(2_000, 77), false)];
    let elsewhere = vec![Elsewhere { digest: shared.digest, size: shared.size }];
    let statement = Statement { bases: vec![base().as_base()], sequence: 8, ..statement() };
    let plan = plan(&members, elsewhere, statement);
    let file = tempfile::tempfile().unwrap();
    write(&plan, &members, &[1], 1, &file);
    let mut bytes = vec![];
    (&file).read_to_end(&mut bytes).unwrap();
    open(bytes, &trust(&[1])).unwrap()
}

fn shared() -> Member {
    small()[2].0.clone()
}

#[test]
fn base_and_delta_are_read_as_one() {
    let set = BundleSet::new(update(&shared()), vec![base()]).unwrap();
    assert_eq!(set.statement().sequence, 8);
    assert_eq!(set.paths().count(), 3);
    assert_eq!(set.read(MemberPath::Lock).unwrap(), b"locked again");
    assert_eq!(set.read(MemberPath::Blob(shared().digest)).unwrap(), noise(30_000, 1));
    assert_eq!(set.check(2, &|_| {}).unwrap(), []);
    // What only the base has does not belong to it.
    assert!(matches!(set.read(small()[3].0.path), Err(Refusal::Missing(_))));
}

#[test]
fn without_its_base_it_says_which_one_is_missing() {
    let refusal = BundleSet::new(update(&shared()), vec![]).unwrap_err().to_string();
    let id = &base().id().hex()[..12];
    let wanted = format!(
        "1 of its blobs stand in the bundle of demo with sequence 7 in channel stable (id {id}), which is not here"
    );
    assert_eq!(refusal, wanted);
    let other = open(pack(&small()[3..], &[1], 1), &trust(&[1])).unwrap();
    assert!(matches!(BundleSet::new(update(&shared()), vec![other]), Err(Refusal::MissingBase { blobs: 1, .. })));
}

#[test]
fn a_blob_of_another_size_is_not_the_one() {
    let wrong = Member { size: 29_999, ..shared() };
    assert!(matches!(BundleSet::new(update(&wrong), vec![base()]), Err(Refusal::MissingBase { .. })));
}

#[test]
fn damage_in_the_base_is_found_where_it_matters() {
    let mut bytes = pack(&small(), &[1], 1);
    let large = noise(30_000, 1);
    let at = bytes.windows(100).position(|window| window == &large[5000..5100]).unwrap();
    bytes[at] ^= 1;
    let damaged = open(bytes, &trust(&[1])).unwrap();
    let set = BundleSet::new(update(&shared()), vec![damaged]).unwrap();
    assert_eq!(set.check(1, &|_| {}).unwrap().len(), 1);
    assert!(set.read(MemberPath::Blob(shared().digest)).is_err());
}

#[test]
fn a_receipt_names_every_blob_of_a_bundle_and_of_its_bases() {
    let receipt = Receipt::of(&update(&shared()));
    assert_eq!(receipt.blobs.len(), 2);
    assert!(receipt.blobs.contains(&shared().digest));
    assert_eq!(receipt.has.sequence, 8);
    let text = serde_json::to_string(&receipt).unwrap();
    assert_eq!(Receipt::from_json(&text).unwrap(), receipt);
    assert!(
        Receipt::from_json(&text.replace("\"format\":1", "\"format\":2")).unwrap_err().to_string().contains("form 2")
    );
    assert!(Receipt::from_json("{}").is_err());
}

#[test]
fn what_stands_here_and_elsewhere_is_refused() {
    let members = small();
    let twice = vec![Elsewhere { digest: shared().digest, size: shared().size }];
    let all = members.iter().map(|(member, _)| member.clone()).collect();
    assert!(kubexm_model::bundle::Plan::new(all, twice, statement()).is_err());
}
