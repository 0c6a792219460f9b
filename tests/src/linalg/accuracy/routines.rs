//! Calls of the handlers, and what they give.

#![allow(
    clippy::cast_precision_loss,
    clippy::many_single_char_names,
    reason = "sizes are small; the names of LAPACK's papers: a, q, r, u, v"
)]

use cyxla::ffi::{Element, Error, OwnedCall};

use super::numbers::{Matrices, Number};

/// Arrays by name, as bytes.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    pub(super) described: Vec<Described>,
    pub(super) bytes: Vec<u8>,
}

/// Of which name, type (in NumPy's words) and axes an array is: matrices, rows, columns.
#[derive(Debug, serde::Serialize)]
pub(super) struct Described {
    name: &'static str,
    dtype: &'static str,
    dims: [usize; 3],
}

impl Arrays {
    fn with<T: Number>(mut self, name: &'static str, matrices: &Matrices<T>) -> Self {
        self.described.push(Described {
            name,
            dtype: T::NAMES.1,
            dims: matrices.dims(),
        });
        for element in &matrices.elements {
            element.write(&mut self.bytes);
        }
        self
    }

    fn with_integers(mut self, name: &'static str, count: usize, integers: &[i32]) -> Self {
        self.described.push(Described {
            name,
            dtype: "<i4",
            dims: [count, integers.len() / count.max(1), 1],
        });
        self.bytes
            .extend(integers.iter().flat_map(|integer| integer.to_le_bytes()));
        self
    }
}

/// A call of a handler of LAPACK.
struct Call {
    call: OwnedCall,
    name: String,
}

impl Call {
    fn new<T: Number>(real: &str, complex: &str) -> Self {
        let routine = if T::IS_REAL { real } else { complex };
        Self {
            call: OwnedCall::new(),
            name: format!("lapack_{}{routine}_ffi", T::LETTER),
        }
    }

    fn argument<T: Number>(self, matrices: &Matrices<T>) -> Result<Self, Error> {
        self.array(&matrices.elements, &matrices.dims())
    }

    fn array<T: Element>(mut self, elements: &[T], dims: &[usize]) -> Result<Self, Error> {
        self.call = self.call.argument(elements, dims)?;
        Ok(self)
    }

    fn result<T: Element>(mut self, dims: &[usize]) -> Result<Self, Error> {
        self.call = self.call.result::<T>(dims)?;
        Ok(self)
    }

    fn with(mut self, name: &str, letter: u8) -> Self {
        self.call = self.call.attribute(name, letter);
        self
    }

    fn run(mut self) -> Result<Given, Error> {
        let mut targets = cyxla_linalg::targets().iter();
        let target = targets.find(|(name, _)| *name == self.name);
        let (_, handler) = target.ok_or_else(|| format!("there is no {}", self.name))?;
        self.call.run(handler)?;
        Ok(Given(self.call))
    }
}

/// What a handler gave.
struct Given(OwnedCall);

impl Given {
    fn matrices<T: Number>(&self, result: usize, dims: [usize; 3]) -> Result<Matrices<T>, Error> {
        let [count, rows, cols] = dims;
        let elements = self.0.result_slice::<T>(result)?.to_vec();
        Ok(Matrices {
            count,
            rows,
            cols,
            elements,
        })
    }

    /// Looks that the info of every matrix is zero.
    fn succeeded(self, info: usize) -> Result<Self, Error> {
        match self
            .0
            .result_slice::<i32>(info)?
            .iter()
            .find(|&&info| info != 0)
        {
            None => Ok(self),
            Some(info) => Err(format!("info is {info}").into()),
        }
    }
}

/// Calls a routine with `count` matrices of `rows` × `cols`, and gives its arguments and results.
pub(super) fn run<T: Number>(
    routine: &str,
    [count, rows, cols]: [usize; 3],
) -> Result<Arrays, Error> {
    let (n, seed) = (cols, rows + cols);
    let square = [count, n, n];
    match routine {
        "potrf" => potrf(&Matrices::<T>::hermitian(count, n, n, 2.0 * n as f64)),
        "getrf" => getrf(&Matrices::<T>::random([count, rows, cols], seed)),
        "geqrf" => geqrf(&Matrices::<T>::random([count, rows, cols], seed)),
        "geqp3" => geqp3(&Matrices::<T>::random([count, rows, cols], seed)),
        "trsm" => trsm::<T>(square),
        "gtsv" | "perturbed" => tridiagonal::<T>(count, n, routine == "gtsv"),
        "gesdd" | "gesvd" => svd(&Matrices::<T>::random([count, rows, cols], seed), routine),
        "syevd" => syevd(&Matrices::<T>::hermitian(count, n, n, 0.0)),
        "geev" => geev(&Matrices::<T>::random(square, 2 * n)),
        "gees" => gees(&Matrices::<T>::random(square, 2 * n)),
        "gehrd" => gehrd(&Matrices::<T>::random(square, 2 * n)),
        "sytrd" => sytrd(&Matrices::<T>::hermitian(count, n, n, 0.0)),
        other => Err(format!("there is no routine {other}").into()),
    }
}

fn potrf<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let call = Call::new::<T>("potrf", "potrf").argument(a)?;
    let call = call.result::<T>(&a.dims())?.result::<i32>(&[a.count])?;
    let given = call.with("uplo", b'L').run()?.succeeded(1)?;
    let l = given.matrices::<T>(0, a.dims())?;
    Ok(Arrays::default().with("a", a).with("l", &l))
}

fn getrf<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let k = a.rows.min(a.cols);
    let call = Call::new::<T>("getrf", "getrf").argument(a)?;
    let call = call.result::<T>(&a.dims())?.result::<i32>(&[a.count, k])?;
    let given = call.result::<i32>(&[a.count])?.run()?.succeeded(2)?;
    let lu = given.matrices::<T>(0, a.dims())?;
    let pivots = given.0.result_slice::<i32>(1)?;
    let arrays = Arrays::default().with("a", a).with("lu", &lu);
    Ok(arrays.with_integers("pivots", a.count, pivots))
}

/// The first columns of Q, from the reflectors of `qr`.
fn product<T: Number>(qr: &Matrices<T>, tau: &Matrices<T>) -> Result<Matrices<T>, Error> {
    let call = Call::new::<T>("orgqr", "ungqr").argument(qr)?;
    let call = call.array(&tau.elements, &[tau.count, tau.rows])?;
    let given = call.result::<T>(&qr.dims())?.run()?;
    given.matrices(0, qr.dims())
}

fn geqrf<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let k = a.rows.min(a.cols);
    let call = Call::new::<T>("geqrf", "geqrf").argument(a)?;
    let given = call
        .result::<T>(&a.dims())?
        .result::<T>(&[a.count, k])?
        .run()?;
    let qr = given.matrices::<T>(0, a.dims())?;
    let tau = given.matrices::<T>(1, [a.count, k, 1])?;
    let reflectors = qr.part((0, 0), (a.rows, k));
    let q = product(&reflectors, &tau)?;

    let c = Matrices::<T>::random(a.dims(), a.rows + a.cols + 1);
    let mut call = Call::new::<T>("ormqr", "unmqr").argument(&reflectors)?;
    call = call.array(&tau.elements, &[a.count, k])?.argument(&c)?;
    call = call.result::<T>(&a.dims())?;
    call.call = call
        .call
        .attribute("left", true)
        .attribute("transpose", true);
    let applied = call.run()?.matrices::<T>(0, a.dims())?;
    let arrays = Arrays::default().with("a", a).with("qr", &qr).with("q", &q);
    Ok(arrays.with("c", &c).with("applied", &applied))
}

fn geqp3<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let k = a.rows.min(a.cols);
    let columns = [a.count, a.cols];
    let call = Call::new::<T>("geqp3", "geqp3").argument(a)?;
    let call = call.array(&vec![0_i32; a.count * a.cols], &columns)?;
    let call = call.result::<T>(&a.dims())?.result::<i32>(&columns)?;
    let given = call.result::<T>(&[a.count, k])?.run()?;
    let qr = given.matrices::<T>(0, a.dims())?;
    let tau = given.matrices::<T>(2, [a.count, k, 1])?;
    let q = product(&qr.part((0, 0), (a.rows, k)), &tau)?;
    let arrays = Arrays::default().with("a", a).with("qr", &qr).with("q", &q);
    Ok(arrays.with_integers("order", a.count, given.0.result_slice::<i32>(1)?))
}

fn trsm<T: Number>(square: [usize; 3]) -> Result<Arrays, Error> {
    let n = square[1];
    let random = Matrices::<T>::random(square, n);
    // A heavier diagonal keeps the condition number from growing with the size.
    let a = Matrices::from_fn(square, |member, i, j| {
        let (re, im) = random.at(member, i, j).parts();
        T::of(if i == j { re + 2.0 } else { re }, im)
    });
    let y = Matrices::<T>::random(square, n + 1);
    let call = Call::new::<T>("trsm", "trsm").argument(&a)?.argument(&y)?;
    let call = call.result::<T>(&square)?;
    let call = call.with("side", b'L').with("uplo", b'L');
    let given = call.with("trans_x", b'N').with("diag", b'N').run()?;
    let x = given.matrices::<T>(0, square)?;
    Ok(Arrays::default().with("a", &a).with("y", &y).with("x", &x))
}

fn tridiagonal<T: Number>(count: usize, n: usize, is_lapack: bool) -> Result<Arrays, Error> {
    let [lower, d, upper] = [0, 1, 2].map(|i| Matrices::<T>::random([count, n, 1], n + i));
    let b = Matrices::<T>::random([count, n, 2], n + 3);
    let mut call = Call::new::<T>("gtsv", "gtsv");
    for diagonal in [&lower, &d, &upper] {
        call = call.array(&diagonal.elements, &[count, n])?;
    }
    call = call.argument(&b)?;
    let x = if is_lapack {
        for _ in 0..3 {
            call = call.result::<T>(&[count, n])?;
        }
        let given = call
            .result::<T>(&b.dims())?
            .result::<i32>(&[count])?
            .run()?;
        given.succeeded(4)?.matrices::<T>(3, b.dims())?
    } else {
        "tridiagonal_solve_perturbed_ffi".clone_into(&mut call.name);
        call.result::<T>(&b.dims())?
            .run()?
            .matrices::<T>(0, b.dims())?
    };
    let arrays = Arrays::default().with("lower", &lower).with("d", &d);
    Ok(arrays.with("upper", &upper).with("b", &b).with("x", &x))
}

fn svd<T: Number>(a: &Matrices<T>, routine: &str) -> Result<Arrays, Error> {
    let [count, m, n] = a.dims();
    let k = m.min(n);
    let call = Call::new::<T>(routine, routine).argument(a)?;
    let call = call
        .result::<T>(&a.dims())?
        .result::<T::Real>(&[count, k])?;
    let call = call
        .result::<T>(&[count, m, m])?
        .result::<T>(&[count, n, n])?;
    let given = call.result::<i32>(&[count])?.with("mode", b'A').run()?;
    let given = given.succeeded(4)?;
    let s = given.matrices::<T::Real>(1, [count, k, 1])?;
    let u = given.matrices::<T>(2, [count, m, m])?;
    let vt = given.matrices::<T>(3, [count, n, n])?;
    let arrays = Arrays::default().with("a", a).with("s", &s);
    Ok(arrays.with("u", &u).with("vt", &vt))
}

fn syevd<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let call = Call::new::<T>("syevd", "heevd").argument(a)?;
    let call = call.result::<T>(&a.dims())?;
    let call = call.result::<T::Real>(&[a.count, a.rows])?;
    let call = call.result::<i32>(&[a.count])?;
    let given = call
        .with("mode", b'V')
        .with("uplo", b'L')
        .run()?
        .succeeded(2)?;
    let v = given.matrices::<T>(0, a.dims())?;
    let w = given.matrices::<T::Real>(1, [a.count, a.rows, 1])?;
    Ok(Arrays::default().with("a", a).with("v", &v).with("w", &w))
}

fn geev<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let values = [a.count, a.rows];
    let mut call = Call::new::<T>("geev", "geev").argument(a)?;
    for _ in 0..if T::IS_REAL { 2 } else { 1 } {
        call = call.result::<T>(&values)?;
    }
    let first = if T::IS_REAL { 2 } else { 1 };
    for _ in 0..2 {
        call = call.result::<T::Complex>(&a.dims())?;
    }
    call = call.result::<i32>(&[a.count])?;
    let call = call.with("compute_left", b'V').with("compute_right", b'V');
    let given = call.run()?.succeeded(first + 2)?;
    let column = [a.count, a.rows, 1];
    let re = given.matrices::<T>(0, column)?;
    let w = if T::IS_REAL {
        let im = given.matrices::<T>(1, column)?;
        Matrices::from_fn(column, |member, i, j| {
            let (re, _) = re.at(member, i, j).parts();
            T::Complex::of(re, im.at(member, i, j).parts().0)
        })
    } else {
        Matrices::from_fn(column, |member, i, j| {
            let (re, im) = re.at(member, i, j).parts();
            T::Complex::of(re, im)
        })
    };
    let left = given.matrices::<T::Complex>(first, a.dims())?;
    let right = given.matrices::<T::Complex>(first + 1, a.dims())?;
    let arrays = Arrays::default().with("a", a).with("w", &w);
    Ok(arrays.with("left", &left).with("right", &right))
}

fn gees<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let mut call = Call::new::<T>("gees", "gees").argument(a)?;
    call = call.result::<T>(&a.dims())?.result::<T>(&a.dims())?;
    let values = if T::IS_REAL { 2 } else { 1 };
    for _ in 0..values {
        call = call.result::<T>(&[a.count, a.rows])?;
    }
    call = call.result::<i32>(&[a.count])?.result::<i32>(&[a.count])?;
    let given = call.with("mode", b'V').with("sort", b'N').run()?;
    let given = given.succeeded(3 + values)?;
    let t = given.matrices::<T>(0, a.dims())?;
    let z = given.matrices::<T>(1, a.dims())?;
    Ok(Arrays::default().with("a", a).with("t", &t).with("z", &z))
}

/// Q of reflectors that begin one row below the diagonal.
fn shifted<T: Number>(h: &Matrices<T>, tau: &Matrices<T>) -> Result<Matrices<T>, Error> {
    let beside = h.rows.saturating_sub(1);
    let start = if h.rows == 0 { (0, 0) } else { (1, 0) };
    let q = product(&h.part(start, (beside, beside)), tau)?;
    Ok(Matrices::from_fn(h.dims(), |member, i, j| {
        if i > 0 && j > 0 {
            q.at(member, i - 1, j - 1)
        } else {
            T::of(f64::from(u8::from(i == j)), 0.0)
        }
    }))
}

fn gehrd<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let beside = a.rows.saturating_sub(1);
    let mut call = Call::new::<T>("gehrd", "gehrd").argument(a)?;
    call = call
        .result::<T>(&a.dims())?
        .result::<T>(&[a.count, beside])?;
    call = call.result::<i32>(&[a.count])?;
    let high = i32::try_from(a.rows).unwrap_or(i32::MAX);
    call.call = call.call.attribute("low", 1).attribute("high", high);
    let given = call.run()?.succeeded(2)?;
    let h = given.matrices::<T>(0, a.dims())?;
    let q = shifted(&h, &given.matrices(1, [a.count, beside, 1])?)?;
    Ok(Arrays::default().with("a", a).with("h", &h).with("q", &q))
}

fn sytrd<T: Number>(a: &Matrices<T>) -> Result<Arrays, Error> {
    let beside = a.rows.saturating_sub(1);
    let mut call = Call::new::<T>("sytrd", "hetrd").argument(a)?;
    call = call.result::<T>(&a.dims())?;
    call = call.result::<T::Real>(&[a.count, a.rows])?;
    call = call.result::<T::Real>(&[a.count, beside])?;
    call = call
        .result::<T>(&[a.count, beside])?
        .result::<i32>(&[a.count])?;
    let given = call.with("uplo", b'L').run()?.succeeded(4)?;
    let c = given.matrices::<T>(0, a.dims())?;
    let d = given.matrices::<T::Real>(1, [a.count, a.rows, 1])?;
    let e = given.matrices::<T::Real>(2, [a.count, beside, 1])?;
    let q = shifted(&c, &given.matrices(3, [a.count, beside, 1])?)?;
    let arrays = Arrays::default().with("a", a).with("d", &d);
    Ok(arrays.with("e", &e).with("q", &q))
}
