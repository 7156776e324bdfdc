//! The contents of a picture of a message: its panels, and the moments that get a marker.

use nicscope_account::account::{Account, Span};
use sim_pins::Ps;

use super::picture::{Bracket, Panel, Row};
use super::WaveFile;

/// A time with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time of the moment.
    pub at: Ps,
    /// The name that stands at the marker.
    pub name: &'static str,
}

/// Parts of the names of stages that begin a moment, and the name of the moment.
const MOMENTS: [(&str, &str); 10] = [
    ("library: descriptor", "post"),
    ("PIO: mailbox", "mailbox"),
    (": match", "match"),
    ("refuse message", "refusal"),
    ("return descriptor", "done"),
    ("raise miss", "miss"),
    ("interrupt delay", "interrupt"),
    ("pin pages", "pin"),
    ("fill line", "fill"),
    (": time-out", "retransmission"),
];

/// The markers of a message, in the order of time.
pub fn moments(account: &Account, begin: Ps) -> Vec<Moment> {
    let start = |part: &str| account.spans.iter().find(|span| span.stage.contains(part)).map(|span| span.start_ps);
    let mut moments: Vec<Moment> = MOMENTS
        .iter()
        .filter_map(|&(part, name)| start(part).map(|start_ps| Moment { at: begin + Ps(start_ps), name }))
        .collect();
    let name = if Ends::of(account).is_read { "end of the read" } else { "arrival" };
    moments.push(Moment { at: begin + Ps(account.latency_ps), name });
    moments.sort_by_key(|moment| moment.at);
    moments
}

/// The two nodes of a message.
#[derive(Clone, Copy)]
struct Ends {
    /// The node that posts.
    posts: usize,
    /// The other node.
    other: usize,
    /// The message comes back to the node that posts.
    is_read: bool,
}

impl Ends {
    fn of(account: &Account) -> Ends {
        let posts = account.spans.first().map_or(0, |span| span.node);
        let last = account.spans.last().map_or(1, |span| span.node);
        let away = account.spans.iter().map(|span| span.node).find(|node| *node != posts);
        Ends { posts, other: away.unwrap_or(last), is_read: last == posts && away.is_some() }
    }

    /// What the two nodes are called.
    fn headings(self) -> [Row; 2] {
        let Ends { posts, other, is_read } = self;
        let [first, second] = if is_read { ["reader", "owner"] } else { ["sender", "receiver"] };
        [Row::heading(format!("node {posts}, {first}")), Row::heading(format!("node {other}, {second}"))]
    }

    /// Where the data go, in titles.
    fn end(self) -> &'static str {
        if self.is_read {
            "the end of the read"
        } else {
            "the arrival"
        }
    }
}

/// The panels of a picture: one for a hit; for a miss one of the whole message, then its busy parts
/// enlarged.
pub fn panels(account: &Account, begin: Ps, file: &WaveFile) -> Vec<Panel> {
    let ends = Ends::of(account);
    let end = begin + Ps(account.latency_ps);
    let at = |span: &Span| begin + Ps(span.start_ps);
    let panel = |title: &str, from: Ps, to: Ps, rows: Vec<Row>| Panel {
        title: title.into(),
        origin: begin,
        from,
        to,
        rows,
        brackets: Vec::new(),
        zooms: Vec::new(),
    };
    let find = |part: &str| account.spans.iter().find(|span| span.stage.contains(part));
    let message = || Row::spans("message", account, begin);
    if let Some(refused) = find("refuse message") {
        // The first frame until it is refused, and its last copy.
        let margin = Ps::from_us(1);
        let mut rows = vec![message()];
        rows.extend(detail(ends));
        let refused = at(refused) + Ps(refused.duration_ps) + margin;
        let again = account.spans.iter().rfind(|span| span.stage.contains(": time-out")).map_or(begin, at);
        let mut whole = panel("the whole message", begin, end, present(file, rows.clone(), begin, end));
        whole.zooms = vec![('A', begin, refused), ('B', again, end)];
        let first = panel("A: until nothing was found", begin, refused, present(file, rows.clone(), begin, refused));
        let last = format!("B: from the time-out to {}", ends.end());
        return vec![whole, first, panel(&last, again, end, present(file, rows, again, end))];
    }
    let Some(interrupt) = find("interrupt delay") else {
        let mut rows = vec![message()];
        rows.extend(detail(ends));
        return vec![panel(&format!("from the post to {}", ends.end()), begin, end, present(file, rows, begin, end))];
    };

    let Ends { posts, other, .. } = ends;
    let [of_posts, of_other] = ends.headings();
    let rows = vec![
        message(),
        of_posts,
        Row::text("firmware", format!("node{posts}.firmware")),
        Row::text("PCI bus", format!("node{posts}.pci.bus")),
        Row::line("GMII TX_EN", format!("node{posts}.link.tx_en")),
        of_other,
        Row::line("GMII RX_DV", format!("node{other}.link.rx_dv")),
        Row::text("firmware", format!("node{other}.firmware")),
        Row::active_low("INTA#", format!("node{other}.pci.inta_n")),
        Row::text("PCI bus", format!("node{other}.pci.bus")),
        Row::text("interrupt", format!("node{other}.host.interrupt")),
        Row::text("miss thread", format!("node{other}.host.miss_thread")),
        Row::text("process", format!("node{other}.host.process")),
    ];
    let mut whole = panel("the whole miss", begin, end, rows);
    whole.brackets = brackets(file, other, begin, end);

    // The enlarged parts: until the interrupt is on its way; around the fill; from the time-out on.
    let margin = Ps::from_us(1);
    let mut parts = vec![("from the post to the interrupt", begin, at(interrupt) + margin)];
    if let Some(fill) = find("fill line") {
        let served = at(fill) + Ps(fill.duration_ps);
        parts.push(("the driver fills the line", Ps(at(fill).0.saturating_sub(margin.0)), served + margin));
    }
    let last = format!("from the time-out to {}", ends.end());
    if let Some(timeout) = find(": time-out") {
        parts.push((last.as_str(), Ps(at(timeout).0.saturating_sub(margin.0)), end));
    }
    let mut panels = Vec::new();
    for (letter, (title, from, to)) in ('A'..).zip(parts) {
        whole.zooms.push((letter, from, to));
        let mut rows = vec![message()];
        rows.extend(detail(ends));
        panels.push(panel(&format!("{letter}: {title}"), from, to, present(file, rows, from, to)));
    }
    panels.insert(0, whole);
    panels
}

/// The long waits of a miss, from the tracks of the host that serves it, and the sender's time-out.
fn brackets(file: &WaveFile, receiver: usize, begin: Ps, end: Ps) -> Vec<Bracket> {
    let boxes = |path: String, texts: &[(&str, &str)]| -> Vec<Bracket> {
        let Some(signal) = file.find(&path) else {
            return Vec::new();
        };
        let changes = signal.changes();
        changes
            .iter()
            .enumerate()
            .filter_map(|(index, (from, text))| {
                let to = changes.get(index + 1).map_or(end, |(at, _)| *at).min(end);
                let (_, label) = texts.iter().find(|(known, _)| *known == text)?;
                (*from >= begin && to > *from).then(|| Bracket { label: label.to_string(), from: *from, to })
            })
            .collect()
    };
    let mut all = boxes(format!("node{receiver}.host.interrupt"), &[("interrupt delay", "interrupt delay")]);
    let thread = [("thread wakes", "thread wakes"), ("pin pages", "pin"), ("fill line", "fill")];
    all.extend(boxes(format!("node{receiver}.host.miss_thread"), &thread));
    let of_roles = |stage: fn(&str) -> String| ["sender", "reader", "owner"].map(stage);
    let again = of_roles(|role| format!("{role}: time-out"));
    all.extend(boxes("message.stage".into(), &again.each_ref().map(|stage| (stage.as_str(), "time-out, sent again"))));
    let waits = of_roles(|role| format!("waits for the {role}'s time-out"));
    let waits = boxes("message.stage".into(), &waits.each_ref().map(|stage| (stage.as_str(), stage.as_str())));
    // The message also waits while the miss is served. Only the longest wait is marked: no part of
    // the system works for the message in it.
    all.extend(waits.into_iter().max_by_key(|bracket| bracket.to - bracket.from));
    all
}

/// All rows of both nodes. A read goes both ways, so each node has the rows of both.
fn detail(ends: Ends) -> Vec<Row> {
    let Ends { posts, other, is_read } = ends;
    let [of_posts, of_other] = ends.headings();
    let sends = |node: usize| {
        [
            Row::line("DMA read", format!("node{node}.dma.read_busy")),
            Row::line("GMII TX_EN", format!("node{node}.link.tx_en")),
        ]
    };
    let mut rows = vec![
        of_posts,
        Row::text("process", format!("node{posts}.host.process")),
        Row::text("PCI bus", format!("node{posts}.pci.bus")),
        Row::active_low("FRAME#", format!("node{posts}.pci.frame_n")),
        Row::text("firmware", format!("node{posts}.firmware")),
        Row::line("core sleeps", format!("node{posts}.core.sleep")),
    ];
    rows.extend(sends(posts));
    if is_read {
        rows.push(Row::line("GMII RX_DV", format!("node{posts}.link.rx_dv")));
        rows.push(Row::line("DMA write", format!("node{posts}.dma.write_busy")));
    }
    rows.push(of_other);
    rows.push(Row::line("GMII RX_DV", format!("node{other}.link.rx_dv")));
    rows.extend([
        Row::text("firmware", format!("node{other}.firmware")),
        Row::line("core sleeps", format!("node{other}.core.sleep")),
    ]);
    rows.extend(is_read.then(|| sends(other)).into_iter().flatten());
    rows.extend([
        Row::line("DMA write", format!("node{other}.dma.write_busy")),
        Row::text("PCI bus", format!("node{other}.pci.bus")),
        Row::active_low("FRAME#", format!("node{other}.pci.frame_n")),
        Row::line("SRAM for host", format!("node{other}.sram.host")),
        Row::active_low("INTA#", format!("node{other}.pci.inta_n")),
        Row::text("interrupt", format!("node{other}.host.interrupt")),
        Row::text("miss thread", format!("node{other}.host.miss_thread")),
        Row::text("process", format!("node{other}.host.process")),
    ]);
    rows
}

/// Leaves out rows in which nothing happens, and headings without rows.
fn present(file: &WaveFile, rows: Vec<Row>, from: Ps, to: Ps) -> Vec<Row> {
    let mut kept: Vec<Row> = rows.into_iter().filter(|row| row.is_active(file, from, to)).collect();
    let lonely =
        |rows: &[Row], index: usize| rows[index].is_heading() && rows.get(index + 1).is_none_or(Row::is_heading);
    let mut index = 0;
    while index < kept.len() {
        if lonely(&kept, index) {
            kept.remove(index);
        } else {
            index += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_account::account::Clock;

    fn account(stages: &[(&str, usize)]) -> Account {
        let spans = stages.iter().enumerate().map(|(index, (stage, node))| Span {
            stage: stage.to_string(),
            node: *node,
            clock: Clock::Core,
            start_ps: index as u64 * 10_000_000,
            duration_ps: 10_000_000,
            cycles: 0.0,
        });
        Account { message: 1, size_bytes: 4, latency_ps: stages.len() as u64 * 10_000_000, spans: spans.collect() }
    }

    const MISS: [(&str, usize); 6] = [
        ("library: descriptor", 0),
        ("receiver: reserve line, raise miss", 1),
        ("interrupt delay", 1),
        ("fill line (PIO)", 1),
        ("sender: time-out", 0),
        ("process polls", 1),
    ];

    #[test]
    fn moments_of_a_miss_come_in_the_order_of_time() {
        let moments = moments(&account(&MISS), Ps(500));
        let names: Vec<_> = moments.iter().map(|moment| moment.name).collect();
        assert_eq!(names, ["post", "miss", "interrupt", "fill", "retransmission", "arrival"]);
        assert_eq!(moments[1].at, Ps(10_000_500));
        assert_eq!(moments[5].at, Ps(60_000_500));
    }

    #[test]
    fn a_hit_has_one_panel_and_a_miss_has_enlarged_parts() {
        let file = WaveFile::default();
        assert_eq!(panels(&account(&MISS[..1]), Ps(0), &file).len(), 1);
        let panels = panels(&account(&MISS), Ps(0), &file);
        assert_eq!(panels.len(), 4);
        assert_eq!(panels[0].zooms.len(), 3);
        assert!(panels.iter().all(|panel| panel.from < panel.to && panel.to <= Ps(60_000_000)));
    }
}
