//! Packed positions and records against an independent implementation (rsshogi).

mod common;

use common::{effort, rollouts};
use komaoto::data::RecordFormat::{Hcpe, Psv};
use komaoto::data::packed::{HUFFMAN_CODED, PACKED_SFEN};
use komaoto::data::{GameResult, ScoredMove};
use komaoto::types::Color;
use rand::prelude::*;
use rsshogi::board::position_from_sfen;
use rsshogi::types::Move;

#[test]
fn positions_and_records_agree_with_another_crate() {
    let mut positions = 0;
    rollouts(31, effort(400, 48), 200, |position, rng| {
        let Some(packed) = PACKED_SFEN.pack(position) else {
            return;
        };
        let sfen = position.to_sfen();
        let theirs = position_from_sfen(&sfen).unwrap();
        assert_eq!(packed, theirs.to_packed_sfen().data, "{sfen}");
        let unpacked = PACKED_SFEN.unpack(&packed, position.game_ply()).unwrap();
        assert_eq!(unpacked.to_sfen(), sfen);
        let huffman_coded = HUFFMAN_CODED.pack(position).unwrap();
        let unpacked = HUFFMAN_CODED.unpack(&huffman_coded, position.game_ply());
        assert_eq!(unpacked.unwrap().to_sfen(), sfen);

        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(rng) else { return };
        let their_move = Move::from_usi(&mv.to_string()).unwrap();
        // Whole centipawns in the unit of PSV as well.
        let score = rng.random_range(-3000..=3000) * 10;
        let played = ScoredMove {
            mv,
            score: Some(score),
        };
        let result = GameResult::Win(Color::Black);
        let mut ours = Vec::new();
        Hcpe.encode(&mut ours, position, played, result).unwrap();
        assert_eq!(ours[..32], theirs.to_huffman_coded_pos().data, "{sfen}");
        assert_eq!(
            ours[34..36],
            their_move.to_apery().raw().to_le_bytes(),
            "{mv}"
        );
        let sample = Hcpe.decode(&ours).unwrap();
        assert_eq!((sample.played, sample.result), (played, result));

        ours.clear();
        Psv.encode(&mut ours, position, played, result).unwrap();
        let sample = Psv.decode(&ours).unwrap();
        assert_eq!((sample.played, sample.result), (played, result));
        positions += 1;
    });
    assert!(positions > effort(20_000, 3_000), "{positions}");
}
