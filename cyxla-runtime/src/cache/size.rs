/// The variable with the bytes that all entries together may take.
pub(super) const VARIABLE: &str = "CYXLA_CACHE_SIZE";

/// Bytes that all entries together may take, unless told otherwise: 2 GiB.
pub(super) const DEFAULT: u64 = 2 << 30;

/// A number of bytes, with K, M, G or T for powers of 1024: `500M`. What can't be counted in 64 bits has no limit.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.chars().last()?.to_ascii_uppercase() {
        'K' => (&text[..text.len() - 1], 10),
        'M' => (&text[..text.len() - 1], 20),
        'G' => (&text[..text.len() - 1], 30),
        'T' => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let digits = digits.trim_end();
    // `parse` would take a sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().unwrap_or(u64::MAX);
    Some(number.saturating_mul(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        let sizes = [
            ("0", 0),
            ("1234", 1_234),
            ("1K", 1_024),
            ("3m", 3_145_728),
            (" 2 G ", 2_147_483_648),
            ("1T", 1_099_511_627_776),
            ("99999999999999999999", u64::MAX),
            ("99999999999G", u64::MAX),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "", " ", "G", "-1", "+1", "1.5G", "1GiB", "10 000", "ten", "1é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
