//! What a site accepted decides on what it accepts next: nothing older, nothing expired, and never two for one place.

use std::io::{Read, Write};
use std::path::Path;

use kubexm_model::bundle::{Accepted, Bundle, PublicKey, Standing, Statement, Ticket, TooOld, Verified};
use kubexm_tests::bundles::{key, open, plan, small, statement, trust, write};

const DAY: u64 = 24 * 60 * 60;
/// The day after the bundles were made.
const NOW: u64 = 1_700_000_000 + DAY;

fn bytes(statement: Statement) -> Vec<u8> {
    let members = small();
    let plan = plan(&members, vec![], statement);
    let file = tempfile::tempfile().unwrap();
    write(&plan, &members, &[1], 1, &file);
    let mut bytes = vec![];
    (&file).read_to_end(&mut bytes).unwrap();
    bytes
}

fn bundle(change: impl FnOnce(&mut Statement)) -> Bundle<Verified> {
    let mut statement = statement();
    change(&mut statement);
    open(bytes(statement), &trust(&[1])).unwrap()
}

/// A site that has accepted sequence 7.
fn site() -> Accepted {
    let mut accepted = Accepted::default();
    accepted.accept(&bundle(|_| {}), NOW);
    accepted
}

#[test]
fn newer_ones_pass_and_older_ones_do_not() {
    let site = site();
    assert_eq!(site.check(&bundle(|s| s.sequence = 8), NOW, &[]), Ok(Standing::New));
    assert_eq!(site.check(&bundle(|_| {}), NOW, &[]), Ok(Standing::Known { expired: false }));
    let refusal = site.check(&bundle(|s| s.sequence = 6), NOW, &[]).unwrap_err();
    assert_eq!(refusal.to_string(), "it has sequence 6 in channel stable, and 7 was accepted already");
    // Channels are counted apart.
    let other = bundle(|s| (s.channel, s.sequence) = ("edge".to_owned(), 1));
    assert_eq!(site.check(&other, NOW, &[]), Ok(Standing::New));
}

#[test]
fn two_for_one_place_and_a_jump_to_the_end_of_time_are_refused() {
    let site = site();
    let twin = bundle(|s| s.builder = "other".to_owned());
    assert!(matches!(site.check(&twin, NOW, &[]), Err(TooOld::Twice { sequence: 7, .. })));
    // Not even a ticket helps: somebody signed two.
    let ticket = Ticket::of(&twin, u64::MAX);
    assert!(matches!(site.check(&twin, NOW, &[ticket]), Err(TooOld::Twice { .. })));
    for sequence in [u64::MAX, 20_000_000_000] {
        let far = bundle(|s| s.sequence = sequence);
        assert_eq!(site.check(&far, NOW, &[]), Err(TooOld::FarAhead { sequence }));
        assert_eq!(Accepted::default().check(&far, NOW, &[]), Err(TooOld::FarAhead { sequence }));
    }
}

#[test]
fn time_decides_by_a_table() {
    let expires = statement().expires;
    let fresh = Accepted::default();
    let new = bundle(|s| s.sequence = 8);
    let known = bundle(|_| {});
    type Row<'a> = (&'a str, &'a Accepted, &'a Bundle<Verified>, u64, Result<Standing, TooOld>);
    let site = site();
    let table: [Row<'_>; 8] = [
        ("in time", &fresh, &new, NOW, Ok(Standing::New)),
        ("the last second", &fresh, &new, expires, Ok(Standing::New)),
        ("a second later", &fresh, &new, expires + 1, Err(TooOld::Expired(1))),
        ("twenty years later", &fresh, &new, expires + 7300 * DAY, Err(TooOld::Expired(7300))),
        ("1970", &fresh, &new, 0, Err(TooOld::Clock(19675))),
        ("a bit before it was made", &fresh, &new, NOW - DAY - 3600, Ok(Standing::New)),
        ("known, and expired", &site, &known, expires + 1, Ok(Standing::Known { expired: true })),
        ("known, and the clock is wrong", &site, &known, 0, Ok(Standing::Known { expired: false })),
    ];
    for (name, accepted, bundle, now, wanted) in table {
        assert_eq!(accepted.check(bundle, now, &[]), wanted, "{name}");
    }
    // What was seen once was seen: the clock cannot go back behind it.
    let mut seen = Accepted::default();
    seen.accept(&known, NOW + 100 * DAY);
    assert_eq!(seen.check(&new, NOW, &[]), Err(TooOld::Clock(100)));
}

#[test]
fn a_ticket_allows_one_bundle_for_a_while() {
    let site = site();
    let old = bundle(|s| s.sequence = 6);
    let ticket = Ticket::of(&old, NOW + 100);
    assert_eq!(site.check(&old, NOW, std::slice::from_ref(&ticket)), Ok(Standing::ByTicket));
    assert!(site.check(&old, NOW + 101, std::slice::from_ref(&ticket)).is_err());
    assert!(site.check(&bundle(|s| s.sequence = 5), NOW, std::slice::from_ref(&ticket)).is_err());
    // Using it does not make it the newest.
    let mut after = site.clone();
    after.accept(&old, NOW);
    assert!(after.check(&old, NOW, &[]).is_err());
    assert_eq!(after.check(&bundle(|_| {}), NOW, &[]), Ok(Standing::Known { expired: false }));
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::File::create(folder.join(name)).unwrap().write_all(bytes).unwrap();
}

#[test]
fn the_program_remembers_what_it_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let made = |sequence| Statement { sequence, created: now, expires: now + DAY, ..statement() };
    put(at, "old.tar.zst", &bytes(made(1)));
    put(at, "new.tar.zst", &bytes(made(2)));
    put(at, "expired.tar.zst", &bytes(Statement { created: now - 9 * DAY, expires: now - 2 * DAY, ..made(3) }));
    put(at, "key.pub", PublicKey::from(&key(1)).to_pem().as_bytes());
    let verify = |bundle: &str, more: &[&str]| {
        let mut command = std::process::Command::new(kubexm_tests::program("kubexm-install"));
        command.current_dir(at).args(["verify", bundle, "--key", "key.pub", "--trust-state", "state"]).args(more);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // The members of these bundles are no cluster's, so the lock cannot be read; what comes before that is what counts.
    let refused_for = |bundle: &str, more: &[&str]| verify(bundle, more).1;
    assert!(refused_for("expired.tar.zst", &[]).contains("it expired 2 days ago"));
    assert!(!refused_for("old.tar.zst", &[]).contains("sequence"));
    std::fs::create_dir(at.join("state")).unwrap();
    let mut accepted = Accepted::default();
    accepted.accept(&open(bytes(made(2)), &trust(&[1])).unwrap(), now);
    put(&at.join("state"), "accepted.json", accepted.to_json().unwrap().as_bytes());
    let (code, error) = verify("old.tar.zst", &[]);
    assert_eq!(code, Some(4));
    assert!(error.contains("sequence 1 in channel stable, and 2 was accepted already"), "{error}");
    assert!(error.contains("kubexm-bundle ticket"), "{error}");
    put(&at.join("state"), "accepted.json", b"{");
    let (code, error) = verify("new.tar.zst", &[]);
    assert_eq!(code, Some(4));
    assert!(error.contains("accepted.json is damaged"), "{error}");
}
