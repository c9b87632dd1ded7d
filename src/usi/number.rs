//! Numbers as GUIs and people write them.

/// Reads a decimal number, however long: beyond 64 bits it saturates. A sign is allowed; a
/// fraction is cut off (some bots send `movetime 0.9`).
pub fn parse_number(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let magnitude = whole.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

#[cfg(test)]
mod tests {
    use super::parse_number;

    #[test]
    fn numbers_of_any_size_are_read() {
        assert_eq!(parse_number("0"), Some(0));
        assert_eq!(parse_number("+12"), Some(12));
        assert_eq!(parse_number("-3000"), Some(-3000));
        assert_eq!(parse_number("0.9"), Some(0));
        assert_eq!(parse_number(&"9".repeat(31)), Some(i64::MAX));
        assert_eq!(
            parse_number(&format!("-{}", "9".repeat(31))),
            Some(-i64::MAX)
        );
    }

    #[test]
    fn other_text_is_no_number() {
        for text in ["", "-", "+", ".5", "1e30", "12x", "1.x", "--1", "９"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}
