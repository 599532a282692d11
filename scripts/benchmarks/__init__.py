"""The parts of `scripts/bench` and `scripts/compare`.

    process    runs one process and measures it
    record     results with machine, date and commit
    games      the commands `first` and `values`: whole games, from the text on
    instances  formulas with known values: of games (rows.toml) and families (families.toml)
    solvers    the programs that solve formulas, and how to read their answers
    compare    the table of the paper by both engines: `scripts/compare`
    contest    runs several solvers on the same formulas in turn; the command `xssat`
    ablation   the command `ablation`: what each technique buys
    evaluate   the command `evaluate`: round trips of the evaluator
    plans      the command `plan`: games of one player
    prove      the command `prove`: properties of games
    twoplayer  the command `twoplayer`: games of two players without chance (twoplayer.toml)
    table      Markdown tables that grow line by line
"""
