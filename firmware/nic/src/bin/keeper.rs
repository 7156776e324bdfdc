//! Core B of a NIC with two: keeps totals of what core A counts (`nic_layout::keeper`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
mod image {
    use nic_firmware::keeper::Keeper;
    use nic_firmware::memory::{get, load, put, read_sram, sram, store, trace, wait_for_event, Sram};
    use nic_firmware::semaphore::locked;
    use nic_layout::boot::{BootError, BOOT_READY, BOOT_REFUSED, LAYOUT_VERSION};
    use nic_layout::keeper::*;
    use nic_layout::registers::{event_a, timer};
    use nic_layout::ring::Event;
    use nic_layout::trace::Marker;

    const BUSY: u32 = 1 << EVENT_BUSY;
    const PERIOD_IS_OVER: u32 = 1 << Event::Timer0 as u32;

    static mut KEEPER: Keeper = Keeper::new();

    fn refuse(error: BootError) -> ! {
        let reply = sram(AREA_ADDRESS + REPLY);
        put(reply, 4, error.words()[0]);
        put(reply, 0, BOOT_REFUSED);
        loop {
            wait_for_event();
        }
    }

    /// Sleeps until one of these events is pending.
    #[link_section = ".fast.text"]
    fn wait_for(events: u32) {
        store(event_a::ENABLE, events);
        while load(event_a::PENDING) & events == 0 {
            wait_for_event();
        }
    }

    #[no_mangle]
    extern "C" fn main() -> ! {
        let request = AREA_ADDRESS + REQUEST;
        if read_sram(request) != KEEPER_MAGIC {
            refuse(BootError::BadMagic);
        }
        if read_sram(request + 4) != LAYOUT_VERSION {
            refuse(BootError::OtherLayout);
        }
        let (counters, period_cycles) = (read_sram(request + 8), read_sram(request + 12));
        // SAFETY: `main` runs once, on one core, and nothing else names the static.
        let keeper = unsafe { &mut *core::ptr::addr_of_mut!(KEEPER) };
        store(event_a::CLEAR, u32::MAX);
        put(sram(AREA_ADDRESS + REPLY), 0, BOOT_READY);
        keep(keeper, counters, period_cycles)
    }

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn keep(keeper: &mut Keeper, counters: u32, period_cycles: u32) -> ! {
        let reply = sram(AREA_ADDRESS + REPLY);
        loop {
            trace(Marker::Idle, 0);
            wait_for(BUSY);
            // The event stays pending, so that core A does not set it again, until its counters are
            // read.
            store(timer::COMPARE.at(0), load(timer::COUNT).wrapping_add(period_cycles));
            wait_for(PERIOD_IS_OVER);
            store(event_a::CLEAR, BUSY | PERIOD_IS_OVER);
            let folds = get(reply, 8);
            trace(Marker::KeeperBegin, folds >> 1);
            put(reply, 8, folds.wrapping_add(1));
            locked::<1, _>(|| keeper.fold(&mut Sram, counters, AREA_ADDRESS + TOTALS));
            put(reply, 8, folds.wrapping_add(2));
            let violations = keeper.violations();
            put(reply, 12, get(reply, 12).wrapping_add(violations));
            trace(Marker::KeeperEnd, violations);
        }
    }
}
