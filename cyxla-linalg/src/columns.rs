//! A column-major matrix whose columns are slices.

/// The first `rows` elements of columns that are `stride` apart.
pub(crate) struct Columns<'a, T> {
    elements: &'a mut [T],
    rows: usize,
    stride: usize,
}

impl<'a, T: Copy> Columns<'a, T> {
    /// A matrix of `rows` rows in `elements`, with as many columns as these hold.
    #[inline(always)]
    pub(crate) fn new(elements: &'a mut [T], rows: usize) -> Self {
        Self::with_stride(elements, rows, rows)
    }

    /// A matrix whose columns begin `stride` elements apart.
    #[inline(always)]
    pub(crate) fn with_stride(elements: &'a mut [T], rows: usize, stride: usize) -> Self {
        Self {
            elements,
            rows,
            stride,
        }
    }

    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> Columns<'_, T> {
        Columns {
            elements: self.elements,
            rows: self.rows,
            stride: self.stride,
        }
    }

    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How far apart columns begin.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    #[inline(always)]
    pub(crate) fn elements(&self) -> &[T] {
        self.elements
    }

    #[inline(always)]
    pub(crate) fn elements_mut(&mut self) -> &mut [T] {
        self.elements
    }

    #[inline(always)]
    pub(crate) fn at(&self, row: usize, column: usize) -> T {
        self.elements[column * self.stride + row]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, column: usize, value: T) {
        self.elements[column * self.stride + row] = value;
    }

    #[inline(always)]
    pub(crate) fn column(&self, column: usize) -> &[T] {
        &self.elements[column * self.stride..][..self.rows]
    }

    #[inline(always)]
    pub(crate) fn column_mut(&mut self, column: usize) -> &mut [T] {
        &mut self.elements[column * self.stride..][..self.rows]
    }

    /// The columns before `column`, and those from it on.
    #[inline(always)]
    pub(crate) fn split(&mut self, column: usize) -> (Columns<'_, T>, Columns<'_, T>) {
        let (left, right) = self.elements.split_at_mut(column * self.stride);
        (
            Columns {
                elements: left,
                rows: self.rows,
                stride: self.stride,
            },
            Columns {
                elements: right,
                rows: self.rows,
                stride: self.stride,
            },
        )
    }

    /// The first `rows` rows.
    #[inline(always)]
    pub(crate) fn top(&mut self, rows: usize) -> Columns<'_, T> {
        Columns {
            elements: self.elements,
            rows,
            stride: self.stride,
        }
    }

    /// The rows from `row` on.
    #[inline(always)]
    pub(crate) fn below(self, row: usize) -> Self {
        let row = row.min(self.elements.len());
        Columns {
            elements: &mut self.elements[row..],
            rows: self.rows - row,
            stride: self.stride,
        }
    }

    /// Columns `first` and `second`, of which `first` comes first.
    #[inline(always)]
    pub(crate) fn two(&mut self, first: usize, second: usize) -> (&mut [T], &mut [T]) {
        let (left, right) = self.elements.split_at_mut(second * self.stride);
        (
            &mut left[first * self.stride..][..self.rows],
            &mut right[..self.rows],
        )
    }

    /// Columns `first`, `first + 1` and `first + 2`.
    #[inline(always)]
    pub(crate) fn three(&mut self, first: usize) -> (&mut [T], &mut [T], &mut [T]) {
        let (left, rest) = self.elements[first * self.stride..].split_at_mut(self.stride);
        let (middle, right) = rest.split_at_mut(self.stride);
        (
            &mut left[..self.rows],
            &mut middle[..self.rows],
            &mut right[..self.rows],
        )
    }
}

impl<T: crate::element::Element> Columns<'_, T> {
    /// Copies the first `count` columns of a real matrix to the top of the columns.
    #[inline(always)]
    pub(crate) fn widen(&mut self, real: &Columns<'_, T::Real>, count: usize) {
        for j in 0..count {
            for (x, &re) in self.column_mut(j).iter_mut().zip(real.column(j)) {
                *x = T::from_re(re);
            }
        }
    }

    /// Makes the first `count` columns those of the identity.
    #[inline(always)]
    pub(crate) fn set_identity(&mut self, count: usize) {
        for j in 0..count {
            let column = self.column_mut(j);
            column.fill(T::ZERO);
            if let Some(diagonal) = column.get_mut(j) {
                *diagonal = T::ONE;
            }
        }
    }
}
