//! The object files of a program as one piece of code.

use std::collections::{BTreeMap, HashMap};

use cyxla_native::image::{Code, Function, FunctionKind, Patch, PatchValue, Symbol};

use super::objects::{self, Definition, Object, Relocation, RelocationKind, Target};
use super::proto::{CompiledSymbol, FunctionType, ObjectFile};
use super::{NotExpressible, ensure};

/// Instructions of int3: what lies between functions is not to be run.
const BETWEEN_FUNCTIONS: u8 = 0xcc;
/// Data begins on a line of the cache of its own.
const DATA_ALIGNMENT: u64 = 64;

/// The linked code of a program.
#[derive(Debug)]
pub(super) struct Linker {
    pub(super) code: Code,
    /// The parts of the code that are instructions, as ranges of its bytes.
    pub(super) instructions: Vec<std::ops::Range<usize>>,
    /// The entries of functions that thunks call, by name.
    functions: BTreeMap<String, Function>,
}

/// Where the sections of an object came to lie.
type Places = Vec<usize>;

impl Linker {
    /// Links object files. Objects of the same code become one.
    pub(super) fn new(
        files: &[ObjectFile],
        symbols: &[CompiledSymbol],
    ) -> Result<Self, NotExpressible> {
        let mut read = Vec::with_capacity(files.len());
        for file in files {
            read.push(objects::read(&file.contents)?);
        }
        // The compiler works on several at once, and in no order.
        read.sort_by(|(_, left), (_, right)| names(left).cmp(names(right)));
        let mut objects: Vec<Object> = Vec::new();
        let mut known: HashMap<Object, usize> = HashMap::new();
        let mut defined: BTreeMap<String, (usize, usize, u64)> = BTreeMap::new();
        for (object, definitions) in read {
            let index = *known.entry(object).or_insert_with_key(|object| {
                objects.push(object.clone());
                objects.len() - 1
            });
            for definition in definitions {
                let place = (index, definition.section, definition.offset);
                let before = defined.insert(definition.name.clone(), place);
                ensure!(
                    before.is_none_or(|before| before == place),
                    "its object code defines `{}` twice",
                    definition.name
                );
            }
        }
        let mut layout = Layout::default();
        let places = layout.place(&objects)?;
        let address =
            |(object, section, offset): (usize, usize, u64)| -> Result<u64, NotExpressible> {
                let start: usize = places[object][section];
                let end = objects[object].sections[section].bytes.len() as u64;
                ensure!(offset <= end, "a symbol of its object code is out of place");
                Ok(start as u64 + offset)
            };
        for (object, own_places) in objects.iter().zip(&places) {
            for (section, &start) in object.sections.iter().zip(own_places) {
                for relocation in &section.relocations {
                    let target = match &relocation.target {
                        Target::Section(section, offset) => {
                            let start = own_places.get(*section).copied().unwrap_or_default();
                            Resolved::Own(start as u64 + offset)
                        }
                        Target::Symbol(name) => match defined.get(name) {
                            Some(&place) => Resolved::Own(address(place)?),
                            None => Resolved::Outside(name),
                        },
                    };
                    layout.relocate(start, section.bytes.len(), relocation, &target)?;
                }
            }
        }
        let mut functions = BTreeMap::new();
        for symbol in symbols {
            let kind = match symbol.function_type() {
                FunctionType::Kernel => FunctionKind::Kernel,
                FunctionType::Comparator => FunctionKind::Comparator,
                FunctionType::Unknown => {
                    return Err(NotExpressible::new(format!(
                        "its function `{}` is of no known kind",
                        symbol.name
                    )));
                }
            };
            let place = defined.get(&symbol.name).copied().ok_or_else(|| {
                NotExpressible::new(format!(
                    "its object code lacks the function `{}`",
                    symbol.name
                ))
            })?;
            let entry = u32::try_from(address(place)?).map_err(too_large)?;
            let name = symbol.name.clone();
            functions.insert(name.clone(), Function { name, kind, entry });
        }
        Ok(Self {
            code: layout.code()?,
            instructions: layout.instructions,
            functions,
        })
    }

    /// The function that a thunk names.
    pub(super) fn function(
        &self,
        name: &str,
        kind: FunctionKind,
    ) -> Result<&Function, NotExpressible> {
        let function = self.functions.get(name);
        let function = function.filter(|function| function.kind == kind);
        function.ok_or_else(|| {
            NotExpressible::new(format!(
                "a step calls the function `{name}`, which it lacks"
            ))
        })
    }
}

fn names(definitions: &[Definition]) -> impl Iterator<Item = &str> {
    definitions
        .iter()
        .map(|definition| definition.name.as_str())
}

fn too_large(_: std::num::TryFromIntError) -> NotExpressible {
    NotExpressible::new("it has more than 2 GiB of code")
}

/// An address, as far as it is known.
enum Resolved<'a> {
    /// In the code, from its first byte.
    Own(u64),
    /// Of a routine that is in no object.
    Outside(&'a str),
}

/// The code as it is put together.
#[derive(Debug, Default)]
struct Layout {
    bytes: Vec<u8>,
    alignment: u64,
    patches: Vec<Patch>,
    instructions: Vec<std::ops::Range<usize>>,
}

impl Layout {
    /// Lays out all functions, and all data behind them.
    fn place(&mut self, objects: &[Object]) -> Result<Vec<Places>, NotExpressible> {
        let mut places: Vec<Places> = objects
            .iter()
            .map(|object| vec![0; object.sections.len()])
            .collect();
        self.alignment = DATA_ALIGNMENT;
        for is_code in [true, false] {
            let filler = if is_code { BETWEEN_FUNCTIONS } else { 0 };
            if !is_code {
                self.align(DATA_ALIGNMENT, BETWEEN_FUNCTIONS)?;
            }
            for (object, places) in objects.iter().zip(&mut places) {
                for (section, place) in object.sections.iter().zip(places) {
                    if section.is_code != is_code {
                        continue;
                    }
                    self.align(section.alignment, filler)?;
                    *place = self.bytes.len();
                    self.bytes.extend_from_slice(&section.bytes);
                    if is_code {
                        self.instructions.push(*place..self.bytes.len());
                    }
                }
            }
        }
        Ok(places)
    }

    fn align(&mut self, alignment: u64, filler: u8) -> Result<(), NotExpressible> {
        ensure!(
            alignment.is_power_of_two() && alignment <= 4096,
            "its object code is aligned to {alignment} bytes"
        );
        self.alignment = self.alignment.max(alignment);
        let multiple = usize::try_from(alignment).map_err(too_large)?;
        self.bytes
            .resize(self.bytes.len().next_multiple_of(multiple), filler);
        Ok(())
    }

    /// Writes what one relocation of the section at `start` asks for, or notes a patch.
    fn relocate(
        &mut self,
        start: usize,
        size: usize,
        relocation: &Relocation,
        target: &Resolved<'_>,
    ) -> Result<(), NotExpressible> {
        let width = match relocation.kind {
            RelocationKind::Absolute | RelocationKind::Relative64 => 8,
            RelocationKind::Relative32 => 4,
        };
        let inside = usize::try_from(relocation.offset).map_err(too_large)?;
        ensure!(
            inside.checked_add(width).is_some_and(|end| end <= size),
            "a relocation of its object code is out of place"
        );
        let offset = start + inside;
        let misfit = || NotExpressible::new("an address in its object code doesn't fit");
        let value = match *target {
            Resolved::Outside(name) => {
                let symbol: Symbol = name
                    .parse()
                    .map_err(|_| NotExpressible::new(format!("it calls the routine `{name}`")))?;
                ensure!(
                    relocation.kind == RelocationKind::Absolute && relocation.addend == 0,
                    "it calls the routine `{name}` by a relative address"
                );
                PatchValue::Symbol(symbol)
            }
            Resolved::Own(address) => {
                let address = i64::try_from(address).map_err(too_large)?;
                let value = address.checked_add(relocation.addend).ok_or_else(misfit)?;
                let distance = value - i64::try_from(offset).map_err(too_large)?;
                let field = &mut self.bytes[offset..offset + width];
                match relocation.kind {
                    RelocationKind::Absolute => {
                        field.fill(0);
                        PatchValue::Code(u32::try_from(value).map_err(|_| misfit())?)
                    }
                    RelocationKind::Relative64 => {
                        field.copy_from_slice(&distance.to_le_bytes());
                        return Ok(());
                    }
                    RelocationKind::Relative32 => {
                        let distance = i32::try_from(distance).map_err(|_| misfit())?;
                        field.copy_from_slice(&distance.to_le_bytes());
                        return Ok(());
                    }
                }
            }
        };
        self.patches.push(Patch {
            offset: u32::try_from(offset).map_err(too_large)?,
            value,
        });
        Ok(())
    }

    fn code(&mut self) -> Result<Code, NotExpressible> {
        let mut patches = std::mem::take(&mut self.patches);
        patches.sort_by_key(|patch| patch.offset);
        Ok(Code {
            bytes: std::mem::take(&mut self.bytes),
            alignment: u32::try_from(self.alignment).map_err(too_large)?,
            patches,
        })
    }
}
