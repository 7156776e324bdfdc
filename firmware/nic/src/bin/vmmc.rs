//! The VMMC personality: remote writes to exported buffers.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is a firmware: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

#[cfg(target_arch = "riscv32")]
mod image {
    use nic_firmware::boot;
    use nic_firmware::chip::Chip;
    use nic_firmware::geometry::{ENTRIES, LINE_ENTRIES, WAYS};
    use nic_firmware::memory::{load, trace, wait_for_event};
    use nic_layout::registers::event_a;
    use nic_layout::trace::Marker;
    use nic_vmmc::{Config, MemoryMap};

    type Machine = nic_vmmc::Machine<ENTRIES, LINE_ENTRIES, WAYS>;

    /// In the scratchpad, cleared by start-up.
    static mut MACHINE: Machine = Machine::new();

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn run(machine: &mut Machine, chip: &mut Chip) -> ! {
        loop {
            if !machine.turn(chip, load(event_a::PENDING)) {
                trace(Marker::Idle, 0);
                // An event that came since the load ends the wait at once.
                wait_for_event();
            }
        }
    }

    #[no_mangle]
    extern "C" fn main() -> ! {
        let request = boot::request();
        let planned = Config::check(&request).and_then(|config| {
            let map = MemoryMap::plan(&config, Machine::GEOMETRY, boot::first_free(), boot::sram_bytes(&request))?;
            Ok(Config { map, ..config })
        });
        let config = match planned {
            Ok(config) => config,
            Err(error) => boot::refuse(error),
        };
        // SAFETY: `main` runs once, on one core, and nothing else names the static.
        let machine = unsafe { &mut *core::ptr::addr_of_mut!(MACHINE) };
        let mut chip = Chip::new(&config);
        machine.start(&mut chip, config);
        chip.enable(Machine::EVENTS);
        trace(Marker::Ready, config.node);
        boot::reply(config.map.reply(Machine::GEOMETRY));
        run(machine, &mut chip)
    }
}
