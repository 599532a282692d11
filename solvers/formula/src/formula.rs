//! A formula: prefix, clauses, and the names of the variables.

use crate::{Clauses, Prefix, Quantifier, Var};
use rustc_hash::FxHashMap;

/// The names of variables, as far as they have one. Names are text for people: ground atoms
/// such as `does(xplayer,mark(1,1),0)`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Names(FxHashMap<Var, Box<str>>);

impl Names {
    /// Gives a variable a name; a second name replaces the first.
    pub fn set(&mut self, variable: Var, name: impl Into<Box<str>>) {
        self.0.insert(variable, name.into());
    }

    /// The name of a variable.
    pub fn get(&self, variable: Var) -> Option<&str> {
        self.0.get(&variable).map(|name| &**name)
    }

    /// All names, by variable.
    pub fn sorted(&self) -> Vec<(Var, &str)> {
        let names = self.0.iter().map(|(&variable, name)| (variable, &**name));
        let mut names: Vec<(Var, &str)> = names.collect();
        names.sort_unstable();
        names
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no variable has a name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A closed formula: every variable from 0 to `variables - 1` stands in the prefix exactly once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    prefix: Prefix,
    matrix: Clauses,
    names: Names,
    variables: usize,
}

impl Formula {
    /// Puts a formula together. Variables below `variables` that the prefix lacks are free; like
    /// all readers of QDIMACS we take them as outermost existential.
    ///
    /// # Panics
    /// If a variable stands in the prefix twice, or the prefix or the matrix has a variable that
    /// is not below `variables`. Readers of files check this before and report it.
    #[doc(hidden)]
    pub fn new(variables: usize, mut prefix: Prefix, matrix: Clauses, names: Names) -> Self {
        let mut bound = vec![false; variables];
        for variable in prefix.blocks().iter().flat_map(|block| &block.variables) {
            let seen = &mut bound[variable.index()];
            assert!(!*seen, "{variable:?} stands in the prefix twice");
            *seen = true;
        }
        for clause in matrix.iter() {
            assert!(clause.iter().all(|lit| lit.var().index() < variables));
        }
        prefix.push_outermost((0..variables).filter(|&index| !bound[index]).map(Var::new));
        Formula {
            prefix,
            matrix,
            names,
            variables,
        }
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The order in which variables are decided, and the player who decides each.
    #[doc(hidden)]
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The clauses.
    #[doc(hidden)]
    pub fn matrix(&self) -> &Clauses {
        &self.matrix
    }

    /// The names of the variables.
    #[doc(hidden)]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Whether some variable is decided by chance. Formulas without are QBF, with value 0 or 1.
    pub fn has_chance(&self) -> bool {
        self.prefix
            .blocks()
            .iter()
            .any(|block| block.quantifier == Quantifier::Chance)
    }
}
