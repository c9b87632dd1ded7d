//! A run of `datagen`: threads that play, and one that writes.
#![forbid(unsafe_code)]

use super::play::{Effort, OpeningError, Player};
use super::progress::{Progress, Tally};
use super::settings::{DatagenSettings, Goal};
use crate::cli::console::eprint_line;
use crate::cli::interrupt;
use crate::data::{DataError, Game, GameWriter};
use crate::eval::nnue::{LoadedNetwork, NetError, embedded};
use crate::search::{MemoryError, STACK_SIZE};
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// How often to look for signals.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Why a run failed.
#[derive(Debug, Error)]
pub enum DatagenError {
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
    Opening(#[from] OpeningError),
    /// Memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Threads.
    #[error("failed to spawn thread: {0}")]
    Thread(io::Error),
}

/// The games still to be played.
struct GameQueue {
    /// The next game to play.
    next: u32,
    /// Numbers of the games in the file.
    present: HashSet<u32>,
    goal: Goal,
    /// Games in the file and in progress.
    games: u64,
    /// Positions of finished games.
    positions: u64,
}

impl GameQueue {
    /// The next game to play, unless the goal is reached.
    fn take(&mut self) -> Option<u32> {
        let is_reached = match self.goal {
            Goal::Games(goal) => self.games >= u64::from(goal),
            Goal::Positions(goal) => self.positions >= goal,
            Goal::Never => false,
        };
        if is_reached {
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

/// The side lines of a game, then the game itself, with the effort of their searches; or why there is no
/// game.
type Finished = Result<(Vec<Game>, Effort), OpeningError>;

/// Plays games until the goal is reached or the run is interrupted.
///
/// # Errors
/// When the network or the file cannot be used; the games written so far are kept.
pub fn run(settings: &DatagenSettings) -> Result<(), DatagenError> {
    let network = match &settings.net {
        None => embedded(),
        Some(path) => match LoadedNetwork::read(path) {
            Ok(loaded) => Arc::new(loaded.network),
            Err(error) => {
                let path = path.clone();
                return Err(DatagenError::Network { path, error });
            }
        },
    };
    let mut tally = Tally::default();
    let mut present = HashSet::new();
    let header = settings.header(&network);
    let (mut writer, torn) = GameWriter::append(&settings.out, &header, |game| {
        tally.add(game);
        if !game.is_side_line() {
            present.insert(game.number);
        }
    })?;
    eprint_line(format_args!(
        "{}: {}, {} nodes, seed {}, {} threads",
        settings.out.display(),
        header.evaluation,
        settings.rules.nodes,
        settings.rules.seed,
        settings.threads
    ));
    if torn > 0 {
        eprint_line(format_args!("removed {torn} bytes: a truncated last game"));
    }
    if tally.games > 0 {
        let (games, positions) = (tally.games, tally.positions);
        eprint_line(format_args!(
            "continuing {games} games, {positions} positions"
        ));
    }

    let players: Result<Vec<Player>, MemoryError> = (0..settings.threads)
        .map(|_| Player::new(settings.rules.clone(), Arc::clone(&network)))
        .collect();
    let queue = Mutex::new(GameQueue {
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
            let (queue, stop, sender) = (&queue, &stop, sender.clone());
            thread::Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, move || play(player, queue, stop, &sender))
                .map_err(|error| {
                    stop.store(true, Ordering::Relaxed);
                    DatagenError::Thread(error)
                })?;
        }
        drop(sender);
        let written = write(&mut writer, &finished, tally, settings.goal, &stop);
        stop.store(true, Ordering::Relaxed);
        // Wakes threads that wait for room in the channel.
        drop(finished);
        written
    })
}

/// Plays games from the queue.
fn play(
    mut player: Player,
    queue: &Mutex<GameQueue>,
    stop: &AtomicBool,
    sender: &SyncSender<Finished>,
) {
    // The data is plain numbers: a panic elsewhere cannot leave it half written.
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let mut next = lock().take();
    while let Some(number) = next {
        let games = match player.play(number, stop) {
            Ok(Some(games)) => games,
            Ok(None) => return,
            Err(error) => {
                // The channel is closed if another thread has failed.
                let _ = sender.send(Err(error));
                return;
            }
        };
        next = {
            let mut queue = lock();
            queue.positions += games.iter().map(Game::searched).sum::<usize>() as u64;
            queue.take()
        };
        if sender.send(Ok((games, player.take_effort()))).is_err() {
            return;
        }
    }
}

/// Writes finished games until all players are done.
fn write(
    writer: &mut GameWriter,
    finished: &Receiver<Finished>,
    mut tally: Tally,
    goal: Goal,
    stop: &AtomicBool,
) -> Result<(), DatagenError> {
    let mut progress = Progress::new(goal, tally);
    let mut total = Effort::default();
    loop {
        match finished.recv_timeout(POLL_INTERVAL) {
            Ok(finished) => {
                let (games, effort) = finished?;
                for game in &games {
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
