//! `sqasp export` and `sqasp solve-model`: what is refused, and what goes from one to the other.

use super::{Place, game};

#[test]
fn wrong_requests_are_refused() {
    let place = Place::new();
    let figure = game("figure_1.gdl");
    for (arguments, code, message) in [
        (
            format!("export {figure} --to umb --role nobody"),
            2,
            "nobody",
        ),
        (
            format!("export {figure} --to umb --depth 1..3"),
            2,
            "give one number of steps",
        ),
        (
            format!("export {figure} --to dot --fix lines.json"),
            66,
            "cannot read lines.json",
        ),
        (
            format!("export {figure} --to dot --max-size 3"),
            75,
            "more than 3 states",
        ),
        (
            format!("export {figure} --to dot -o no/such/folder"),
            73,
            "no folder",
        ),
        (format!("solve-model {figure}"), 65, "no UMB file"),
    ] {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(code), "{arguments}: {ended:?}");
        assert!(ended.err.contains(message), "{arguments}: {ended:?}");
        assert_eq!(ended.out, "", "{arguments}");
    }
}

#[test]
fn what_is_exported_is_solved() {
    let place = Place::new();
    let figure = game("figure_1.gdl");
    let told = place.answers(&format!("export {figure} --to umb -o game.umb"));
    assert_eq!(told, "4 states, 5 choices, 7 branches\n");
    let told = place.answers("solve-model game.umb --role oplayer");
    assert!(told.starts_with("33.3333 % (1/3)"), "{told}");
    let told = place.answers("solve-model game.umb --role nobody --depth 0");
    assert!(told.starts_with("0 %"), "{told}");
    for (arguments, message) in [
        ("solve-model game.umb lose", "its labels: terminal, win"),
        (
            "solve-model game.umb --role me",
            "its players: xplayer, oplayer",
        ),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains(message), "{ended:?}");
    }
    place.answers(&format!(
        "export {figure} --to umb-decimals -o decimals.umb"
    ));
    let told = place.run("solve-model decimals.umb --role oplayer");
    assert!(told.out.starts_with("33.3333 % (1/3)"), "{told:?}");
    assert!(told.err.contains("decimal numbers"), "{told:?}");
    place.answers(&format!("solve {figure} --depth 1 --strategy plan.json"));
    let told = place.answers(&format!(
        "export {figure} --to umb --fix plan.json -o fixed.umb"
    ));
    assert!(told.starts_with("4 states, 4 choices"), "{told}");
    assert!(
        place
            .answers("solve-model fixed.umb")
            .starts_with("66.6667 % (2/3)")
    );
}
