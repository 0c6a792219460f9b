use super::*;

#[test]
fn bytes_of_something_else_are_not_expressible() {
    for bytes in [
        &b""[..],
        b"\x0a",
        b"\x7fELF",
        &[0xff; 64],
        b"\x0a\x03\x08\x01\x02",
    ] {
        assert!(translate(bytes).is_err(), "{bytes:?}");
    }
}
