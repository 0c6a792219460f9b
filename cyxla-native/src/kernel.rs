//! Functions of XLA:CPU, as they are called.
//!
//! Source: xla/backends/cpu/runtime/kernel_c_api.h, `FunctionLibrary::Comparator` in function_library.h.

use std::ffi::c_void;

use crate::parallel;

/// `XLA_CPU_KernelArg`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct KernelArgument {
    pub(crate) data: *mut u8,
    pub(crate) size: usize,
}

/// `XLA_CPU_NumWorkGroups` and `XLA_CPU_WorkGroupId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Workgroups {
    x: u64,
    y: u64,
    z: u64,
}

/// `XLA_CPU_KernelCallFrame`.
#[repr(C)]
struct KernelCallFrame {
    workgroups: *const Workgroups,
    workgroup: *const Workgroups,
    len: usize,
    arguments: *const KernelArgument,
}

/// A kernel, with how often it is called.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    function: unsafe extern "C" fn(*const KernelCallFrame) -> *const c_void,
    workgroups: Workgroups,
    is_one: bool,
}

/// The arguments of a kernel, for several threads.
struct Shared<'a>(&'a [KernelArgument]);

// SAFETY: the list is only read; what the addresses point to is the kernel's to share between its workgroups.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn get(&self) -> &[KernelArgument] {
        self.0
    }
}

/// Says nothing of what went wrong, as XLA's kernels don't either.
pub(crate) struct KernelFailed;

/// The first workgroup.
const FIRST: Workgroups = Workgroups { x: 0, y: 0, z: 0 };

impl Kernel {
    /// # Safety
    /// `entry` is where a kernel begins, which can be called as long as this is used.
    pub(crate) unsafe fn new(entry: *const u8, [x, y, z]: [u64; 3]) -> Self {
        type Function = unsafe extern "C" fn(*const KernelCallFrame) -> *const c_void;
        Self {
            // SAFETY: as the caller promises.
            function: unsafe { std::mem::transmute::<*const u8, Function>(entry) },
            workgroups: Workgroups { x, y, z },
            is_one: x == 1 && y == 1 && z == 1,
        }
    }

    /// Whether it has one workgroup only.
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Calls it for the first workgroup.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    #[inline]
    pub(crate) unsafe fn call_first(
        &self,
        arguments: &[KernelArgument],
    ) -> Result<(), KernelFailed> {
        // SAFETY: as the caller promises.
        unsafe { self.call_one(&FIRST, arguments) }
    }

    /// Calls it for each workgroup.
    ///
    /// # Safety
    /// The arguments are those that it was compiled for, aligned as it expects.
    #[inline]
    pub(crate) unsafe fn call(&self, arguments: &[KernelArgument]) -> Result<(), KernelFailed> {
        if self.is_one {
            // SAFETY: as the caller promises.
            return unsafe { self.call_first(arguments) };
        }
        // SAFETY: as the caller promises.
        unsafe { self.call_all(arguments) }
    }

    /// XLA makes several workgroups of what is worth several threads.
    #[inline(never)]
    unsafe fn call_all(&self, arguments: &[KernelArgument]) -> Result<(), KernelFailed> {
        let Workgroups { x, y, z } = self.workgroups;
        let arguments = Shared(arguments);
        let call = |number: usize| {
            let number = number as u64;
            let workgroup = Workgroups {
                x: number % x,
                y: number / x % y,
                z: number / x / y,
            };
            // SAFETY: as the caller promises; workgroups may run at once.
            unsafe { self.call_one(&workgroup, arguments.get()) }
        };
        // A validated image has no more than memory has bytes.
        let count = usize::try_from(x * y * z).unwrap_or(usize::MAX);
        parallel::each(count, &call)
    }

    #[inline]
    unsafe fn call_one(
        &self,
        workgroup: &Workgroups,
        arguments: &[KernelArgument],
    ) -> Result<(), KernelFailed> {
        let frame = KernelCallFrame {
            workgroups: &raw const self.workgroups,
            workgroup,
            len: arguments.len(),
            arguments: arguments.as_ptr(),
        };
        // SAFETY: a kernel, as `new` was promised, and its arguments, as the caller promises.
        let error = unsafe { (self.function)(&raw const frame) };
        if error.is_null() {
            Ok(())
        } else {
            Err(KernelFailed)
        }
    }
}

/// Whether one element, or several together, comes before another.
#[derive(Clone, Copy)]
pub(crate) struct Comparator(Compare);

type Compare = unsafe extern "C" fn(
    *mut bool,
    *const c_void,
    *const *const u8,
    *const c_void,
    *const c_void,
    *const c_void,
);

impl Comparator {
    /// # Safety
    /// `entry` is where a comparator begins, which can be called as long as this is used.
    pub(crate) unsafe fn new(entry: *const u8) -> Self {
        // SAFETY: as the caller promises.
        Self(unsafe { std::mem::transmute::<*const u8, Compare>(entry) })
    }

    /// Whether left comes before right. `arguments` has the address of left, then of right, for each operand.
    ///
    /// # Safety
    /// As many operands as it was compiled for, and elements of their types.
    #[inline]
    pub(crate) unsafe fn is_before(self, arguments: &[*const u8]) -> bool {
        let mut result = 0_u8;
        let nothing = std::ptr::null();
        // SAFETY: as the caller promises; the rest may be NULL.
        unsafe {
            (self.0)(
                (&raw mut result).cast(),
                nothing,
                arguments.as_ptr(),
                nothing,
                nothing,
                nothing,
            );
        }
        result != 0
    }
}
