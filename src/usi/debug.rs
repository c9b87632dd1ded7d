//! The output of debug commands.

use crate::bitboard::Bitboard;
use crate::position::{EnteringKingRule, Position};
use crate::types::{Color, PieceType, Square};
use std::fmt::Write;

/// What `help` prints.
pub const HELP: &str = "\
Komaoto is a USI shogi engine for use in a shogi GUI. USI commands can also be typed:
  position startpos moves 7g7f 3c3d
  position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1
  go btime 60000 wtime 60000 byoyomi 1000
  go depth 10 | go nodes 100000 | go movetime 1000 | go infinite (until: stop)
  go mate infinite
  setoption name MultiPV value 3
Debug commands:
  d                   show the position: board, SFEN, keys, checkers, repetition, declaration
  moves               list the legal moves
  side                show the side to move
  eval                explain the static evaluation
  perft N             perft to depth N with a per-move divide (stop ends it early)
  bench [depth] [threads] [hash]
                      search a fixed set of positions; print nodes and speed
                      (stop ends it early)
  getoption [name]    show the values of options
  help                show this help
  quit                end the program
A command given as arguments is run alone (komaoto bench). Commands separated by
commas are run before standard input is read (komaoto usi , isready).
Subcommands, each with --help:
  komaoto datagen     generate training data by self-play
  komaoto data        inspect and convert training data
  komaoto train       train a network";

/// What `d` prints.
pub fn describe(position: &Position, rule: EnteringKingRule) -> String {
    let declaration = match position.declaration_win(rule) {
        Some(_) => "yes",
        None => "no",
    };
    format!(
        "{}\nsfen: {}\nkey: {:016x} (board {:016x}, hands {:016x})\nside: {}\ncheckers: {}\n\
         repetition: {}\ndeclaration: {declaration}",
        diagram(position),
        position.to_sfen(),
        position.key(),
        position.board_key(),
        position.hand_key(),
        position.side_to_move(),
        square_list(position.checkers()),
        position.game_repetition(),
    )
}

/// All legal moves on one line.
pub fn legal_moves(position: &Position) -> String {
    let moves = position.legal_moves();
    let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

fn square_list(set: Bitboard) -> String {
    let texts: Vec<String> = set.into_iter().map(|sq| sq.to_string()).collect();
    if texts.is_empty() {
        "none".into()
    } else {
        texts.join(" ")
    }
}

/// The board as Black sees it, with White's hand above and Black's below.
fn diagram(position: &Position) -> String {
    let mut text = format!("White: {}\n", hand(position, Color::White));
    text.push_str("   9  8  7  6  5  4  3  2  1\n");
    for rank in 0..9 {
        for file in (0..9).rev() {
            let piece = position.piece_on(Square::new(file, rank));
            let _ = write!(text, "{:>3}", piece.to_string().trim());
        }
        let _ = writeln!(text, "  {}", (b'a' + rank) as char);
    }
    let _ = write!(text, "Black: {}", hand(position, Color::Black));
    text
}

fn hand(position: &Position, color: Color) -> String {
    let hand = position.hand(color);
    let texts: Vec<String> = PieceType::HAND
        .into_iter()
        .rev()
        .filter(|&kind| hand.has(kind))
        .map(|kind| format!("{} x{}", kind.letter(), hand.count(kind)))
        .collect();
    if texts.is_empty() {
        "no pieces in hand".into()
    } else {
        texts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sfen: &str) -> Vec<String> {
        let position = Position::from_sfen(sfen).unwrap();
        let text = describe(&position, EnteringKingRule::default());
        assert!(text.is_ascii());
        text.lines().map(String::from).collect()
    }

    #[test]
    fn the_diagram_shows_board_and_hands() {
        let lines = lines("4k4/4G4/4P4/9/9/9/9/9/4K4 w R2p 2");
        assert_eq!(lines[0], "White: P x2");
        assert_eq!(lines[2], "  .  .  .  .  k  .  .  .  .  a");
        assert_eq!(lines[11], "Black: R x1");
        assert!(lines.contains(&"sfen: 4k4/4G4/4P4/9/9/9/9/9/4K4 w R2p 2".to_string()));
        assert!(lines.contains(&"checkers: 5b".to_string()));
        assert!(lines.contains(&"repetition: none".to_string()));
        assert!(lines.contains(&"declaration: no".to_string()));
    }

    #[test]
    fn a_possible_declaration_is_shown() {
        let sfen = "K+R+B+P+P+P+P+P+P/GGS6/9/9/9/9/9/9/4k4 b R4Pb2g3s4n4l8p 150";
        assert!(lines(sfen).contains(&"declaration: yes".to_string()));
    }

    #[test]
    fn legal_moves_are_one_line() {
        let text = legal_moves(&Position::startpos());
        assert_eq!(text.split(' ').count(), 30);
        assert!(text.contains("7g7f"));
    }
}
