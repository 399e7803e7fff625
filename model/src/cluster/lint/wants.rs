//! Whether everything that the cluster wants is to be had for its machines.

use super::Lint;
use crate::bom;

pub(super) fn wants(lint: &mut Lint<'_>) {
    for problem in bom::problems(lint.spec(), lint.catalogue) {
        lint.find(problem.code, &problem.path, problem.message, problem.help);
    }
}
