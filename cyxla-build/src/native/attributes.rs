//! The attributes of a custom call, which XLA keeps as a dictionary of MLIR in text: `{lower = true, mode = 65 : ui8}`.
//!
//! Source: "Builtin Dialect" of the MLIR documentation; xla/ffi/attribute_map.cc for what of it is an attribute of a call.

use cyxla_artifact::DType;
use cyxla_native::image::Attribute;

/// How deep dictionaries may lie in one another.
const MAX_DEPTH: u32 = 32;

/// Reads a dictionary. None if it holds something that isn't known.
pub(super) fn parse(text: &str) -> Option<Vec<(String, Attribute)>> {
    let mut cursor = Cursor { rest: text };
    cursor.space();
    if cursor.rest.is_empty() {
        return Some(Vec::new());
    }
    let entries = dictionary(&mut cursor, 0)?;
    cursor.space();
    cursor.rest.is_empty().then_some(entries)
}

fn dictionary(cursor: &mut Cursor<'_>, depth: u32) -> Option<Vec<(String, Attribute)>> {
    if depth == MAX_DEPTH {
        return None;
    }
    cursor.expect("{")?;
    let mut entries = Vec::new();
    while !cursor.skip("}") {
        if !entries.is_empty() {
            cursor.expect(",")?;
        }
        let name = match cursor.string() {
            Some(name) => String::from_utf8(name).ok()?,
            None => cursor.word()?.to_owned(),
        };
        // Without a value it is a unit, which no handler can be given.
        cursor.expect("=")?;
        entries.push((name, attribute(cursor, depth)?));
    }
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    Some(entries)
}

fn attribute(cursor: &mut Cursor<'_>, depth: u32) -> Option<Attribute> {
    cursor.space();
    if cursor.rest.starts_with('{') {
        return Some(Attribute::Dictionary(dictionary(cursor, depth + 1)?));
    }
    if let Some(bytes) = cursor.string() {
        return Some(Attribute::String(bytes));
    }
    if cursor.skip("dense<") {
        return dense(cursor);
    }
    if cursor.skip("array<") {
        return array(cursor);
    }
    let value = cursor.word()?;
    let dtype = if cursor.skip(":") {
        dtype(cursor.word()?)?
    } else {
        match value {
            "true" | "false" => DType::Bool,
            _ if value.contains(['.', 'e']) => DType::F64,
            _ => DType::I64,
        }
    };
    let mut bytes = Vec::new();
    element(value, dtype, &mut bytes)?;
    Some(Attribute::Scalar { dtype, bytes })
}

/// `array<i64: 1, 2>`, behind the bracket.
fn array(cursor: &mut Cursor<'_>) -> Option<Attribute> {
    let dtype = dtype(cursor.word()?)?;
    let mut bytes = Vec::new();
    if !cursor.skip(">") {
        cursor.expect(":")?;
        loop {
            element(cursor.word()?, dtype, &mut bytes)?;
            if cursor.skip(">") {
                break;
            }
            cursor.expect(",")?;
        }
    }
    Some(Attribute::Array { dtype, bytes })
}

/// `dense<[1, 2]> : tensor<2xi64>`, behind the bracket. The elements may also be one for all, none, or hexadecimal bytes.
fn dense(cursor: &mut Cursor<'_>) -> Option<Attribute> {
    let mut words = Vec::new();
    let raw = cursor.string();
    let is_list = raw.is_none() && cursor.skip("[");
    if is_list {
        while !cursor.skip("]") {
            if !words.is_empty() {
                cursor.expect(",")?;
            }
            words.push(cursor.word()?);
        }
    } else if raw.is_none() && !cursor.rest.starts_with('>') {
        words.push(cursor.word()?);
    }
    cursor.expect(">")?;
    cursor.expect(":")?;
    cursor.expect("tensor<")?;
    let (count, dtype_name) = cursor.word()?.split_once('x')?;
    cursor.expect(">")?;
    let (count, dtype): (usize, _) = (count.parse().ok()?, dtype(dtype_name)?);
    let mut bytes = Vec::new();
    match raw {
        Some(raw) => bytes = hexadecimal(&raw)?,
        None if is_list && words.len() == count => {
            for word in words {
                element(word, dtype, &mut bytes)?;
            }
        }
        None if !is_list && (words.len() == 1 || count == 0) => {
            let mut one = Vec::new();
            if let Some(word) = words.first() {
                element(word, dtype, &mut one)?;
            }
            // Not more than a program could be asked to hold.
            (one.len().checked_mul(count)? < 1 << 30).then_some(())?;
            bytes = one.repeat(count);
        }
        None => return None,
    }
    (bytes.len() == count.checked_mul(dtype.size())?).then_some(Attribute::Array { dtype, bytes })
}

fn dtype(name: &str) -> Option<DType> {
    Some(match name {
        "i1" => DType::Bool,
        "i8" | "si8" => DType::I8,
        "i16" | "si16" => DType::I16,
        "i32" | "si32" => DType::I32,
        "i64" | "si64" => DType::I64,
        "ui8" => DType::U8,
        "ui16" => DType::U16,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "f32" => DType::F32,
        "f64" => DType::F64,
        _ => return None,
    })
}

/// Adds the bytes of one number, little endian.
fn element(text: &str, dtype: DType, bytes: &mut Vec<u8>) -> Option<()> {
    macro_rules! number {
        ($type:ty) => {
            bytes.extend(text.parse::<$type>().ok()?.to_le_bytes())
        };
    }
    // What no decimal number is exactly, or not at all, is written as the bits that it has.
    macro_rules! float {
        ($type:ty, $bits:ty) => {
            match text.strip_prefix("0x") {
                Some(bits) => bytes.extend(<$bits>::from_str_radix(bits, 16).ok()?.to_le_bytes()),
                None => number!($type),
            }
        };
    }
    match dtype {
        DType::Bool => match text {
            "true" | "1" | "-1" => bytes.push(1),
            "false" | "0" => bytes.push(0),
            _ => return None,
        },
        DType::I8 => number!(i8),
        DType::I16 => number!(i16),
        DType::I32 => number!(i32),
        DType::I64 => number!(i64),
        DType::U8 => number!(u8),
        DType::U16 => number!(u16),
        DType::U32 => number!(u32),
        DType::U64 => number!(u64),
        DType::F32 => float!(f32, u32),
        DType::F64 => float!(f64, u64),
        _ => return None,
    }
    Some(())
}

/// The bytes of `0x01FF`.
fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(b"0x")?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(byte).collect()
}

/// The byte that two hexadecimal digits are.
fn byte(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

/// What was not read yet.
struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Whether `text` comes next; it is passed over then.
    fn skip(&mut self, text: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.skip(text).then_some(())
    }

    /// A name, number or type.
    fn word(&mut self) -> Option<&'t str> {
        self.space();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$+-".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// A text in quotes; bytes that can't be printed are written as two hexadecimal digits.
    fn string(&mut self) -> Option<Vec<u8>> {
        self.space();
        let inside = self.rest.strip_prefix('"')?.as_bytes();
        let mut text = Vec::new();
        let mut at = 0;
        loop {
            match *inside.get(at)? {
                b'"' => break,
                b'\\' => match *inside.get(at + 1)? {
                    quoted @ (b'\\' | b'"') => {
                        text.push(quoted);
                        at += 2;
                    }
                    b'n' => {
                        text.push(b'\n');
                        at += 2;
                    }
                    b't' => {
                        text.push(b'\t');
                        at += 2;
                    }
                    _ => {
                        text.push(byte(inside.get(at + 1..at + 3)?)?);
                        at += 3;
                    }
                },
                other => {
                    text.push(other);
                    at += 1;
                }
            }
        }
        // Behind the opening quote, the text and the closing one: a quote is never inside of a character.
        self.rest = self.rest.get(at + 2..)?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: &str) -> Option<Attribute> {
        let entries = parse(&format!("{{a = {value}}}"))?;
        entries.into_iter().next().map(|(_, value)| value)
    }

    fn scalar(dtype: DType, bytes: &[u8]) -> Attribute {
        let bytes = bytes.to_vec();
        Attribute::Scalar { dtype, bytes }
    }

    fn array(dtype: DType, bytes: &[u8]) -> Attribute {
        let bytes = bytes.to_vec();
        Attribute::Array { dtype, bytes }
    }

    // The texts are those that JAX 0.10.2 makes of jax.ffi.ffi_call's keywords.

    #[test]
    fn numbers_have_their_type() {
        assert_eq!(
            one("1 : i64"),
            Some(scalar(DType::I64, &1_i64.to_le_bytes()))
        );
        assert_eq!(
            one("-5 : i64"),
            Some(scalar(DType::I64, &(-5_i64).to_le_bytes()))
        );
        assert_eq!(one("200 : ui8"), Some(scalar(DType::U8, &[200])));
        assert_eq!(one("true"), Some(scalar(DType::Bool, &[1])));
        assert_eq!(
            one("2.500000e+00 : f64"),
            Some(scalar(DType::F64, &2.5_f64.to_le_bytes()))
        );
        assert_eq!(
            one("0x7F800000 : f32"),
            Some(scalar(DType::F32, &f32::INFINITY.to_le_bytes()))
        );
    }

    #[test]
    fn texts_are_any_bytes() {
        assert_eq!(
            one(r#""he\22l\\l\0A\C3\B6""#),
            Some(Attribute::String("he\"l\\l\nö".as_bytes().to_vec()))
        );
        assert_eq!(
            one(r#""ab\00\FF""#),
            Some(Attribute::String(b"ab\0\xff".to_vec()))
        );
    }

    #[test]
    fn arrays_are_listed_filled_empty_or_raw() {
        let numbers = |numbers: &[i64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let listed: Vec<u8> = numbers(&[0, 1, 2]);
        assert_eq!(
            one("dense<[0, 1, 2]> : tensor<3xi64>"),
            Some(array(DType::I64, &listed))
        );
        assert_eq!(one("array<i64: 0, 1, 2>"), Some(array(DType::I64, &listed)));
        assert_eq!(
            one("dense<0> : tensor<4xi64>"),
            Some(array(DType::I64, &[0; 32]))
        );
        assert_eq!(one("dense<> : tensor<0xi32>"), Some(array(DType::I32, &[])));
        assert_eq!(
            one("dense<[true, false]> : tensor<2xi1>"),
            Some(array(DType::Bool, &[1, 0]))
        );
        assert_eq!(
            one(r#"dense<"0x01FF"> : tensor<2xui8>"#),
            Some(array(DType::U8, &[1, 255]))
        );
    }

    #[test]
    fn dictionaries_lie_in_dictionaries() {
        let inner = vec![("b".to_owned(), scalar(DType::U8, &[3]))];
        assert_eq!(one("{b = 3 : ui8}"), Some(Attribute::Dictionary(inner)));
        assert_eq!(parse(""), Some(vec![]));
        assert_eq!(parse("{}"), Some(vec![]));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for text in [
            "{a}",
            "{a = 1 : i64",
            "{a = 1 : i64} b",
            "{a = @symbol}",
            "{a = 1 : i7}",
            "{a = 300 : ui8}",
            "{a = dense<[1, 2]> : tensor<3xi64>}",
            "{a = dense<[[1], [2]]> : tensor<2x1xi64>}",
            "{a = dense<1> : tensor<9999999999999xi64>}",
            "{a = \"b}",
            "{a = \"\\0\"}",
            "opaque",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        let deep = ["{a = "; 100].concat();
        assert_eq!(parse(&deep), None);
    }
}
