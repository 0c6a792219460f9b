use std::path::Path;

use cyxla_artifact::{ProgramRecord, Weight, WeightsIn};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use crate::types::constant;

/// The weights of a program: the items that have their elements, and what `program()` says of them.
///
/// `code` is the absolute path of the file with the code, beside which their files lie.
#[derive(Default)]
pub(crate) struct WeightTokens {
    /// Stand before the program.
    pub(crate) items: TokenStream,
    /// Stands behind `Program::new(…)`.
    pub(crate) call: TokenStream,
}

pub(crate) fn weight_tokens(
    record: &ProgramRecord,
    code: &str,
    krate: &TokenStream,
) -> WeightTokens {
    let weights = &record.weights.arrays;
    if weights.is_empty() {
        return WeightTokens::default();
    }
    let in_binary = record.weights.place != WeightsIn::File;
    let private = quote!(#krate::__private);
    let folder = Path::new(code).parent().unwrap_or(Path::new(""));
    let parts = weights.iter().enumerate().map(|(index, weight)| {
        let Weight {
            path, bound, file, ..
        } = weight;
        let array_type = constant(&weight.array_type, krate);
        let sha256 = Literal::byte_string(weight.sha256.as_bytes());
        let source = if in_binary {
            let name = data(index);
            quote!(Binary(weights::#name))
        } else {
            let folder = folder.to_string_lossy();
            quote!(File { name: #file, folder: #folder })
        };
        quote! {
            #private::ProgramWeight::new(
                #path,
                #array_type,
                #bound,
                *#sha256,
                #private::WeightSource::#source,
            )
        }
    });
    let count = Literal::usize_unsuffixed(weights.len());
    let parts = quote! {
        static WEIGHTS: [#private::ProgramWeight; #count] = [#(#parts),*];
    };
    let call = quote!(.with_weights(&WEIGHTS));
    let items = if in_binary {
        let items = weights.iter().enumerate();
        let items = items.map(|(index, weight)| elements(index, weight, folder));
        quote! {
            // A module, where an assembler takes its words also inside of a function.
            mod weights {
                #(#items)*
            }
        }
    } else {
        TokenStream::new()
    };
    WeightTokens {
        items: quote!(#items #parts),
        call,
    }
}

fn data(index: usize) -> Ident {
    Ident::new(&format!("WEIGHT_{index}"), Span::call_site())
}

/// The elements of one array, aligned to 64 bytes.
///
/// The assembler takes them from their file. As a literal of Rust they would take the compiler five times as long and ten times
/// their size. The symbol is named for the content, so that a binary has each content once.
fn elements(index: usize, weight: &Weight, folder: &Path) -> TokenStream {
    let name = data(index);
    let bytes = weight.array_type.nbytes();
    if bytes == 0 {
        return quote!(pub(super) static #name: &[u8] = &[];);
    }
    let path = folder.join(&weight.file);
    let path = path.to_string_lossy();
    let symbol = format!("cyxla_weight_{}", weight.sha256);
    let linked = format_ident!("LINKED_{}", index);
    let elf = assembly(&path, |file| {
        format!(
            ".ifndef {symbol}\n\
             .pushsection .rodata.{symbol},\"aG\",%progbits,{symbol},comdat\n\
             .weak {symbol}\n.hidden {symbol}\n.type {symbol},%object\n.p2align 6\n\
             {symbol}:\n.incbin \"{file}\"\n.size {symbol},{bytes}\n.popsection\n.endif"
        )
    });
    let mach = assembly(&path, |file| {
        format!(
            ".ifndef _{symbol}\n.pushsection __TEXT,__const\n\
             .globl _{symbol}\n.weak_definition _{symbol}\n.private_extern _{symbol}\n.p2align 6\n\
             _{symbol}:\n.incbin \"{file}\"\n.popsection\n.endif"
        )
    });
    let length = Literal::usize_unsuffixed(bytes);
    let is_assembled = quote! {
        all(unix, any(
            target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm",
            target_arch = "riscv64",
        ))
    };
    let path = &*path;
    quote! {
        #[cfg(all(#is_assembled, not(target_vendor = "apple")))]
        ::core::arch::global_asm!(#elf);
        #[cfg(all(#is_assembled, target_vendor = "apple"))]
        ::core::arch::global_asm!(#mach);
        #[cfg(#is_assembled)]
        unsafe extern "C" {
            #[link_name = #symbol]
            safe static #linked: [u8; #length];
        }
        #[cfg(#is_assembled)]
        pub(super) static #name: &[u8] = &#linked;

        #[cfg(not(#is_assembled))]
        pub(super) static #name: &[u8] = {
            #[repr(C, align(64))]
            struct Aligned<T: ?Sized>(T);
            static ALIGNED: &Aligned<[u8]> = &Aligned(*::std::include_bytes!(#path));
            &ALIGNED.0
        };
    }
}

/// Words for the assembler, as `global_asm!` takes them, with the path of a file in them.
fn assembly(path: &str, words: impl FnOnce(&str) -> String) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    words(&path).replace('{', "{{").replace('}', "}}")
}
