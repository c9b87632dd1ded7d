//! Mate in one.
#![forbid(unsafe_code)]

use super::Position;
use crate::types::Move;

impl Position {
    /// A move that mates at once, if there is one; exact, needless non-promotions included.
    pub fn mate_in_one(&mut self) -> Option<Move> {
        let info = self.check_info();
        let mut checks: Vec<Move> = Vec::new();
        self.generate_checks::<true>(&info, &mut checks);
        checks.into_iter().find(|&mv| {
            self.do_move(mv);
            let mates = !self.has_legal_move();
            self.undo_move(mv);
            mates
        })
    }
}
