//! Sizes of memory as people type them.

/// Reads `500M`, `2G`, `1000000` and the like as bytes: K, M and G are powers of 1000, Ki, Mi and Gi of 1024.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let help = || "write a size such as 500M, 2G or 2GiB".to_owned();
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[number.len()..].to_lowercase();
    let factor = match unit.strip_suffix('b').unwrap_or(&unit) {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        _ => return Err(help()),
    };
    let number: f64 = number.trim_end().parse().map_err(|_| help())?;
    let bytes = number * f64::from(factor);
    if bytes >= 1.0 && bytes < u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err(help())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let rows = [
            ("1", Some(1)),
            ("500M", Some(500_000_000)),
            ("1.5G", Some(1_500_000_000)),
            ("2GB", Some(2_000_000_000)),
            ("7k", Some(7_000)),
            ("2GiB", Some(2 << 30)),
            ("0.5 mi", Some(1 << 19)),
            ("3KIB", Some(3 << 10)),
            ("2i", None),
            ("2Gbi", None),
            ("2T", None),
            ("", None),
            ("-1", None),
            ("0", None),
            ("M", None),
            ("nan", None),
            ("1e30", None),
        ];
        for (text, bytes) in rows {
            assert_eq!(parse_size(text).ok(), bytes, "{text}");
        }
    }
}
