//! What a hostile process does: it harms its own messages, and no others.

use host_model::address::SramAddr;
use host_model::driver::emp::Emp;
use host_model::driver::Device;
use nic_layout::personality::emp::descriptor::{offset_bytes, stat, DESCRIPTORS, SEND_DESCRIPTORS};
use nic_layout::personality::emp::{MAILBOX_CANCEL_RECEIVE, MAILBOX_CANCEL_SEND, MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::registers::mailbox;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::board::TAG;
use super::operation::Op;
use super::side::Side;
use crate::random::Random;

/// Things that a hostile process does.
pub const KINDS: u32 = 5;
/// Descriptors that the library takes last: few messages never need them.
const UNUSED: u32 = 90;

struct Hostile {
    device: Device,
    banks: SramAddr,
    random: Random,
}

impl Hostile {
    async fn mail(&mut self, number: usize, value: u32) {
        self.device.write(mailbox::TO_NIC.at(number), value).await;
    }

    async fn head(&self, number: u32) -> Result<u32> {
        self.device.read_sram(self.banks + offset_bytes(number)).await.map_err(|error| failed!("{error}"))
    }

    async fn set_head(&self, number: u32, head: u32) {
        self.device.write_sram(self.banks + offset_bytes(number), &[head]).await;
    }
}

/// Does what the flags of an operation say.
pub async fn act(side: &mut Side<'_>, op: &Op) -> Result<()> {
    let seat = side.seat;
    {
        let mut board = seat.shared.lock();
        board.causes[seat.node()].is_hostile = true;
        board.count("acts of hostile processes");
    }
    let driver = seat.handle.driver();
    let service = driver.service::<Emp>().map_err(|error| failed!("{error}"))?;
    let device = driver.device(side.process.cpu()).map_err(|error| failed!("{error}"))?;
    let random = Random::new(seat.cluster.seed, u64::from(op.bytes));
    let mut hostile = Hostile { device, banks: service.descriptors(), random };
    let open: Vec<u32> = side.open.iter().map(|message| message.transfer.number()).collect();
    match op.flags % KINDS {
        0 => wild_descriptors(side, &mut hostile, &service).await?,
        1 => {
            // Receives that are in use are posted again. A send that has ended would be sent again.
            for number in open.into_iter().filter(|number| *number >= SEND_DESCRIPTORS) {
                let head = hostile.head(number).await?;
                hostile.set_head(number, head & !0xFF | u32::from(stat::POSTED)).await;
                hostile.mail(MAILBOX_RECEIVE, number).await;
                side.seat.sleep_us(3).await;
            }
        }
        2 => {
            for number in open {
                let head = hostile.head(number).await?;
                hostile.set_head(number, head & !0xFF | u32::from(stat::FREE)).await;
            }
        }
        3 => {
            for _ in 0..30 {
                let number = hostile.random.number(0..=DESCRIPTORS + 20);
                let is_send = hostile.random.flag();
                hostile.mail(if is_send { MAILBOX_CANCEL_SEND } else { MAILBOX_CANCEL_RECEIVE }, number).await;
            }
        }
        _ => {
            for _ in 0..60 {
                // Not the number of an own send: one that has ended would be sent again.
                let number = hostile.random.number(SEND_DESCRIPTORS..=DESCRIPTORS + 20);
                let is_send = hostile.random.flag();
                hostile.mail(if is_send { MAILBOX_SEND } else { MAILBOX_RECEIVE }, number).await;
            }
        }
    }
    Ok(())
}

/// Descriptors with random words. Physical addresses are of own pages: a NIC of EMP believes them
/// (docs/emp.md).
async fn wild_descriptors(side: &Side<'_>, hostile: &mut Hostile, service: &Emp) -> Result<()> {
    let process = &side.process;
    let page = process.alloc(4096).map_err(|error| failed!("{error}"))?;
    process.lock(page, 4096).await.map_err(|error| failed!("{error}"))?;
    let cpu = process.cpu();
    let is_virtual = service.translations().is_some();
    let own = match is_virtual {
        true => page.0,
        false => {
            let pages = service.translate(cpu, process.pid(), page, 4096).await;
            pages.map_err(|error| failed!("{error}"))?[0].address as u32
        }
    };
    for _ in 0..8 {
        let random = &mut hostile.random;
        let is_send = random.flag();
        let number = random.number(0..=UNUSED) + if is_send { 0 } else { DESCRIPTORS - UNUSED - 1 };
        // Not a chain: its further pages would be words of other descriptors.
        let format = random.one_of(&[(4, 0), (2, 2), (1, 3), (1, 0x3F)]);
        let node = random.number(0..=side.seat.cluster.topology.nodes as u32 + 2);
        let length = match random.weighted(&[4, 2, 1]) {
            0 => random.number(0..=4096),
            1 => random.number(0..=100_000),
            _ => random.word(),
        };
        let words = [
            u32::from(stat::POSTED) | format << 8 | node << 16,
            u32::from(TAG) | random.number(0..=5000) << 16,
            length,
            // A wild virtual address is a fault of the process.
            if is_virtual && random.flag() { random.word() } else { own },
            random.number(0..=8) / 8,
        ];
        hostile.device.write_sram(hostile.banks + offset_bytes(number), &words).await;
        hostile.mail(if is_send { MAILBOX_SEND } else { MAILBOX_RECEIVE }, number).await;
        side.seat.sleep_us(4).await;
    }
    Ok(())
}
