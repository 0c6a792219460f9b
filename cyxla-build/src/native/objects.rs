//! One object file: its code and data, and what must be written into them.

use object::elf;
use object::read::elf::{FileHeader as _, Rela as _, SectionHeader as _, Sym as _};
use object::{Endianness, SectionIndex, SymbolIndex};

use super::{NotExpressible, ensure};

/// An object file, freed of names and of what is only for debuggers and unwinders.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Object {
    /// What is mapped, in the order of the file.
    pub(super) sections: Vec<Section>,
}

/// A section that is mapped.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Section {
    pub(super) is_code: bool,
    /// A power of two.
    pub(super) alignment: u64,
    pub(super) bytes: Vec<u8>,
    /// In the order of their offsets.
    pub(super) relocations: Vec<Relocation>,
}

/// Something that depends on where code and data lie.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Relocation {
    pub(super) offset: u64,
    pub(super) kind: RelocationKind,
    pub(super) target: Target,
    pub(super) addend: i64,
}

/// How a relocation is computed of the address S of its target, its addend A and its own address P.
///
/// Source: System V ABI, AMD64 supplement, table 4.10.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum RelocationKind {
    /// 8 bytes, S + A.
    Absolute,
    /// 8 bytes, S + A − P.
    Relative64,
    /// 4 bytes, S + A − P.
    Relative32,
}

/// What a relocation refers to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    /// A place in this object: the index of one of its sections, and an offset.
    Section(usize, u64),
    /// A symbol of another object, or of none.
    Symbol(String),
}

/// A symbol that others may refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    /// The index of the section among those of the object.
    pub(super) section: usize,
    pub(super) offset: u64,
}

type Header = elf::FileHeader64<Endianness>;

/// Reads an object file for x86-64.
pub(super) fn read(bytes: &[u8]) -> Result<(Object, Vec<Definition>), NotExpressible> {
    let unreadable = |error: object::Error| {
        NotExpressible::new(format!("its object code can't be read: {error}"))
    };
    let header = Header::parse(bytes).map_err(unreadable)?;
    let endian = header.endian().map_err(unreadable)?;
    let machine = header.e_machine(endian);
    ensure!(
        machine == elf::EM_X86_64 && header.e_type(endian) == elf::ET_REL,
        "its object code is for machine {machine} of ELF, or is no relocatable object"
    );
    let table = header.sections(endian, bytes).map_err(unreadable)?;
    let symbols = table
        .symbols(endian, bytes, elf::SHT_SYMTAB)
        .map_err(unreadable)?;

    let mut object = Object::default();
    // By the number of a section in the file, its place among those that are mapped.
    let mut places = vec![None; table.len()];
    for (index, section) in table.enumerate() {
        let name = table.section_name(endian, section).map_err(unreadable)?;
        if !is_mapped(section, endian, name)? {
            continue;
        }
        places[index.0] = Some(object.sections.len());
        object.sections.push(Section {
            is_code: section.sh_flags(endian) & u64::from(elf::SHF_EXECINSTR) != 0,
            alignment: section.sh_addralign(endian).max(1),
            bytes: section.data(endian, bytes).map_err(unreadable)?.to_vec(),
            relocations: Vec::new(),
        });
    }

    let target = |index: SymbolIndex| -> Result<Target, NotExpressible> {
        let symbol = symbols.symbol(index).map_err(unreadable)?;
        let name = symbols.symbol_name(endian, symbol).map_err(unreadable)?;
        let name = String::from_utf8_lossy(name).into_owned();
        if symbol.is_undefined(endian) {
            return Ok(Target::Symbol(name));
        }
        let section = symbols.symbol_section(endian, symbol, index);
        let place = section
            .map_err(unreadable)?
            .and_then(|at| places.get(at.0).copied().flatten());
        match place {
            Some(place) => Ok(Target::Section(place, symbol.st_value(endian))),
            None => Err(NotExpressible::new(format!(
                "its object code refers to `{name}`, which is not mapped"
            ))),
        }
    };
    for (_, section) in table.enumerate() {
        let Some((relocations, _)) = section.rela(endian, bytes).map_err(unreadable)? else {
            ensure!(
                section.sh_type(endian) != elf::SHT_REL,
                "its object code has relocations without addends"
            );
            continue;
        };
        let of = SectionIndex(section.sh_info(endian) as usize);
        let Some(place) = places.get(of.0).copied().flatten() else {
            continue;
        };
        let mut read = Vec::with_capacity(relocations.len());
        for relocation in relocations {
            let symbol = SymbolIndex(relocation.r_sym(endian, false) as usize);
            read.push(Relocation {
                offset: relocation.r_offset(endian),
                kind: kind(relocation.r_type(endian, false))?,
                target: target(symbol)?,
                addend: relocation.r_addend(endian),
            });
        }
        read.sort_by_key(|relocation| relocation.offset);
        object.sections[place].relocations.append(&mut read);
    }

    let mut definitions = Vec::new();
    for (index, symbol) in symbols.enumerate() {
        if symbol.is_undefined(endian) || symbol.is_local() {
            continue;
        }
        let name = symbols.symbol_name(endian, symbol).map_err(unreadable)?;
        if let Target::Section(section, offset) = target(index)? {
            definitions.push(Definition {
                name: String::from_utf8_lossy(name).into_owned(),
                section,
                offset,
            });
        }
    }
    definitions.sort_by(|left, right| left.name.cmp(&right.name));
    Ok((object, definitions))
}

/// Whether a section is code or read-only data. Tables for unwinding have no use: kernels neither throw nor unwind.
fn is_mapped(
    section: &elf::SectionHeader64<Endianness>,
    endian: Endianness,
    name: &[u8],
) -> Result<bool, NotExpressible> {
    let flags = section.sh_flags(endian);
    let is = |flag: u32| flags & u64::from(flag) != 0;
    let needless = name == b".eh_frame" || section.sh_type(endian) == elf::SHT_NOTE;
    if !is(elf::SHF_ALLOC) || needless || section.sh_size(endian) == 0 {
        return Ok(false);
    }
    ensure!(
        !is(elf::SHF_WRITE) && section.sh_type(endian) != elf::SHT_NOBITS,
        "its object code has variables, in section {}",
        String::from_utf8_lossy(name)
    );
    Ok(true)
}

fn kind(number: u32) -> Result<RelocationKind, NotExpressible> {
    match number {
        elf::R_X86_64_64 => Ok(RelocationKind::Absolute),
        elf::R_X86_64_PC64 => Ok(RelocationKind::Relative64),
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => Ok(RelocationKind::Relative32),
        _ => Err(NotExpressible::new(format!(
            "its object code has a relocation of kind {number}"
        ))),
    }
}
