//! Frames as XLA makes them, whole and damaged.

use std::ptr::null_mut;

use cyxla_ffi::Attribute;
use cyxla_pjrt_sys::xla_ffi::{XLA_FFI_Attrs, XLA_FFI_ByteSpan, XLA_FFI_Scalar};

use super::*;

/// A call with two arguments, f32[2,3] and f32[], a result f32[2,3], and the attributes `n = 7 : i32`, `text = "abc"`. The
/// parts point to each other, so it stays where it is.
struct Call {
    numbers: [[f32; 6]; 3],
    dims: [i64; 2],
    buffers: [XLA_FFI_Buffer; 3],
    arguments: [*mut c_void; 2],
    results: [*mut c_void; 1],
    kinds: [c_int; 2],
    value: i32,
    scalar: XLA_FFI_Scalar,
    texts: [XLA_FFI_ByteSpan; 3],
    names: [*mut XLA_FFI_ByteSpan; 2],
    attribute_kinds: [c_int; 2],
    attributes: [*mut c_void; 2],
    frame: XLA_FFI_CallFrame,
}

fn span(text: &'static str) -> XLA_FFI_ByteSpan {
    XLA_FFI_ByteSpan {
        ptr: text.as_ptr().cast(),
        len: text.len(),
    }
}

impl Call {
    fn new() -> Box<Self> {
        let mut call = Box::new(Self {
            numbers: [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0; 6], [0.0; 6]],
            dims: [2, 3],
            buffers: [XLA_FFI_Buffer::new(); 3],
            arguments: [null_mut(); 2],
            results: [null_mut(); 1],
            kinds: [sys::XLA_FFI_ArgType_BUFFER; 2],
            value: 7,
            scalar: XLA_FFI_Scalar {
                dtype: sys::XLA_FFI_DataType_S32,
                value: null_mut(),
            },
            texts: [span("n"), span("text"), span("abc")],
            names: [null_mut(); 2],
            attribute_kinds: [sys::XLA_FFI_AttrType_SCALAR, sys::XLA_FFI_AttrType_STRING],
            attributes: [null_mut(); 2],
            frame: XLA_FFI_CallFrame::new(),
        });
        let all = &mut *call;
        for (buffer, numbers) in all.buffers.iter_mut().zip(&mut all.numbers) {
            buffer.dtype = sys::XLA_FFI_DataType_F32;
            buffer.data = numbers.as_mut_ptr().cast();
            buffer.rank = 2;
            buffer.dims = all.dims.as_mut_ptr();
        }
        all.buffers[1].rank = 0;
        let [x, y, z] = &mut all.buffers;
        all.arguments = [(&raw mut *x).cast(), (&raw mut *y).cast()];
        all.results = [(&raw mut *z).cast()];
        all.scalar.value = (&raw mut all.value).cast();
        let [n, text, abc] = &mut all.texts;
        all.names = [n, text];
        all.attributes = [(&raw mut all.scalar).cast(), (&raw mut *abc).cast()];
        all.frame.stage = sys::XLA_FFI_ExecutionStage_EXECUTE;
        all.frame.args = XLA_FFI_Args {
            size: 2,
            types: all.kinds.as_mut_ptr(),
            args: all.arguments.as_mut_ptr(),
            ..XLA_FFI_Args::new()
        };
        all.frame.rets = XLA_FFI_Rets {
            size: 1,
            types: all.kinds.as_mut_ptr(),
            rets: all.results.as_mut_ptr(),
            ..XLA_FFI_Rets::new()
        };
        all.frame.attrs = XLA_FFI_Attrs {
            size: 2,
            types: all.attribute_kinds.as_mut_ptr(),
            names: all.names.as_mut_ptr(),
            attrs: all.attributes.as_mut_ptr(),
            ..XLA_FFI_Attrs::new()
        };
        call
    }

    /// Looks at everything, and writes the result.
    fn run(&self) -> Result<(), Error> {
        // SAFETY: the parts are in place, or are damaged in ways that can be seen.
        unsafe { with_frame(&raw const self.frame, look) }
    }
}

/// 2 x + y.
fn look(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    assert_eq!(frame.attribute::<i32>("n")?, 7);
    assert_eq!(frame.attribute::<&str>("text")?, "abc");
    for entry in frame.attributes().iter() {
        let (_, attribute) = entry?;
        assert!(matches!(
            attribute,
            Attribute::Scalar(_) | Attribute::String(_)
        ));
    }
    let parts = frame.parts::<2, 1>()?;
    let ([x, y], [z]) = (parts.arguments, parts.results);
    let y = y.typed::<f32, 0>()?[[]];
    let x = x.typed::<f32, 2>()?;
    assert_eq!(x.dims(), [2, 3]);
    for (z, x) in z.into_slice::<f32>()?.iter_mut().zip(x.iter()) {
        *z = 2.0 * x + y;
    }
    Ok(())
}

#[test]
fn a_whole_frame_is_read_and_written() {
    let call = Call::new();
    call.run().unwrap();
    assert_eq!(call.numbers[2], [9.0, 11.0, 13.0, 15.0, 17.0, 19.0]);
}

#[test]
fn arrays_beyond_the_room_on_the_stack_are_read_too() {
    let mut call = Call::new();
    let x = call.arguments[0];
    let mut arguments = vec![x; 40];
    let mut kinds = vec![sys::XLA_FFI_ArgType_BUFFER; 40];
    call.frame.args.size = 40;
    call.frame.args.args = arguments.as_mut_ptr();
    call.frame.args.types = kinds.as_mut_ptr();
    let sum = |frame: &mut CallFrame<'_>| -> Result<(), Error> {
        let (arguments, _) = frame.all_parts()?;
        assert_eq!(arguments.len(), 40);
        for argument in arguments {
            assert_eq!(argument.typed::<f32, 2>()?[[1, 2]], 6.0);
        }
        Ok(())
    };
    // SAFETY: the parts are in place.
    unsafe { with_frame(&raw const call.frame, sum) }.unwrap();
}

#[test]
fn no_frame_is_an_error() {
    // SAFETY: NULL is allowed.
    assert!(unsafe { with_frame(std::ptr::null(), look) }.is_err());
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// A number of things that there can't be.
    fn count(&mut self) -> i64 {
        self.one_of(&[-1, i64::MIN, i64::MAX, LONGEST + 1])
    }
}

type Damage = fn(&mut Call, &mut Random);

/// What a decoder must see. Numbers of things are never made larger within what is possible: that can't be seen.
const DAMAGES: &[(&str, Damage)] = &[
    ("size of the frame", |call, random| {
        call.frame.struct_size = random.below(XLA_FFI_CallFrame::STRUCT_SIZE);
    }),
    ("stage", |call, random| {
        call.frame.stage = random.one_of(&[0, 1, 2, 4]);
    }),
    ("size of arguments", |call, random| {
        call.frame.args.struct_size = random.below(XLA_FFI_Args::STRUCT_SIZE);
    }),
    ("size of results", |call, _| {
        call.frame.rets.struct_size += 8;
    }),
    ("size of attributes", |call, random| {
        call.frame.attrs.struct_size = random.below(XLA_FFI_Attrs::STRUCT_SIZE);
    }),
    ("number of arguments", |call, random| {
        call.frame.args.size = random.count();
    }),
    ("number of results", |call, random| {
        call.frame.rets.size = random.count();
    }),
    ("number of attributes", |call, random| {
        call.frame.attrs.size = random.count();
    }),
    ("kinds of arguments", |call, _| {
        call.frame.args.types = null_mut();
    }),
    ("list of arguments", |call, _| {
        call.frame.args.args = null_mut();
    }),
    ("list of results", |call, _| {
        call.frame.rets.rets = null_mut();
    }),
    ("kinds of attributes", |call, _| {
        call.frame.attrs.types = null_mut();
    }),
    ("names", |call, _| call.frame.attrs.names = null_mut()),
    ("attributes", |call, _| call.frame.attrs.attrs = null_mut()),
    ("kind of an array", |call, random| {
        call.kinds[random.below(2)] = 2;
    }),
    ("argument", |call, random| {
        call.arguments[random.below(2)] = null_mut();
    }),
    ("result", |call, _| call.results[0] = null_mut()),
    ("size of a buffer", |call, random| {
        call.buffers[random.below(3)].struct_size = random.below(XLA_FFI_Buffer::STRUCT_SIZE);
    }),
    ("element type", |call, random| {
        call.buffers[random.below(3)].dtype = random.one_of(&[0, 17, 34, -1, c_int::MAX]);
    }),
    ("memory", |call, random| {
        call.buffers[random.below(3)].data = null_mut();
    }),
    ("number of axes", |call, random| {
        call.buffers[random.below(3)].rank = random.one_of(&[-1, MOST_AXES + 1, i64::MAX]);
    }),
    ("axes", |call, random| {
        call.buffers[2 * random.below(2)].dims = null_mut();
    }),
    ("axis", |call, random| {
        call.dims[random.below(2)] = random.one_of(&[-1, i64::MIN, i64::MAX, 1 << 62]);
    }),
    ("name", |call, random| {
        call.names[random.below(2)] = null_mut();
    }),
    ("attribute", |call, random| {
        call.attributes[random.below(2)] = null_mut();
    }),
    ("kind of an attribute", |call, random| {
        call.attribute_kinds[random.below(2)] = random.one_of(&[0, 5, -1]);
    }),
    ("number", |call, _| call.scalar.value = null_mut()),
];

/// Damages one thing.
fn damage(call: &mut Call, random: &mut Random) -> &'static str {
    let (what, damage) = DAMAGES[random.below(DAMAGES.len())];
    damage(call, random);
    what
}

#[test]
fn damaged_frames_are_errors_and_nothing_else() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..20_000 {
        let mut call = Call::new();
        let what = damage(&mut call, &mut random);
        let error = call.run().expect_err(what);
        assert!(!error.message().is_empty(), "{what}");
    }
}

#[test]
fn frames_that_are_damaged_in_several_places_are_errors() {
    let mut random = Random(42);
    for _ in 0..20_000 {
        let mut call = Call::new();
        for _ in 0..=random.below(6) {
            damage(&mut call, &mut random);
        }
        assert!(call.run().is_err());
    }
}

#[test]
fn memory_that_is_not_aligned_is_an_error() {
    let mut call = Call::new();
    call.buffers[0].data = call.buffers[0].data.wrapping_byte_add(2);
    let error = call.run().unwrap_err();
    assert!(error.message().contains("not aligned"), "{error}");
}
