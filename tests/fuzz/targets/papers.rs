//! Small documents that others write: locks, tickets, receipts, notes of what was accepted.
#![no_main]

use kubexm_model::bundle::{Accepted, Receipt, Ticket};
use kubexm_model::lock::Lock;
use kubexm_tests::bundles::trust;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    assert!(Ticket::verify(text, &trust(&[1])).is_err());
    if let Ok(receipt) = Receipt::from_json(text) {
        assert_eq!(Receipt::from_json(&serde_json::to_string(&receipt).unwrap()).unwrap(), receipt);
    }
    if let Ok(accepted) = Accepted::from_json(text) {
        assert_eq!(Accepted::from_json(&accepted.to_json().unwrap()).unwrap(), accepted);
    }
    let _ = serde_yaml::from_str::<Lock>(text);
});
