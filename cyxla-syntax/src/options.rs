use cyxla_artifact::{Engine, Linalg, Platform, StableHloVersion, WeightsIn};
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token, token};

use crate::EntryPoint;
use crate::mistake::Mistake;
use crate::report::Report;

/// What stands behind the target in `#[cyxla::program("module:function", name = value, …)]`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `args = "module:example_args"`: the Python callable or value that gives example arguments, for shapes that Rust
    /// leaves open.
    pub args: Option<EntryPoint>,
    /// `bind(params = "model:load_params")`: parameters of the Python function that get their values when it is lowered,
    /// each from a Python callable or value.
    pub bind: Vec<(Ident, EntryPoint)>,
    /// `x64 = true`: JAX's `jax_enable_x64`; unless said, it is on for programs that name 64-bit types.
    pub x64: Option<bool>,
    /// `custom_calls = ["target"]`: custom calls that the program may make beyond those that JAX promises to keep.
    pub custom_calls: Vec<String>,
    /// `deps = ["weights.safetensors"]`: files, relative to the package, that the lowering depends on unseen.
    pub deps: Vec<String>,
    /// `donate = [state]`: parameters whose memory the program may reuse for a result, in the order of the text.
    pub donate: Vec<Ident>,
    /// `linalg = "portable"`: what linear algebra is lowered to.
    pub linalg: Option<Linalg>,
    /// `engine = "auto"`: what runs the program.
    pub engine: Option<Engine>,
    /// `platforms = ["cpu", "cuda"]`: the platforms that the program is lowered for, sorted, each once.
    pub platforms: Vec<Platform>,
    /// `stablehlo_version = "1.10.0"`: the StableHLO version to write the code at.
    pub stablehlo_version: Option<StableHloVersion>,
    /// `weights = "file"`: where the arrays are that the program holds.
    pub weights: Option<WeightsIn>,
    /// `weights_from = 4096`: bytes from which an array that the function closes over is a weight.
    pub weights_from: Option<u64>,
    /// `crate = "renamed"`: where the expansion finds cyxla, `::renamed` or `crate::path`; nothing that the lowering
    /// depends on.
    pub crate_path: Option<syn::Path>,
}

/// Every option with an example, in the order of the text that [`Options::text`] gives.
const KNOWN: [(&str, &str); 13] = [
    ("args", "args = \"module:example_args\""),
    ("bind", "bind(params = \"module:load_params\")"),
    ("crate", "crate = \"name\""),
    ("custom_calls", "custom_calls = [\"target\"]"),
    ("deps", "deps = [\"weights.safetensors\"]"),
    ("donate", "donate = [state]"),
    ("engine", "engine = \"auto\""),
    ("linalg", "linalg = \"portable\""),
    ("platforms", "platforms = [\"cpu\", \"cuda\"]"),
    ("stablehlo_version", "stablehlo_version = \"1.10.0\""),
    ("weights", "weights = \"file\""),
    ("weights_from", "weights_from = 65536"),
    ("x64", "x64 = true"),
];

impl Options {
    /// The options as text, sorted by name: equal options have equal texts.
    pub(crate) fn text(&self) -> String {
        let list = |name: &str, items: &[String]| {
            (!items.is_empty()).then(|| format!("{name} = {items:?}"))
        };
        let parts = [
            self.args.as_ref().map(|args| format!("args = \"{args}\"")),
            (!self.bind.is_empty()).then(|| {
                let mut bound: Vec<_> = self.bind.iter().collect();
                bound.sort_by(|(a, _), (b, _)| a.cmp(b));
                let bound = bound.iter();
                let bound: Vec<_> = bound
                    .map(|(name, target)| format!("{} = \"{target}\"", name.unraw()))
                    .collect();
                format!("bind({})", bound.join(", "))
            }),
            list("custom_calls", &self.custom_calls),
            list("deps", &self.deps),
            (!self.donate.is_empty()).then(|| {
                let mut names: Vec<_> = self.donate.iter().map(IdentExt::unraw).collect();
                names.sort();
                let names: Vec<_> = names.iter().map(ToString::to_string).collect();
                format!("donate = [{}]", names.join(", "))
            }),
            self.engine.map(|engine| format!("engine = \"{engine}\"")),
            self.linalg.map(|linalg| format!("linalg = \"{linalg}\"")),
            list(
                "platforms",
                &self
                    .platforms
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
            ),
            self.stablehlo_version
                .map(|version| format!("stablehlo_version = \"{version}\"")),
            self.weights.map(|place| format!("weights = \"{place}\"")),
            self.weights_from
                .map(|bytes| format!("weights_from = {bytes}")),
            self.x64.map(|x64| format!("x64 = {x64}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Reads the arguments of an attribute that stands at `attribute`.
pub(crate) fn parse(
    arguments: TokenStream,
    attribute: Span,
    report: &mut Report,
) -> (Option<EntryPoint>, Options) {
    if arguments.is_empty() {
        report.at(attribute, Mistake::NoTarget);
        return (None, Options::default());
    }
    let mut target = None;
    let mut options = Options::default();
    let parsed = (|input: ParseStream<'_>| {
        if input.peek(LitStr) {
            target = entry_point(&input.parse()?, report);
        } else {
            report.at(input.span(), Mistake::NoTarget);
            // Without a target, the list may begin with an option.
            if !(input.peek(Ident::peek_any) && input.peek2(Token![=])) {
                input.parse::<Expr>()?;
            }
        }
        if !input.peek(Ident::peek_any) && !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let mut given = Vec::new();
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if name == "bind" && input.peek(token::Paren) {
                if given.contains(&"bind") {
                    let twice = "bind".to_owned();
                    report.on(&name, Mistake::GivenTwice { name: twice });
                }
                given.push("bind");
                let inner;
                syn::parenthesized!(inner in input);
                options.bind = bindings(&inner, report)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
                continue;
            }
            input.parse::<Token![=]>()?;
            let value = input.parse::<Expr>()?;
            match KNOWN.iter().find(|(known, _)| name == known) {
                Some(&(known, _)) if given.contains(&known) => {
                    let twice = known.to_owned();
                    report.on(&name, Mistake::GivenTwice { name: twice });
                }
                Some(&(known, example)) => {
                    given.push(known);
                    options.set(known, example, &value, report);
                }
                None => report.on(
                    &name,
                    Mistake::UnknownOption {
                        name: name.to_string(),
                        known: KNOWN.map(|(known, _)| format!("`{known}`")).join(", "),
                    },
                ),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    })
    .parse2(arguments);
    report.take(parsed);
    (target, options)
}

impl Options {
    fn set(&mut self, name: &'static str, example: &'static str, value: &Expr, to: &mut Report) {
        let wrong = || Mistake::OptionValue { name, example };
        match name {
            "args" => match string(value) {
                Some(text) => self.args = entry_point(text, to),
                None => to.on(value, wrong()),
            },
            "bind" => to.on(value, wrong()),
            "weights" => match string(value).map(|text| text.value().parse()) {
                Some(Ok(place)) => self.weights = Some(place),
                _ => to.on(value, wrong()),
            },
            "weights_from" => match literal(value) {
                Some(Lit::Int(bytes)) => match bytes.base10_parse() {
                    Ok(bytes) => self.weights_from = Some(bytes),
                    Err(_) => to.on(value, wrong()),
                },
                _ => to.on(value, wrong()),
            },
            "crate" => match string(value).map(crate_path) {
                Some(Ok(path)) => self.crate_path = Some(path),
                _ => to.on(value, wrong()),
            },
            "custom_calls" => self.custom_calls = strings(value, to, wrong),
            "deps" => self.deps = strings(value, to, wrong),
            "donate" => self.donate = names(value, to, wrong),
            "engine" => match string(value).map(|text| text.value().parse()) {
                Some(Ok(engine)) => self.engine = Some(engine),
                _ => to.on(value, wrong()),
            },
            "linalg" => match string(value).map(|text| text.value().parse()) {
                Some(Ok(linalg)) => self.linalg = Some(linalg),
                _ => to.on(value, wrong()),
            },
            "platforms" => self.platforms = platforms(value, to, wrong),
            "stablehlo_version" => match string(value).map(|text| text.value().parse()) {
                Some(Ok(version)) => self.stablehlo_version = Some(version),
                _ => to.on(value, wrong()),
            },
            _ => match literal(value) {
                Some(Lit::Bool(x64)) => self.x64 = Some(x64.value),
                _ => to.on(value, wrong()),
            },
        }
    }
}

/// `params = "model:load_params", …`
fn bindings(input: ParseStream<'_>, report: &mut Report) -> syn::Result<Vec<(Ident, EntryPoint)>> {
    let mut bound: Vec<(Ident, EntryPoint)> = Vec::new();
    while !input.is_empty() {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let target = input.parse::<LitStr>()?;
        if bound.iter().any(|(known, _)| *known == name) {
            let twice = name.to_string();
            report.on(&name, Mistake::GivenTwice { name: twice });
        } else if let Some(target) = entry_point(&target, report) {
            bound.push((name, target));
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(bound)
}

fn entry_point(text: &LitStr, report: &mut Report) -> Option<EntryPoint> {
    let value = text.value();
    let point = EntryPoint::parse(&value, text.span()).ok();
    if point.is_none() {
        report.on(text, Mistake::NotAnEntryPoint { text: value });
    }
    point
}

/// The name of a crate, or a path from the root of this one: a path that is the same wherever it stands.
fn crate_path(text: &LitStr) -> syn::Result<syn::Path> {
    let mut path = text.parse_with(syn::Path::parse_mod_style)?;
    let first = path.segments.first().map(|segment| &segment.ident);
    if first.is_some_and(|first| first == "self" || first == "super") {
        return Err(syn::Error::new(text.span(), "a path from here"));
    }
    if first.is_some_and(|first| first != "crate") {
        path.leading_colon.get_or_insert_with(Default::default);
    }
    Ok(path)
}

/// A value that came through a `macro_rules!` fragment stands in an invisible group.
fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

fn literal(value: &Expr) -> Option<&Lit> {
    match ungrouped(value) {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

fn string(value: &Expr) -> Option<&LitStr> {
    match literal(value) {
        Some(Lit::Str(text)) => Some(text),
        _ => None,
    }
}

fn strings(value: &Expr, report: &mut Report, wrong: impl Fn() -> Mistake) -> Vec<String> {
    let Expr::Array(list) = ungrouped(value) else {
        report.on(value, wrong());
        return Vec::new();
    };
    let mut texts = Vec::new();
    for element in &list.elems {
        match string(element).map(LitStr::value) {
            Some(text) if !text.is_empty() => texts.push(text),
            _ => report.on(element, wrong()),
        }
    }
    texts
}

fn platforms(value: &Expr, report: &mut Report, wrong: impl Fn() -> Mistake) -> Vec<Platform> {
    let Expr::Array(list) = ungrouped(value) else {
        report.on(value, wrong());
        return Vec::new();
    };
    let mut platforms: Vec<Platform> = Vec::new();
    for element in &list.elems {
        match string(element).map(|text| text.value().parse()) {
            Some(Ok(platform)) if platforms.contains(&platform) => {
                let name = platform.to_string();
                report.on(element, Mistake::GivenTwice { name });
            }
            Some(Ok(platform)) => platforms.push(platform),
            _ => report.on(element, wrong()),
        }
    }
    if list.elems.is_empty() {
        report.on(value, wrong());
    }
    platforms.sort();
    platforms
}

fn names(value: &Expr, report: &mut Report, wrong: impl Fn() -> Mistake) -> Vec<Ident> {
    let Expr::Array(list) = ungrouped(value) else {
        report.on(value, wrong());
        return Vec::new();
    };
    let mut names: Vec<Ident> = Vec::new();
    for element in &list.elems {
        let name = match ungrouped(element) {
            Expr::Path(path) if path.attrs.is_empty() => path.path.get_ident(),
            _ => None,
        };
        match name {
            Some(name) if names.contains(name) => {
                let mistake = Mistake::GivenTwice {
                    name: name.to_string(),
                };
                report.on(name, mistake);
            }
            Some(name) => names.push(name.clone()),
            None => report.on(element, wrong()),
        }
    }
    names
}
