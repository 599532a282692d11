//! Tables of tests as text: a row on each line, its fields separated by ` => `.

/// The rows of a table. `\n` in a field is a line break, `\` at the end of a line goes on in the next, and lines that begin with `//` are
/// comments.
///
/// # Panics
/// If a row has another number of fields.
pub fn rows<const FIELDS: usize>(table: &str) -> Vec<[String; FIELDS]> {
    let table = table.replace("\\\n", "");
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    let row = |line: &str| {
        let line = format!(" {line} ");
        let fields = line.split(" => ");
        let fields = fields.map(|field| field.trim_matches(' ').replace("\\n", "\n"));
        let fields: Vec<String> = fields.collect();
        let wrong = |fields| panic!("{FIELDS} fields: {fields:?}");
        fields.try_into().unwrap_or_else(wrong)
    };
    lines.map(row).collect()
}
