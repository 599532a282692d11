//! Sizes of memory as people type them.

/// Reads `500M`, `2G`, `1000000` and the like as bytes (K, M, G are powers of 1000).
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let help = || "write a size such as 500M or 2G".to_owned();
    let trimmed = text.trim().trim_end_matches(['B', 'b', 'i']);
    let (number, factor) = match trimmed.char_indices().last() {
        Some((at, 'k' | 'K')) => (&trimmed[..at], 1_000),
        Some((at, 'm' | 'M')) => (&trimmed[..at], 1_000_000),
        Some((at, 'g' | 'G')) => (&trimmed[..at], 1_000_000_000),
        Some(_) => (trimmed, 1),
        None => return Err(help()),
    };
    let number: f64 = number.parse().map_err(|_| help())?;
    let bytes = number * factor as f64;
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
