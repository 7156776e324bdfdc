//! What a register is, and the macro that makes a constant of each line of [`crate::registers`].

use core::marker::PhantomData;

/// A byte offset in BAR 0, the same from [`crate::CORE_REGISTER_BASE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub u32);

/// What stands in a register: a number, or a bit field type.
pub trait Bits: Copy {
    /// The content that a register with these bits has.
    fn from_bits(bits: u32) -> Self;

    /// The bits of a register with this content.
    fn to_bits(self) -> u32;
}

impl Bits for u32 {
    fn from_bits(bits: u32) -> u32 {
        bits
    }

    fn to_bits(self) -> u32 {
        self
    }
}

/// Marks registers that may only be read; a write is ignored.
#[derive(Clone, Copy, Debug)]
pub enum ReadOnly {}
/// Marks registers that may only be written; a read gives zero.
#[derive(Clone, Copy, Debug)]
pub enum WriteOnly {}
/// Marks registers that may be read and written.
#[derive(Clone, Copy, Debug)]
pub enum ReadWrite {}

/// The kinds of access with which a read gives the content.
pub trait Readable {}
impl Readable for ReadOnly {}
impl Readable for ReadWrite {}

/// The kinds of access with which a write has an effect.
pub trait Writable {}
impl Writable for WriteOnly {}
impl Writable for ReadWrite {}

/// A register with content `T` and access `A`.
#[derive(Debug)]
pub struct Register<T, A> {
    offset: Offset,
    kind: PhantomData<fn() -> (T, A)>,
}

impl<T, A> Register<T, A> {
    pub(crate) const fn new(offset: u32) -> Self {
        Register { offset: Offset(offset), kind: PhantomData }
    }

    /// Where the register is.
    pub const fn offset(self) -> Offset {
        self.offset
    }
}

impl<T, A> Clone for Register<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A> Copy for Register<T, A> {}

/// `N` registers of one kind in a row.
#[derive(Debug)]
pub struct Registers<T, A, const N: usize> {
    first: Register<T, A>,
}

impl<T, A, const N: usize> Registers<T, A, N> {
    /// How many registers there are.
    pub const COUNT: usize = N;

    pub(crate) const fn new(offset: u32) -> Self {
        Registers { first: Register::new(offset) }
    }

    /// The register `index`, a number that the program chose; panics beyond the last.
    pub const fn at(self, index: usize) -> Register<T, A> {
        assert!(index < N);
        Register::new(self.first.offset.0 + 4 * index as u32)
    }

    /// The register `index`, a number that comes from elsewhere; `None` beyond the last.
    pub const fn get(self, index: usize) -> Option<Register<T, A>> {
        if index < N {
            Some(self.at(index))
        } else {
            None
        }
    }
}

impl<T, A, const N: usize> Clone for Registers<T, A, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A, const N: usize> Copy for Registers<T, A, N> {}

/// What a write to a register does, as listed in [`crate::registers::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A write is ignored.
    ReadOnly,
    /// A read gives zero.
    WriteOnly,
    /// Reads the bits; writes the bits.
    ReadWrite,
    /// Reads the bits; writing ones clears them.
    OnesClear,
    /// Reads the bits; writing ones sets them.
    OnesSet,
}

/// One line of the map.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The register file and the register, such as `IDENT.VERSION`.
    pub name: &'static str,
    /// Where the first register is.
    pub offset: Offset,
    /// Registers in a row.
    pub count: u32,
    /// What a write does.
    pub access: Access,
    /// The bits that exist.
    pub mask: u32,
    /// Value after reset, where it is fixed.
    pub reset: Option<u32>,
}

/// The register map as items: a module for each register file, `ALL` over all of them.
///
/// A register file is its module, its name and its registers. A register is
///
/// ```text
/// ACCESS NAME[COUNT]: CONTENT = OFFSET, mask MASK [MASK_NAME], reset RESET [RESET_NAME] { FIELDS };
/// ```
///
/// `ACCESS` is a variant of [`Access`]. `[COUNT]`, the reset, the fields, and the names in brackets
/// may be absent. A name in brackets makes a public constant. With fields, `CONTENT` becomes a bit
/// field type. A field is
///
/// ```text
/// get, with, [SHIFT_NAME, MASK_NAME]: u32 = HIGH:LOW;
/// ```
///
/// or the same with `bool` for a single bit. `macro_rules` cannot make names out of others, so the
/// table spells them out; `rtl/registers/nicscope.rdl` states each fact once.
macro_rules! map {
    ($(
        $(#[$module_doc:meta])*
        $module:ident $file:literal {
            $(
                $(#[$doc:meta])*
                $access:ident $name:ident $([$count:literal])? : $content:ident = $offset:literal,
                mask $mask:literal $([$mask_name:ident])?
                $(, reset $reset:literal $([$reset_name:ident])?)?
                $({ $($fields:tt)* })?;
            )*
        }
    )*) => {
        $(
            $(#[$module_doc])*
            pub mod $module {
                $(
                    $(#[$doc])*
                    pub const $name: $crate::register::map!(@type $access $content $($count)?) =
                        <$crate::register::map!(@type $access $content $($count)?)>::new($offset);
                    $(
                        #[doc = concat!("The bits of [`", stringify!($name), "`] that exist.")]
                        pub const $mask_name: u32 = $mask;
                    )?
                    $($(
                        #[doc = concat!("The value of [`", stringify!($name), "`] after reset.")]
                        pub const $reset_name: $content = $crate::register::map!(@content $content $reset);
                    )?)?
                    $($crate::register::map!(@bits $name $content $($fields)*);)?
                )*
            }
        )*

        /// Every register, by offset.
        pub const ALL: &[$crate::register::Entry] = &[$($(
            $crate::register::Entry {
                name: concat!($file, ".", stringify!($name)),
                offset: $crate::register::Offset($offset),
                count: $crate::register::map!(@first $($count,)? 1),
                access: $crate::register::Access::$access,
                mask: $mask,
                reset: $crate::register::map!(@first $(Some($reset),)? None),
            },
        )*)*];
    };

    (@type $access:ident $content:ident) => {
        $crate::register::Register<$content, $crate::register::map!(@access $access)>
    };
    (@type $access:ident $content:ident $count:literal) => {
        $crate::register::Registers<$content, $crate::register::map!(@access $access), $count>
    };

    // What may be written with ones may be written and read.
    (@access OnesClear) => { $crate::register::ReadWrite };
    (@access OnesSet) => { $crate::register::ReadWrite };
    (@access $access:ident) => { $crate::register::$access };

    (@content u32 $value:literal) => { $value };
    (@content $content:ident $value:literal) => { $content($value) };

    (@first $value:expr $(, $other:expr)?) => { $value };

    (@bits $register:ident $content:ident $(
        $(#[$doc:meta])*
        $get:ident, $with:ident, [$shift:ident, $mask:ident]: $kind:ident = $high:literal : $low:literal;
    )*) => {
        #[doc = concat!("The content of [`", stringify!($register), "`].")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $content(pub u32);

        impl $content {
            $(
                #[doc = concat!("The lowest bit of `", stringify!($get), "`.")]
                pub const $shift: u32 = $low;
                #[doc = concat!("The bits of `", stringify!($get), "`, in place.")]
                pub const $mask: u32 = u32::MAX >> (31 - $high + $low) << $low;

                $(#[$doc])*
                pub const fn $get(self) -> $kind {
                    $crate::register::map!(@get $kind, (self.0 & Self::$mask), Self::$shift)
                }

                #[doc = concat!("The same content with another `", stringify!($get), "`.")]
                pub const fn $with(self, value: $kind) -> $content {
                    let value = ((value as u32) << Self::$shift) & Self::$mask;
                    $content((self.0 & !Self::$mask) | value)
                }
            )*
        }

        impl $crate::register::Bits for $content {
            fn from_bits(bits: u32) -> Self {
                $content(bits)
            }

            fn to_bits(self) -> u32 {
                self.0
            }
        }
    };

    (@get bool, $bits:expr, $shift:expr) => { $bits != 0 };
    (@get u32, $bits:expr, $shift:expr) => { $bits >> $shift };
}

pub(crate) use map;
