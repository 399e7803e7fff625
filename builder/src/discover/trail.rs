//! The way from a document to a value, kept on the stack and written out only where something is found.

use std::fmt;

/// A value's place: what it stands in, and the last step to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trail<'a> {
    above: Option<&'a Trail<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Object(&'a str),
    Field(&'a str),
    Item(usize),
}

impl<'a> Trail<'a> {
    /// The beginning: a text's name with the kind and name of an object in it.
    pub(super) fn object(place: &'a str) -> Self {
        Self { above: None, step: Step::Object(place) }
    }

    pub(super) fn field(&'a self, key: &'a str) -> Trail<'a> {
        Trail { above: Some(self), step: Step::Field(key) }
    }

    pub(super) fn item(&'a self, index: usize) -> Trail<'a> {
        Trail { above: Some(self), step: Step::Item(index) }
    }
}

/// `kube-flannel.yml: DaemonSet kube-flannel-ds spec.template.spec.initContainers[0].image`
impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.above.map_or(Ok(()), |above| above.fmt(f))?;
        let first = self.above.is_none_or(|above| matches!(above.step, Step::Object(_)));
        let plain = |key: &str| !key.is_empty() && !key.contains(|c: char| ".[]\"".contains(c) || c.is_whitespace());
        match self.step {
            Step::Object(place) => f.write_str(place),
            Step::Field(key) if plain(key) => write!(f, "{}{key}", if first { " " } else { "." }),
            Step::Field(key) => write!(f, "{}[{key:?}]", if first { " " } else { "" }),
            Step::Item(index) => write!(f, "{}[{index}]", if first { " " } else { "" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_as_a_path() {
        let object = Trail::object("a.yaml: Pod p");
        let (spec, data) = (object.field("spec"), object.field("data"));
        let list = spec.field("containers");
        assert_eq!(list.item(0).field("image").to_string(), "a.yaml: Pod p spec.containers[0].image");
        assert_eq!(data.field("helper Pod.yaml").to_string(), "a.yaml: Pod p data[\"helper Pod.yaml\"]");
        assert_eq!(object.item(3).to_string(), "a.yaml: Pod p [3]");
    }
}
