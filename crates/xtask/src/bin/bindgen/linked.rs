//! A linked module, read from its file: segments, symbols and relocations.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{
    BinaryReader, CustomSectionReader, Data, DataKind, Linking, LinkingSectionReader, Name,
    NameSectionReader, Operator, Parser, Payload, RelocSectionReader, RelocationEntry,
    RelocationType, SymbolFlags, SymbolInfo,
};

use crate::links::Target;

/// The references of a linked module: relocations in code by place in the file, and relocations in
/// data by address.
pub struct Linked {
    /// The places of the pieces of data in memory.
    pub pieces: Vec<Range<u32>>,
    /// Whether they are constant.
    pub constant: Vec<bool>,
    pub in_code: Vec<(u32, Target)>,
    pub in_data: Vec<(u32, Target)>,
}

impl Linked {
    /// Reads a module that was linked with `--emit-relocs`.
    ///
    /// # Errors
    /// If there are no relocations, or one of an unknown type.
    pub fn read(wasm: &[u8]) -> Result<Self> {
        let file = File::read(wasm)?;
        let (pieces, piece_of) = file.pieces()?;
        let mut linked = Self {
            constant: pieces.iter().map(|piece| piece.constant).collect(),
            pieces: pieces.into_iter().map(|piece| piece.place).collect(),
            in_code: Vec::new(),
            in_data: Vec::new(),
        };
        for (of_data, entry) in &file.relocations {
            let at = if *of_data { file.data } else { file.code } + entry.offset as usize;
            let Some(target) = target(wasm, at, entry, &piece_of)? else { continue };
            if *of_data {
                linked.in_data.push((file.address_of(at)?, target));
            } else {
                linked.in_code.push((u32::try_from(at)?, target));
            }
        }
        Ok(linked)
    }
}

/// A segment of data.
struct Segment {
    /// The address in memory.
    address: u32,
    /// The bytes in the file.
    file: Range<usize>,
}

/// A piece of data.
struct Piece {
    place: Range<u32>,
    constant: bool,
}

/// The sections that matter here.
struct File<'a> {
    /// The beginning of the code section.
    code: usize,
    /// The beginning of the data section.
    data: usize,
    segments: Vec<Segment>,
    segment_names: HashMap<u32, &'a str>,
    symbols: Vec<SymbolInfo<'a>>,
    /// The relocations, each with whether it is in data.
    relocations: Vec<(bool, RelocationEntry)>,
}

impl<'a> File<'a> {
    fn read(wasm: &'a [u8]) -> Result<Self> {
        let (mut code, mut data) = (None, None);
        let mut file = Self {
            code: 0,
            data: 0,
            segments: Vec::new(),
            segment_names: HashMap::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::CodeSectionStart { range, .. } => code = Some(range.start),
                Payload::DataSection(section) => {
                    data = Some(section.range().start);
                    for data in section {
                        file.segments.push(segment(&data?)?);
                    }
                }
                Payload::CustomSection(section) => file.custom_section(&section)?,
                _ => {}
            }
        }
        ensure!(
            !file.symbols.is_empty(),
            "the module has no relocations: link it with `--emit-relocs`"
        );
        file.code = code.context("the module has no code")?;
        file.data = data.context("the module has no data")?;
        Ok(file)
    }

    fn custom_section(&mut self, section: &CustomSectionReader<'a>) -> Result<()> {
        let reader = BinaryReader::new(section.data(), section.data_offset());
        match section.name() {
            "linking" => {
                for part in LinkingSectionReader::new(reader)?.subsections() {
                    if let Linking::SymbolTable(table) = part? {
                        self.symbols = table.into_iter().collect::<Result<_, _>>()?;
                    }
                }
            }
            "name" => {
                for names in NameSectionReader::new(reader) {
                    let Name::Data(names) = names? else { continue };
                    for naming in names {
                        let naming = naming?;
                        self.segment_names.insert(naming.index, naming.name);
                    }
                }
            }
            name if name.starts_with("reloc.") => {
                for entry in RelocSectionReader::new(reader)?.entries() {
                    self.relocations.push((name == "reloc.DATA", entry?));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the pieces of data, and the piece for which each symbol stands.
    fn pieces(&self) -> Result<(Vec<Piece>, HashMap<u32, usize>)> {
        let mut pieces = Vec::new();
        let mut piece_of = HashMap::new();
        for (symbol, i) in self.symbols.iter().zip(0..) {
            let SymbolInfo::Data { flags, symbol: Some(defined), .. } = symbol else { continue };
            if flags.contains(SymbolFlags::ABSOLUTE) {
                continue;
            }
            let segment = self
                .segments
                .get(defined.index as usize)
                .context("data in a segment that is not there")?;
            let start = segment.address + defined.offset;
            let name = self.segment_names.get(&defined.index);
            piece_of.insert(i, pieces.len());
            pieces.push(Piece {
                place: start..start + defined.size,
                constant: name.is_some_and(|name| name.starts_with(".rodata")),
            });
        }
        Ok((pieces, piece_of))
    }

    /// Returns the address of a byte of data at a place in the file.
    fn address_of(&self, at: usize) -> Result<u32> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.file.contains(&at))
            .context("a relocation outside of all data")?;
        Ok(segment.address + u32::try_from(at - segment.file.start)?)
    }
}

fn segment(data: &Data<'_>) -> Result<Segment> {
    let DataKind::Active { memory_index: 0, offset_expr } = &data.kind else {
        bail!("expected data as linkers place it, found a segment that nothing places");
    };
    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
        bail!("expected data at an address, found it at an expression");
    };
    let end = data.range.end;
    Ok(Segment { address: value.cast_unsigned(), file: end - data.data.len()..end })
}

/// Returns the target of a relocation at a place in the file; `None` if it is neither an address of
/// data nor of a function.
fn target(
    wasm: &[u8],
    at: usize,
    entry: &RelocationEntry,
    piece_of: &HashMap<u32, usize>,
) -> Result<Option<Target>> {
    use RelocationType as T;
    let reader = || BinaryReader::new(&wasm[at..], at);
    Ok(Some(match entry.ty {
        T::MemoryAddrLeb | T::MemoryAddrSleb | T::MemoryAddrI32 => {
            let piece = piece_of.get(&entry.index);
            Target::Data(*piece.context("an address of data that is not defined")?)
        }
        T::TableIndexSleb => Target::Slot(reader().read_var_i32()?.cast_unsigned()),
        T::TableIndexI32 => Target::Slot(reader().read_u32()?),
        T::FunctionIndexLeb | T::TypeIndexLeb | T::GlobalIndexLeb | T::TableNumberLeb => {
            return Ok(None);
        }
        other => bail!(
            "expected addresses of data and functions, found a relocation of the type {other:?}"
        ),
    }))
}
