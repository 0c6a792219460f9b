use std::fmt;

/// A short string that can be built in a constant.
///
/// The checks that a `#[cyxla::program]` expands to run in the compiler, where nothing can be allocated; they word their
/// messages with this. What does not fit is cut off.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl Text {
    /// The most bytes that a text holds.
    pub const CAPACITY: usize = 1024;

    /// An empty text.
    pub const fn new() -> Self {
        Self {
            bytes: [0; Self::CAPACITY],
            len: 0,
        }
    }

    /// This text with `text` behind it.
    pub const fn str(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        // Cut at a character boundary, so that the whole stays UTF-8.
        let mut fits = if bytes.len() <= Self::CAPACITY - self.len {
            bytes.len()
        } else {
            Self::CAPACITY - self.len
        };
        while fits < bytes.len() && fits > 0 && bytes[fits] & 0xC0 == 0x80 {
            fits -= 1;
        }
        let mut i = 0;
        while i < fits {
            self.bytes[self.len + i] = bytes[i];
            i += 1;
        }
        self.len += fits;
        self
    }

    /// This text with the decimal digits of `number` behind it.
    pub const fn number(self, number: usize) -> Self {
        let rest = number / 10;
        let before = if rest > 0 { self.number(rest) } else { self };
        let digits = "0123456789";
        before.str(digits.split_at(number % 10).1.split_at(1).0)
    }

    /// The text so far.
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // Only whole characters are ever added.
            Err(_) => "",
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_built_in_constants() {
        const TEXT: Text = Text::new()
            .str("f32[")
            .number(8)
            .str(",")
            .number(1024)
            .str("]");
        assert_eq!(TEXT.as_str(), "f32[8,1024]");
    }

    #[test]
    fn zero_has_one_digit() {
        assert_eq!(Text::new().number(0).as_str(), "0");
    }

    #[test]
    fn what_does_not_fit_is_cut_at_a_character() {
        let full = Text::new().str(&"x".repeat(Text::CAPACITY - 1));
        assert_eq!(full.str("é").as_str().len(), Text::CAPACITY - 1);
        assert_eq!(full.str("ab").as_str().len(), Text::CAPACITY);
    }
}
