//! Add-ons and storage.

use super::Lint;
use crate::catalogue::Group;
use crate::cluster::schema::word;
use crate::cluster::suggest::nearest;
use crate::finding::Code;

pub(super) fn addons(lint: &mut Lint<'_>) {
    let known: Vec<&str> =
        lint.catalogue.components.values().filter(|c| c.group == Group::Addon).map(|c| c.name.as_str()).collect();
    let addons = &lint.spec().addons;
    for (index, addon) in addons.iter().enumerate() {
        let path = format!("spec.addons[{index}].name");
        let name = addon.name.as_str();
        if let Some(earlier) = addons[..index].iter().position(|other| other.name == name) {
            let earlier = format!("spec.addons[{earlier}].name");
            lint.find_again(
                Code::DuplicateEntry,
                &path,
                &earlier,
                format!("two add-ons are called `{name}`"),
                "give each its own name",
            );
        }
        match (addon.chart.is_some(), addon.manifests.is_empty()) {
            (true, false) => {
                let message = format!("add-on `{name}` has a chart and manifests");
                lint.find(Code::Incompatible, &path, message, "make two add-ons of it");
            }
            (false, true) if !known.contains(&name) => {
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`? Otherwise add `chart` or `manifests`"),
                    None => format!("add `chart` or `manifests`; known by name alone: {}", known.join(", ")),
                };
                lint.find(Code::UnknownAddon, &path, format!("add-on `{name}` does not say where it comes from"), help);
            }
            (false, false) if !addon.values.is_empty() => {
                let message = format!("add-on `{name}` has values, and manifests take none");
                lint.find(
                    Code::UnusedSettings,
                    &format!("spec.addons[{index}].values"),
                    message,
                    "remove them, or use a chart",
                );
            }
            _ => {}
        }
    }
}

pub(super) fn storage(lint: &mut Lint<'_>) {
    let storage = &lint.spec().storage;
    for (index, one) in storage.iter().enumerate() {
        if let Some(earlier) = storage[..index].iter().position(|other| other.name == one.name) {
            let (path, earlier) = (format!("spec.storage[{index}].name"), format!("spec.storage[{earlier}].name"));
            let message = format!("storage `{}` is listed twice", word(&one.name));
            lint.find_again(Code::DuplicateEntry, &path, &earlier, message, "keep one of the two");
        }
    }
}
