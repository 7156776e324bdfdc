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
    use nic_firmware::memory::{load, store, trace, wait_for_event};
    use nic_layout::registers::event_a;
    use nic_layout::ring::Event;
    use nic_layout::trace::Marker;
    use nic_vmmc::{Config, MemoryMap};

    type Machine = nic_vmmc::Machine<ENTRIES, LINE_ENTRIES, WAYS>;
    type Handler = fn(&mut Machine, &mut Chip);

    /// In the scratchpad, cleared by start-up.
    static mut MACHINE: Machine = Machine::new();

    /// Offset in the table, and value of `EVENT_A.NEXT`, when nothing is pending.
    const NONE: u32 = 128;

    /// What to do for each event, at the offset that `EVENT_A.NEXT` names.
    #[link_section = ".fast.data"]
    static HANDLERS: [Handler; NONE as usize / 4 + 1] = {
        let mut table: [Handler; NONE as usize / 4 + 1] = [ignore; NONE as usize / 4 + 1];
        table[Event::MacRx as usize] = receive;
        table[Event::DmaWrite as usize] = dma_write;
        table[Event::DmaRead as usize] = dma_read;
        table[Event::Mailbox as usize] = mailbox;
        table[Event::Doorbell as usize] = doorbell;
        table[Event::Timer0 as usize] = retransmit_timer;
        table[Event::Timer1 as usize] = ack_timer;
        table[Event::DmaError as usize] = dma_error;
        table[NONE as usize / 4] = idle;
        table
    };

    /// Clears the event before it is served: what happens meanwhile makes it pending again (INV-10).
    #[inline(always)]
    fn take(event: Event) {
        store(event_a::CLEAR, event.bit());
        trace(Marker::Dispatch, event as u32);
    }

    #[link_section = ".fast.text"]
    fn receive(machine: &mut Machine, chip: &mut Chip) {
        take(Event::MacRx);
        machine.on_receive(chip);
    }

    #[link_section = ".fast.text"]
    fn dma_write(machine: &mut Machine, chip: &mut Chip) {
        take(Event::DmaWrite);
        machine.on_dma_write(chip);
    }

    #[link_section = ".fast.text"]
    fn dma_read(machine: &mut Machine, chip: &mut Chip) {
        take(Event::DmaRead);
        machine.on_dma_read(chip);
    }

    fn mailbox(machine: &mut Machine, chip: &mut Chip) {
        take(Event::Mailbox);
        machine.on_mailbox(chip);
    }

    #[link_section = ".fast.text"]
    fn doorbell(machine: &mut Machine, chip: &mut Chip) {
        take(Event::Doorbell);
        machine.on_doorbell(chip);
    }

    fn retransmit_timer(machine: &mut Machine, chip: &mut Chip) {
        take(Event::Timer0);
        machine.on_retransmit_timer(chip);
    }

    fn ack_timer(machine: &mut Machine, chip: &mut Chip) {
        take(Event::Timer1);
        machine.on_ack_timer(chip);
    }

    fn dma_error(machine: &mut Machine, chip: &mut Chip) {
        take(Event::DmaError);
        machine.on_dma_error(chip);
    }

    /// Nothing is pending. An event that comes between the question and here ends the wait at once.
    #[link_section = ".fast.text"]
    fn idle(machine: &mut Machine, _: &mut Chip) {
        if !machine.has_work() {
            trace(Marker::Idle, 0);
            wait_for_event();
        }
    }

    /// An event that was never enabled.
    fn ignore(_: &mut Machine, _: &mut Chip) {}

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn run(machine: &mut Machine, chip: &mut Chip) -> ! {
        loop {
            let offset = load(event_a::NEXT) & 0xFC;
            if let Some(handler) = HANDLERS.get(offset as usize / 4) {
                handler(machine, chip);
            }
            if machine.has_work() {
                machine.background(chip);
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
