//! Ground terms as small numbers: equal terms have equal numbers, so comparing them is free.

use super::ReasonerError;
use gdl::{Name, Term};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The number of a ground term in a [`TermStore`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TermId(u32);

impl TermId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The memory for a name beside its text, in bytes, roughly.
const BYTES_PER_NAME: usize = 80;

/// The number of a constant's or function's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NameId(u32);

#[derive(Clone)]
struct Entry {
    name: NameId,
    first: u32,
    count: u32,
    depth: u32,
}

/// All ground terms met so far. Terms are only ever added.
#[derive(Clone)]
pub struct TermStore {
    names: Vec<Name>,
    name_bytes: usize,
    name_ids: FxHashMap<Name, NameId>,
    entries: Vec<Entry>,
    arguments: Vec<TermId>,
    lookup: HashTable<u32>,
    depth_limit: u32,
}

impl TermStore {
    /// No terms yet, and none with functions nested deeper than this.
    pub fn new(depth_limit: u32) -> Self {
        TermStore {
            names: Vec::new(),
            name_bytes: 0,
            name_ids: FxHashMap::default(),
            entries: Vec::new(),
            arguments: Vec::new(),
            lookup: HashTable::new(),
            depth_limit,
        }
    }

    /// How many terms there are; their numbers are below this.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The bytes that they take, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.name_bytes
            + self.entries.len() * (size_of::<Entry>() + 8)
            + self.arguments.len() * size_of::<TermId>()
    }

    /// The number of a name.
    pub fn name_id(&mut self, name: &Name) -> NameId {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.name_bytes += BYTES_PER_NAME + name.as_str().len();
        self.names.push(name.clone());
        self.name_ids.insert(name.clone(), id);
        id
    }

    /// The name of a term's constant or function.
    #[inline]
    pub fn function(&self, id: TermId) -> NameId {
        self.entries[id.index()].name
    }

    /// The arguments of a term; none for constants.
    #[inline]
    pub fn arguments(&self, id: TermId) -> &[TermId] {
        let entry = &self.entries[id.index()];
        &self.arguments[entry.first as usize..(entry.first + entry.count) as usize]
    }

    /// The number of the term with this function and arguments.
    pub fn intern(&mut self, name: NameId, arguments: &[TermId]) -> Result<TermId, ReasonerError> {
        let hash = hash_term(name, arguments);
        let found = self.lookup.find(hash, |&candidate| {
            let id = TermId(candidate);
            self.function(id) == name && self.arguments(id) == arguments
        });
        if let Some(&id) = found {
            return Ok(TermId(id));
        }
        let depth = arguments
            .iter()
            .map(|argument| self.entries[argument.index()].depth + 1)
            .max()
            .unwrap_or(0);
        if depth > self.depth_limit {
            return Err(ReasonerError::TermTooDeep {
                limit: self.depth_limit,
            });
        }
        // Budgets on derivations end a computation long before four billion terms.
        let id = u32::try_from(self.entries.len()).map_err(|_| ReasonerError::TooManyTerms)?;
        let first = u32::try_from(self.arguments.len()).map_err(|_| ReasonerError::TooManyTerms)?;
        self.arguments.extend_from_slice(arguments);
        self.entries.push(Entry {
            name,
            first,
            count: arguments.len() as u32,
            depth,
        });
        let TermStore {
            lookup,
            entries,
            arguments: all,
            ..
        } = self;
        lookup.insert_unique(hash, id, |&other| {
            let entry = &entries[other as usize];
            let range = entry.first as usize..(entry.first + entry.count) as usize;
            hash_term(entry.name, &all[range])
        });
        Ok(TermId(id))
    }

    /// The number of a ground term.
    ///
    /// # Panics
    /// Never for ground terms; a variable is taken for a constant.
    pub fn intern_term(&mut self, term: &Term) -> Result<TermId, ReasonerError> {
        match term {
            Term::Constant(name) | Term::Variable(name) => {
                let name = self.name_id(name);
                self.intern(name, &[])
            }
            Term::Function(name, arguments) => {
                let name = self.name_id(name);
                let arguments = arguments
                    .iter()
                    .map(|argument| self.intern_term(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                self.intern(name, &arguments)
            }
        }
    }

    /// The term with this number.
    pub fn term(&self, id: TermId) -> Term {
        let name = self.names[self.function(id).0 as usize].clone();
        let arguments = self.arguments(id);
        if arguments.is_empty() {
            Term::Constant(name)
        } else {
            Term::Function(name, arguments.iter().map(|&a| self.term(a)).collect())
        }
    }

    /// The terms with these numbers, sorted by the bytes of their canonical text.
    pub fn sorted_terms(&self, ids: impl IntoIterator<Item = TermId>) -> Vec<Term> {
        let mut terms: Vec<Term> = ids.into_iter().map(|id| self.term(id)).collect();
        terms.sort_by_cached_key(Term::to_string);
        terms.dedup();
        terms
    }
}

fn hash_term(name: NameId, arguments: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(name.0);
    for argument in arguments {
        hasher.write_u32(argument.0);
    }
    hasher.finish()
}

/// A hash of some terms in order.
pub fn hash_terms(terms: impl IntoIterator<Item = TermId>) -> u64 {
    let mut hasher = FxHasher::default();
    for term in terms {
        hasher.write_u32(term.0);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(text: &str) -> Term {
        Term::Constant(Name::new(text))
    }

    #[test]
    fn equal_terms_have_equal_numbers_and_print_back() {
        let mut store = TermStore::new(10);
        let cell = Term::Function(Name::new("cell"), vec![constant("1"), constant("01")]);
        let first = store.intern_term(&cell).unwrap();
        let other = store.intern_term(&constant("cell")).unwrap();
        assert_eq!(first, store.intern_term(&cell).unwrap());
        assert_ne!(first, other);
        assert_eq!("(cell 1 01)", store.term(first).to_string());
        assert_eq!("cell", store.term(other).to_string());
        assert_eq!(4, store.len());
    }

    #[test]
    fn terms_deeper_than_the_limit_are_refused() {
        let mut store = TermStore::new(2);
        let successor = store.name_id(&Name::new("s"));
        let mut term = store.intern_term(&constant("0")).unwrap();
        for _ in 0..2 {
            term = store.intern(successor, &[term]).unwrap();
        }
        assert!(matches!(
            store.intern(successor, &[term]),
            Err(ReasonerError::TermTooDeep { limit: 2 })
        ));
    }
}
