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
    /// As in reports.
    const NAME: &'static str;
    type Data: Data;

    /// Makes the data. Not measured.
    fn prepare(data: &mut Self::Data);

    /// What is measured.
    fn run(data: &mut Self::Data) -> u32;

    /// One word that tells a wrong result, from the data and what `run` returned. Not measured.
    fn check(_data: &Self::Data, returned: u32) -> u32 {
        returned
    }
}
