//! Whole NICs with EMP, each with a host, over a device in memory. All tests run with each scheme.

// The same tests with each scheme.
#![allow(clippy::duplicate_mod)]

mod world;

macro_rules! schemes {
    ($($name:ident: $scheme:ident,)*) => {
        $(#[path = "."]
        mod $name {
            use nic_emp::$scheme as Scheme;

            type World<P> = crate::world::World<P, Scheme>;

            #[path = "delivery.rs"]
            mod delivery;
            #[path = "failures.rs"]
            mod failures;
            #[path = "pace.rs"]
            mod pace;
        })*
    };
}

schemes! {
    base: Base,
    so: So,
    ro: Ro,
    dsr: Dsr,
    sr: Sr,
}
