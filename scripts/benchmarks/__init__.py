"""The parts of `scripts/bench`.

    process    runs processes in turns and measures them
    record     results with machine, date and commit
    table      Markdown tables that grow line by line
    pictures   pictures of tables of numbers
    instances  formulas with known values: of games (rows.toml) and families (families.toml)
    solvers    the programs that solve formulas, and how to read their answers
    contest    runs several solvers on the same questions in turn; the commands `xssat` and `emm`
    compare    the table of the paper by both engines
    ablation   the command `ablation`: what each technique buys (ablation.toml)
    ssat       the command `ssat`: the formulas of a folder
    dice       the command `dice`: games of dice, beside programs of `tests/by_hand`
    tables     the command `table`: tables on disk
"""
