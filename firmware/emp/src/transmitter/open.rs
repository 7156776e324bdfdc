//! The frame that is being built.

/// A frame whose data are not all asked for. SRAM offsets.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub record: u32,
    pub frame: u32,
    pub tag_word: u32,
    /// Where the next byte goes.
    pub to: u32,
    /// Where the next byte is in the message.
    pub offset: u32,
    pub left: u32,
    pub data_bytes: u32,
    /// Data could not be read: the frame must not leave.
    pub is_void: bool,
}

impl Open {
    /// Whether some of its data were asked for.
    pub fn is_begun(&self) -> bool {
        self.left != self.data_bytes
    }

    /// No more data are asked for, and the frame does not leave.
    pub fn make_void(&mut self) {
        self.is_void = true;
        self.left = 0;
    }
}
