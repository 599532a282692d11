//! Fingerprints of rules.

use gdl::Options;
use gdl::game::read;
use sqasp_verify::fingerprint;

fn of(rules: &str) -> String {
    let rules = format!(
        "{rules} (role p) (legal p a) (<= (goal p 100) terminal) (<= terminal (not (true f)))"
    );
    let reading = read("test", rules.as_bytes(), &Options::default());
    fingerprint(&reading.unwrap_or_else(|refused| panic!("{refused}")).game)
}

#[test]
fn it_is_the_rules_that_count() {
    let plain = of("(init f)");
    assert_eq!(plain.len(), 64);
    assert_eq!(plain, of("; a comment\n  ( INIT F )"));
    assert_ne!(plain, of("(init g)"));
    assert_ne!(plain, of(""));
}
