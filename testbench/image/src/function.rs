//! One function: the bytes that it takes of the stack, what it calls, and whether it returns.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::ImageError;
use crate::instruction::{decode, Effect, RA, SP};
use crate::linked::Linked;

/// The effect of a function on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The lowest stack pointer of the function itself, in bytes below the stack pointer at its
    /// entry.
    pub frame_bytes: u32,
    /// The functions that it calls or jumps to: the address of each, and the bytes between the two
    /// entries' stack pointers.
    pub calls: Vec<(u32, u32)>,
    /// Whether some path ends in a return.
    pub returns: bool,
}

/// The position of the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pointer {
    /// Start-up has not set the stack pointer yet.
    Unset,
    /// The stack pointer is this many bytes below its value at entry.
    Below(u32),
}

/// The state before an instruction, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    pointer: Pointer,
    /// The registers that hold a known constant.
    constants: [Option<u32>; 32],
}

/// Follows all paths of the function at `start`. `returns` tells whether a call of another function
/// returns.
pub fn follow(
    image: &Linked,
    start: u32,
    returns: &mut dyn FnMut(u32) -> Result<bool, ImageError>,
) -> Result<Function, ImageError> {
    let within = image.function(start).ok_or_else(|| ImageError::NoCode { function: image.name(start), at: start })?;
    let pointer = if start == image.entry { Pointer::Unset } else { Pointer::Below(0) };
    let mut walk = Walk {
        image,
        within,
        name: image.name(start),
        states: BTreeMap::new(),
        open: Vec::new(),
        function: Function { frame_bytes: 0, calls: Vec::new(), returns: false },
    };
    walk.reach(start, State { pointer, constants: [None; 32] })?;
    while let Some(at) = walk.open.pop() {
        walk.step(at, returns)?;
    }
    walk.function.calls.sort_unstable();
    walk.function.calls.dedup();
    Ok(walk.function)
}

struct Walk<'a> {
    image: &'a Linked,
    within: Range<u32>,
    name: String,
    states: BTreeMap<u32, State>,
    /// Instructions whose state has changed and that must be visited.
    open: Vec<u32>,
    function: Function,
}

impl Walk<'_> {
    /// A path reaches an instruction of this function.
    fn reach(&mut self, at: u32, state: State) -> Result<(), ImageError> {
        let Some(known) = self.states.get_mut(&at) else {
            self.states.insert(at, state);
            self.open.push(at);
            return Ok(());
        };
        if known.pointer != state.pointer {
            return Err(ImageError::UnequalPaths { function: self.name.clone(), at });
        }
        // A register is constant only if all paths agree on its value. Each visit leaves fewer
        // constants, so the visits end.
        let mut changed = false;
        for (known, new) in known.constants.iter_mut().zip(state.constants) {
            if known.is_some() && *known != new {
                *known = None;
                changed = true;
            }
        }
        if changed {
            self.open.push(at);
        }
        Ok(())
    }

    fn step(&mut self, at: u32, returns: &mut dyn FnMut(u32) -> Result<bool, ImageError>) -> Result<(), ImageError> {
        let no_code = || ImageError::NoCode { function: self.name.clone(), at };
        let word = self.image.word(at).filter(|_| self.within.contains(&at)).ok_or_else(no_code)?;
        let unknown = || ImageError::UnknownInstruction { function: self.name.clone(), at, word };
        let instruction = decode(at, word).ok_or_else(unknown)?;
        let mut state = self.states[&at].clone();
        let next = at + instruction.bytes;
        match instruction.effect {
            Effect::Stop => Ok(()),
            Effect::Branch { target } => {
                self.jump(at, target, state.clone(), returns)?;
                self.reach(next, state)
            }
            Effect::Jump { link: 0, target } => self.jump(at, target, state, returns),
            Effect::Jump { link, target } => self.call(at, next, link, target, state, returns),
            Effect::JumpRegister { link, base, offset } => match (link, state.constants[usize::from(base)]) {
                (0, Some(base)) => self.jump(at, base.wrapping_add(offset as u32) & !1, state, returns),
                (link, Some(base)) => self.call(at, next, link, base.wrapping_add(offset as u32) & !1, state, returns),
                (0, None) if base == RA && offset == 0 => self.give_back(at, &state),
                (_, None) => Err(ImageError::IndirectJump { function: self.name.clone(), at }),
            },
            Effect::Add { rd, rs, value } => {
                let sum = match rs {
                    0 => Some(value as u32),
                    _ => state.constants[usize::from(rs)].map(|constant| constant.wrapping_add(value as u32)),
                };
                match rd {
                    SP => self.move_pointer(at, rs, value, sum, &mut state)?,
                    _ => set(&mut state, rd, sum),
                }
                self.reach(next, state)
            }
            Effect::Set { rd: SP, .. } | Effect::Other { rd: SP } if state.pointer != Pointer::Unset => {
                Err(ImageError::StackPointer { function: self.name.clone(), at })
            }
            Effect::Set { rd, value } => {
                set(&mut state, rd, Some(value));
                self.reach(next, state)
            }
            Effect::Other { rd } => {
                set(&mut state, rd, None);
                self.reach(next, state)
            }
        }
    }

    /// `sp` = `rs` + `value`, which is `sum` if that is a constant.
    fn move_pointer(
        &mut self,
        at: u32,
        rs: u8,
        value: i32,
        sum: Option<u32>,
        state: &mut State,
    ) -> Result<(), ImageError> {
        let wrong = || ImageError::StackPointer { function: self.name.clone(), at };
        let below = match state.pointer {
            Pointer::Unset if sum == Some(self.image.stack_top) => 0,
            Pointer::Below(below) if rs == SP => below.checked_add_signed(-value).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        state.pointer = Pointer::Below(below);
        state.constants[usize::from(SP)] = None;
        self.function.frame_bytes = self.function.frame_bytes.max(below);
        Ok(())
    }

    /// A jump: within this function, or to another function in place of a call and a return (a tail
    /// call).
    fn jump(
        &mut self,
        at: u32,
        target: u32,
        state: State,
        returns: &mut dyn FnMut(u32) -> Result<bool, ImageError>,
    ) -> Result<(), ImageError> {
        if self.within.contains(&target) {
            return self.reach(target, state);
        }
        let below = self.enter(at, target, &state)?;
        if returns(target)? {
            // A tail call: the other function returns to this function's caller.
            if below != 0 {
                return Err(ImageError::StackPointer { function: self.name.clone(), at });
            }
            self.function.returns = true;
        }
        Ok(())
    }

    fn call(
        &mut self,
        at: u32,
        next: u32,
        link: u8,
        target: u32,
        state: State,
        returns: &mut dyn FnMut(u32) -> Result<bool, ImageError>,
    ) -> Result<(), ImageError> {
        if link != RA {
            return Err(ImageError::IndirectJump { function: self.name.clone(), at });
        }
        self.enter(at, target, &state)?;
        match returns(target)? {
            true => self.reach(next, State { constants: [None; 32], ..state }),
            false => Ok(()),
        }
    }

    /// Records that another function begins with the stack pointer of `state`.
    fn enter(&mut self, at: u32, target: u32, state: &State) -> Result<u32, ImageError> {
        let function = || self.name.clone();
        if self.image.function(target).is_none() {
            return Err(ImageError::JumpIntoFunction { function: function(), at, target });
        }
        let Pointer::Below(below) = state.pointer else {
            return Err(ImageError::StackPointer { function: function(), at });
        };
        self.function.calls.push((target, below));
        Ok(below)
    }

    /// A return: the stack pointer must have its value at entry.
    fn give_back(&mut self, at: u32, state: &State) -> Result<(), ImageError> {
        if state.pointer != Pointer::Below(0) {
            return Err(ImageError::StackPointer { function: self.name.clone(), at });
        }
        self.function.returns = true;
        Ok(())
    }
}

fn set(state: &mut State, rd: u8, value: Option<u32>) {
    if rd != 0 {
        state.constants[usize::from(rd)] = value;
    }
}
