//! Symbols of clingo to ours, and back.
//!
//! All of this touches clingo's table of symbols, so the lock of this folder must be held.

use clingo::{ClingoError, SymbolType};
use lp2sat::{Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Reads symbols. A symbol that occurs within several is read once, and shared.
#[derive(Default)]
pub(super) struct SymbolReader {
    inner: FxHashMap<clingo::Symbol, Symbol>,
    names: FxHashMap<&'static str, Arc<str>>,
}

impl SymbolReader {
    pub(super) fn read(&mut self, symbol: clingo::Symbol) -> Result<Symbol, ClingoError> {
        Ok(Symbol::new(match symbol.symbol_type()? {
            SymbolType::Infimum => SymbolKind::Infimum,
            SymbolType::Supremum => SymbolKind::Supremum,
            SymbolType::Number => SymbolKind::Number(symbol.number()?),
            SymbolType::String => SymbolKind::Text(symbol.string()?.into()),
            SymbolType::Function => {
                let name = symbol.name()?;
                let arguments = symbol.arguments()?.into_iter();
                SymbolKind::Function {
                    arguments: arguments
                        .map(|argument| self.read_inner(argument))
                        .collect::<Result<_, _>>()?,
                    name: Arc::clone(self.names.entry(name).or_insert_with(|| name.into())),
                    negative: symbol.is_negative()?,
                }
            }
        }))
    }

    fn read_inner(&mut self, symbol: clingo::Symbol) -> Result<Symbol, ClingoError> {
        if let Some(known) = self.inner.get(&symbol) {
            return Ok(known.clone());
        }
        let read = self.read(symbol)?;
        self.inner.insert(symbol, read.clone());
        Ok(read)
    }
}

pub(super) fn write_symbol(symbol: &Symbol) -> Result<clingo::Symbol, ClingoError> {
    match symbol.kind() {
        SymbolKind::Infimum => Ok(clingo::Symbol::create_infimum()),
        SymbolKind::Supremum => Ok(clingo::Symbol::create_supremum()),
        SymbolKind::Number(number) => Ok(clingo::Symbol::create_number(*number)),
        SymbolKind::Text(text) => clingo::Symbol::create_string(text),
        SymbolKind::Function {
            name,
            arguments,
            negative,
        } => {
            let arguments = arguments.iter().map(write_symbol);
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            clingo::Symbol::create_function(name, &arguments, !negative)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundLimits, ground};

    /// Symbols print as clingo prints them.
    #[test]
    fn symbols_keep_their_text() {
        let mut atoms = [
            "p(#inf,#sup,-3,f(a,b),(a,b),(a,),())",
            r#"p("a \"quoted\" text","back\\slash","two\nlines","")"#,
            "-p(a)",
            "p(-f(a))",
            "q",
        ];
        atoms.sort_unstable();
        let text: String = atoms
            .iter()
            .map(|atom| format!("{{ {atom} }}. r({atom})."))
            .collect();
        let grounded = ground(&text, &GroundLimits::default());
        let program = grounded.unwrap().program;
        let (names, facts): (Vec<_>, Vec<_>) =
            program.symbols().partition(|(atom, _)| atom.is_some());
        let texts = |symbols: Vec<(_, &Symbol)>| {
            let mut texts: Vec<String> = symbols.iter().map(|(_, s)| s.to_string()).collect();
            texts.sort();
            texts
        };
        assert_eq!(texts(names), atoms);
        assert_eq!(texts(facts), atoms.map(|atom| format!("r({atom})")));
    }
}
