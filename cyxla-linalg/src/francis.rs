//! The real Schur form of a Hessenberg matrix by Francis' double-shift QR algorithm.
//!
//! Golub & Van Loan, Matrix Computations, §7.5; what counts as zero is decided by the criterion of Ahues & Tisseur (LAPACK
//! Working Note 122), which keeps the small eigenvalues of graded matrices.

use std::ops::Range;

use crate::columns::Columns;
use crate::element::Real;
use crate::householder::reflector;
use crate::range::hypotenuse;
use crate::rotation::rotate;
use crate::sweep_window::{LANES, RowsAsColumns, STRIP, WINDOW};

/// Sweeps per eigenvalue before the algorithm gives up: LAPACK's bound.
const SWEEPS: usize = 30;

/// After so many sweeps without a deflation the shifts are made up instead.
const EXCEPTIONAL: usize = 10;

/// After so many, what is negligible beside the diagonal counts as zero though small eigenvalues may feel it: rounding can keep it
/// at the bound of the finer criterion.
const PATIENCE: usize = 2 * EXCEPTIONAL + 1;

/// Rows and columns that a transformation reaches outside of the active block.
#[derive(Clone, Copy)]
struct Reach {
    first_row: usize,
    last_column: usize,
}

/// Brings rows and columns `low..=high` of the Hessenberg matrix `h`, outside of which it is upper triangular, to quasi-triangular
/// form, its 2 × 2 blocks with equal diagonal elements and products of the others below zero. `z` is turned along.
///
/// `wr` and `wi` get the eigenvalues. Without `whole`, only these; `h` is garbage then. What is below the subdiagonal of `h` must
/// be zero. Returns LAPACK's info: zero, or the number of the row, from one, below which eigenvalues were found.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "LAPACK's own")]
pub(crate) fn triangularize<R: Real, const FUSED: bool>(
    low: usize,
    high: usize,
    whole: bool,
    h: &mut Columns<'_, R>,
    mut z: Option<Columns<'_, R>>,
    wr: &mut [R],
    wi: &mut [R],
) -> usize {
    let n = h.rows();
    if n == 0 {
        return 0;
    }
    for i in (0..low).chain(high + 1..n) {
        wr[i] = h.at(i, i);
        wi[i] = R::ZERO;
    }
    let mut left = SWEEPS * (high - low + 1).max(10);
    let mut since_deflation = 0;
    // One past the last row of the active block.
    let mut end = high + 1;
    while end > low {
        let last = end - 1;
        let first = active_from(h, low, last, since_deflation < PATIENCE);
        if first > low {
            h.set(first, first - 1, R::ZERO);
        }
        let reach = if whole {
            Reach {
                first_row: 0,
                last_column: n - 1,
            }
        } else {
            Reach {
                first_row: first,
                last_column: last,
            }
        };
        if first == last {
            wr[last] = h.at(last, last);
            wi[last] = R::ZERO;
            end -= 1;
            since_deflation = 0;
            continue;
        }
        if first + 1 == last {
            standardize_block(h, z.as_mut(), first, reach, wr, wi);
            end -= 2;
            since_deflation = 0;
            continue;
        }
        if left == 0 {
            return end;
        }
        left -= 1;
        since_deflation += 1;
        let shifts = choose_shifts(h, first, last, since_deflation);
        let (start, vector) = start_of_sweep(h, first, last, shifts);
        sweep::<R, FUSED>(h, z.as_mut(), (first, start, last), vector, reach);
    }
    0
}

/// The first row of the block that ends at `last` and whose subdiagonal holds nothing negligible; beside the diagonal where not
/// `patient`, else beside the eigenvalues too.
#[inline(always)]
fn active_from<R: Real>(h: &Columns<'_, R>, low: usize, last: usize, patient: bool) -> usize {
    let tiny = R::SAFE_MINIMUM / R::EPSILON;
    let precision = R::EPSILON + R::EPSILON;
    let mut k = last;
    while k > low {
        let below = h.at(k, k - 1).magnitude();
        if below <= tiny {
            break;
        }
        let (upper, lower) = (h.at(k - 1, k - 1), h.at(k, k));
        let mut beside = upper.magnitude() + lower.magnitude();
        if beside == R::ZERO {
            if k >= low + 2 {
                beside += h.at(k - 1, k - 2).magnitude();
            }
            if k < last {
                beside += h.at(k + 1, k).magnitude();
            }
        }
        if below <= precision * beside {
            if !patient {
                break;
            }
            let above = h.at(k - 1, k).magnitude();
            let (most, least) = ordered(below, above);
            let (largest, smallest) = ordered(lower.magnitude(), (upper - lower).magnitude());
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

/// The larger one, then the smaller.
#[inline(always)]
fn ordered<R: Real>(x: R, y: R) -> (R, R) {
    if x > y { (x, y) } else { (y, x) }
}

/// Two shifts: both real, or a pair of conjugates. (real part, imaginary part)
type Shifts<R> = [(R, R); 2];

#[inline(always)]
fn choose_shifts<R: Real>(
    h: &Columns<'_, R>,
    first: usize,
    last: usize,
    since_deflation: usize,
) -> Shifts<R> {
    // Shifts that are unlike those of a cycle end it (Wilkinson's constants).
    if since_deflation.is_multiple_of(EXCEPTIONAL) {
        let (row, size) = if since_deflation.is_multiple_of(2 * EXCEPTIONAL) {
            (
                last,
                h.at(last, last - 1).magnitude() + h.at(last - 1, last - 2).magnitude(),
            )
        } else {
            (
                first,
                h.at(first + 1, first).magnitude() + h.at(first + 2, first + 1).magnitude(),
            )
        };
        let diagonal = R::from_f64(0.75) * size + h.at(row, row);
        return eigenvalues(diagonal, R::from_f64(-0.4375) * size, size, diagonal);
    }
    eigenvalues(
        h.at(last - 1, last - 1),
        h.at(last - 1, last),
        h.at(last, last - 1),
        h.at(last, last),
    )
}

/// The eigenvalues of `[[a, b], [c, d]]` as shifts: of two real ones that nearer to d, twice.
#[inline(always)]
fn eigenvalues<R: Real>(a: R, b: R, c: R, d: R) -> Shifts<R> {
    let size = a.magnitude() + b.magnitude() + c.magnitude() + d.magnitude();
    if size == R::ZERO {
        return [(R::ZERO, R::ZERO); 2];
    }
    let half = R::from_f64(0.5);
    let (a, b, c, d) = (a / size, b / size, c / size, d / size);
    let middle = half * (a + d);
    let discriminant = (a - middle) * (a - middle) + b * c;
    let root = discriminant.magnitude().root();
    if discriminant < R::ZERO {
        return [
            (middle * size, root * size),
            (middle * size, -(root * size)),
        ];
    }
    let (above, below) = (middle + root, middle - root);
    let near = if (above - d).magnitude() <= (below - d).magnitude() {
        above
    } else {
        below
    };
    [(near * size, R::ZERO); 2]
}

/// Where the sweep can start, since two consecutive subdiagonal elements are small, and the first column of
/// `(H − s₁)(H − s₂)` there.
#[inline(always)]
fn start_of_sweep<R: Real>(
    h: &Columns<'_, R>,
    first: usize,
    last: usize,
    [one, two]: Shifts<R>,
) -> (usize, [R; 3]) {
    let precision = R::EPSILON + R::EPSILON;
    let mut m = last - 2;
    loop {
        let (a, below) = (h.at(m, m), h.at(m + 1, m));
        let next = h.at(m + 1, m + 1);
        let size = (a - two.0).magnitude() + two.1.magnitude() + below.magnitude();
        let ratio = below / size;
        let vector = [
            ratio * h.at(m, m + 1) + (a - one.0) * ((a - two.0) / size) - one.1 * (two.1 / size),
            ratio * (a + next - one.0 - two.0),
            ratio * h.at(m + 2, m + 1),
        ];
        let sum = vector[0].magnitude() + vector[1].magnitude() + vector[2].magnitude();
        let vector = vector.map(|x| x / sum);
        if m == first {
            return (m, vector);
        }
        let before = h.at(m, m - 1).magnitude();
        let around = h.at(m - 1, m - 1).magnitude() + a.magnitude() + next.magnitude();
        if before * (vector[1].magnitude() + vector[2].magnitude())
            <= precision * vector[0].magnitude() * around
        {
            return (m, vector);
        }
        m -= 1;
    }
}

/// Chases the bulge that the reflector of `vector` makes at row `start` down to row `last`.
#[inline(always)]
fn sweep<R: Real, const FUSED: bool>(
    h: &mut Columns<'_, R>,
    mut z: Option<&mut Columns<'_, R>>,
    (first, start, last): (usize, usize, usize),
    vector: [R; 3],
    reach: Reach,
) {
    let n = h.rows();
    let mut vector = vector;
    let mut threes = [Short {
        v: [R::ZERO; 2],
        tau: R::ZERO,
    }; WINDOW];
    for from in (start..last).step_by(WINDOW) {
        let until = last.min(from + WINDOW);
        // Further right, the window's reflectors act from the left only.
        let near = reach.last_column.min(until + 1);
        let mut count = 0;
        let mut two = None;
        for k in from..until {
            let size = if k + 1 == last { 2 } else { 3 };
            if k > start {
                for (i, x) in vector.iter_mut().enumerate().take(size) {
                    *x = h.at(k + i, k - 1);
                }
            }
            let (head, tail) = vector.split_at_mut(1);
            let (beta, tau) = reflector::<R, FUSED>(head[0], &mut tail[..size - 1]);
            if k > start {
                let column = &mut h.column_mut(k - 1)[k..k + size];
                column.fill(R::ZERO);
                column[0] = beta;
            } else if start > first {
                // The reflector reaches no further left than this element, of which only the sign can be meant.
                h.set(k, k - 1, h.at(k, k - 1) * (R::ONE - tau));
            }
            let by = Short {
                v: [vector[1], vector[2]],
                tau,
            };
            let rows = from..(k + 4).min(last + 1);
            if size == 3 {
                by.three_rows(h, k, near);
                by.three_columns::<FUSED>(h, k, rows);
                threes[count] = by;
                count += 1;
            } else {
                by.two_rows(h, k, k..near + 1);
                by.two_columns(h, k, rows);
                two = Some(by);
            }
        }
        let threes = &threes[..count];
        let far = near + 1..reach.last_column + 1;
        let changed = from..from + count + 2;
        for left in far.clone().step_by(LANES) {
            let strip = left..far.end.min(left + LANES);
            let mut lanes = RowsAsColumns::new();
            lanes.take(h, changed.clone(), strip.clone());
            columns::<R, FUSED>(threes, None, &mut lanes.columns(), 0, 0..LANES);
            lanes.put(h, changed.clone(), strip);
        }
        if let Some(two) = two {
            two.two_rows(h, last - 1, far);
        }
        columns::<R, FUSED>(threes, two, h, from, reach.first_row..from);
        if let Some(z) = z.as_mut() {
            columns::<R, FUSED>(threes, two, z, from, 0..n);
        }
    }
}

/// What the reflectors of a window, the first of which begins at column `from`, do to `rows`.
#[inline(always)]
fn columns<R: Real, const FUSED: bool>(
    threes: &[Short<R>],
    two: Option<Short<R>>,
    a: &mut Columns<'_, R>,
    from: usize,
    rows: Range<usize>,
) {
    for top in rows.clone().step_by(STRIP) {
        let strip = top..rows.end.min(top + STRIP);
        for (k, three) in (from..).zip(threes) {
            three.three_columns::<FUSED>(a, k, strip.clone());
        }
        if let Some(two) = two {
            two.two_columns(a, from + threes.len(), strip);
        }
    }
}

/// A reflector of two or three elements, the first of which is one.
#[derive(Clone, Copy)]
struct Short<R> {
    v: [R; 2],
    tau: R,
}

impl<R: Real> Short<R> {
    #[inline(always)]
    fn three_rows(self, h: &mut Columns<'_, R>, k: usize, last_column: usize) {
        let [v1, v2] = self.v;
        let (t1, t2) = (self.tau * v1, self.tau * v2);
        for j in k..=last_column {
            if let Some([x, y, z]) = h.column_mut(j)[k..].first_chunk_mut() {
                let sum = *x + v1 * *y + v2 * *z;
                *x -= sum * self.tau;
                *y -= sum * t1;
                *z -= sum * t2;
            }
        }
    }

    #[inline(always)]
    fn two_rows(self, h: &mut Columns<'_, R>, k: usize, columns: Range<usize>) {
        let v1 = self.v[0];
        let t1 = self.tau * v1;
        for j in columns {
            if let Some([x, y]) = h.column_mut(j)[k..].first_chunk_mut() {
                let sum = *x + v1 * *y;
                *x -= sum * self.tau;
                *y -= sum * t1;
            }
        }
    }

    #[inline(always)]
    fn three_columns<const FUSED: bool>(
        self,
        h: &mut Columns<'_, R>,
        k: usize,
        rows: Range<usize>,
    ) {
        let [v1, v2] = self.v;
        let (t0, t1, t2) = (-self.tau, -self.tau * v1, -self.tau * v2);
        let (x, y, z) = h.three(k);
        let (x, y, z) = (&mut x[rows.clone()], &mut y[rows.clone()], &mut z[rows]);
        for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
            let sum = z.mul_add::<FUSED>(v2, y.mul_add::<FUSED>(v1, *x));
            *x = sum.mul_add::<FUSED>(t0, *x);
            *y = sum.mul_add::<FUSED>(t1, *y);
            *z = sum.mul_add::<FUSED>(t2, *z);
        }
    }

    #[inline(always)]
    fn two_columns(self, h: &mut Columns<'_, R>, k: usize, rows: Range<usize>) {
        let v1 = self.v[0];
        let t1 = self.tau * v1;
        let (x, y) = h.two(k, k + 1);
        for (x, y) in x[rows.clone()].iter_mut().zip(&mut y[rows]) {
            let sum = *x + v1 * *y;
            *x -= sum * self.tau;
            *y -= sum * t1;
        }
    }
}

/// Turns the block of rows `k` and `k + 1` to standard form and notes its eigenvalues.
#[inline(always)]
fn standardize_block<R: Real>(
    h: &mut Columns<'_, R>,
    z: Option<&mut Columns<'_, R>>,
    k: usize,
    reach: Reach,
    wr: &mut [R],
    wi: &mut [R],
) {
    let block = standard_form(
        h.at(k, k),
        h.at(k, k + 1),
        h.at(k + 1, k),
        h.at(k + 1, k + 1),
    );
    let Standard {
        cosine: c, sine: s, ..
    } = block;
    for j in k + 2..=reach.last_column {
        if let Some([x, y]) = h.column_mut(j)[k..].first_chunk_mut() {
            (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
        }
    }
    let (x, y) = h.two(k, k + 1);
    rotate(c, s, &mut x[reach.first_row..k], &mut y[reach.first_row..k]);
    (x[k], x[k + 1]) = (block.a, block.c);
    (y[k], y[k + 1]) = (block.b, block.d);
    if let Some(z) = z {
        let (x, y) = z.two(k, k + 1);
        rotate(c, s, x, y);
    }
    (wr[k], wr[k + 1]) = (block.a, block.d);
    let imaginary = if block.c == R::ZERO {
        R::ZERO
    } else {
        block.b.magnitude().root() * block.c.magnitude().root()
    };
    (wi[k], wi[k + 1]) = (imaginary, -imaginary);
}

/// A 2 × 2 block in standard form and the rotation that leads to it: `[[a, b], [c, d]] = G M Gᵀ` with `G = [[cosine, sine],
/// [−sine, cosine]]`.
#[derive(Clone, Copy, Debug)]
struct Standard<R> {
    a: R,
    b: R,
    c: R,
    d: R,
    cosine: R,
    sine: R,
}

/// Real eigenvalues: `c = 0`. A pair of conjugates: `a = d` and `b c < 0`.
#[inline(always)]
fn standard_form<R: Real>(a: R, b: R, c: R, d: R) -> Standard<R> {
    let given = Standard {
        a,
        b,
        c,
        d,
        cosine: R::ONE,
        sine: R::ZERO,
    };
    let half = R::from_f64(0.5);
    if c == R::ZERO {
        return given;
    }
    if b == R::ZERO {
        return Standard {
            a: d,
            b: -c,
            c: R::ZERO,
            d: a,
            cosine: R::ZERO,
            sine: R::ONE,
        };
    }
    let difference = a - d;
    if difference == R::ZERO && (b < R::ZERO) != (c < R::ZERO) {
        return given;
    }
    let p = half * difference;
    let (most, least) = ordered(b.magnitude(), c.magnitude());
    let product = least.with_sign_of(b) * R::ONE.with_sign_of(c);
    let size = if p.magnitude() > most {
        p.magnitude()
    } else {
        most
    };
    // p² + b c over the size: the discriminant, of which a quarter of a rounding error counts as zero.
    let discriminant = (p / size) * p + (most / size) * product;
    if discriminant >= R::from_f64(8.0) * R::EPSILON * size {
        let z = p + (size.root() * discriminant.root()).with_sign_of(p);
        return upper_from_eigenvector(given, z, d - (most / z) * product);
    }
    // Conjugates, or real eigenvalues that nearly agree: first the diagonal elements are made equal.
    let sigma = b + c;
    let length = hypotenuse(sigma, difference);
    let cosine = (half * (R::ONE + sigma.magnitude() / length)).root();
    let sine = -(p / (length * cosine)) * R::ONE.with_sign_of(sigma);
    let (aa, bb) = (a * cosine + b * sine, b * cosine - a * sine);
    let (cc, dd) = (c * cosine + d * sine, d * cosine - c * sine);
    let (b, c) = (bb * cosine + dd * sine, cc * cosine - aa * sine);
    let middle = half * ((aa * cosine + cc * sine) + (dd * cosine - bb * sine));
    let equal = Standard {
        a: middle,
        b,
        c,
        d: middle,
        cosine,
        sine,
    };
    if c == R::ZERO || (b != R::ZERO && (b < R::ZERO) != (c < R::ZERO)) {
        return equal;
    }
    if b == R::ZERO {
        return Standard {
            b: -c,
            c: R::ZERO,
            cosine: -sine,
            sine: cosine,
            ..equal
        };
    }
    // Both have one sign: real eigenvalues, middle ± √(b c).
    let (root_b, root_c) = (b.magnitude().root(), c.magnitude().root());
    let offset = (root_b * root_c).with_sign_of(c);
    let scale = R::ONE / (b + c).magnitude().root();
    let (c2, s2) = (root_b * scale, root_c * scale);
    Standard {
        a: middle + offset,
        b: b - c,
        c: R::ZERO,
        d: middle - offset,
        cosine: cosine * c2 - sine * s2,
        sine: cosine * s2 + sine * c2,
    }
}

/// The rotation to the eigenvector `(z, c)` of the eigenvalue `d + z`; `other` is the other eigenvalue.
#[inline(always)]
fn upper_from_eigenvector<R: Real>(given: Standard<R>, z: R, other: R) -> Standard<R> {
    let length = hypotenuse(given.c, z);
    Standard {
        a: given.d + z,
        b: given.b - given.c,
        c: R::ZERO,
        d: other,
        cosine: z / length,
        sine: given.c / length,
    }
}
