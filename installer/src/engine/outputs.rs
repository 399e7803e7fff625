//! What acts learn and hand on: one value of each type, never a bag of strings.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The kind of an output: its type, and a name for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputKind {
    id: TypeId,
    name: &'static str,
}

impl OutputKind {
    /// The kind of a type.
    pub fn of<T: Any>() -> Self {
        let name = std::any::type_name::<T>();
        Self { id: TypeId::of::<T>(), name: name.rsplit("::").next().unwrap_or(name) }
    }
}

impl std::fmt::Display for OutputKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The outputs of a run so far.
#[derive(Default, Clone)]
pub struct Outputs {
    values: Arc<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

impl Outputs {
    /// Hands something on; a later value of the same type replaces it.
    pub fn put<T: Any + Send + Sync>(&self, value: T) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// What was handed on, if it was.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let value = self.values.lock().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<T>()).cloned()?;
        value.downcast().ok()
    }
}

impl std::fmt::Debug for Outputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values may be secrets.
        let count = self.values.lock().unwrap_or_else(PoisonError::into_inner).len();
        write!(f, "Outputs({count})")
    }
}
