//! Waves of a run. No waves are recorded while a run is measured. The wanted part is run again,
//! with the waves of the models switched on.
//!
//! The second run has the same seed and must behave the same. That is checked: recording must not
//! change the run.

use std::path::{Path, PathBuf};

use nicscope_account::account::Account;
use nicscope_account::log::NodeLog;
use nicscope_account::results::Run;
use nicscope_run::cluster::{self, ClusterConfig, ClusterOutput, Failure};
use nicscope_run::files;
use nicscope_run::progress::Progress;
use nicscope_run::run::Observer;
use nicscope_run::summary;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::savefile::{self, View};
use crate::scenes::{self, Moment};
use crate::when::When;
use crate::{bus, chosen, picture, tracks, WaveFile, WaveFileFormat};

/// The folder, inside the folder of a shot, in which its files lie until they are complete. If
/// nicscope is ended before, no damaged file is in the folder of the shot.
const RECORDING: &str = ".recording";

/// The time that is shown before a message is posted (`LEAD`), and after it has arrived (`TAIL`).
const LEAD: Ps = Ps::from_us(2);
const TAIL: Ps = Ps::from_us(3);
/// The time that is recorded before a failure.
const BEFORE_FAILURE: Ps = Ps::from_us(200);
/// The longest window whose combined file gets signals. A longer window gets text tracks only; its
/// signals are in the files of the nodes.
const SIGNALS_MAX: Ps = Ps::from_us(2_000);

/// A part of a run that is worth a picture.
pub struct Shot {
    /// The name of its files, without their endings.
    name: &'static str,
    /// The folder below the output folder; empty for the output folder itself.
    folder: String,
    title: String,
    config: ClusterConfig,
    from: Ps,
    to: Ps,
    message: Option<Message>,
    /// The logs of the nodes in the first run, if they were recorded.
    reference: Option<Vec<NodeLog>>,
    keep_models: bool,
    /// The window ends where the run fails.
    fails: bool,
}

/// The message that a shot is about.
struct Message {
    account: Account,
    begin: Ps,
}

/// Chooses the shots while a scenario runs.
pub struct Watcher {
    when: When,
    /// The shots that were chosen so far.
    pub shots: Vec<Shot>,
}

impl Watcher {
    /// A watcher without shots, for one value of `--waves`.
    pub fn new(when: When) -> Watcher {
        Watcher { when, shots: Vec::new() }
    }

    fn has(&self, name: &str) -> bool {
        self.shots.iter().any(|shot| shot.name == name)
    }

    /// Adds a shot of a message of a run, in the output folder itself.
    fn add_message(
        &mut self,
        name: &'static str,
        platform: &str,
        config: &ClusterConfig,
        output: &ClusterOutput,
        account: &Account,
    ) {
        let sender = account.spans.first().map_or(0, |span| span.node);
        let Some((begin, end)) = summary::message_window(output, sender, account.message) else {
            return;
        };
        // The time of a message may begin before its post.
        let begin = begin.min(Ps(end.0.saturating_sub(account.latency_ps)));
        let (from, to) = around(begin, end);
        self.shots.push(Shot {
            name,
            folder: String::new(),
            title: format!("A {} on {platform}: {} B from node {sender}", name.replace('-', " "), account.size_bytes),
            config: config.clone(),
            from,
            to,
            message: Some(Message { account: account.clone(), begin }),
            reference: Some(output.nodes.iter().map(|node| node.log.clone()).collect()),
            keep_models: matches!(name, "miss" | "refused-message"),
            fails: false,
        });
    }

    fn add_window(
        &mut self,
        name: &'static str,
        platform: &str,
        config: &ClusterConfig,
        reference: Option<&ClusterOutput>,
        from: Ps,
        to: Ps,
    ) {
        let ratio = config.miss_ratio * 100.0;
        self.shots.push(Shot {
            name,
            folder: format!("{name}-{}-{ratio:.0}", platform),
            title: format!("{} on {}, {ratio:.0} % misses", config.scenario.name, platform),
            config: ClusterConfig { record: true, ..config.clone() },
            from,
            to,
            message: None,
            reference: reference
                .filter(|_| config.record)
                .map(|output| output.nodes.iter().map(|node| node.log.clone()).collect()),
            keep_models: true,
            fails: name == "failure",
        });
    }
}

impl Watcher {
    /// Warns on standard error if recording will take long.
    pub fn warn(&self) {
        if self.when == When::Always {
            eprintln!("nicscope: waves of whole runs are large and slow; a window is written with --waves FROM..TO");
        }
    }

    /// Records all shots. Returns a text that tells how to open the files. An error if a run
    /// behaves differently or a file cannot be written.
    pub fn record(&self, folder: &Path, format: WaveFileFormat) -> Result<String> {
        if self.shots.is_empty() {
            return Ok(match self.when {
                When::Miss => {
                    "no waves: this scenario keeps no accounts of messages; ask for --waves FROM..TO\n".into()
                }
                When::Between { .. } => "no waves: every run ended before that window\n".into(),
                When::Never | When::Always | When::Failure => String::new(),
            });
        }
        let mut text = String::from("waves (open with `gtkwave FILE`; a .svg beside it is a picture of the same):\n");
        for shot in &self.shots {
            text.push_str(&shot.record(folder, format)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// The error of a failed run, extended by the place of the waves of its last microseconds.
    pub fn after_failure(&self, error: Error, folder: &Path, format: WaveFileFormat) -> Error {
        match self.record(folder, format) {
            Ok(text) if !self.shots.is_empty() => failed!("{error}\n{}", text.trim_end()),
            Ok(_) => error,
            Err(second) => failed!("{error}\nits waves could not be recorded: {second}"),
        }
    }
}

/// The window of a message.
fn around(begin: Ps, end: Ps) -> (Ps, Ps) {
    (Ps(begin.0.saturating_sub(LEAD.0)), end + TAIL)
}

/// The window before a failure. It ends with the values that the failing clock edge samples.
fn before(failure: Ps) -> (Ps, Ps) {
    (Ps(failure.0.saturating_sub(BEFORE_FAILURE.0)), failure)
}

impl Observer for Watcher {
    fn done(&mut self, config: &ClusterConfig, output: &ClusterOutput, run: &Run) {
        match self.when {
            When::Miss => {
                let scenario = &config.scenario;
                let hit = if scenario.has_messages() { "message" } else { "hit" };
                let miss = if scenario.refuses_messages() { "refused-message" } else { "miss" };
                let names = [hit, miss];
                for (name, account) in names.into_iter().zip([run.hits.first(), run.misses.first()]) {
                    if let Some(account) = account.filter(|_| !self.has(name)) {
                        self.add_message(name, &run.platform, config, output, account);
                    }
                }
            }
            When::Always => self.add_window("run", &run.platform, config, Some(output), Ps::ZERO, output.ended_at),
            When::Between { from, to } if from < output.ended_at => {
                self.add_window("window", &run.platform, config, Some(output), from, to.min(output.ended_at));
            }
            When::Between { .. } | When::Never | When::Failure => {}
        }
    }

    fn failed(&mut self, platform: &str, config: &ClusterConfig, failure: &Failure) {
        if self.when != When::Never && failure.at > Ps::ZERO {
            let (from, to) = before(failure.at);
            self.shots.clear();
            self.add_window("failure", platform, config, None, from, to);
        }
    }
}

impl Shot {
    /// Runs this part again, writes the files, and returns a text that names them. An error if the
    /// run behaves differently or a file cannot be written.
    pub fn record(&self, folder: &Path, format: WaveFileFormat) -> Result<String> {
        let folder = folder.join(&self.folder);
        let recording = folder.join(RECORDING);
        let remove = || match recording.exists() {
            true => std::fs::remove_dir_all(&recording)
                .map_err(|error| failed!("cannot remove {}: {error}", recording.display())),
            false => Ok(()),
        };
        remove()?;
        files::prepare_folder(&recording)?;
        let told = self.record_in(&recording, format).and_then(|()| {
            move_files(&recording, &folder)?;
            Ok(self.tell(&folder))
        });
        remove()?;
        told
    }

    /// The description of the written files for the user.
    fn tell(&self, folder: &Path) -> String {
        let mut told = format!("  {}: {}", self.title, folder.join(format!("{}.gtkw", self.name)).display());
        if self.keep_models {
            let node = |node: usize| folder.join(format!("node{node}.gtkw"));
            told.push_str(&format!("\n    every signal of each NIC: {}, {}", node(0).display(), node(1).display()));
        }
        told
    }

    fn record_in(&self, folder: &Path, format: WaveFileFormat) -> Result<()> {
        let models: Vec<PathBuf> =
            (0..self.config.scenario.nodes).map(|node| folder.join(format!("node{node}.fst"))).collect();
        // The waves of the models also show the changes at the failing clock edge.
        let waves_end = if self.fails { self.to + TAIL } else { self.to };
        let config = ClusterConfig {
            waves: Some((models.clone(), self.from, waves_end)),
            until: (!self.fails).then_some(self.to),
            ..self.config.clone()
        };
        let progress = Progress::new(format!("waves: {} again until {:.0} us", self.title, self.to.as_us_f64()));
        let nodes = match cluster::attempt(&config, &progress) {
            Ok(output) => output.nodes,
            Err(failure) if self.fails && failure.at == self.to => failure.nodes,
            Err(failure) => return Err(failure.error),
        };
        drop(progress);
        let logs: Vec<&NodeLog> = nodes.iter().map(|node| &node.log).collect();
        if let Some(reference) = &self.reference {
            for (node, (first, again)) in reference.iter().zip(&logs).enumerate() {
                same(first, again, self.to).map_err(|what| {
                    failed!(
                        "waves: node {node} did not do the same with waves as without: {what} (seed {})",
                        config.seed
                    )
                })?;
            }
        }
        let file = self.combine(&models, &logs)?;
        let moments =
            self.message.as_ref().map_or(Vec::new(), |message| scenes::moments(&message.account, message.begin));
        self.write(&file, folder, format, &moments)?;
        for (node, model) in models.iter().enumerate() {
            if !self.keep_models {
                std::fs::remove_file(model).map_err(|error| failed!("cannot remove {}: {error}", model.display()))?;
                continue;
            }
            let name = format!("node{node}.fst");
            let view = View { file: &name, from: self.from, to: self.to, markers: &[] };
            write_text(&model.with_extension("gtkw"), &savefile::fill(savefile::NODE, &view))?;
        }
        Ok(())
    }

    /// Signals of all nodes and text tracks on one time axis.
    fn combine(&self, models: &[PathBuf], logs: &[&NodeLog]) -> Result<WaveFile> {
        let (from, to) = (self.from, self.to);
        let mut file = WaveFile::default();
        if let Some(Message { account, begin }) = &self.message {
            file.add_track(&["message", "stage"], &tracks::message(account, *begin), from, to);
            file.add_track(&["message", "place"], &tracks::message_node(account, *begin), from, to);
        }
        for (node, (model, log)) in models.iter().zip(logs).enumerate() {
            let scope = format!("node{node}");
            if to - from <= SIGNALS_MAX {
                file.import(model, |path| chosen::choose(node, path), from, to)?;
            }
            let track = bus::track(&file, node);
            file.add_track(&[&scope, "pci", "bus"], &track, from, to);
            file.add_track(&[&scope, "firmware"], &tracks::firmware(log), from, to);
            if !log.trace_b.is_empty() {
                file.add_track(&[&scope, "firmware_b"], &tracks::firmware_b(log), from, to);
            }
            file.add_track(&[&scope, "host", "interrupt"], &tracks::interrupt(log), from, to);
            file.add_track(&[&scope, "host", "miss_thread"], &tracks::miss_thread(log), from, to);
            file.add_track(&[&scope, "host", "process"], &tracks::process(log), from, to);
        }
        Ok(file)
    }

    /// Writes the combined file, its save file and its picture.
    fn write(&self, file: &WaveFile, folder: &Path, format: WaveFileFormat, moments: &[Moment]) -> Result<()> {
        let name = match format {
            WaveFileFormat::Fst => format!("{}.fst", self.name),
            WaveFileFormat::Vcd => format!("{}.vcd", self.name),
        };
        match format {
            WaveFileFormat::Fst => file.write_fst(&folder.join(&name))?,
            WaveFileFormat::Vcd => file.write_vcd(&folder.join(&name))?,
        }
        let markers: Vec<(Ps, &'static str)> = moments.iter().map(|moment| (moment.at, moment.name)).collect();
        let save = folder.join(format!("{}.gtkw", self.name));
        let view = View { file: &name, from: self.from, to: self.to, markers: &markers };
        write_text(&save, &savefile::fill(savefile::COMBINED, &view))?;
        if let Some(Message { account, begin }) = &self.message {
            let panels = scenes::panels(account, *begin, file);
            write_text(&folder.join(format!("{}.svg", self.name)), &picture::draw(file, &self.title, &panels))?;
        }
        Ok(())
    }
}

fn move_files(from: &Path, to: &Path) -> Result<()> {
    let moved = || -> std::io::Result<()> {
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            std::fs::rename(entry.path(), to.join(entry.file_name()))?;
        }
        Ok(())
    };
    moved().map_err(|error| failed!("cannot move the waves to {}: {error}", to.display()))
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| failed!("cannot write {}: {error}", path.display()))
}

/// Whether two runs behave the same up to a time. Otherwise the error tells the difference.
fn same(first: &NodeLog, again: &NodeLog, until: Ps) -> std::result::Result<(), String> {
    let markers = first.trace.partition_point(|(at, _)| *at < until);
    if again.trace != first.trace[..markers] {
        let index = again.trace.iter().zip(&first.trace).take_while(|(a, b)| a == b).count();
        return Err(match (first.trace.get(index), again.trace.get(index)) {
            (Some((at, word)), Some((at_again, word_again))) => {
                format!("marker {word:08x} at {at} became {word_again:08x} at {at_again}")
            }
            _ => format!("{} trace markers became {}", markers, again.trace.len()),
        });
    }
    let pulses = first.probes.partition_point(|(at, _)| *at < until);
    if again.probes != first.probes[..pulses] {
        return Err("the probe pulses".into());
    }
    if !first.sent.starts_with(&again.sent) {
        return Err("the frames sent".into());
    }
    // The host records some events late, so the last events may be missing.
    let mut events = first.host.iter();
    if !again.host.iter().all(|event| events.any(|known| known == event)) {
        return Err("the events of the host".into());
    }
    Ok(())
}
