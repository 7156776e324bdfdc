//! What a kernel is.

/// The memory of a kernel.
///
/// # Safety
///
/// Any initialised bytes are a valid value: the fields are integers, arrays of them, and raw
/// pointers.
pub unsafe trait Data {}

/// A small program over data that stay the same from call to call, so that each call takes the same
/// path.
pub trait Kernel {
    /// The name in reports.
    const NAME: &'static str;
    /// What the kernel reads and writes; at most the bytes of an [`Arena`](crate::Arena).
    type Data: Data;

    /// Fills the data, the same each time. Not measured.
    fn prepare(data: &mut Self::Data);

    /// The measured work. What it returns goes to [`Self::check`].
    fn run(data: &mut Self::Data) -> u32;

    /// A word over the result, from the data and the value that `run` returned. The word of an
    /// image must equal the host's. Not measured.
    fn check(_data: &Self::Data, returned: u32) -> u32 {
        returned
    }
}
