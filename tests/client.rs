//! A whole game driven by an independent client, the public crate `usi`, which parses every line the
//! engine prints.

use komaoto::position::{GameRepetition, Position};
use komaoto::types::{Color, Move};
use std::convert::Infallible;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use usi::{
    BestMoveParams, EngineCommand, GameOverKind, GuiCommand, InfoParams, ThinkParams,
    UsiEngineHandler,
};

/// Far more than an answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Plies after which the game is a draw.
const MAX_PLIES: usize = 400;

struct Player {
    handler: UsiEngineHandler,
    answers: Receiver<BestMoveParams>,
    lines: Receiver<usize>,
}

impl Player {
    fn new() -> Player {
        let engine = env!("CARGO_BIN_EXE_komaoto");
        let mut handler = UsiEngineHandler::spawn(engine, std::env::temp_dir()).unwrap();
        let info = handler.get_info().unwrap();
        assert!(info.name().starts_with("Komaoto"));
        assert!(info.options().contains_key("USI_Hash"));
        let hash = GuiCommand::SetOption("USI_Hash".into(), Some("16".into()));
        handler.send_command(&hash).unwrap();
        handler.prepare().unwrap();
        handler.send_command(&GuiCommand::UsiNewGame).unwrap();
        let ((answer, answers), (line, lines)) = (channel(), channel());
        handler
            .listen(move |output| -> Result<(), Infallible> {
                match output.response() {
                    Some(EngineCommand::BestMove(best)) => {
                        let _ = answer.send(best.clone());
                    }
                    Some(EngineCommand::Info(parts)) => {
                        let scored = parts
                            .iter()
                            .any(|part| matches!(part, InfoParams::Score(..)));
                        assert!(scored, "an info line without a score: {}", output.raw_str());
                        let _ = line.send(parts.len());
                    }
                    other => panic!("{other:?} read from {}", output.raw_str()),
                }
                Ok(())
            })
            .unwrap();
        Player {
            handler,
            answers,
            lines,
        }
    }

    /// Asks for a move; every answer comes after at least one `info` line.
    fn think(&mut self, position: &Position, played: &[Move]) -> BestMoveParams {
        let mut text = komaoto::position::STARTPOS_SFEN.to_string();
        if !played.is_empty() {
            text.push_str(" moves");
            for mv in played {
                text.push_str(&format!(" {mv}"));
            }
        }
        assert!(position.game_ply() as usize == played.len() + 1);
        self.handler
            .send_command(&GuiCommand::Position(text))
            .unwrap();
        let byoyomi = Duration::from_millis(20);
        let zero = Duration::ZERO;
        let think = ThinkParams::new().btime(zero).wtime(zero).byoyomi(byoyomi);
        self.handler.send_command(&GuiCommand::Go(think)).unwrap();
        let best = self
            .answers
            .recv_timeout(TIMEOUT)
            .expect("an answer in time");
        assert!(
            self.lines.try_iter().count() > 0,
            "a line before the answer"
        );
        best
    }
}

#[test]
fn a_game_from_the_first_move_to_the_last() {
    let mut players = [Player::new(), Player::new()];
    let mut position = Position::startpos();
    let mut played: Vec<Move> = Vec::new();
    let mut winner = None;
    while played.len() < MAX_PLIES && position.game_repetition() == GameRepetition::None {
        let side = position.side_to_move();
        match players[side.index()].think(&position, &played) {
            BestMoveParams::MakeMove(text, ponder) => {
                let mv = Move::from_usi(&text).unwrap();
                assert!(position.is_legal(mv), "{mv} in {position:?}");
                position.do_move(mv);
                played.push(mv);
                if let Some(reply) = ponder {
                    assert!(position.is_legal(Move::from_usi(&reply).unwrap()));
                }
            }
            BestMoveParams::Resign => {
                assert!(!position.has_legal_move(), "it never resigns before mate");
                winner = Some(!side);
                break;
            }
            BestMoveParams::Win => {
                winner = Some(side);
                break;
            }
        }
    }
    for color in Color::ALL {
        let result = match winner {
            Some(side) if side == color => GameOverKind::Win,
            Some(_) => GameOverKind::Lose,
            None => GameOverKind::Draw,
        };
        let player = &mut players[color.index()];
        player
            .handler
            .send_command(&GuiCommand::GameOver(result))
            .unwrap();
        assert!(player.answers.try_recv().is_err(), "one answer for each go");
    }
    assert!(played.len() > 20);
}
