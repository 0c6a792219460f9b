/// Everything that can be wrong with a declaration, by itself: one table, one voice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Mistake {
    // The attribute.
    #[error(
        "which Python function is the program?\n  \
         help: name it first: `#[cyxla::program(\"module:function\")]`"
    )]
    NoTarget,
    #[error(
        "`{text}` names no Python function\n  \
         help: write module and function with a colon between them: \"model:predict\""
    )]
    NotAnEntryPoint { text: String },
    #[error("`{name}` is no option of a program\n  help: the options are {known}")]
    UnknownOption { name: String, known: String },
    #[error("`{name}` is given twice\n  help: leave one of them out")]
    GivenTwice { name: String },
    #[error("wrong value for `{name}`\n  help: write `{example}`")]
    OptionValue {
        name: &'static str,
        example: &'static str,
    },
    #[error("`{name}` is no parameter of `{function}`\n  help: {known}")]
    UnknownDonated {
        name: String,
        function: String,
        known: String,
    },
    #[error(
        "this function is a program already\n  \
         help: one function has one program: leave one attribute out"
    )]
    AttributeTwice,

    // The function.
    #[error(
        "only a function can be a program\n  \
         help: put the attribute on a signature: `fn predict(x: &[f32; 4]) -> cyxla::Result<f32>;`"
    )]
    NotAFunction,
    #[error(
        "a program has no body: end the signature with `;`\n  help: the body is the Python function"
    )]
    Body,
    #[error(
        "a program is not `{keyword}`\n  \
         help: leave `{keyword}` out: the function is an ordinary, blocking one"
    )]
    Qualifier { keyword: &'static str },
    #[error(
        "a program has no generics: it is compiled for one list of array types\n  \
         help: declare one function for each list of types"
    )]
    Generics,
    #[error("a program has no `self`\n  help: declare it outside of `impl` and `trait`")]
    Receiver,
    #[error("a program has a fixed number of arguments\n  help: leave `...` out")]
    Variadic,

    // The parameters.
    #[error("a parameter is a plain name\n  help: write `name: type`")]
    Pattern,
    #[error("a parameter of a program has no attributes\n  help: leave the attribute out")]
    ParameterAttribute,
    #[error("arguments are never changed\n  help: write `&T`; what changes is returned")]
    Mutable,
    #[error(
        "arguments are never changed\n  \
         help: move the buffer in, `Buffer<T>`, and return one: the result takes its memory"
    )]
    MutableBuffer,
    #[error(
        "`{name}` is donated: a result takes its memory\n  \
         help: take it by value: `Buffer<{array}>`, or `{array}`"
    )]
    DonatedReference { name: String, array: String },
    #[error(
        "a program keeps no references, so that lifetimes say nothing\n  help: leave the lifetime out"
    )]
    Lifetime,
    #[error(
        "a reference stands only before the whole type of a parameter\n  \
         help: leave this `&` out"
    )]
    InnerReference,
    #[error("arguments are not boxed\n  help: borrow the array, `&T`, or keep it in a `Host<T>`")]
    BoxedArgument,
    #[error(
        "an argument is one array\n  help: write one parameter for each leaf of the pytree, in JAX's order"
    )]
    TupleArgument,

    // Types.
    #[error("shapes are static\n  help: write the length into the type: `[f32; N]`")]
    Unsized,
    #[error("a program has no `impl` or `dyn` types\n  help: name the array type: `[f32; 8]`")]
    Opaque,
    #[error(
        "`_` stands for a whole type\n  \
         help: write `_` for all of it, or all of the type"
    )]
    PartlyInferred,
    #[error(
        "`{name}` stands around a whole array type, and alone\n  \
         help: write `Host<[f32; 8]>` or `Buffer<[f32; 8]>`; a result may be a `Box<[f32; 8]>` too"
    )]
    InnerHolder { name: &'static str },

    // The result.
    #[error("a program returns a result\n  help: end the signature with `-> cyxla::Result<T>;`")]
    NoResult,
    #[error("a program returns `cyxla::Result<T>`: a call can fail\n  help: write {written}")]
    NotAResult { written: String },
    #[error(
        "a result is owned\n  help: return arrays by value, `Box<T>` to keep a large one off the stack, or \
         `Buffer<T>` to keep it on the device"
    )]
    ReferenceResult,
    #[error(
        "the results stand in one flat tuple, one for each leaf of the pytree\n  help: leave the inner tuple out"
    )]
    NestedTuple,
}
