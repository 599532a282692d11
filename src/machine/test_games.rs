//! Games as text for the tests of this folder, and a small reader for them.

use crate::game::Game;
use crate::gdl::{Literal, Name, Rule, Sentence, Term};

enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// Reads a game in prefix form that is known to be valid.
pub(super) fn game(name: &str, text: &str) -> Game {
    let mut rules = Vec::new();
    for form in trees(text) {
        match form {
            Tree::List(mut items) if matches!(&items[0], Tree::Word(word) if word == "<=") => {
                let body: Vec<Tree> = items.drain(2..).collect();
                let head = sentence(&items[1]);
                for alternative in alternatives(&body) {
                    rules.push(Rule {
                        head: head.clone(),
                        body: alternative,
                    });
                }
            }
            form => rules.push(Rule {
                head: sentence(&form),
                body: Vec::new(),
            }),
        }
    }
    let roles = rules
        .iter()
        .filter(|rule| rule.head.relation.as_str() == "role")
        .map(|rule| Name::new(&rule.head.arguments[0].to_string()))
        .collect();
    Game::from_checked_parts(name.to_owned(), roles, rules)
}

fn trees(text: &str) -> Vec<Tree> {
    let mut stack = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split(';').next().unwrap().to_lowercase();
        let line = line.replace('(', " ( ").replace(')', " ) ");
        for word in line.split_whitespace() {
            match word {
                "(" => stack.push(Vec::new()),
                ")" => {
                    let list = stack.pop().unwrap();
                    stack.last_mut().unwrap().push(Tree::List(list));
                }
                word => stack.last_mut().unwrap().push(Tree::Word(word.to_owned())),
            }
        }
    }
    assert_eq!(1, stack.len(), "unbalanced parentheses");
    stack.pop().unwrap()
}

fn alternatives(body: &[Tree]) -> Vec<Vec<Literal>> {
    let mut all = vec![Vec::new()];
    for literal in body {
        let choices = match literal {
            Tree::List(items) if matches!(&items[0], Tree::Word(word) if word == "or") => items
                [1..]
                .iter()
                .flat_map(|item| alternatives(std::slice::from_ref(item)))
                .collect(),
            Tree::List(items) if matches!(&items[0], Tree::Word(word) if word == "distinct") => {
                vec![vec![Literal::Distinct(term(&items[1]), term(&items[2]))]]
            }
            Tree::List(items) if matches!(&items[0], Tree::Word(word) if word == "not") => {
                vec![vec![Literal::Negative(sentence(&items[1]))]]
            }
            other => vec![vec![Literal::Positive(sentence(other))]],
        };
        all = all
            .iter()
            .flat_map(|before: &Vec<Literal>| {
                choices.iter().map(move |choice| {
                    let mut body = before.clone();
                    body.extend(choice.iter().cloned());
                    body
                })
            })
            .collect();
    }
    all
}

fn sentence(tree: &Tree) -> Sentence {
    match term(tree) {
        Term::Constant(relation) | Term::Variable(relation) => Sentence {
            relation,
            arguments: Vec::new(),
        },
        Term::Function(relation, arguments) => Sentence {
            relation,
            arguments,
        },
    }
}

fn term(tree: &Tree) -> Term {
    match tree {
        Tree::Word(word) => match word.strip_prefix('?') {
            Some(variable) => Term::Variable(Name::new(variable)),
            None => Term::Constant(Name::new(word)),
        },
        Tree::List(items) => {
            let Tree::Word(name) = &items[0] else {
                panic!("a list starts with a list");
            };
            let arguments: Vec<Term> = items[1..].iter().map(term).collect();
            if arguments.is_empty() {
                Term::Constant(Name::new(name))
            } else {
                Term::Function(Name::new(name), arguments)
            }
        }
    }
}
