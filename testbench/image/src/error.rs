//! Reasons to refuse an image.

/// Why an image is refused. Addresses are in the core's view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The file is no ELF file that the reader understands.
    #[error("the image cannot be read: {0}")]
    Unreadable(String),
    /// The linker script defines the limits of the stack as symbols.
    #[error("the image has no symbol {0}: the limits of its stack are unknown")]
    NoSymbol(&'static str),
    /// A path of control leaves the code of the image.
    #[error("{function}: control reaches {at:#010x}, where the image has no code")]
    NoCode {
        /// The function whose path it is.
        function: String,
        /// The address without code.
        at: u32,
    },
    /// The decoder knows RV32IMC with Zba, Zbb, Zbs and Zicsr.
    #[error("{function}: the instruction {word:#010x} at {at:#010x} is not one of RV32IMC, Zba, Zbb, Zbs, Zicsr")]
    UnknownInstruction {
        /// The function that holds it.
        function: String,
        /// Its address.
        at: u32,
        /// Its encoding; of a compressed instruction the lower half.
        word: u32,
    },
    /// A jump or call whose target is not a constant.
    #[error("{function}: the target of the jump at {at:#010x} is not a constant, so the stack has no known bound")]
    IndirectJump {
        /// The function that jumps.
        function: String,
        /// Address of the jump.
        at: u32,
    },
    /// A jump to an address that is neither in its function nor the start of another one.
    #[error("{function}: the jump at {at:#010x} ends inside another function, at {target:#010x}")]
    JumpIntoFunction {
        /// The function that jumps.
        function: String,
        /// Address of the jump.
        at: u32,
        /// Where it ends.
        target: u32,
    },
    /// The stack pointer is changed other than by adding a constant.
    #[error("{function}: the stack pointer at {at:#010x} is not the one at entry plus a constant")]
    StackPointer {
        /// The function that changes it.
        function: String,
        /// Address of the instruction.
        at: u32,
    },
    /// Two paths to one instruction left different numbers of bytes on the stack.
    #[error("{function}: two paths reach {at:#010x} with different stack pointers")]
    UnequalPaths {
        /// The function with the paths.
        function: String,
        /// Where they meet.
        at: u32,
    },
    /// Recursion: its depth depends on data.
    #[error("recursion, which has no known depth: {}", .0.join(" > "))]
    Recursion(Vec<String>),
    /// The deepest path takes more than there is.
    #[error("the stack takes up to {deepest_bytes} bytes and the image leaves {room_bytes}; deepest path: {path}")]
    StackTooDeep {
        /// Bytes of the deepest path.
        deepest_bytes: u32,
        /// Bytes between static data and the top of the stack.
        room_bytes: u32,
        /// Functions with their frames.
        path: String,
    },
    /// The stack grew deeper in a run than the analysis says, or filled its room.
    #[error("the stack grew to {used_bytes} bytes; the analysis gives {deepest_bytes}, the image leaves {room_bytes}")]
    StackDeeper {
        /// Bytes from the top of the stack to the lowest word that was written.
        used_bytes: u32,
        /// Bytes of the deepest path.
        deepest_bytes: u32,
        /// Bytes between static data and the top of the stack.
        room_bytes: u32,
    },
    /// The reader of a canary has not run.
    #[error("the reader of the stack's canary gives {0:#010x}, which is no address of the stack")]
    NoAnswer(u32),
    /// A function of the panic path can be reached.
    #[error("the panic path can be reached: {}", .0.join(" > "))]
    Panic(Vec<String>),
}
