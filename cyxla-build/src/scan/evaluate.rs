use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, ExprBinary, Lit, Stmt, Type, UnOp};

use super::integer::IntegerType;
use super::resolve::{Evaluator, Meaning, Space};
use super::tree::{ItemId, ItemKind, Path, ScopeId, place};
use super::types::Binding;
use super::walk::path_of;
use super::{Place, Unknown};

/// The value of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A number; its type, as far as it is known.
    Integer(i128, Option<IntegerType>),
    Truth(bool),
}

/// Where an expression or a type stands.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) scope: ScopeId,
    /// The file as it is shown.
    pub(super) file: &'a str,
    /// The generic parameters of the alias around it.
    pub(super) bindings: &'a [(String, Binding)],
}

impl Site<'_> {
    pub(super) fn place(&self, span: Span) -> Place {
        place(self.file, span)
    }
}

/// The source text of some tokens, on one line, not too long.
pub(super) fn text(of: &impl Spanned) -> String {
    const MOST: usize = 80;
    let source = of.span().source_text().unwrap_or_default();
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

impl Evaluator<'_> {
    /// The length of an array.
    pub(super) fn length(&mut self, length: &Expr, site: Site<'_>) -> Result<usize, Unknown> {
        let value = match self.expression(length, site)? {
            Value::Integer(value, _) => value,
            Value::Truth(_) => return Err(unsupported(length, site)),
        };
        usize::try_from(value).map_err(|_| {
            arithmetic(
                length,
                site,
                format!("is {value}, which is no length of an array"),
            )
        })
    }

    pub(super) fn expression(&mut self, expr: &Expr, site: Site<'_>) -> Result<Value, Unknown> {
        let value = self.step(|this| match expr {
            Expr::Lit(literal) => literal_value(&literal.lit, expr, site),
            Expr::Paren(paren) => this.expression(&paren.expr, site),
            Expr::Group(group) => this.expression(&group.expr, site),
            Expr::Block(block) if block.label.is_none() => this.block(&block.block, expr, site),
            Expr::Const(block) => this.block(&block.block, expr, site),
            Expr::Path(path) if path.qself.is_none() => this.path(&path.path, site),
            Expr::Unary(unary) => {
                let operand = this.expression(&unary.expr, site)?;
                negated(unary.op, operand, expr, site)
            }
            Expr::Binary(binary) => this.binary(binary, expr, site),
            Expr::Cast(cast) => {
                let ty = this.integer_type(&cast.ty, site);
                match (this.expression(&cast.expr, site)?, ty) {
                    (Value::Integer(value, _), Some(ty)) => {
                        Ok(Value::Integer(ty.wrapped(value), Some(ty)))
                    }
                    (Value::Truth(value), Some(ty)) => Ok(Value::Integer(value.into(), Some(ty))),
                    (_, None) => Err(unsupported(expr, site)),
                }
            }
            Expr::If(choice) => match (this.expression(&choice.cond, site)?, &choice.else_branch) {
                (Value::Truth(true), Some(_)) => this.block(&choice.then_branch, expr, site),
                (Value::Truth(false), Some((_, otherwise))) => this.expression(otherwise, site),
                _ => Err(unsupported(expr, site)),
            },
            _ => Err(unsupported(expr, site)),
        });
        value.unwrap_or_else(|| Err(too_complex(expr, site)))
    }

    /// A block that is one expression. One with items would be a scope of its own.
    fn block(&mut self, block: &Block, whole: &Expr, site: Site<'_>) -> Result<Value, Unknown> {
        match &block.stmts[..] {
            [Stmt::Expr(value, None)] => self.expression(value, site),
            _ => Err(unsupported(whole, site)),
        }
    }

    pub(super) fn path(&mut self, path: &syn::Path, site: Site<'_>) -> Result<Value, Unknown> {
        let names = Path::of(path);
        if let [name] = &names.names[..] {
            let bound = site.bindings.iter().find(|(bound, _)| bound == name);
            if let Some((_, Binding::Constant(value))) = bound {
                return Ok(*value);
            }
        }
        let mut values = Vec::new();
        for meaning in self.resolve(site.scope, &names, Space::Values) {
            let (value, defined) = match &meaning {
                Meaning::Item(item) => (self.constant(*item, path, site)?, Some(*item)),
                Meaning::Variant(item, index) => {
                    (self.discriminant(*item, *index, site)?, Some(*item))
                }
                Meaning::Foreign(names) => (foreign(names, path, site)?, None),
                Meaning::Module(_) => return Err(not_a_constant(path, site)),
            };
            values.push((value, defined));
        }
        if self.is_spent() {
            return Err(too_complex(path, site));
        }
        let [(first, first_item), others @ ..] = &values[..] else {
            return Err(Unknown::NotFound {
                place: site.place(path.span()),
                path: text(path),
            });
        };
        match others.iter().find(|(other, _)| other != first) {
            None => Ok(*first),
            Some((_, other_item)) => {
                let defined = |item: Option<ItemId>| match item {
                    Some(item) => self.tree.item(item).place.clone(),
                    None => site.place(path.span()),
                };
                Err(Unknown::Ambiguous {
                    place: site.place(path.span()),
                    name: text(path),
                    first: defined(*first_item),
                    second: defined(*other_item),
                })
            }
        }
    }

    /// The value of an item that `path` names.
    fn constant(&mut self, id: ItemId, path: &syn::Path, site: Site<'_>) -> Result<Value, Unknown> {
        let tree = self.tree;
        let item = tree.item(id);
        let ItemKind::Constant { ty, value } = &item.kind else {
            return Err(not_a_constant(path, site));
        };
        if let Some(known) = self.values.get(&id) {
            return known.clone();
        }
        let inner = Site {
            scope: item.scope,
            file: &item.place.file,
            bindings: &[],
        };
        let known = self.opened(id, |this| {
            let declared = this.integer_type(ty, inner);
            match (this.expression(value, inner)?, declared) {
                (Value::Integer(number, _), Some(ty)) => {
                    let fits = ty
                        .checked(number)
                        .map(|number| Value::Integer(number, Some(ty)));
                    fits.ok_or_else(|| {
                        let problem = format!("is {number}, which is no {ty}");
                        arithmetic(&**value, inner, problem)
                    })
                }
                (known, _) => Ok(known),
            }
        });
        // That the budget was spent says nothing of the constant itself.
        if !self.is_spent() {
            self.values.insert(id, known.clone());
        }
        known
    }

    /// Works out an item while it is known to be open, so that a cycle ends.
    pub(super) fn opened<T>(
        &mut self,
        id: ItemId,
        work: impl FnOnce(&mut Self) -> Result<T, Unknown>,
    ) -> Result<T, Unknown> {
        if self.open.contains(&id) {
            let item = self.tree.item(id);
            return Err(Unknown::Cycle {
                place: item.place.clone(),
                name: item.name.clone(),
            });
        }
        self.open.push(id);
        let done = work(self);
        self.open.pop();
        done
    }

    /// The number of a variant: its own, or that of the one before it and one more.
    fn discriminant(&mut self, id: ItemId, index: usize, site: Site<'_>) -> Result<Value, Unknown> {
        let tree = self.tree;
        let item = tree.item(id);
        let ItemKind::Enum(variants) = &item.kind else {
            return Ok(Value::Integer(0, None));
        };
        let explicit = variants[..=index]
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, (_, value))| value.as_ref().map(|value| (at, value)));
        let inner = Site {
            scope: item.scope,
            file: &item.place.file,
            ..site
        };
        let (start, first) = match explicit {
            None => (0, 0),
            Some((at, value)) => match self.opened(id, |this| this.expression(value, inner))? {
                Value::Integer(number, _) => (at, number),
                Value::Truth(_) => return Err(unsupported(value, inner)),
            },
        };
        let after = i128::try_from(index - start).unwrap_or(i128::MAX);
        Ok(Value::Integer(first.saturating_add(after), None))
    }

    fn integer_type(&mut self, ty: &Type, site: Site<'_>) -> Option<IntegerType> {
        let meanings = self.resolve(site.scope, &path_of(ty)?, Space::Types);
        match &meanings[..] {
            [Meaning::Foreign(names)] => IntegerType::named(names.last()?),
            [Meaning::Item(id)] => {
                let tree = self.tree;
                let item = tree.item(*id);
                let ItemKind::Alias { ty, .. } = &item.kind else {
                    return None;
                };
                let inner = Site {
                    scope: item.scope,
                    file: &item.place.file,
                    bindings: &[],
                };
                self.step(|this| this.integer_type(ty, inner)).flatten()
            }
            _ => None,
        }
    }

    fn binary(
        &mut self,
        binary: &ExprBinary,
        expr: &Expr,
        site: Site<'_>,
    ) -> Result<Value, Unknown> {
        let left = self.expression(&binary.left, site)?;
        match (binary.op, left) {
            (BinOp::And(_), Value::Truth(false)) | (BinOp::Or(_), Value::Truth(true)) => {
                return Ok(left);
            }
            _ => {}
        }
        let right = self.expression(&binary.right, site)?;
        let (x, y, ty) = match (left, right) {
            (Value::Integer(x, left), Value::Integer(y, right)) => match binary.op {
                // The two sides of a shift have types of their own.
                BinOp::Shl(_) | BinOp::Shr(_) => (x, y, left),
                _ => (x, y, left.or(right)),
            },
            (Value::Truth(x), Value::Truth(y)) => {
                return match binary.op {
                    BinOp::And(_) | BinOp::Or(_) => Ok(right),
                    BinOp::BitAnd(_) => Ok(Value::Truth(x & y)),
                    BinOp::BitOr(_) => Ok(Value::Truth(x | y)),
                    BinOp::BitXor(_) | BinOp::Ne(_) => Ok(Value::Truth(x != y)),
                    BinOp::Eq(_) => Ok(Value::Truth(x == y)),
                    _ => Err(unsupported(expr, site)),
                };
            }
            _ => return Err(unsupported(expr, site)),
        };
        let number = match binary.op {
            BinOp::Add(_) => x.checked_add(y),
            BinOp::Sub(_) => x.checked_sub(y),
            BinOp::Mul(_) => x.checked_mul(y),
            BinOp::Div(_) | BinOp::Rem(_) if y == 0 => {
                return Err(arithmetic(expr, site, "divides by zero".to_owned()));
            }
            BinOp::Div(_) => x.checked_div(y),
            BinOp::Rem(_) => x.checked_rem(y),
            BinOp::BitAnd(_) => Some(x & y),
            BinOp::BitOr(_) => Some(x | y),
            BinOp::BitXor(_) => Some(x ^ y),
            BinOp::Shl(_) | BinOp::Shr(_) => {
                let bits = ty.unwrap_or(IntegerType::USIZE).bits();
                let Some(by) = u32::try_from(y).ok().filter(|by| *by < bits) else {
                    let problem = format!("shifts by {y}, and the number has {bits} bits");
                    return Err(arithmetic(expr, site, problem));
                };
                return Ok(match (binary.op, ty) {
                    (BinOp::Shr(_), _) => Value::Integer(x >> by, ty),
                    // Bits that leave the type on the left are dropped, without an overflow.
                    (_, Some(ty)) => Value::Integer(ty.wrapped(x.wrapping_shl(by)), Some(ty)),
                    (_, None) => {
                        let factor = 1_i128.checked_shl(by).unwrap_or(i128::MAX);
                        return checked(x.checked_mul(factor), ty, expr, site);
                    }
                });
            }
            BinOp::Eq(_) => return Ok(Value::Truth(x == y)),
            BinOp::Ne(_) => return Ok(Value::Truth(x != y)),
            BinOp::Lt(_) => return Ok(Value::Truth(x < y)),
            BinOp::Le(_) => return Ok(Value::Truth(x <= y)),
            BinOp::Gt(_) => return Ok(Value::Truth(x > y)),
            BinOp::Ge(_) => return Ok(Value::Truth(x >= y)),
            _ => return Err(unsupported(expr, site)),
        };
        checked(number, ty, expr, site)
    }
}

/// `-x` and `!x`.
fn negated(op: UnOp, operand: Value, expr: &Expr, site: Site<'_>) -> Result<Value, Unknown> {
    match (op, operand) {
        (UnOp::Neg(_), Value::Integer(value, ty)) => checked(value.checked_neg(), ty, expr, site),
        (UnOp::Not(_), Value::Integer(value, Some(ty))) => {
            Ok(Value::Integer(ty.wrapped(!value), Some(ty)))
        }
        (UnOp::Not(_), Value::Truth(value)) => Ok(Value::Truth(!value)),
        _ => Err(unsupported(expr, site)),
    }
}

fn literal_value(literal: &Lit, expr: &Expr, site: Site<'_>) -> Result<Value, Unknown> {
    match literal {
        Lit::Bool(value) => Ok(Value::Truth(value.value)),
        Lit::Byte(value) => Ok(Value::Integer(
            value.value().into(),
            IntegerType::named("u8"),
        )),
        Lit::Int(value) => {
            let ty = IntegerType::named(value.suffix());
            if ty.is_none() && !value.suffix().is_empty() {
                return Err(unsupported(expr, site));
            }
            checked(value.base10_digits().parse().ok(), ty, expr, site)
        }
        _ => Err(unsupported(expr, site)),
    }
}

/// A constant of another crate; the limits of the integer types are known.
fn foreign(names: &[String], path: &syn::Path, site: Site<'_>) -> Result<Value, Unknown> {
    if let [.., ty, name] = names
        && let Some(ty) = IntegerType::named(ty)
    {
        let (min, max) = ty.range();
        match name.as_str() {
            "MIN" => return Ok(Value::Integer(min, Some(ty))),
            "MAX" => return Ok(Value::Integer(max, Some(ty))),
            "BITS" => return Ok(Value::Integer(ty.bits().into(), IntegerType::named("u32"))),
            _ => {}
        }
    }
    Err(match names {
        [_] => Unknown::NotFound {
            place: site.place(path.span()),
            path: text(path),
        },
        _ => Unknown::OtherCrate {
            place: site.place(path.span()),
            path: names.join("::"),
        },
    })
}

fn checked(
    number: Option<i128>,
    ty: Option<IntegerType>,
    expr: &Expr,
    site: Site<'_>,
) -> Result<Value, Unknown> {
    let fits = number.filter(|number| ty.is_none_or(|ty| ty.checked(*number).is_some()));
    fits.map(|number| Value::Integer(number, ty))
        .ok_or_else(|| {
            let ty = ty.map_or_else(|| "any integer type".to_owned(), |ty| ty.to_string());
            arithmetic(expr, site, format!("overflows {ty}"))
        })
}

fn unsupported(expr: &impl Spanned, site: Site<'_>) -> Unknown {
    Unknown::Unsupported {
        place: site.place(expr.span()),
        expression: text(expr),
    }
}

fn arithmetic(expr: &impl Spanned, site: Site<'_>, problem: String) -> Unknown {
    Unknown::Arithmetic {
        place: site.place(expr.span()),
        expression: text(expr),
        problem,
    }
}

fn not_a_constant(path: &syn::Path, site: Site<'_>) -> Unknown {
    Unknown::NotAConstant {
        place: site.place(path.span()),
        path: text(path),
    }
}

pub(super) fn too_complex(expr: &impl Spanned, site: Site<'_>) -> Unknown {
    Unknown::TooComplex {
        place: site.place(expr.span()),
        expression: text(expr),
    }
}
