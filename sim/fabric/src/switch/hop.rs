use sim_pins::Ps;

/// The way of one frame through a switch. A flooded frame has a hop for each output port.
///
/// The spans [`receive`](Hop::receive), [`input_wait`](Hop::input_wait), [`forward`](Hop::forward)
/// and [`queue_wait`](Hop::queue_wait) follow one another: their sum is `first_out - first_in`, to
/// the picosecond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The input port.
    pub ingress: usize,
    /// Counts the frames that have begun at the input port, from 0.
    pub frame_idx: u64,
    /// The output port.
    pub egress: usize,
    /// From the destination address to the FCS.
    pub bytes: u32,
    /// When the first symbol stood on the pins of the input port: the edge of the receive clock.
    pub first_in: Ps,
    /// The same for the last symbol.
    pub last_in: Ps,
    /// When enough had arrived to forward the frame: the MAC header, or the first symbol behind the
    /// frame.
    pub decided: Ps,
    /// When the output queue took the frame; later than `decided` only behind backpressure.
    pub admitted: Ps,
    /// When the frame could have left: `admitted` and the forwarding delay.
    pub ready: Ps,
    /// When the output port put the first symbol on its pins: the edge of the transmit clock.
    pub first_out: Ps,
    /// The same for the last symbol.
    pub last_out: Ps,
}

impl Hop {
    /// The wait for as much of the frame as the decision needs.
    pub fn receive(&self) -> Ps {
        self.decided - self.first_in
    }

    /// The wait in the input buffer for room in the output queue.
    pub fn input_wait(&self) -> Ps {
        self.admitted - self.decided
    }

    /// The forwarding delay.
    pub fn forward(&self) -> Ps {
        self.ready - self.admitted
    }

    /// The wait in the output queue for earlier frames, the gap between frames and the edge of the
    /// transmit clock.
    pub fn queue_wait(&self) -> Ps {
        self.first_out - self.ready
    }
}
