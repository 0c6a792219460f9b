//! The complex Schur form of a Hessenberg matrix by the single-shift QR algorithm.
//!
//! Golub & Van Loan, Matrix Computations, §7.5, with Wilkinson's shift; what counts as zero is decided as in [`crate::francis`].

use std::ops::Range;

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::householder::reflector;
use crate::range::{modulus, quotient};
use crate::sweep_window::{LANES, RowsAsColumns, STRIP, WINDOW};

/// Sweeps per eigenvalue before the algorithm gives up: LAPACK's bound.
const SWEEPS: usize = 30;

/// After so many sweeps without a deflation the shift is made up instead.
const EXCEPTIONAL: usize = 10;

/// After so many, what is negligible beside the diagonal counts as zero though small eigenvalues may feel it: rounding can keep it
/// at the bound of the finer criterion.
const PATIENCE: usize = 2 * EXCEPTIONAL + 1;

/// Brings rows and columns `low..=high` of the Hessenberg matrix `h`, outside of which it is upper triangular, to upper triangular
/// form. `z` is turned along.
///
/// `w` gets the eigenvalues. Without `whole`, only these; `h` is garbage then. What is below the subdiagonal of `h` must be zero.
/// Returns LAPACK's info: zero, or the number of the row, from one, below which eigenvalues were found.
#[inline(always)]
pub(crate) fn triangularize<T: Element, const FUSED: bool>(
    low: usize,
    high: usize,
    whole: bool,
    h: &mut Columns<'_, T>,
    mut z: Option<Columns<'_, T>>,
    w: &mut [T],
) -> usize {
    let n = h.rows();
    if n == 0 {
        return 0;
    }
    let mut left = SWEEPS * (high - low + 1).max(10);
    let mut since_deflation = 0;
    // One past the last row of the active block.
    let mut end = high + 1;
    while end > low {
        let last = end - 1;
        let first = active_from(h, low, last, since_deflation < PATIENCE);
        if first > low {
            h.set(first, first - 1, T::ZERO);
        }
        if first == last {
            end -= 1;
            since_deflation = 0;
            continue;
        }
        if left == 0 {
            return end;
        }
        left -= 1;
        since_deflation += 1;
        let shift = choose_shift(h, first, last, since_deflation);
        let (start, vector) = start_of_sweep(h, first, last, shift);
        let reach = if whole { (0, n - 1) } else { (first, last) };
        sweep::<T, FUSED>(h, z.as_mut(), (first, start, last), vector, reach);
    }
    for (i, w) in w.iter_mut().enumerate().take(n) {
        *w = h.at(i, i);
    }
    0
}

/// The first row of the block that ends at `last` and whose subdiagonal holds nothing negligible; beside the diagonal where not
/// `patient`, else beside the eigenvalues too.
#[inline(always)]
fn active_from<T: Element>(h: &Columns<'_, T>, low: usize, last: usize, patient: bool) -> usize {
    let tiny = T::Real::SAFE_MINIMUM / T::Real::EPSILON;
    let precision = T::Real::EPSILON + T::Real::EPSILON;
    let ordered = |x: T::Real, y: T::Real| if x > y { (x, y) } else { (y, x) };
    let mut k = last;
    while k > low {
        let below = h.at(k, k - 1).abs1();
        if below <= tiny {
            break;
        }
        let (upper, lower) = (h.at(k - 1, k - 1), h.at(k, k));
        let mut beside = upper.abs1() + lower.abs1();
        if beside == T::Real::ZERO {
            if k >= low + 2 {
                beside += h.at(k - 1, k - 2).abs1();
            }
            if k < last {
                beside += h.at(k + 1, k).abs1();
            }
        }
        if below <= precision * beside {
            if !patient {
                break;
            }
            let (most, least) = ordered(below, h.at(k - 1, k).abs1());
            let (largest, smallest) = ordered(lower.abs1(), (upper - lower).abs1());
            let sum = largest + most;
            let bound = precision * (smallest * (largest / sum));
            if least * (most / sum) <= if bound > tiny { bound } else { tiny } {
                break;
            }
        }
        k -= 1;
    }
    k
}

#[inline(always)]
fn choose_shift<T: Element>(
    h: &Columns<'_, T>,
    first: usize,
    last: usize,
    since_deflation: usize,
) -> T {
    // A shift that is unlike those of a cycle ends it (Wilkinson's constant).
    let three_quarters = T::Real::from_f64(0.75);
    if since_deflation.is_multiple_of(2 * EXCEPTIONAL) {
        return h.at(last, last) + T::from_re(three_quarters * h.at(last, last - 1).abs1());
    }
    if since_deflation.is_multiple_of(EXCEPTIONAL) {
        return h.at(first, first) + T::from_re(three_quarters * h.at(first + 1, first).abs1());
    }
    // The eigenvalue of the last 2 × 2 block nearer to its last element.
    let d = h.at(last, last);
    let difference = h.at(last - 1, last - 1) - d;
    let beside = h.at(last - 1, last).abs1() + h.at(last, last - 1).abs1();
    let size = beside + difference.abs1();
    if size == T::Real::ZERO {
        return d;
    }
    let half = T::Real::from_f64(0.5);
    let inverse = T::Real::ONE / size;
    let product = h.at(last - 1, last).scale(inverse) * h.at(last, last - 1).scale(inverse);
    let x = difference.scale(inverse).scale(half);
    let root = square_root(x * x + product);
    // x and the root are added where they don't cancel.
    let aligned = x.re() * root.re() + x.im() * root.im();
    let sum = if aligned < T::Real::ZERO {
        x - root
    } else {
        x + root
    };
    if sum == T::ZERO {
        d
    } else {
        d - quotient(product, sum).scale(size)
    }
}

/// The square root with a real part that isn't negative.
#[inline(always)]
fn square_root<T: Element>(z: T) -> T {
    let length = modulus(z);
    if length == T::Real::ZERO {
        return T::ZERO;
    }
    let half = T::Real::from_f64(0.5);
    let long = (half * (length + z.re().magnitude())).root();
    let short = half * z.im().magnitude() / long;
    if z.re() >= T::Real::ZERO {
        T::from_parts(long, short.with_sign_of(z.im()))
    } else {
        T::from_parts(short, long.with_sign_of(z.im()))
    }
}

/// Where the sweep can start, since two consecutive subdiagonal elements are small, and the first column of `H − shift` there.
#[inline(always)]
fn start_of_sweep<T: Element>(
    h: &Columns<'_, T>,
    first: usize,
    last: usize,
    shift: T,
) -> (usize, [T; 2]) {
    let precision = T::Real::EPSILON + T::Real::EPSILON;
    let mut m = last - 1;
    loop {
        let (a, below) = (h.at(m, m) - shift, h.at(m + 1, m));
        let inverse = T::Real::ONE / (a.abs1() + below.abs1());
        let vector = [a.scale(inverse), below.scale(inverse)];
        if m == first {
            return (m, vector);
        }
        let before = h.at(m, m - 1).abs1();
        let around = h.at(m, m).abs1() + h.at(m + 1, m + 1).abs1();
        if before * vector[1].abs1() <= precision * (vector[0].abs1() * around) {
            return (m, vector);
        }
        m -= 1;
    }
}

/// Chases the bulge that the reflector of `vector` makes at row `start` down to row `last`; `reach` is the first row and the
/// last column that it changes.
#[inline(always)]
fn sweep<T: Element, const FUSED: bool>(
    h: &mut Columns<'_, T>,
    mut z: Option<&mut Columns<'_, T>>,
    (first, start, last): (usize, usize, usize),
    vector: [T; 2],
    reach: (usize, usize),
) {
    let n = h.rows();
    let mut vector = vector;
    let mut pairs = [(T::ZERO, T::ZERO); WINDOW];
    for from in (start..last).step_by(WINDOW) {
        let until = last.min(from + WINDOW);
        // Further right, the window's reflectors act from the left only.
        let near = reach.1.min(until + 1);
        for k in from..until {
            if k > start {
                vector = [h.at(k, k - 1), h.at(k + 1, k - 1)];
            }
            let mut tail = [vector[1]];
            let (beta, tau) = reflector::<T, FUSED>(vector[0], &mut tail);
            if k > start {
                h.set(k, k - 1, T::from_re(beta));
                h.set(k + 1, k - 1, T::ZERO);
            } else if start > first {
                // To the precision by which the start was chosen, the reflector changes this element only.
                h.set(k, k - 1, h.at(k, k - 1) * (T::ONE - Number::conj(tau)));
            }
            let v = tail[0];
            rows(h, k, near, v, Number::conj(tau));
            columns::<T, FUSED>(h, k, from..(k + 3).min(last + 1), v, tau);
            pairs[k - from] = (v, tau);
        }
        let pairs = &pairs[..until - from];
        let far = near + 1..reach.1 + 1;
        let changed = from..until + 1;
        for left in far.clone().step_by(LANES) {
            let strip = left..far.end.min(left + LANES);
            let mut lanes = RowsAsColumns::new();
            lanes.take(h, changed.clone(), strip.clone());
            let mut lines = lanes.columns();
            for (k, &(v, tau)) in pairs.iter().enumerate() {
                let (v, tau) = (Number::conj(v), Number::conj(tau));
                columns::<T, FUSED>(&mut lines, k, 0..LANES, v, tau);
            }
            lanes.put(h, changed.clone(), strip);
        }
        late::<T, FUSED>(pairs, h, from, reach.0..from);
        if let Some(z) = z.as_mut() {
            late::<T, FUSED>(pairs, z, from, 0..n);
        }
    }
}

/// What the reflectors of a window, the first of which begins at column `from`, do to `rows`.
#[inline(always)]
fn late<T: Element, const FUSED: bool>(
    pairs: &[(T, T)],
    a: &mut Columns<'_, T>,
    from: usize,
    rows: Range<usize>,
) {
    for top in rows.clone().step_by(STRIP) {
        let strip = top..rows.end.min(top + STRIP);
        for (k, &(v, tau)) in (from..).zip(pairs) {
            columns::<T, FUSED>(a, k, strip.clone(), v, tau);
        }
    }
}

/// `Hᴴ` of the reflector from the left, on rows k and k + 1.
#[inline(always)]
fn rows<T: Element>(h: &mut Columns<'_, T>, k: usize, last_column: usize, v: T, factor: T) {
    for j in k..=last_column {
        if let Some([x, y]) = h.column_mut(j)[k..].first_chunk_mut() {
            let sum = factor * (*x + Number::conj(v) * *y);
            *x -= sum;
            *y -= sum * v;
        }
    }
}

/// `H` of the reflector from the right, on columns k and k + 1.
#[inline(always)]
fn columns<T: Element, const FUSED: bool>(
    h: &mut Columns<'_, T>,
    k: usize,
    rows: Range<usize>,
    v: T,
    factor: T,
) {
    let (x, y) = h.two(k, k + 1);
    let back = Number::conj(v);
    for (x, y) in x[rows.clone()].iter_mut().zip(&mut y[rows]) {
        let sum = -(factor * y.mul_add::<FUSED>(v, *x));
        *x += sum;
        *y = sum.mul_add::<FUSED>(back, *y);
    }
}
