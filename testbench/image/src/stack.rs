//! The call graph of an image from its entry point on: its deepest path, and the functions that it
//! reaches.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::error::ImageError;
use crate::function::{follow, Function};
use crate::linked::Linked;

/// The beginnings of names of functions that only a panic calls, in `core` and in the compiler's
/// runtime.
const PANIC_NAMES: [&str; 3] = ["core::panicking::", "rust_begin_unwind", "rust_panic"];

/// All functions that the entry point reaches.
#[derive(Clone, Debug)]
pub struct Analysis {
    image: Linked,
    functions: BTreeMap<u32, Reached>,
}

#[derive(Clone, Debug)]
struct Reached {
    function: Function,
    /// The most bytes of stack that the function and its callees take below its entry.
    deepest_bytes: u32,
    /// The call on the deepest path. `None` if the function's own frame is the deepest.
    deepest_call: Option<u32>,
}

/// The stack that an image can use, and the room for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stack {
    /// The bytes of stack on the deepest path.
    pub deepest_bytes: u32,
    /// The bytes between static data and the top of the stack.
    pub room_bytes: u32,
    /// The deepest path, from the entry point.
    pub path: Vec<Step>,
}

/// One function on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The name of the function, without the compiler's hash.
    pub function: String,
    /// The bytes that the function has taken when it calls the next function of the path. For the
    /// last function, the most bytes that it takes.
    pub frame_bytes: u32,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.function, self.frame_bytes)
    }
}

impl Analysis {
    /// Follows every path from the entry point.
    ///
    /// # Errors
    /// What the analysis cannot read or follow: every [`ImageError`] but
    /// [`ImageError::StackTooDeep`] and [`ImageError::Panic`].
    pub fn of(image: Linked) -> Result<Analysis, ImageError> {
        let mut functions = BTreeMap::new();
        visit(&image, image.entry, &mut Vec::new(), &mut functions)?;
        Ok(Analysis { image, functions })
    }

    /// The deepest path, and the room for the stack.
    ///
    /// # Errors
    /// [`ImageError::StackTooDeep`].
    pub fn stack(&self) -> Result<Stack, ImageError> {
        let room_bytes = self.image.stack_top.saturating_sub(self.image.stack_limit);
        let deepest_bytes = self.functions[&self.image.entry].deepest_bytes;
        let path = self.deepest_path();
        if deepest_bytes > room_bytes {
            let path = path.iter().map(Step::to_string).collect::<Vec<_>>().join(" > ");
            return Err(ImageError::StackTooDeep { deepest_bytes, room_bytes, path });
        }
        Ok(Stack { deepest_bytes, room_bytes, path })
    }

    /// # Errors
    /// [`ImageError::Panic`], with a path to a function of the panic path.
    pub fn refuse_panics(&self) -> Result<(), ImageError> {
        let mut came_from = BTreeMap::from([(self.image.entry, None)]);
        let mut open = vec![self.image.entry];
        while let Some(at) = open.pop() {
            if is_panic(&self.image, at) {
                let mut path: Vec<String> =
                    std::iter::successors(Some(at), |at| came_from[at]).map(|at| self.image.name(at)).collect();
                path.reverse();
                return Err(ImageError::Panic(path));
            }
            for &(callee, _) in &self.functions[&at].function.calls {
                came_from.entry(callee).or_insert_with(|| {
                    open.push(callee);
                    Some(at)
                });
            }
        }
        Ok(())
    }

    /// The names of all functions that can be reached, in the order of their addresses.
    pub fn reached(&self) -> impl Iterator<Item = String> + '_ {
        self.functions.keys().map(|&at| self.image.name(at))
    }

    fn deepest_path(&self) -> Vec<Step> {
        let mut path = Vec::new();
        let mut at = Some(self.image.entry);
        while let Some(now) = at {
            let reached = &self.functions[&now];
            let below_next = |next: u32| reached.deepest_bytes - self.functions[&next].deepest_bytes;
            let frame_bytes = reached.deepest_call.map_or(reached.function.frame_bytes, below_next);
            path.push(Step { function: self.image.name(now), frame_bytes });
            at = reached.deepest_call;
        }
        path
    }
}

fn is_panic(image: &Linked, at: u32) -> bool {
    let name = image.name(at);
    PANIC_NAMES.iter().any(|panic| name.contains(panic))
}

/// Adds the function at `at` and all that it reaches, callees first. `path` leads to it.
fn visit(
    image: &Linked,
    at: u32,
    path: &mut Vec<u32>,
    functions: &mut BTreeMap<u32, Reached>,
) -> Result<bool, ImageError> {
    if let Some(reached) = functions.get(&at) {
        return Ok(reached.function.returns);
    }
    if let Some(first) = path.iter().position(|&caller| caller == at) {
        let cycle = path[first..].iter().chain([&at]).map(|&at| image.name(at)).collect();
        return Err(ImageError::Recursion(cycle));
    }
    path.push(at);
    // A panic ends the firmware, and an image that can reach one is refused by a check of its own.
    // So the stack of the panic path does not matter.
    let function = match is_panic(image, at) {
        true => Function { frame_bytes: 0, calls: Vec::new(), returns: false },
        false => follow(image, at, &mut |callee| visit(image, callee, path, functions))?,
    };
    path.pop();
    let returns = function.returns;
    let depth = |&(callee, below): &(u32, u32)| (below + functions[&callee].deepest_bytes, callee);
    let deepest = function.calls.iter().map(depth).max_by_key(|(bytes, _)| *bytes);
    let (deepest_bytes, deepest_call) = match deepest {
        Some((bytes, callee)) if bytes >= function.frame_bytes => (bytes, Some(callee)),
        _ => (function.frame_bytes, None),
    };
    functions.insert(at, Reached { function, deepest_bytes, deepest_call });
    Ok(returns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linked::Named;

    const BASE: u32 = 0x1000_0400;
    const STACK_TOP: u32 = 0x2000_4000;
    const STACK_LIMIT: u32 = STACK_TOP - 64;

    /// One function of a hand-assembled image.
    struct Code(&'static str, Vec<u32>);

    /// An image of functions, one behind the other. The first is start-up, which begins with
    /// [`SET_STACK`].
    fn image(functions: Vec<Code>) -> Linked {
        let (mut at, mut bytes, mut named) = (BASE, Vec::new(), BTreeMap::new());
        for Code(name, words) in functions {
            let end = at + 4 * words.len() as u32;
            named.insert(at, Named { name: name.into(), end });
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            at = end;
        }
        Linked {
            entry: BASE,
            stack_top: STACK_TOP,
            stack_limit: STACK_LIMIT,
            code: vec![(BASE, bytes)],
            functions: named,
        }
    }

    fn analyse(functions: Vec<Code>) -> Result<Analysis, ImageError> {
        Analysis::of(image(functions))
    }

    fn addi(rd: u32, rs: u32, value: i32) -> u32 {
        (value as u32) << 20 | rs << 15 | rd << 7 | 0x13
    }

    fn add_sp(value: i32) -> u32 {
        addi(2, 2, value)
    }

    fn jal(link: u32, offset: i32) -> u32 {
        let offset = offset as u32;
        let field = |from: u32, bits: u32, to: u32| ((offset >> from) & ((1 << bits) - 1)) << to;
        field(20, 1, 31) | field(1, 10, 21) | field(11, 1, 20) | field(12, 8, 12) | link << 7 | 0x6F
    }

    fn call(words: i32) -> u32 {
        jal(1, 4 * words)
    }

    fn jump(words: i32) -> u32 {
        jal(0, 4 * words)
    }

    const SET_STACK: u32 = STACK_TOP | 2 << 7 | 0x37; // lui sp, 0x20004
    const NO_MOVE: u32 = 0x0001_0113; // addi sp, sp, 0
    const RET: u32 = 0x0000_8067;
    const STOP: u32 = 0x0010_0073; // ebreak
    const NOP: u32 = 0x0000_0013;
    /// beq zero, a0, 8: skips the next instruction.
    const SKIP: u32 = 0x00A0_0463;

    /// Start-up code that calls the function behind it, and stops.
    fn start() -> Code {
        Code("_start", vec![SET_STACK, NO_MOVE, call(2), STOP])
    }

    #[test]
    fn the_deepest_path_is_the_sum_of_the_frames_at_its_calls() {
        // main 16 calls `wide` 32 with 16 taken, and `narrow` 4 with 40 taken: 16 + 32 > 40 + 4.
        let main = Code("main", vec![add_sp(-16), call(6), add_sp(-24), call(8), add_sp(40), RET, NOP]);
        let wide = Code("wide", vec![add_sp(-32), add_sp(32), RET, NOP]);
        let narrow = Code("narrow", vec![add_sp(-4), add_sp(4), RET]);
        let stack = analyse(vec![start(), main, wide, narrow]).unwrap().stack().unwrap();
        assert_eq!((stack.deepest_bytes, stack.room_bytes), (48, 64));
        let steps: Vec<String> = stack.path.iter().map(Step::to_string).collect();
        assert_eq!(steps, ["_start 0", "main 16", "wide 32"]);
    }

    #[test]
    fn a_frame_that_is_given_back_before_a_jump_to_another_function_is_not_counted() {
        let main = Code("main", vec![add_sp(-48), add_sp(48), jump(1)]);
        let last = Code("last", vec![add_sp(-32), add_sp(32), RET]);
        assert_eq!(analyse(vec![start(), main, last]).unwrap().stack().unwrap().deepest_bytes, 48);
    }

    #[test]
    fn a_stack_that_is_too_deep_by_one_word_is_refused() {
        let main = |bytes: i32| Code("main", vec![add_sp(-bytes), add_sp(bytes), RET]);
        assert_eq!(analyse(vec![start(), main(64)]).unwrap().stack().unwrap().deepest_bytes, 64);
        let refused = analyse(vec![start(), main(68)]).unwrap().stack();
        let path = "_start 0 > main 68".to_string();
        assert_eq!(refused, Err(ImageError::StackTooDeep { deepest_bytes: 68, room_bytes: 64, path }));
    }

    #[test]
    fn recursion_is_refused_with_its_cycle() {
        let main = Code("main", vec![call(2), RET]);
        let other = Code("other", vec![add_sp(-16), call(-3), add_sp(16), RET]);
        let cycle = ["main", "other", "main"].map(String::from).to_vec();
        assert_eq!(analyse(vec![start(), main, other]).unwrap_err(), ImageError::Recursion(cycle));
    }

    #[test]
    fn a_call_through_a_pointer_is_refused_unless_the_pointer_is_a_constant() {
        const LOAD: u32 = 0x0005_2303; // lw t1, 0(a0)
        const CALL_T1: u32 = 0x0003_00E7; // jalr t1
        let through = |pointer: Vec<u32>| {
            let main = Code("main", [pointer, vec![CALL_T1, RET]].concat());
            analyse(vec![start(), main, Code("other", vec![add_sp(-32), add_sp(32), RET])])
        };
        let at = BASE + 16 + 4;
        assert_eq!(through(vec![LOAD]).unwrap_err(), ImageError::IndirectJump { function: "main".into(), at });
        // auipc t1, 0; addi t1, t1, 16: `other`.
        let constant = through(vec![0x0000_0317, addi(6, 6, 16)]).unwrap();
        assert_eq!(constant.stack().unwrap().deepest_bytes, 32);
    }

    #[test]
    fn a_stack_pointer_without_a_known_distance_is_refused() {
        let main = |words: Vec<u32>| analyse(vec![start(), Code("main", words)]).unwrap_err();
        let refused = |at| ImageError::StackPointer { function: "main".into(), at: BASE + 16 + at };
        // sub sp, sp, a0; lui sp; mv sp, s0; a return with bytes left on the stack; one above the
        // entry.
        assert_eq!(main(vec![0x40A1_0133, RET]), refused(0));
        assert_eq!(main(vec![SET_STACK, RET]), refused(0));
        assert_eq!(main(vec![addi(2, 8, 0), RET]), refused(0));
        assert_eq!(main(vec![add_sp(-16), RET]), refused(4));
        assert_eq!(main(vec![add_sp(16), RET]), refused(0));
    }

    #[test]
    fn paths_that_meet_with_different_stack_pointers_are_refused() {
        let main = Code("main", vec![SKIP, add_sp(-16), RET]);
        let error = analyse(vec![start(), main]).unwrap_err();
        assert_eq!(error, ImageError::UnequalPaths { function: "main".into(), at: BASE + 16 + 8 });
    }

    #[test]
    fn control_that_leaves_the_code_is_refused() {
        let main = |words: Vec<u32>| analyse(vec![start(), Code("main", words)]).unwrap_err();
        let at = BASE + 16 + 4;
        assert_eq!(main(vec![NOP]), ImageError::NoCode { function: "main".into(), at });
        let into = ImageError::JumpIntoFunction { function: "main".into(), at: BASE + 16, target: BASE + 4 };
        assert_eq!(main(vec![jump(-3)]), into);
        let unknown = ImageError::UnknownInstruction { function: "main".into(), at: BASE + 16, word: 0x00B6_252F };
        assert_eq!(main(vec![0x00B6_252F]), unknown);
    }

    #[test]
    fn what_follows_a_call_that_never_returns_is_not_followed() {
        let main = Code("main", vec![call(2), add_sp(16)]);
        let forever = Code("forever", vec![jump(0)]);
        assert!(analyse(vec![start(), main, forever]).is_ok());
    }

    #[test]
    fn a_panic_is_refused_with_the_path_to_it_and_only_if_it_can_be_reached() {
        let main = |first| Code("main", vec![first, RET]);
        let panic = || Code("core::panicking::panic_fmt", vec![STOP]);
        assert_eq!(analyse(vec![start(), main(NOP), panic()]).unwrap().refuse_panics(), Ok(()));
        let path = ["_start", "main", "core::panicking::panic_fmt"].map(String::from).to_vec();
        let refused = analyse(vec![start(), main(call(2)), panic()]).unwrap().refuse_panics();
        assert_eq!(refused, Err(ImageError::Panic(path)));
    }

    #[test]
    fn a_panic_is_named_though_its_own_code_cannot_be_followed() {
        let handler = Code("__rustc::rust_begin_unwind", vec![jump(-5)]);
        let analysis = analyse(vec![start(), Code("main", vec![call(2), RET]), handler]).unwrap();
        assert!(matches!(analysis.refuse_panics(), Err(ImageError::Panic(path)) if path.len() == 3));
    }
}
