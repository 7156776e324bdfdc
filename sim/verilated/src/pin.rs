//! Ports of a model: plain memory, read and written without a call.
//!
//! A pin is interior-mutable like a `Cell`, so that a generated model can hand out its pins by
//! shared reference. That keeps a pin from being moved out of, or swapped between, the models whose
//! memory it points to.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

mod sealed {
    pub trait Sealed {}
}

/// The memory of a port: `u8`, `u16`, `u32`, `u64`, or `[u32; N]` (least significant word first)
/// above 64 bits.
pub trait PinValue: Copy + sealed::Sealed {
    /// `self` without the bits from `width` up.
    fn truncated(self, width: u32) -> Self;
}

macro_rules! scalar {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}
        impl PinValue for $t {
            #[inline(always)]
            fn truncated(self, width: u32) -> $t {
                self & (<$t>::MAX >> (<$t>::BITS - width))
            }
        }
    )*};
}
scalar!(u8, u16, u32, u64);

impl<const N: usize> sealed::Sealed for [u32; N] {}
impl<const N: usize> PinValue for [u32; N] {
    #[inline(always)]
    fn truncated(mut self, width: u32) -> [u32; N] {
        self[N - 1] &= u32::MAX >> (32 * N as u32 - width);
        self
    }
}

/// An input of `WIDTH` bits.
pub struct Input<T, const WIDTH: u32> {
    at: NonNull<T>,
    owned: PhantomData<*mut T>,
}

/// An output of `WIDTH` bits.
pub struct Output<T, const WIDTH: u32> {
    at: NonNull<T>,
    owned: PhantomData<*mut T>,
}

impl<T: PinValue, const WIDTH: u32> Input<T, WIDTH> {
    /// # Safety
    /// `at` points to a port of this type and width, which lives as long as the pin can be reached.
    #[doc(hidden)]
    pub unsafe fn new(at: *mut u8) -> Self {
        Input { at: NonNull::new(at.cast()).expect("a port has an address"), owned: PhantomData }
    }

    /// Drives the pin. The model sees it at its next evaluation. Bits beyond the port are our bug:
    /// a debug build panics, a release build drops them.
    #[inline(always)]
    pub fn set(&self, value: T)
    where
        T: PartialEq + fmt::Debug,
    {
        let fitting = value.truncated(WIDTH);
        debug_assert_eq!(fitting, value, "a port of {WIDTH} bits");
        // SAFETY: new() promised a live port; the model uses it only in calls that borrow it
        // exclusively.
        unsafe { self.at.write(fitting) }
    }

    /// What was driven last.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: as in set().
        unsafe { self.at.read() }
    }
}

impl<T: PinValue, const WIDTH: u32> Output<T, WIDTH> {
    /// # Safety
    /// As [`Input::new`].
    #[doc(hidden)]
    pub unsafe fn new(at: *mut u8) -> Self {
        Output { at: NonNull::new(at.cast()).expect("a port has an address"), owned: PhantomData }
    }

    /// The level since the last evaluation.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: new() promised a live port; the model writes it only in calls that borrow it
        // exclusively.
        unsafe { self.at.read() }
    }
}

impl<const WIDTH: u32> Input<u8, WIDTH> {
    /// Drives the lowest bit and clears the others.
    #[inline(always)]
    pub fn set_bool(&self, level: bool) {
        self.set(level as u8);
    }
}

impl<const WIDTH: u32> Output<u8, WIDTH> {
    /// True when any bit is set; of use for ports of one bit.
    #[inline(always)]
    pub fn is_high(&self) -> bool {
        self.get() != 0
    }
}

impl<T: PinValue + fmt::Debug, const WIDTH: u32> fmt::Debug for Input<T, WIDTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: PinValue + fmt::Debug, const WIDTH: u32> fmt::Debug for Output<T, WIDTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

// SAFETY: a pin goes where its model goes, and the model may change threads. It is not Sync.
unsafe impl<T: Send, const WIDTH: u32> Send for Input<T, WIDTH> {}
// SAFETY: as for Input.
unsafe impl<T: Send, const WIDTH: u32> Send for Output<T, WIDTH> {}
