//! The table of options, a row for each.

use super::{MAX_HASH, MAX_THREADS, Settings};
use crate::position::EnteringKingRule;
use crate::types::MAX_PLY;
use std::ops::RangeInclusive;

/// Most lines of MultiPV: more than any position has moves.
const MAX_LINES: i64 = 800;
/// Bound of draw values, well within every evaluation.
const MAX_DRAW_VALUE: i64 = 30_000;
/// A number of nodes that survives a GUI which keeps numbers as 64-bit floats.
const MAX_NODES: i64 = 1_000_000_000_000_000;

/// What values an option takes, and where they are kept.
pub(super) enum Kind {
    /// A whole number.
    Spin {
        range: RangeInclusive<i64>,
        get: fn(&Settings) -> i64,
        set: fn(&mut Settings, i64),
    },
    /// True or false.
    Check {
        get: fn(&Settings) -> bool,
        set: fn(&mut Settings, bool),
    },
    /// The declaration rule, by name.
    Rule {
        get: fn(&Settings) -> EnteringKingRule,
        set: fn(&mut Settings, EnteringKingRule),
    },
    /// A file or folder.
    Path {
        /// The kind of option as GUIs know it.
        usi: &'static str,
        get: fn(&Settings) -> &Vec<u8>,
        set: fn(&mut Settings, Vec<u8>),
    },
    /// Something to do.
    Button { press: fn(&mut Settings) },
}

/// One row of the table.
pub(super) struct UsiOption {
    pub name: &'static str,
    /// Other names that GUIs and bridges send.
    pub aliases: &'static [&'static str],
    pub kind: Kind,
}

const fn spin(
    name: &'static str,
    range: RangeInclusive<i64>,
    get: fn(&Settings) -> i64,
    set: fn(&mut Settings, i64),
) -> UsiOption {
    UsiOption {
        name,
        aliases: &[],
        kind: Kind::Spin { range, get, set },
    }
}

const fn check(
    name: &'static str,
    get: fn(&Settings) -> bool,
    set: fn(&mut Settings, bool),
) -> UsiOption {
    UsiOption {
        name,
        aliases: &[],
        kind: Kind::Check { get, set },
    }
}

impl UsiOption {
    const fn or(mut self, aliases: &'static [&'static str]) -> UsiOption {
        self.aliases = aliases;
        self
    }
}

/// The table. In the order GUIs show it.
pub(super) static OPTIONS: [UsiOption; 22] = [
    spin(
        "USI_Hash",
        1..=MAX_HASH,
        |s| s.hash as i64,
        |s, v| s.hash = v as usize,
    )
    .or(&["Hash"]),
    spin(
        "Threads",
        1..=MAX_THREADS,
        |s| s.threads as i64,
        |s, v| s.threads = v as usize,
    )
    .or(&["NumberOfThreads"]),
    check(
        "USI_Ponder",
        |s| s.search.ponder,
        |s, v| s.search.ponder = v,
    )
    .or(&["Ponder"]),
    spin(
        "MultiPV",
        1..=MAX_LINES,
        |s| s.search.multi_pv as i64,
        |s, v| {
            s.search.multi_pv = v as usize;
        },
    )
    .or(&["USI_MultiPV"]),
    UsiOption {
        name: "EvalDir",
        aliases: &[],
        kind: Kind::Path {
            usi: "string",
            get: |s| &s.eval_dir,
            set: |s, v| s.eval_dir = v,
        },
    },
    UsiOption {
        name: "EvalFile",
        aliases: &[],
        kind: Kind::Path {
            usi: "filename",
            get: |s| &s.eval_file,
            set: |s, v| s.eval_file = v,
        },
    },
    spin(
        "FV_SCALE",
        0..=128,
        |s| s.fv_scale.into(),
        |s, v| s.fv_scale = v as i32,
    ),
    UsiOption {
        name: "EnteringKingRule",
        aliases: &[],
        kind: Kind::Rule {
            get: |s| s.search.entering_king_rule,
            set: |s, v| s.search.entering_king_rule = v,
        },
    },
    spin(
        "MaxMovesToDraw",
        0..=100_000,
        |s| s.search.max_moves_to_draw.into(),
        |s, v| {
            s.search.max_moves_to_draw = v as u32;
        },
    ),
    spin(
        "DrawValueBlack",
        -MAX_DRAW_VALUE..=MAX_DRAW_VALUE,
        |s| s.search.draw_value[0].into(),
        |s, v| s.search.draw_value[0] = v as i32,
    ),
    spin(
        "DrawValueWhite",
        -MAX_DRAW_VALUE..=MAX_DRAW_VALUE,
        |s| s.search.draw_value[1].into(),
        |s, v| s.search.draw_value[1] = v as i32,
    ),
    spin(
        "ResignValue",
        1..=99_999,
        |s| s.search.resign_value.into(),
        |s, v| {
            s.search.resign_value = v as i32;
        },
    ),
    check(
        "GenerateAllLegalMoves",
        |s| s.search.generate_all_legal_moves,
        |s, v| {
            s.search.generate_all_legal_moves = v;
        },
    ),
    spin(
        "NetworkDelay",
        0..=10_000,
        |s| s.search.network_delay as i64,
        |s, v| {
            s.search.network_delay = v as u64;
        },
    ),
    spin(
        "NetworkDelay2",
        0..=10_000,
        |s| s.search.network_delay2 as i64,
        |s, v| {
            s.search.network_delay2 = v as u64;
        },
    ),
    spin(
        "MinimumThinkingTime",
        0..=100_000,
        |s| s.search.minimum_thinking_time as i64,
        |s, v| {
            s.search.minimum_thinking_time = v as u64;
        },
    ),
    spin(
        "SlowMover",
        1..=1000,
        |s| s.search.slow_mover as i64,
        |s, v| {
            s.search.slow_mover = v as u64;
        },
    ),
    check(
        "RoundUpToFullSecond",
        |s| s.search.round_up_to_full_second,
        |s, v| {
            s.search.round_up_to_full_second = v;
        },
    ),
    spin(
        "PvInterval",
        0..=100_000_000,
        |s| s.search.pv_interval as i64,
        |s, v| {
            s.search.pv_interval = v as u64;
        },
    ),
    spin(
        "DepthLimit",
        0..=MAX_PLY as i64,
        |s| s.depth_limit as i64,
        |s, v| {
            s.depth_limit = v as usize;
        },
    ),
    spin(
        "NodesLimit",
        0..=MAX_NODES,
        |s| s.nodes_limit as i64,
        |s, v| s.nodes_limit = v as u64,
    ),
    UsiOption {
        name: "Clear_Hash",
        aliases: &["Clear Hash"],
        kind: Kind::Button {
            press: |s| s.clear_hash = true,
        },
    },
];
