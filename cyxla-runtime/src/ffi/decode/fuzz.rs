//! Frames of any content, whole and damaged in all ways that can be seen.
//!
//! A run has the same frames each time; `CYXLA_FUZZ_SECONDS=600` has it go on with others for so long.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test, of small numbers"
)]

use std::any::Any;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use cyxla_ffi::{Array, Attribute, Scalar};
use cyxla_pjrt_sys::xla_ffi::{XLA_FFI_Array, XLA_FFI_Attrs, XLA_FFI_ByteSpan, XLA_FFI_Scalar};

use super::*;

/// Steele, Lea and Flood's SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn bytes(&mut self, number: usize) -> Vec<u8> {
        (0..number).map(|_| self.next() as u8).collect()
    }
}

/// What an array of a frame is.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    dtype: DType,
    dims: Vec<usize>,
    bytes: Vec<u8>,
}

/// What an attribute of a frame is.
#[derive(Debug, PartialEq, Eq)]
enum Value {
    /// As it is printed: type and bytes.
    Scalar(String),
    String(Vec<u8>),
    Array(DType, Vec<u8>),
    Dictionary(Vec<(Vec<u8>, Value)>),
}

impl Value {
    fn scalar(scalar: &Scalar) -> Self {
        Self::Scalar(format!("{scalar:?}"))
    }
}

/// A place in a frame that can be damaged so that it is seen.
#[derive(Clone, Copy)]
enum Spot {
    /// The size of a structure.
    StructSize(*mut usize),
    /// The number of things in a list.
    Count(*mut i64),
    /// The number of axes. Fewer, without one that is zero, may have more elements, which can't be seen.
    Rank(*mut i64),
    /// The length of an axis. A larger one, if there can be memory for it, can't be seen.
    Axis(*mut i64),
    /// A number of bytes or elements.
    Length(*mut usize),
    /// The address of what must be there, and be aligned if it is so.
    Address(*mut *mut c_void, bool),
    /// The number of an element type.
    DataType(*mut c_int),
    /// What kind of thing something is.
    Kind(*mut c_int),
}

/// A frame with all that it points to.
struct Built {
    frame: *mut XLA_FFI_CallFrame,
    /// Keeps what is pointed to.
    kept: Vec<Box<dyn Any>>,
    spots: Vec<Spot>,
    arguments: Vec<Described>,
    results: Vec<Described>,
    attributes: Vec<(Vec<u8>, Value)>,
}

/// The number of an element type.
fn number(dtype: DType) -> c_int {
    let mut numbers = 0..64;
    let number = numbers.find(|&number| data_type::from_xla(number) == Some(dtype));
    number.unwrap()
}

/// Bytes in memory that is aligned for each element type.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        u128::from_ne_bytes(word)
    };
    bytes.chunks(16).map(word).collect()
}

fn dtype(random: &mut Random) -> DType {
    random.one_of(DType::ALL)
}

/// An element type of which one takes whole bytes, of any bits but for truth values.
fn whole(random: &mut Random) -> DType {
    match dtype(random) {
        DType::I4 | DType::U4 => DType::I8,
        dtype => dtype,
    }
}

/// Bytes of so many elements.
fn elements(dtype: DType, count: usize, random: &mut Random) -> Vec<u8> {
    let number = match dtype {
        DType::I4 | DType::U4 => count.div_ceil(2),
        dtype => count * dtype.size(),
    };
    let mut bytes = random.bytes(number);
    if dtype == DType::Bool {
        for byte in &mut bytes {
            *byte &= 1;
        }
    }
    bytes
}

impl Built {
    fn new(random: &mut Random) -> Self {
        let mut built = Self {
            frame: null_mut(),
            kept: Vec::new(),
            spots: Vec::new(),
            arguments: Vec::new(),
            results: Vec::new(),
            attributes: Vec::new(),
        };
        let (arguments, results) = (random.below(4), random.below(4));
        let arguments: Vec<_> = (0..arguments).map(|_| built.buffer(random)).collect();
        built.arguments = std::mem::take(&mut built.results);
        let results: Vec<_> = (0..results).map(|_| built.buffer(random)).collect();
        let number = random.below(5);
        let (attrs, attributes) = built.attrs(number, 0, random);
        built.attributes = attributes;
        let lists = [arguments, results].map(|things| {
            let number = things.len();
            let kinds = built.keep(vec![sys::XLA_FFI_ArgType_BUFFER; number]);
            let things = built.keep(things);
            for index in 0..number {
                built.spots.push(Spot::Kind(kinds.wrapping_add(index)));
                let place = things.wrapping_add(index);
                built.spots.push(Spot::Address(place, true));
            }
            (number as i64, kinds, things)
        });
        let mut frame = XLA_FFI_CallFrame::new();
        frame.stage = sys::XLA_FFI_ExecutionStage_EXECUTE;
        frame.args = XLA_FFI_Args::new();
        frame.rets = XLA_FFI_Rets::new();
        let [arguments, results] = lists;
        (frame.args.size, frame.args.types, frame.args.args) = arguments;
        (frame.rets.size, frame.rets.types, frame.rets.rets) = results;
        frame.attrs = attrs;
        let frame = built.keep(vec![frame]);
        built.frame = frame;
        // SAFETY: addresses of fields.
        let spots = unsafe {
            let (args, rets) = (&raw mut (*frame).args, &raw mut (*frame).rets);
            let attrs = &raw mut (*frame).attrs;
            [
                Spot::StructSize(&raw mut (*frame).struct_size),
                Spot::Kind((&raw mut (*frame).stage).cast()),
                Spot::StructSize(&raw mut (*args).struct_size),
                Spot::Count(&raw mut (*args).size),
                Spot::StructSize(&raw mut (*rets).struct_size),
                Spot::Count(&raw mut (*rets).size),
                Spot::StructSize(&raw mut (*attrs).struct_size),
                Spot::Count(&raw mut (*attrs).size),
                Spot::Address((&raw mut (*args).args).cast(), true),
                Spot::Address((&raw mut (*args).types).cast(), true),
                Spot::Address((&raw mut (*rets).rets).cast(), true),
                Spot::Address((&raw mut (*rets).types).cast(), true),
            ]
        };
        built.spots.extend(spots);
        built
    }

    /// Has elements live as long as the frame.
    fn keep<T: 'static>(&mut self, mut elements: Vec<T>) -> *mut T {
        let start = elements.as_mut_ptr();
        self.kept.push(Box::new(elements));
        start
    }

    /// A buffer, of which `results` has a description.
    fn buffer(&mut self, random: &mut Random) -> *mut c_void {
        let dtype = dtype(random);
        let rank = if random.below(20) == 0 {
            9
        } else {
            random.below(4)
        };
        let dims: Vec<_> = (0..rank).map(|_| random.below(4)).collect();
        let bytes = elements(dtype, dims.iter().product(), random);
        let data = self.keep(aligned(&bytes));
        let lengths = self.keep(dims.iter().map(|&length| length as i64).collect());
        let buffer = self.keep(vec![XLA_FFI_Buffer {
            dtype: number(dtype),
            data: data.cast(),
            rank: rank as i64,
            dims: lengths,
            ..XLA_FFI_Buffer::new()
        }]);
        // SAFETY: addresses of fields.
        unsafe {
            self.spots.extend([
                Spot::StructSize(&raw mut (*buffer).struct_size),
                Spot::DataType(&raw mut (*buffer).dtype),
                Spot::Rank(&raw mut (*buffer).rank),
                Spot::Address((&raw mut (*buffer).dims).cast(), true),
                Spot::Address(&raw mut (*buffer).data, false),
            ]);
        }
        let axes = (0..rank).map(|axis| Spot::Axis(lengths.wrapping_add(axis)));
        self.spots.extend(axes);
        self.results.push(Described { dtype, dims, bytes });
        buffer.cast()
    }

    fn span(&mut self, text: &[u8]) -> *mut XLA_FFI_ByteSpan {
        let bytes = self.keep(text.to_vec());
        let span = self.keep(vec![XLA_FFI_ByteSpan {
            ptr: bytes.cast_const().cast(),
            len: text.len(),
        }]);
        // SAFETY: addresses of fields.
        unsafe {
            let address = (&raw mut (*span).ptr).cast();
            self.spots.push(Spot::Address(address, false));
            self.spots.push(Spot::Length(&raw mut (*span).len));
        }
        span
    }

    /// Attributes, `depth` dictionaries inside of others.
    fn attrs(
        &mut self,
        number: usize,
        depth: usize,
        random: &mut Random,
    ) -> (XLA_FFI_Attrs, Vec<(Vec<u8>, Value)>) {
        let (mut kinds, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut described = Vec::new();
        for index in 0..number {
            let mut name = format!("name {index} ").into_bytes();
            let odd = random.below(4);
            name.extend(random.bytes(odd));
            let (kind, address, value) = self.value(depth, random);
            kinds.push(kind);
            names.push(self.span(&name));
            values.push(address);
            described.push((name, value));
        }
        let kinds = self.keep(kinds);
        let names = self.keep(names);
        let values = self.keep(values);
        for index in 0..number {
            self.spots.push(Spot::Kind(kinds.wrapping_add(index)));
            let (name, value) = (names.wrapping_add(index), values.wrapping_add(index));
            self.spots.push(Spot::Address(name.cast(), true));
            self.spots.push(Spot::Address(value, true));
        }
        let attrs = XLA_FFI_Attrs {
            size: number as i64,
            types: kinds,
            names,
            attrs: values,
            ..XLA_FFI_Attrs::new()
        };
        (attrs, described)
    }

    fn value(&mut self, depth: usize, random: &mut Random) -> (c_int, *mut c_void, Value) {
        match random.below(if depth < 3 { 4 } else { 3 }) {
            0 => {
                let dtype = whole(random);
                let bytes = elements(dtype, 1, random);
                let value = self.keep(aligned(&bytes));
                let scalar = self.keep(vec![XLA_FFI_Scalar {
                    dtype: number(dtype),
                    value: value.cast(),
                }]);
                // SAFETY: addresses of fields.
                unsafe {
                    self.spots.push(Spot::DataType(&raw mut (*scalar).dtype));
                    let address = &raw mut (*scalar).value;
                    self.spots.push(Spot::Address(address, false));
                }
                let value = Value::scalar(&Scalar::from_bytes(dtype, &bytes).unwrap());
                (sys::XLA_FFI_AttrType_SCALAR, scalar.cast(), value)
            }
            1 => {
                let length = random.below(20);
                let text = random.bytes(length);
                let span = self.span(&text).cast();
                (sys::XLA_FFI_AttrType_STRING, span, Value::String(text))
            }
            2 => {
                let dtype = whole(random);
                let size = random.below(5);
                let bytes = elements(dtype, size, random);
                let data = self.keep(aligned(&bytes)).cast();
                let array = self.keep(vec![XLA_FFI_Array {
                    dtype: number(dtype),
                    size,
                    data,
                }]);
                // SAFETY: addresses of fields.
                unsafe {
                    self.spots.push(Spot::DataType(&raw mut (*array).dtype));
                    self.spots.push(Spot::Length(&raw mut (*array).size));
                    let address = &raw mut (*array).data;
                    self.spots.push(Spot::Address(address, false));
                }
                let value = Value::Array(dtype, bytes);
                (sys::XLA_FFI_AttrType_ARRAY, array.cast(), value)
            }
            _ => {
                let number = random.below(4);
                let (attrs, described) = self.attrs(number, depth + 1, random);
                let attrs = self.keep(vec![attrs]);
                // SAFETY: addresses of fields.
                unsafe {
                    let size = &raw mut (*attrs).struct_size;
                    self.spots.push(Spot::StructSize(size));
                    self.spots.push(Spot::Count(&raw mut (*attrs).size));
                    let lists = [
                        (&raw mut (*attrs).types).cast(),
                        (&raw mut (*attrs).names).cast(),
                        (&raw mut (*attrs).attrs).cast(),
                    ];
                    let lists = lists.map(|list| Spot::Address(list, true));
                    self.spots.extend(lists);
                }
                let value = Value::Dictionary(described);
                (sys::XLA_FFI_AttrType_DICTIONARY, attrs.cast(), value)
            }
        }
    }

    /// Makes one thing wrong. Nothing gets larger within what is possible, for that can't be seen.
    fn damage(&mut self, random: &mut Random) {
        let spot = self.spots.swap_remove(random.below(self.spots.len()));
        // SAFETY: places in what is kept.
        unsafe {
            match spot {
                Spot::StructSize(size) => {
                    *size = random.one_of(&[0, 1, 7, 8, *size / 2, *size - 1]);
                }
                Spot::Count(count) => {
                    let fewer = random.below((*count).max(1) as usize) as i64;
                    *count = random.one_of(&[-1, i64::MIN, i64::MAX, 1 << 61, fewer]);
                }
                Spot::Rank(rank) => {
                    *rank = random.one_of(&[-1, i64::MIN, i64::MAX, MOST_AXES + 1]);
                }
                Spot::Axis(length) => {
                    let shorter = random.below((*length).max(1) as usize) as i64;
                    *length = random.one_of(&[-1, i64::MIN, shorter]);
                }
                Spot::Length(length) => {
                    let fewer = random.below((*length).max(1));
                    *length = random.one_of(&[usize::MAX, usize::MAX / 2 + 1, fewer]);
                }
                Spot::Address(address, is_aligned) => {
                    *address = if is_aligned && random.below(2) == 0 {
                        (*address).wrapping_byte_add(1)
                    } else {
                        null_mut()
                    };
                }
                Spot::DataType(number) => {
                    *number = random.one_of(&[0, -1, 17, 64, 1000, c_int::MIN, c_int::MAX]);
                }
                Spot::Kind(kind) => *kind = random.one_of(&[0, -1, 5, 99, c_int::MIN]),
            }
        }
    }

    /// Has two arrays lie in the same memory, or in memory that overlaps.
    fn overlap(&mut self, random: &mut Random) {
        let size = |of: &Described| of.bytes.len();
        let sizes = self.arguments.iter().chain(&self.results);
        let longest = sizes.map(size).max().unwrap_or(0);
        let memory = self.keep(vec![0_u128; longest / 16 + 8]);
        // SAFETY: the lists are whole.
        let buffers = unsafe {
            let arguments = buffers_of_arguments(&(*self.frame).args).unwrap();
            let results = buffers_of_results(&(*self.frame).rets).unwrap();
            [arguments, results].concat()
        };
        for buffer in buffers {
            if random.below(2) == 0 {
                let start = memory.cast::<u8>().wrapping_add(random.below(4));
                // SAFETY: the structure is whole, and all memory is zero, so it holds every element type.
                unsafe { (*buffer).data = start.cast() };
            }
        }
    }

    fn run(
        &self,
        handler: impl FnOnce(&mut CallFrame<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // SAFETY: all parts are in place, or are damaged so that it is seen.
        unsafe { with_frame(self.frame, handler) }
    }
}

fn described(frame: &mut CallFrame<'_>) -> Result<(Vec<Described>, Vec<Described>), Error> {
    let (arguments, results) = frame.all_parts()?;
    let of = |dtype, dims: &[usize], bytes: &[u8]| Described {
        dtype,
        dims: dims.to_vec(),
        bytes: bytes.to_vec(),
    };
    let mut all = (Vec::new(), Vec::new());
    for array in arguments {
        all.0.push(of(array.dtype(), array.dims(), array.bytes()?));
    }
    for array in results {
        let (dtype, dims) = (array.dtype(), array.dims());
        let bytes = array.into_bytes();
        all.1.push(of(dtype, dims, bytes));
        bytes.fill(1);
    }
    Ok(all)
}

fn read(attributes: Attributes<'_>) -> Result<Vec<(Vec<u8>, Value)>, Error> {
    let entries = attributes.iter().map(|entry| {
        let (name, attribute) = entry?;
        let value = match attribute {
            Attribute::Scalar(scalar) => Value::scalar(&scalar),
            Attribute::String(text) => Value::String(text.to_vec()),
            Attribute::Array(array) => Value::Array(array.dtype(), array.bytes().to_vec()),
            Attribute::Dictionary(inner) => Value::Dictionary(read(inner)?),
            _ => return Err("an attribute of another kind".into()),
        };
        Ok((name.to_vec(), value))
    });
    entries.collect()
}

/// Looks at everything in every way.
fn look(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let _readable = read(frame.attributes());
    let _ = format!("{frame:?}");
    for name in ["", "name", "name 0 "] {
        let _ = frame.attribute::<f32>(name);
        let _ = frame.attribute::<&str>(name);
        let _ = frame.attribute::<&[i64]>(name);
        let _ = frame.attribute::<Attributes<'_>>(name);
    }
    let _ = described(frame);
    let (arguments, results) = frame.all_parts()?;
    for argument in &arguments {
        let _ = argument.typed::<bool, 2>();
        let _: Result<Array<'_, f64, 1>, _> = argument.typed();
    }
    for result in results {
        match arguments.first() {
            Some(argument) => {
                let _ = result.in_place_of::<f32>(argument);
            }
            None => {
                let _ = result.into_slice::<bool>();
            }
        }
    }
    frame.separate()?;
    let _ = described(frame);
    Ok(())
}

/// Runs `check` with numbers of its own, some times or for as long as was asked for.
fn many(rounds: u64, check: impl Fn(&mut Random)) {
    let long = std::env::var("CYXLA_FUZZ_SECONDS").ok();
    let long = long.map(|text| Duration::from_secs(text.parse().unwrap()));
    let rounds = if cfg!(miri) { rounds / 200 } else { rounds };
    let start = Instant::now();
    let mut round = 0;
    while long.map_or(round < rounds, |long| start.elapsed() < long) {
        check(&mut Random(round));
        round += 1;
    }
}

#[test]
fn a_frame_is_read_as_it_was_written() {
    many(20_000, |random| {
        let built = Built::new(random);
        let look = |frame: &mut CallFrame<'_>| {
            let (arguments, results) = described(frame)?;
            assert_eq!(arguments, built.arguments);
            assert_eq!(results, built.results);
            let attributes = read(frame.attributes())?;
            assert_eq!(attributes, built.attributes);
            Ok(())
        };
        built.run(look).unwrap();
        // And the results are written where the frame says.
        let again = |frame: &mut CallFrame<'_>| {
            let (_, results) = described(frame)?;
            let bytes = |result: &Described| result.bytes.iter().all(|&byte| byte == 1);
            assert!(results.iter().all(bytes));
            Ok(())
        };
        built.run(again).unwrap();
    });
}

#[test]
fn frames_with_any_damage_are_errors_or_are_read() {
    many(60_000, |random| {
        let mut built = Built::new(random);
        for _ in 0..=random.below(3) {
            built.damage(random);
        }
        if let Err(error) = built.run(look) {
            assert!(!error.message().is_empty());
        }
    });
}

#[test]
fn arrays_that_overlap_are_errors_or_are_read() {
    many(20_000, |random| {
        let mut built = Built::new(random);
        built.overlap(random);
        if let Err(error) = built.run(look) {
            assert!(!error.message().is_empty());
        }
    });
}
