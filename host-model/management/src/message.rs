/// A value that daemons carry.
pub trait Message: Clone + Send + 'static {
    /// Bytes of the value on the network, without headers.
    fn wire_bytes(&self) -> u32;
}

impl Message for () {
    fn wire_bytes(&self) -> u32 {
        0
    }
}

impl Message for u64 {
    fn wire_bytes(&self) -> u32 {
        8
    }
}

impl<T: Message, const N: usize> Message for [T; N] {
    fn wire_bytes(&self) -> u32 {
        self.iter().map(Message::wire_bytes).sum()
    }
}

impl<T: Message> Message for Vec<T> {
    fn wire_bytes(&self) -> u32 {
        self.iter().map(Message::wire_bytes).sum()
    }
}
