//! What a call of each target looks like.

use cyxla_ffi::{Error, OwnedAttribute, OwnedCall};
use num_complex::Complex;

use crate::random::Random;
use crate::values::Values;

/// The types of elements that arrays of a call are tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F64,
    C64,
    C128,
    I32,
    I64,
    U8,
    Bool,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::F32,
    Kind::F64,
    Kind::C64,
    Kind::C128,
    Kind::I32,
    Kind::I64,
    Kind::U8,
    Kind::Bool,
];

impl Kind {
    /// The type that a letter in a name of LAPACK stands for.
    fn of(letter: u8) -> Self {
        match letter {
            b's' => Self::F32,
            b'd' => Self::F64,
            b'c' => Self::C64,
            _ => Self::C128,
        }
    }

    fn real(self) -> Self {
        match self {
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            other => other,
        }
    }

    fn complex(self) -> Self {
        match self {
            Self::F32 => Self::C64,
            Self::F64 => Self::C128,
            other => other,
        }
    }

    fn is_real(self) -> bool {
        self == self.real()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) kind: Kind,
    pub(crate) dims: Vec<usize>,
}

/// A call before its arrays have memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) arguments: Vec<Array>,
    pub(crate) results: Vec<Array>,
    pub(crate) attributes: Vec<(&'static str, OwnedAttribute)>,
    /// Arguments and results that share their memory.
    pub(crate) shared: Vec<(usize, usize)>,
    /// The result with the info of each matrix, if there is one.
    pub(crate) info: Option<usize>,
}

/// More elements than an array of a test has.
const MOST_ELEMENTS: usize = 1 << 18;

impl Call {
    fn argument(&mut self, kind: Kind, batch: &[usize], dims: &[usize]) -> &mut Self {
        self.arguments.push(array(kind, batch, dims));
        self
    }

    fn result(&mut self, kind: Kind, batch: &[usize], dims: &[usize]) -> &mut Self {
        self.results.push(array(kind, batch, dims));
        self
    }

    /// An argument, and a result in its place.
    fn in_place(&mut self, kind: Kind, batch: &[usize], dims: &[usize]) -> &mut Self {
        self.argument(kind, batch, dims).result(kind, batch, dims)
    }

    fn info(&mut self, batch: &[usize]) -> &mut Self {
        self.info = Some(self.results.len());
        self.result(Kind::I32, batch, &[])
    }

    fn with(&mut self, name: &'static str, value: impl Into<OwnedAttribute>) -> &mut Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// The call with numbers in its arrays; none if there are no such arrays.
    pub(crate) fn owned(&self, random: &mut Random) -> Option<OwnedCall> {
        self.try_owned(random).ok()
    }

    fn try_owned(&self, random: &mut Random) -> Result<OwnedCall, Error> {
        let mut call = OwnedCall::new();
        for array in self.arguments.iter().chain(&self.results) {
            let mut dims = array.dims.iter();
            let elements = dims.try_fold(1_usize, |count, &length| count.checked_mul(length));
            if elements.is_none_or(|elements| elements > MOST_ELEMENTS) {
                return Err("too many elements".into());
            }
        }
        let values = Values::choose(random);
        for Array { kind, dims } in &self.arguments {
            let count = dims.iter().product();
            let mut part = |index: usize| values.part(index, dims, random);
            call = match kind {
                Kind::F32 => {
                    let elements: Vec<_> = (0..count).map(|at| part(at) as f32).collect();
                    call.argument(&elements, dims)
                }
                Kind::F64 => call.argument(&(0..count).map(part).collect::<Vec<_>>(), dims),
                Kind::C64 => {
                    let mut element = |at| Complex::new(part(at) as f32, part(at) as f32);
                    let elements: Vec<_> = (0..count).map(&mut element).collect();
                    call.argument(&elements, dims)
                }
                Kind::C128 => {
                    let mut element = |at| Complex::new(part(at), part(at));
                    let elements: Vec<_> = (0..count).map(&mut element).collect();
                    call.argument(&elements, dims)
                }
                Kind::I32 => {
                    let odd = [-1, i32::MIN, i32::MAX];
                    let element = |_| match random.below(12) {
                        0 => random.one_of(&odd),
                        _ => random.below(7) as i32,
                    };
                    call.argument(&(0..count).map(element).collect::<Vec<_>>(), dims)
                }
                Kind::I64 => {
                    let odd = [-1, i64::MIN, i64::MAX];
                    let element = |_| match random.below(12) {
                        0 => random.one_of(&odd),
                        _ => random.below(7) as i64,
                    };
                    call.argument(&(0..count).map(element).collect::<Vec<_>>(), dims)
                }
                Kind::U8 => call.argument(&vec![1_u8; count], dims),
                Kind::Bool => call.argument(&vec![true; count], dims),
            }?;
        }
        for Array { kind, dims } in &self.results {
            call = match kind {
                Kind::F32 => call.result::<f32>(dims),
                Kind::F64 => call.result::<f64>(dims),
                Kind::C64 => call.result::<Complex<f32>>(dims),
                Kind::C128 => call.result::<Complex<f64>>(dims),
                Kind::I32 => call.result::<i32>(dims),
                Kind::I64 => call.result::<i64>(dims),
                Kind::U8 => call.result::<u8>(dims),
                Kind::Bool => call.result::<bool>(dims),
            }?;
        }
        for (name, value) in &self.attributes {
            call = call.attribute(name, value.clone());
        }
        for &(argument, result) in &self.shared {
            call = call.in_place(argument, result)?;
        }
        Ok(call)
    }
}

fn array(kind: Kind, batch: &[usize], dims: &[usize]) -> Array {
    Array {
        kind,
        dims: [batch, dims].concat(),
    }
}

/// A side of a matrix: mostly a few elements, now and then some blocks of them.
fn side(random: &mut Random, large: bool) -> usize {
    let choice = random.below(if large { 64 } else { 400 });
    match choice {
        0 => random.below(200),
        1..=2 => random.below(70),
        3..=40 => random.below(20),
        _ => random.below(7),
    }
}

fn batch(random: &mut Random) -> Vec<usize> {
    let batches: [&[usize]; 8] = [&[], &[], &[1], &[2], &[3], &[2, 2], &[0], &[1, 0, 2]];
    if random.once_in(200) {
        return vec![100];
    }
    random.one_of(&batches).to_vec()
}

/// A call that fits the target of this name; `large` allows for more that takes time.
pub(crate) fn fitting(name: &str, random: &mut Random, large: bool) -> Call {
    let batch = batch(random);
    // A batch of large matrices takes long, and shows nothing that a small one doesn't.
    let large = large && batch.len() < 2;
    let b = batch.as_slice();
    let (m, n) = (side(random, large), side(random, large));
    let r = random.below(5);
    let k = m.min(n);
    let mut call = Call::default();
    match name {
        "tridiagonal_solve_perturbed_ffi" => {
            let t = random.one_of(&KINDS[..4]);
            call.argument(t, b, &[n]).argument(t, b, &[n]);
            call.argument(t, b, &[n]).argument(t, b, &[n, r]);
            call.result(t, b, &[n, r]);
        }
        "cpu_csr_sparse_dense_ffi" => {
            let t = random.one_of(&KINDS[..6]);
            let i = random.one_of(&[Kind::I32, Kind::I64]);
            call.argument(t, &[], &[k]).argument(i, &[], &[m + 1]);
            call.argument(i, &[], &[k]);
            if random.once_in(2) {
                call.argument(t, &[], &[n]).result(t, &[], &[m]);
            } else {
                call.argument(t, &[], &[n, r]).result(t, &[], &[m, r]);
            }
        }
        _ => lapack(&mut call, name, b, [m, n, r], random),
    }
    call
}

/// Makes a call one that fits a routine of LAPACK.
#[allow(clippy::too_many_lines, reason = "a routine after the other")]
fn lapack(call: &mut Call, name: &str, b: &[usize], sizes: [usize; 3], random: &mut Random) {
    let [m, n, r] = sizes;
    let k = m.min(n);
    let routine = name.trim_start_matches("lapack_").trim_end_matches("_ffi");
    let t = Kind::of(routine.as_bytes()[0]);
    match &routine[1..] {
        "potrf" => {
            call.in_place(t, b, &[n, n]).info(b);
            call.with("uplo", random.one_of(b"LU"));
        }
        "getrf" => {
            call.in_place(t, b, &[m, n]);
            call.result(Kind::I32, b, &[k]).info(b);
        }
        "geqrf" => {
            call.in_place(t, b, &[m, n]).result(t, b, &[k]);
        }
        "orgqr" | "ungqr" => {
            let reflectors = random.below(k + 1);
            call.in_place(t, b, &[m.max(n), k]);
            call.argument(t, b, &[reflectors]);
        }
        "ormqr" | "unmqr" => {
            let left = random.once_in(2);
            call.argument(t, b, &[m, k]).argument(t, b, &[k]);
            call.in_place(t, b, &if left { [m, r] } else { [r, m] });
            call.with("left", left);
            call.with("transpose", random.once_in(2));
        }
        "geqp3" => {
            call.in_place(t, b, &[m, n]).in_place(Kind::I32, b, &[n]);
            call.result(t, b, &[k]);
        }
        "trsm" => {
            let left = random.once_in(2);
            call.argument(t, b, &[m, m]);
            call.in_place(t, b, &if left { [m, r] } else { [r, m] });
            call.with("side", if left { b'L' } else { b'R' });
            call.with("uplo", random.one_of(b"LU"));
            call.with("trans_x", random.one_of(b"NTC"));
            call.with("diag", random.one_of(b"NU"));
        }
        "gtsv" => {
            call.in_place(t, b, &[n]).in_place(t, b, &[n]);
            call.in_place(t, b, &[n]).in_place(t, b, &[n, r]).info(b);
        }
        "gesdd" | "gesvd" => {
            let mode = random.one_of(b"ASN");
            let (left, right) = if mode == b'S' { (k, k) } else { (m, n) };
            call.in_place(t, b, &[m, n]).result(t.real(), b, &[k]);
            call.result(t, b, &[m, left]).result(t, b, &[right, n]);
            call.info(b).with("mode", mode);
        }
        "syevd" | "heevd" => {
            call.in_place(t, b, &[n, n]).result(t.real(), b, &[n]);
            call.info(b).with("mode", random.one_of(b"VN"));
            call.with("uplo", random.one_of(b"LU"));
        }
        "geev" => {
            call.argument(t, b, &[n, n]).result(t, b, &[n]);
            if t.is_real() {
                call.result(t, b, &[n]);
            }
            let vectors = t.complex();
            call.result(vectors, b, &[n, n]).result(vectors, b, &[n, n]);
            call.info(b).with("compute_left", random.one_of(b"VN"));
            call.with("compute_right", random.one_of(b"VN"));
        }
        "gees" => {
            call.in_place(t, b, &[n, n]).result(t, b, &[n, n]);
            call.result(t, b, &[n]);
            if t.is_real() {
                call.result(t, b, &[n]);
            }
            call.result(Kind::I32, b, &[]).info(b);
            call.with("mode", random.one_of(b"VN")).with("sort", b'N');
        }
        "gehrd" => {
            let high = n.max(1) - random.below(n.max(1));
            let low = 1 + random.below(high);
            call.in_place(t, b, &[n, n]);
            call.result(t, b, &[n.saturating_sub(1)]).info(b);
            call.with("low", low as i32).with("high", high as i32);
        }
        "sytrd" | "hetrd" => {
            let beside = [n.saturating_sub(1)];
            call.in_place(t, b, &[n, n]).result(t.real(), b, &[n]);
            call.result(t.real(), b, &beside).result(t, b, &beside);
            call.info(b).with("uplo", random.one_of(b"LU"));
        }
        other => panic!("no call of {other} is known here"),
    }
}
