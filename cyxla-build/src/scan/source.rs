use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// How deeply the syntax of a file may nest: beyond that, a parser that calls itself would run out of stack. Real sources
/// stay below a few hundred.
pub(super) const MOST_NESTED: usize = 3000;

/// Larger than any source that a person wrote, and than most that a machine did.
const MOST_BYTES: u64 = 64 << 20;

/// Reads and parses a Rust file; none if it can't be read, or if the compiler will refuse it and say so.
pub(super) fn read(path: &Path) -> Option<syn::File> {
    if std::fs::metadata(path).ok()?.len() > MOST_BYTES {
        return None;
    }
    parse(&std::fs::read_to_string(path).ok()?)
}

/// Parses the text of a Rust file.
pub(super) fn parse(text: &str) -> Option<syn::File> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The first line of a script; `#![…]` is an attribute.
    let is_script = text.starts_with("#!") && !text[2..].trim_start().starts_with('[');
    let text = match text.find('\n') {
        Some(end) if is_script => &text[end..],
        None if is_script => "",
        _ => text,
    };
    let tokens: TokenStream = text.parse().ok()?;
    if nesting(tokens.clone()) > MOST_NESTED {
        return None;
    }
    syn::parse2(tokens).ok()
}

/// A bound on how deep the syntax tree of `tokens` is, found without recursion.
///
/// Groups nest, and so do the tokens of one expression or type: `a.b().c()`, `1 + 2 + 3`, `A<B<C<D>>>`, `- - - x`. So the
/// tokens between two separators count, together with the deepest group among them.
fn nesting(tokens: TokenStream) -> usize {
    struct Level {
        tokens: std::iter::Peekable<token_stream::IntoIter>,
        deepest: usize,
        run: usize,
        deepest_in_run: usize,
    }
    impl Level {
        fn new(tokens: TokenStream) -> Self {
            Self {
                tokens: tokens.into_iter().peekable(),
                deepest: 0,
                run: 0,
                deepest_in_run: 0,
            }
        }
        fn end_run(&mut self) {
            self.deepest = self.deepest.max(self.run + self.deepest_in_run);
            (self.run, self.deepest_in_run) = (0, 0);
        }
    }
    let mut levels = vec![Level::new(tokens)];
    loop {
        let Some(level) = levels.last_mut() else {
            return 0;
        };
        match level.tokens.next() {
            Some(TokenTree::Group(group)) => levels.push(Level::new(group.stream())),
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), ';' | ',') => {
                level.end_run();
            }
            // An attribute, of which a documented item has one for each line.
            Some(TokenTree::Punct(punct)) if punct.as_char() == '#' => {}
            Some(_) => level.run += 1,
            None => {
                level.end_run();
                let inner = level.deepest;
                levels.pop();
                let Some(outer) = levels.last_mut() else {
                    return inner;
                };
                outer.deepest_in_run = outer.deepest_in_run.max(inner + 1);
                if ends_item(outer.tokens.peek()) {
                    outer.end_run();
                }
            }
        }
    }
}

/// Whether an item or statement ended, if a group stands before this token.
fn ends_item(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Ident(word)) => word != "else" && word != "as",
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Punct(punct)) => punct.as_char() == '#',
        None | Some(TokenTree::Literal(_)) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(text: &str) -> usize {
        nesting(text.parse().unwrap())
    }

    #[test]
    fn long_lists_are_flat() {
        assert_eq!(depth(&"1, ".repeat(10_000)), 1);
        assert!(depth(&"fn f() { g(1); }\n".repeat(10_000)) < 10);
        assert!(depth(&format!("{} fn f() {{}}", "/// text\n".repeat(5_000))) < 10);
    }

    #[test]
    fn groups_and_chains_nest() {
        assert!(depth(&format!("{}{}", "(".repeat(500), ")".repeat(500))) >= 500);
        assert!(depth(&"- ".repeat(500)) >= 500);
        assert!(depth(&format!("x{}", ".f()".repeat(500))) >= 500);
        assert!(depth(&format!("if a {{}} {}", "else if a {} ".repeat(500))) >= 500);
    }

    #[test]
    fn a_script_and_a_byte_order_mark_are_read() {
        let file = parse("\u{feff}#!/usr/bin/env run\nfn main() {}").unwrap();
        assert_eq!(file.items.len(), 1);
        assert_eq!(
            parse("#![allow(dead_code)]\nfn f() {}")
                .unwrap()
                .attrs
                .len(),
            1
        );
    }

    #[test]
    fn what_would_overflow_the_stack_is_passed_over() {
        let deep = 100_000;
        for hostile in [
            format!(
                "const A: usize = {}1{};",
                "(".repeat(deep),
                ")".repeat(deep)
            ),
            format!("const A: isize = {}1;", "- ".repeat(deep)),
            format!("const A: usize = 1{};", " + 1".repeat(deep)),
            format!("type A = {}u8{};", "B<".repeat(deep), ">".repeat(deep)),
            format!("fn f() {{ {} }}", "if a {} else ".repeat(deep)),
        ] {
            assert!(parse(&hostile).is_none());
        }
    }

    #[test]
    fn what_is_within_the_limit_fits_the_stack() {
        let near = MOST_NESTED / 2 - 50;
        let sources = [
            format!(
                "const A: usize = {}1{};",
                "(".repeat(near),
                ")".repeat(near)
            ),
            format!("const A: isize = {}1;", "- ".repeat(2 * near)),
            format!("const A: usize = 1{};", " + 1".repeat(near)),
            format!(
                "type A = {}u8{};",
                "B<".repeat(near / 2),
                ">".repeat(near / 2)
            ),
            format!("fn f() {{ {} }}", "if a {} else ".repeat(near / 2) + "{}"),
            format!("fn f() {{ {}{} }}", "{".repeat(near), "}".repeat(near)),
            format!("{}{}", "mod a {".repeat(near / 2), "}".repeat(near / 2)),
        ];
        let thread = std::thread::Builder::new().stack_size(super::super::STACK);
        let parsed = thread.spawn(move || {
            sources
                .iter()
                .map(|source| parse(source).is_some())
                .collect::<Vec<_>>()
        });
        assert!(parsed.unwrap().join().unwrap().iter().all(|parsed| *parsed));
    }
}
