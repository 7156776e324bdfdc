//! Whole NICs with EMP, each with a host, over a device in memory. All tests run with each scheme.

// The same tests with each scheme.
#![allow(clippy::duplicate_mod)]

mod pages;
mod world;

macro_rules! schemes {
    ($($name:ident: $scheme:ty,)*) => {
        $(#[path = "."]
        mod $name {
            type Scheme = $scheme;

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
    base: nic_emp::Base,
    so: nic_emp::So,
    ro: nic_emp::Ro,
    dsr: nic_emp::Dsr,
    sr: nic_emp::Sr,
    dynamic: crate::world::Dynamic,
}

/// Virtual addresses. How fast a sender is depends on its misses, so its pace is not judged.
#[path = "."]
mod mini {
    use crate::world::Mini as Scheme;

    type World<P> = crate::world::World<P, Scheme>;

    #[path = "delivery.rs"]
    mod delivery;
    #[path = "failures.rs"]
    mod failures;
}
