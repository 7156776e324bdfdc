//! A place for processes on a node. A process does its operations in order, ends or is killed, and
//! a successor takes its place.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use host_model::address::{NodeId, UserVirt};
use host_model::driver::{DriverError, Notifications};
use host_model::library::{Access, Export, WriteError, WriteHandle};
use nic_layout::cbh::cbh;
use nic_layout::key::KeyWidth;
use nic_layout::post::PostError;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::model::{self, Buffer, BufferName, Direction, End, Told};
use super::operation::{Op, Post, Rights, Twist, LANDINGS, POST_BYTES_MAX};
use super::plant::Plant;
use super::state::{Actor, Life, State};

const PAGE: u32 = 4096;
/// Offsets and sizes in the memory of a process that is compared: buffers, sources of writes and
/// destinations of reads. No operation names the rest.
const TARGET: u32 = 0;
const TARGET_BYTES: u32 = 16 * PAGE;
const SOURCE: u32 = 16 * PAGE;
const SOURCE_BYTES: u32 = 16 * PAGE;
const LANDING: u32 = 32 * PAGE;
const LANDING_BYTES: u32 = 4 * PAGE;
/// Bytes of the compared memory.
pub const IMAGE_BYTES: u32 = 64 * PAGE;
/// Pages of the heap. The hole, where no memory exists, lies behind them.
pub const HEAP_PAGES: u32 = 128;
/// Pages before the hole in which a read into the hole may have written.
pub const PAGES_BEFORE_HOLE: u32 = POST_BYTES_MAX / PAGE + 1;

/// The errors of a post that the owner of the buffer, or the import, refuses.
const REFUSED: [u32; 3] =
    [PostError::Refused as u32, PostError::ImportForbids as u32, PostError::ImportTooShort as u32];

/// The time from the export of a buffer until posts may name it: longer than a node may run ahead
/// of the others.
const SEEN_AFTER: Ps = Ps::from_us(2);

/// What follows an operation: the next one, or the end of the process.
enum Then {
    Next,
    End,
}

/// Runs the processes of one place, one after the other.
pub async fn actor(state: Rc<State>, place: usize, seed: u64) {
    let mut number = 0;
    let mut life = match begin(&state, place, number, seed).await {
        Ok(life) => life,
        Err(error) => return state.fail(error),
    };
    state.count_pending(-1);
    loop {
        let own = &state.actors[place];
        let under_way = Cell::new(false);
        let next = async {
            own.inbox.filled().await;
            let Some(op) = own.inbox.try_receive() else { return Ok(Then::Next) };
            state.changed.notify();
            under_way.set(true);
            operate(&state, &life, &op).await
        };
        let done = unless(own.killed.wait_until(|| own.kills.get() > 0), next).await;
        if under_way.get() {
            state.count_pending(-1);
        }
        match done {
            Some(Ok(Then::Next)) => continue,
            Some(Ok(Then::End)) => {}
            Some(Err(error)) => return state.fail(format!("{}: {error}", life.name)),
            None => {
                own.kills.set(own.kills.get() - 1);
                state.count_pending(-1);
            }
        }
        state.count_pending(1);
        number += 1;
        let successor = async {
            state.restarts.may_retire(&state.changed).await;
            retire(&state, &life).await?;
            state.restarts.may_begin(&state.changed).await;
            let life = begin(&state, place, number, seed).await;
            state.restarts.has_begun(&state.changed);
            life
        };
        life = match successor.await {
            Ok(life) => life,
            Err(error) => return state.fail(format!("place {place}: {error}")),
        };
        state.count_pending(-1);
    }
}

/// The result of `future`, or `None` if `stop` ends first. Then `future` is dropped in whatever
/// step it is.
async fn unless<T>(stop: impl Future<Output = ()>, future: impl Future<Output = T>) -> Option<T> {
    let (mut stop, mut future) = (pin!(stop), pin!(future));
    std::future::poll_fn(|cx| {
        if stop.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// The memory of a process at its begin: bytes that differ between processes and between places.
fn contents(seed: u64, name: model::Life) -> Vec<u8> {
    let mut state = seed ^ (name.node as u64) << 60 ^ (name.process as u64) << 52 ^ u64::from(name.life) << 20;
    let mut bytes = Vec::with_capacity(IMAGE_BYTES as usize);
    while bytes.len() < IMAGE_BYTES as usize {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = state;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend((word ^ word >> 31).to_le_bytes());
    }
    bytes
}

async fn begin(state: &Rc<State>, place: usize, number: u32, seed: u64) -> Result<Life> {
    let wrong = |error: &dyn std::fmt::Display| failed!("{error}");
    let name = model::Life { node: state.node, process: place, life: number };
    let process = state.handle.open("process").await.map_err(|error| wrong(&error))?;
    let base = process.alloc(IMAGE_BYTES).map_err(|error| wrong(&error))?;
    let memory = contents(seed, name);
    process.store(base, &memory).map_err(|error| wrong(&error))?;
    state.seen.borrow_mut().begun.push((name, memory));
    let life = Life {
        name,
        process,
        base,
        exports: Rc::default(),
        buffers: Rc::default(),
        tasks: Rc::default(),
        open_posts: Rc::default(),
        landings: Rc::default(),
        posts: Rc::default(),
    };
    if state.personality.registers {
        // All data come from this memory and go to it. The hole does not exist, so it is not
        // registered.
        process_registers(&life).await?;
    }
    let rights = Rights { write: true, read: true };
    export(state, &life, 0, TARGET, TARGET_BYTES, rights, true).await?;
    *state.actors[place].life.borrow_mut() = Some(life.clone());
    Ok(life)
}

/// Registers the compared memory of a process, for a NIC that refuses posts from other memory.
async fn process_registers(life: &Life) -> Result<()> {
    let registered = life.process.register(life.base, IMAGE_BYTES).await;
    registered.map_err(|error| failed!("registration: {error}"))
}

/// Ends a process, even if posts are outstanding.
async fn retire(state: &Rc<State>, life: &Life) -> Result<()> {
    for task in life.tasks.borrow().iter() {
        task.abort();
    }
    *state.actors[life.name.process].life.borrow_mut() = None;
    state.open_posts.set(state.open_posts.get() - life.open_posts.get());
    let begun = state.sim().now();
    {
        let mut board = state.board.lock();
        let own = board.buffers.iter_mut().filter(|(name, _)| name.owner == life.name);
        own.for_each(|(_, buffer)| _ = buffer.end_begun.get_or_insert(begun.0));
    }
    life.process.close().await.map_err(|error| failed!("{error}"))?;
    let ended = state.sim().now();
    let mut board = state.board.lock();
    let own = board.buffers.iter_mut().filter(|(name, _)| name.owner == life.name);
    own.for_each(|(_, buffer)| _ = buffer.ended.get_or_insert(ended.0));
    Ok(())
}

/// Ends the process that lives in a place, at the end of the case.
pub async fn retire_last(state: &Rc<State>, actor: &Actor) -> Result<()> {
    let life = actor.life.borrow().clone();
    match life {
        Some(life) => retire(state, &life).await,
        None => Ok(()),
    }
}

async fn operate(state: &Rc<State>, life: &Life, op: &Op) -> Result<Then> {
    match op {
        Op::Post(wanted) => post(state, life, wanted).await?,
        Op::Export { export: place, from, bytes, rights, listens, .. } => {
            withdraw(state, life, *place).await?;
            // At least one byte, and within the room for buffers.
            let from = from % TARGET_BYTES;
            let bytes = (*bytes).clamp(1, TARGET_BYTES - from);
            export(state, life, *place, TARGET + from, bytes, *rights, *listens).await?;
        }
        Op::Withdraw { export, .. } => withdraw(state, life, *export).await?,
        Op::Wait { .. } => state.changed.wait_until(|| life.open_posts.get() == 0).await,
        Op::End { .. } => {
            state.changed.wait_until(|| life.open_posts.get() == 0).await;
            return Ok(Then::End);
        }
        Op::Invalidate { page, .. } => {
            // The driver invalidates in a task of its own, so the invalidation ends even if the
            // process is killed.
            let (state, pid) = (state.clone(), life.process.pid());
            let address = life.base + page % (IMAGE_BYTES / PAGE) * PAGE;
            state.count_pending(1);
            let sim = state.sim().clone();
            sim.spawn("invalidate", async move {
                let invalidate = state.personality.invalidate;
                match invalidate(state.handle.driver(), &state.cpu, pid, address).await {
                    // A cache that was reset has no lines.
                    Ok(()) | Err(DriverError::NicReset) => {}
                    Err(error) => state.fail(format!("invalidation: {error}")),
                }
                state.count_pending(-1);
            });
        }
        Op::Kill { .. } | Op::Reset { .. } | Op::Restart { .. } | Op::Pause { .. } | Op::Settle => {}
    }
    Ok(Then::Next)
}

async fn export(
    state: &Rc<State>,
    life: &Life,
    place: usize,
    from: u32,
    bytes: u32,
    rights: Rights,
    listens: bool,
) -> Result<()> {
    let access = Access { write: rights.write, read: rights.read };
    let start = life.base + from;
    let (export, told) = match listens {
        true => {
            let made = life.process.export_with_notifications(start, bytes, access).await;
            let (export, told) = made.map_err(|error| failed!("export: {error}"))?;
            (export, Some(told))
        }
        false => {
            (life.process.export_as(start, bytes, access).await.map_err(|error| failed!("export: {error}"))?, None)
        }
    };
    let name = BufferName { owner: life.name, number: life.buffers.get() };
    life.buffers.set(name.number + 1);
    life.exports.borrow_mut()[place] = Some((name, export));
    let buffer = Buffer {
        start: from,
        bytes,
        may_write: rights.write,
        may_read: rights.read,
        listens,
        end_begun: None,
        ended: None,
    };
    let visible = state.sim().now() + SEEN_AFTER;
    let mut board = state.board.lock();
    board.buffers.insert(name, buffer);
    board.published.entry((state.node, life.name.process, place)).or_default().push((visible, name, export));
    drop(board);
    if let Some(told) = told {
        let task = state.sim().spawn("listener", listen(state.clone(), life.clone(), name, from, told));
        life.tasks.borrow_mut().push(task);
    }
    Ok(())
}

async fn listen(state: Rc<State>, life: Life, buffer: BufferName, start: u32, told: Notifications) {
    loop {
        let notification = told.next().await;
        let it = Told { buffer, number: notification.message, end_offset: notification.end_offset };
        match state.plant {
            Some(Plant::ToldTwice) => state.seen.borrow_mut().told.extend([it, it]),
            Some(Plant::ToldNever) => {}
            _ => state.seen.borrow_mut().told.push(it),
        }
        super::planted::after_arrival(&state, &life, start + it.end_offset);
    }
}

async fn withdraw(state: &Rc<State>, life: &Life, place: usize) -> Result<()> {
    let Some((name, export)) = life.exports.borrow_mut()[place].take() else { return Ok(()) };
    let note = |note: &dyn Fn(&mut Buffer)| state.board.lock().buffers.get_mut(&name).into_iter().for_each(note);
    let begun = state.sim().now();
    note(&|buffer| buffer.end_begun = Some(begun.0));
    if state.plant == Some(Plant::BufferStays) {
        note(&|buffer| buffer.ended = Some(begun.0));
        return Ok(());
    }
    life.process.withdraw(&export).await.map_err(|error| failed!("withdraw: {error}"))?;
    let ended = state.sim().now();
    note(&|buffer| buffer.ended = Some(ended.0));
    Ok(())
}

/// The newest visible buffer of a place, even if it is withdrawn; a buffer that never existed if
/// there is none.
fn find(state: &State, key_width: KeyWidth, wanted: &Post) -> (Option<BufferName>, Export) {
    let owner = wanted.node;
    let now = state.sim().now();
    let board = state.board.lock();
    let published = board.published.get(&(owner, wanted.process, wanted.export));
    let newest = published.and_then(|all| all.iter().rev().find(|(visible, ..)| *visible <= now));
    match newest {
        Some((_, name, export)) => (Some(*name), *export),
        None => {
            let buffer = cbh(4000 + wanted.process as u32, 7 + wanted.export as u32);
            let node = NodeId(owner as u16);
            (None, Export { node, buffer, key: [1, 2, 3, 4], key_width, length_bytes: PAGE, access: Access::WRITE })
        }
    }
}

async fn post(state: &Rc<State>, life: &Life, wanted: &Post) -> Result<()> {
    // A shortened case may have fewer nodes than the post names.
    if wanted.node >= state.nodes {
        return Ok(());
    }
    let (mut buffer, mut export) = find(state, life.process.key_width(), wanted);
    let length = export.length_bytes;
    let mut bytes = wanted.bytes.min(length);
    let mut offset = wanted.at % (length - bytes + 1);
    let mut right_key = true;
    let wrong_word = export.key_width.words() - 1;
    match wanted.twist {
        Twist::None => {}
        Twist::WrongKey => {
            right_key = false;
            export.key[wrong_word] ^= 1;
        }
        Twist::NoBuffer => {
            buffer = None;
            export.buffer ^= state.personality.absent_buffer_bit;
        }
        Twist::Beyond => offset = length - bytes + 1 + wanted.at % 64,
        // Too long to go with the post: inline data are read by the process itself.
        Twist::Hole => bytes = bytes.max(64),
    }
    let hole = wanted.twist == Twist::Hole;
    match state.plant {
        Some(Plant::KeyMends) if !right_key => export.key[wrong_word] ^= 1,
        Some(Plant::KeyBreaks) if wanted.twist == Twist::None => export.key[0] ^= 1,
        _ => {}
    }
    let landing = (life.posts.get() as usize) % LANDINGS;
    life.posts.set(life.posts.get() + 1);
    let own = match (hole, wanted.is_read) {
        (true, _) => HEAP_PAGES * PAGE - 1 - wanted.own % (bytes - 1),
        (false, true) => {
            let room = LANDING_BYTES - bytes + 1;
            LANDING + landing as u32 * LANDING_BYTES + wanted.own % room
        }
        (false, false) => SOURCE + wanted.own % (SOURCE_BYTES - bytes + 1),
    };
    if wanted.is_read {
        state.changed.wait_until(|| !life.landings.borrow()[landing]).await;
        life.landings.borrow_mut()[landing] = true;
    }
    let address = life.base + own;
    let direction = match wanted.is_read {
        true => Direction::Read { to: own, bytes, found: None },
        false => {
            let data = match hole {
                true => vec![0; bytes as usize],
                false => life.process.load(address, bytes).map_err(|error| failed!("{error}"))?,
            };
            Direction::Write { data, notify: wanted.notify }
        }
    };
    // A NIC with import tables needs an import for each buffer and key.
    life.process.import(&export).await.map_err(|error| failed!("import: {error}"))?;
    let number = state.next_number.get() * state.nodes as u32 + state.node as u32;
    state.next_number.set(state.next_number.get() + 1);
    let index = {
        let mut seen = state.seen.borrow_mut();
        let begin = state.sim().now().0;
        seen.posts.push(model::Post {
            by: life.name,
            number,
            to: wanted.node,
            buffer,
            right_key,
            hole,
            offset,
            direction,
            begin,
            end: None,
        });
        seen.posts.len() - 1
    };
    state.open_posts.set(state.open_posts.get() + 1);
    life.open_posts.set(life.open_posts.get() + 1);
    let ring = Ring { life: life.clone(), export, wanted: *wanted, own: address, offset, bytes, number };
    let landing = wanted.is_read.then_some(landing);
    if state.plant == Some(Plant::OutOfOrder) && !wanted.is_read {
        // A delay between the call of the library and the doorbell.
        let (state, life) = (state.clone(), life.clone());
        let sim = state.sim().clone();
        let late = super::planted::lateness(number);
        let waiting = life.clone();
        let task = sim.spawn("late post", async move {
            state.sim().sleep_for(late).await;
            match ring.ring().await {
                Ok(handle) => see_end(state, waiting, handle, index, landing).await,
                Err(error) => state.fail(error),
            }
        });
        life.tasks.borrow_mut().push(task);
        return Ok(());
    }
    let handle = ring.ring().await.map_err(|error| failed!("post {number}: {error}"))?;
    let task = state.sim().spawn("post", see_end(state.clone(), life.clone(), handle, index, landing));
    let mut tasks = life.tasks.borrow_mut();
    tasks.retain(|task| !task.is_ended());
    tasks.push(task);
    Ok(())
}

/// The arguments of a post for the library.
struct Ring {
    life: Life,
    export: Export,
    wanted: Post,
    own: UserVirt,
    offset: u32,
    bytes: u32,
    number: u32,
}

impl Ring {
    async fn ring(self) -> std::result::Result<WriteHandle, WriteError> {
        let Ring { life, export, wanted, own, offset, bytes, number } = self;
        let process = &life.process;
        match (wanted.is_read, wanted.notify) {
            (true, _) => process.read(&export, offset, bytes, own, number).await,
            (false, true) => process.write_and_notify(own, bytes, &export, offset, number).await,
            (false, false) => process.write(own, bytes, &export, offset, number).await,
        }
    }
}

/// Waits for the end of a post, and reads at once the bytes that a read has brought.
async fn see_end(state: Rc<State>, life: Life, handle: WriteHandle, index: usize, landing: Option<usize>) {
    let end = match life.process.wait(handle).await {
        Ok(()) => End::Well,
        Err(WriteError::Refused { error, .. }) if REFUSED.contains(&error) => End::Refused,
        Err(WriteError::Refused { error, .. }) if error == PostError::BadLocalAddress as u32 => End::BadMemory,
        Err(WriteError::Refused { error, .. }) if error == PostError::PeerUnreachable as u32 => End::Lost,
        Err(WriteError::Unclear { .. }) => End::Unclear,
        Err(WriteError::Refused { .. }) => End::Other,
        Err(error) => return state.fail(format!("{}: {error}", life.name)),
    };
    let now = state.sim().now();
    if state.plant == Some(Plant::EndUnseen) {
        return;
    }
    {
        let mut seen = state.seen.borrow_mut();
        let post = &mut seen.posts[index];
        post.end = Some((now.0, end));
        if let Direction::Read { to, bytes, found } = &mut post.direction {
            if end == End::Well {
                super::planted::after_read(&state, &life, *to, *bytes);
                match life.process.load(life.base + *to, *bytes) {
                    Ok(bytes) => *found = Some(bytes),
                    Err(error) => return state.fail(error),
                }
            }
        }
    }
    if let Some(landing) = landing {
        life.landings.borrow_mut()[landing] = false;
    }
    state.open_posts.set(state.open_posts.get() - 1);
    life.open_posts.set(life.open_posts.get() - 1);
    state.changed.notify();
}
