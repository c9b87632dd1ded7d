//! A run: threads that play, and one that writes.
#![forbid(unsafe_code)]

use super::evaluation::Evaluation;
use super::play::{Effort, PlayError, Player};
use super::progress::{Progress, Tally};
use super::settings::{Goal, Settings};
use crate::cli::{console, interrupt};
use crate::data::{DataError, Game, GameWriter};
use crate::eval::nnue::NetError;
use crate::search::MemoryError;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// Stack of a thread that searches, in bytes, as that of the search threads.
const STACK_SIZE: usize = 16 << 20;
/// How often to look at the signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// Why a run failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The network.
    #[error("network {}: {error}", .path.display())]
    Network {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        error: NetError,
    },
    /// The file of games.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A game.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// Memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Threads.
    #[error("a thread could not be started: {0}")]
    Thread(io::Error),
}

/// The games still to be played.
struct Games {
    /// The next number to look at.
    next: u32,
    /// Numbers of games that the file has.
    present: HashSet<u32>,
    goal: Goal,
    /// Games in the file and in play.
    games: u64,
    /// Positions of finished games.
    positions: u64,
}

impl Games {
    /// The next game to play, unless there are enough.
    fn take(&mut self) -> Option<u32> {
        let enough = match self.goal {
            Goal::Games(goal) => self.games >= u64::from(goal),
            Goal::Positions(goal) => self.positions >= goal,
            Goal::Never => false,
        };
        if enough {
            return None;
        }
        while self.present.contains(&self.next) {
            self.next = self.next.checked_add(1)?;
        }
        let number = self.next;
        self.next = number.checked_add(1)?;
        self.games += 1;
        Some(number)
    }
}

/// A game and its side lines with what they took, or why there is none.
type Finished = Result<(Vec<Game>, Effort), PlayError>;

/// Plays games until the goal is reached or the user has had enough.
///
/// # Errors
/// When the network or the file cannot be used; the games written so far stay.
pub fn run(settings: &Settings) -> Result<(), RunError> {
    let evaluation = Evaluation::load(settings.net.as_deref()).map_err(|error| {
        let path = settings.net.clone().unwrap_or_default();
        RunError::Network { path, error }
    })?;
    let mut tally = Tally::default();
    let mut present = HashSet::new();
    let header = settings.header(&evaluation);
    let (mut writer, torn) = GameWriter::append(&settings.out, &header, |game| {
        tally.add(game);
        if !game.is_side_line() {
            present.insert(game.number);
        }
    })?;
    announce(settings, &evaluation, &tally, torn);

    let players: Result<Vec<Player>, MemoryError> = (0..settings.threads)
        .map(|_| Player::new(settings.rules.clone(), evaluation.network.clone()))
        .collect();
    let games = Mutex::new(Games {
        next: 0,
        present,
        goal: settings.goal,
        games: tally.games,
        positions: tally.positions,
    });
    let stop = AtomicBool::new(false);
    let (sender, finished) = sync_channel(settings.threads * 4);
    thread::scope(|scope| {
        for player in players? {
            let (games, stop, sender) = (&games, &stop, sender.clone());
            thread::Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, move || play(player, games, stop, &sender))
                .map_err(|error| {
                    stop.store(true, Ordering::Relaxed);
                    RunError::Thread(error)
                })?;
        }
        drop(sender);
        let written = write(&mut writer, &finished, tally, settings.goal, &stop);
        stop.store(true, Ordering::Relaxed);
        // Whoever waits for room in the channel must not wait for ever.
        drop(finished);
        written
    })
}

/// Plays games as long as there are some to play.
fn play(
    mut player: Player,
    games: &Mutex<Games>,
    stop: &AtomicBool,
    sender: &SyncSender<Finished>,
) {
    // The data is plain numbers: a panic elsewhere cannot leave it half written.
    let lock = || games.lock().unwrap_or_else(PoisonError::into_inner);
    let mut next = lock().take();
    while let Some(number) = next {
        let lines = match player.play(number, stop) {
            Ok(Some(lines)) => lines,
            Ok(None) => return,
            Err(error) => {
                // Nobody listens any more when another thread failed before.
                let _ = sender.send(Err(error));
                return;
            }
        };
        next = {
            let mut games = lock();
            games.positions += lines.iter().map(Game::searched).sum::<usize>() as u64;
            games.take()
        };
        if sender.send(Ok((lines, player.take_effort()))).is_err() {
            return;
        }
    }
}

/// Writes games until nobody plays any more.
fn write(
    writer: &mut GameWriter,
    finished: &Receiver<Finished>,
    mut tally: Tally,
    goal: Goal,
    stop: &AtomicBool,
) -> Result<(), RunError> {
    let mut progress = Progress::new(goal, tally);
    let mut total = Effort::default();
    loop {
        match finished.recv_timeout(SIGNAL_INTERVAL) {
            Ok(finished) => {
                let (lines, effort) = finished?;
                for game in &lines {
                    writer.write(game)?;
                    tally.add(game);
                }
                total.add(effort);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if interrupt::is_interrupted() {
            stop.store(true, Ordering::Relaxed);
        }
        progress.update(&tally);
    }
    writer.finish()?;
    progress.finish(&tally, total);
    Ok(())
}

/// Says what is about to happen.
fn announce(settings: &Settings, evaluation: &Evaluation, before: &Tally, torn: u64) {
    let rules = &settings.rules;
    console::eprint_line(format_args!(
        "{}: evaluation {}, {} nodes, seed {}, threads {}",
        settings.out.display(),
        evaluation.name,
        rules.nodes,
        rules.seed,
        settings.threads
    ));
    if torn > 0 {
        console::eprint_line(format_args!(
            "removed {torn} bytes at the end: a game that was cut short while it was written"
        ));
    }
    if before.games > 0 {
        console::eprint_line(format_args!(
            "the file has {} games, {} positions",
            before.games, before.positions
        ));
    }
}
