use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The text of some tokens, equal wherever they were read.
///
/// The compiler and syn's own lexer disagree on spacing, on comments and on the invisible groups around macro fragments;
/// none of these reach the text.
pub(crate) fn text(tokens: TokenStream) -> String {
    let mut words = Words(String::new());
    words.stream(tokens);
    words.0
}

struct Words(String);

impl Words {
    fn stream(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::None => ("", ""),
                    };
                    self.word(open);
                    self.stream(group.stream());
                    self.word(close);
                }
                TokenTree::Ident(ident) => self.word(&ident.to_string()),
                TokenTree::Literal(literal) => self.word(&literal.to_string()),
                TokenTree::Punct(punct) => self.punct(punct.as_char()),
            }
        }
    }

    fn punct(&mut self, character: char) {
        // A path separator comes as two tokens.
        let separator = character == ':' && self.0.ends_with(':') && !self.0.ends_with("::");
        if separator || (character == '>' && self.0.ends_with('-')) {
            self.0.push(character);
        } else {
            self.word(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn word(&mut self, word: &str) {
        let tight_before = ["(", "[", "{", "<", "&", "::", "'"];
        let tight_after = [")", "]", "}", ",", ";", ":", "<", ">"];
        let tight = self.0.is_empty()
            || tight_before.iter().any(|end| self.0.ends_with(end))
            || tight_after.contains(&word);
        if !tight && !word.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::{Group, Punct, Spacing};
    use quote::quote;

    #[test]
    fn types_read_as_one_writes_them() {
        let ty = quote!(&[[cyxla::Complex<f32>; 4]; 2 * N]);
        assert_eq!(text(ty), "&[[cyxla::Complex<f32>; 4]; 2 * N]");
    }

    #[test]
    fn spacing_does_not_matter() {
        let spread: TokenStream = "cyxla :: Result < Box < f32 > >".parse().unwrap();
        let dense: TokenStream = "cyxla::Result<Box<f32>>".parse().unwrap();
        assert_eq!(text(spread), text(dense));
        let alone = [
            Punct::new(':', Spacing::Alone),
            Punct::new(':', Spacing::Alone),
        ];
        let alone: TokenStream = alone.map(TokenTree::Punct).into_iter().collect();
        assert_eq!(text(quote!(a #alone b)), text(quote!(a::b)));
    }

    #[test]
    fn invisible_groups_do_not_matter() {
        let fragment = Group::new(Delimiter::None, quote!([f32; 4]));
        assert_eq!(text(quote!([#fragment; 8])), text(quote!([[f32; 4]; 8])));
    }
}
