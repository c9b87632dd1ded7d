//! USI options: one row of a table declares an option, with its name, type, range and the
//! [`Settings`] field it sets. Defaults are those of [`Settings::default`].
//!
//! Names are YaneuraOu's where it has the option, because GUIs know and translate them. They are
//! single words, because some GUIs cut names at a blank.

use super::command::parse_number;
use super::error::{UsiError, truncate};
use crate::position::EnteringKingRule;
use crate::search::{self, SearchOptions};
use crate::types::MAX_PLY;
use std::ops::RangeInclusive;

/// Largest hash table, in MB.
pub const MAX_HASH: i64 = 33_554_432;
/// Most search threads.
pub const MAX_THREADS: i64 = search::MAX_THREADS as i64;
/// Most PV lines: more than any position has moves.
const MAX_MULTI_PV: i64 = 800;
/// Largest draw value, in centipawns: within the range of evaluations in every unit.
const MAX_DRAW_VALUE: i64 = 30_000;
/// Largest node limit: exact in GUIs that keep numbers as 64-bit floats.
const MAX_NODES: i64 = 1_000_000_000_000_000;

/// The values of all options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Hash table, in MB.
    pub hash: usize,
    /// Search threads. One by default: searches then repeat exactly, and an engine match on a
    /// shared machine takes no more than its share.
    pub threads: usize,
    /// Options of the search itself.
    pub search: SearchOptions,
    /// Depth limit of every search, in plies; 0 for none.
    pub depth_limit: usize,
    /// Node limit of every search; 0 for none.
    pub nodes_limit: u64,
    /// Whether to clear the hash table before the next search.
    pub clear_hash: bool,
    /// Folder of the network, as bytes; empty for none.
    pub eval_dir: Vec<u8>,
    /// The network's file, in that folder or anywhere, as bytes; empty for `nn.bin` of the folder.
    pub eval_file: Vec<u8>,
    /// Divisor of the network's output; 0 for the one its files give.
    pub fv_scale: i32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: search::DEFAULT_HASH,
            threads: 1,
            search: SearchOptions::default(),
            depth_limit: 0,
            nodes_limit: 0,
            clear_hash: false,
            eval_dir: Vec::new(),
            eval_file: Vec::new(),
            fv_scale: 0,
        }
    }
}

/// The type of an option, and how to get and set its value.
enum Kind {
    Spin {
        range: RangeInclusive<i64>,
        get: fn(&Settings) -> i64,
        set: fn(&mut Settings, i64),
    },
    Check {
        get: fn(&Settings) -> bool,
        set: fn(&mut Settings, bool),
    },
    EnteringKingRule {
        get: fn(&Settings) -> EnteringKingRule,
        set: fn(&mut Settings, EnteringKingRule),
    },
    Path {
        /// `string` or `filename`.
        usi_type: &'static str,
        get: fn(&Settings) -> &Vec<u8>,
        set: fn(&mut Settings, Vec<u8>),
    },
    Button {
        press: fn(&mut Settings),
    },
}

/// One row of the table.
struct UsiOption {
    name: &'static str,
    /// Other names that GUIs and bridges send.
    aliases: &'static [&'static str],
    kind: Kind,
}

impl UsiOption {
    const fn new(name: &'static str, kind: Kind) -> UsiOption {
        UsiOption {
            name,
            aliases: &[],
            kind,
        }
    }

    const fn alias(mut self, aliases: &'static [&'static str]) -> UsiOption {
        self.aliases = aliases;
        self
    }
}

/// A spin option for a field of [`Settings`] of any integer type.
macro_rules! spin {
    ($name:literal, $range:expr, $($field:tt)+) => {
        UsiOption::new(
            $name,
            Kind::Spin {
                range: $range,
                get: |settings| settings.$($field)+ as i64,
                set: |settings, value| settings.$($field)+ = value as _,
            },
        )
    };
}

/// A check option for a field of [`Settings`].
macro_rules! check {
    ($name:literal, $($field:tt)+) => {
        UsiOption::new(
            $name,
            Kind::Check {
                get: |settings| settings.$($field)+,
                set: |settings, value| settings.$($field)+ = value,
            },
        )
    };
}

/// The table, in the order GUIs show it.
static OPTIONS: [UsiOption; 22] = [
    spin!("USI_Hash", 1..=MAX_HASH, hash).alias(&["Hash"]),
    spin!("Threads", 1..=MAX_THREADS, threads).alias(&["NumberOfThreads"]),
    check!("USI_Ponder", search.ponder).alias(&["Ponder"]),
    spin!("MultiPV", 1..=MAX_MULTI_PV, search.multi_pv).alias(&["USI_MultiPV"]),
    UsiOption::new(
        "EvalDir",
        Kind::Path {
            usi_type: "string",
            get: |settings| &settings.eval_dir,
            set: |settings, path| settings.eval_dir = path,
        },
    ),
    UsiOption::new(
        "EvalFile",
        Kind::Path {
            usi_type: "filename",
            get: |settings| &settings.eval_file,
            set: |settings, path| settings.eval_file = path,
        },
    ),
    spin!("FV_SCALE", 0..=128, fv_scale),
    UsiOption::new(
        "EnteringKingRule",
        Kind::EnteringKingRule {
            get: |settings| settings.search.entering_king_rule,
            set: |settings, rule| settings.search.entering_king_rule = rule,
        },
    ),
    spin!("MaxMovesToDraw", 0..=100_000, search.max_moves_to_draw),
    spin!(
        "DrawValueBlack",
        -MAX_DRAW_VALUE..=MAX_DRAW_VALUE,
        search.draw_value[0]
    ),
    spin!(
        "DrawValueWhite",
        -MAX_DRAW_VALUE..=MAX_DRAW_VALUE,
        search.draw_value[1]
    ),
    spin!("ResignValue", 1..=99_999, search.resign_value),
    check!("GenerateAllLegalMoves", search.generate_all_legal_moves),
    spin!("NetworkDelay", 0..=10_000, search.network_delay),
    spin!("NetworkDelay2", 0..=10_000, search.network_delay2),
    spin!(
        "MinimumThinkingTime",
        0..=100_000,
        search.minimum_thinking_time
    ),
    spin!("SlowMover", 1..=1000, search.slow_mover),
    check!("RoundUpToFullSecond", search.round_up_to_full_second),
    spin!("PvInterval", 0..=100_000_000, search.pv_interval),
    spin!("DepthLimit", 0..=MAX_PLY as i64, depth_limit),
    spin!("NodesLimit", 0..=MAX_NODES, nodes_limit),
    UsiOption::new(
        "Clear_Hash",
        Kind::Button {
            press: |settings| settings.clear_hash = true,
        },
    )
    .alias(&["Clear Hash"]),
];

/// Book options that GUIs send whether offered or not: ignored, as there is no book.
const IGNORED: [&str; 4] = ["USI_OwnBook", "OwnBook", "BookFile", "BookDir"];
/// How GUIs write an empty string.
const EMPTY: &str = "<empty>";

fn find(name: &str) -> Result<&'static UsiOption, UsiError> {
    let mut options = OPTIONS.iter();
    let option = options.find(|option| {
        let mut names = option.aliases.iter().chain([&option.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    });
    option.ok_or_else(|| UsiError::UnknownOption(truncate(name)))
}

impl UsiOption {
    /// The current value as text; empty for a button.
    fn value(&self, settings: &Settings) -> String {
        match &self.kind {
            Kind::Spin { get, .. } => get(settings).to_string(),
            Kind::Check { get, .. } => get(settings).to_string(),
            Kind::EnteringKingRule { get, .. } => get(settings).to_string(),
            Kind::Path { get, .. } => match get(settings).as_slice() {
                [] => EMPTY.into(),
                path => String::from_utf8_lossy(path).into_owned(),
            },
            Kind::Button { .. } => String::new(),
        }
    }

    /// The line of the answer to `usi`.
    fn declaration(&self) -> String {
        let name = self.name;
        let default = self.value(&Settings::default());
        match &self.kind {
            Kind::Spin { range, .. } => {
                let (min, max) = (range.start(), range.end());
                format!("option name {name} type spin default {default} min {min} max {max}")
            }
            Kind::Check { .. } => format!("option name {name} type check default {default}"),
            Kind::EnteringKingRule { .. } => {
                let values = EnteringKingRule::ALL.map(|rule| rule.to_string());
                let values = values.join(" var ");
                format!("option name {name} type combo default {default} var {values}")
            }
            Kind::Path { usi_type, .. } => {
                format!("option name {name} type {usi_type} default {default}")
            }
            Kind::Button { .. } => format!("option name {name} type button"),
        }
    }

    /// Sets the value, given as bytes: paths need not be UTF-8.
    fn set(&self, settings: &mut Settings, value: &[u8]) -> Result<(), UsiError> {
        let text = String::from_utf8_lossy(value);
        let current = self.value(settings);
        let refuse = |expected: String| {
            Err(UsiError::OptionValue {
                name: self.name,
                value: truncate(&text),
                expected,
                current,
            })
        };
        match &self.kind {
            Kind::Spin { range, set, .. } => {
                let Some(number) = parse_number(&text) else {
                    return refuse("a number".into());
                };
                let clamped = number.clamp(*range.start(), *range.end());
                set(settings, clamped);
                if clamped != number {
                    return Err(UsiError::OptionOutOfRange {
                        name: self.name,
                        value: truncate(&text),
                        clamped,
                    });
                }
            }
            Kind::Check { set, .. } => match text.to_ascii_lowercase().parse() {
                Ok(value) => set(settings, value),
                Err(_) => return refuse("true or false".into()),
            },
            Kind::EnteringKingRule { set, .. } => match text.parse() {
                Ok(rule) => set(settings, rule),
                Err(()) => {
                    return refuse(EnteringKingRule::ALL.map(|rule| rule.to_string()).join("|"));
                }
            },
            Kind::Path { set, .. } if text == EMPTY => set(settings, Vec::new()),
            Kind::Path { set, .. } => set(settings, value.to_vec()),
            Kind::Button { press } => press(settings),
        }
        Ok(())
    }
}

impl Settings {
    /// Sets an option by name, in upper or lower case.
    ///
    /// # Errors
    /// When there is no such option, or the value is not of its type. A number out of range is an
    /// error too, but sets the option to the nearest number in range.
    pub fn set(&mut self, name: &str, value: Option<&[u8]>) -> Result<(), UsiError> {
        let value = value.unwrap_or_default();
        if IGNORED.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        #[cfg(feature = "tune")]
        if let Some(result) = super::tunables::set(name, &String::from_utf8_lossy(value)) {
            return result;
        }
        let found = find(name);
        // `setoption USI_Hash 16` lacks the words in between.
        if let (Err(_), Some((first, rest))) = (&found, name.split_once(' '))
            && let Ok(option) = find(first)
        {
            return Err(UsiError::OptionForm(option.name, truncate(rest)));
        }
        found?.set(self, value)
    }

    /// Names and values: of one option, or of all.
    ///
    /// # Errors
    /// When there is no option of that name.
    pub fn describe(&self, name: Option<&str>) -> Result<Vec<String>, UsiError> {
        let line =
            |option: &UsiOption| format!("Options[{}] == {}", option.name, option.value(self));
        match name {
            Some(name) => Ok(vec![line(find(name)?)]),
            None => Ok(OPTIONS.iter().map(line).collect()),
        }
    }
}

/// The `option` lines of the answer to `usi`.
pub fn declarations() -> impl Iterator<Item = String> {
    let lines = OPTIONS.iter().map(UsiOption::declaration);
    #[cfg(feature = "tune")]
    let lines = lines.chain(super::tunables::declarations());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_word_and_lines_are_ascii() {
        for line in declarations() {
            assert!(line.is_ascii(), "{line}");
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words[3], "type", "{line}");
            assert!(!words.contains(&""), "{line}");
        }
    }

    #[test]
    fn defaults_lie_in_their_ranges_and_can_be_sent_back() {
        for option in &OPTIONS {
            let mut settings = Settings::default();
            let default = option.value(&settings);
            assert_eq!(
                option.set(&mut settings, default.as_bytes()),
                Ok(()),
                "{}",
                option.name
            );
            settings.clear_hash = false;
            assert_eq!(settings, Settings::default(), "{}", option.name);
        }
    }

    #[test]
    fn every_spin_keeps_both_ends_of_its_range() {
        for option in &OPTIONS {
            let Kind::Spin { range, .. } = &option.kind else {
                continue;
            };
            for end in [range.start(), range.end()] {
                let mut settings = Settings::default();
                assert_eq!(
                    option.set(&mut settings, end.to_string().as_bytes()),
                    Ok(())
                );
                assert_eq!(option.value(&settings), end.to_string(), "{}", option.name);
            }
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_by_their_aliases() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("multipv", Some(b"3")), Ok(()));
        assert_eq!(settings.search.multi_pv, 3);
        assert_eq!(settings.set("USI_MULTIPV", Some(b"4")), Ok(()));
        assert_eq!(settings.search.multi_pv, 4);
        assert_eq!(settings.set("Hash", Some(b"32")), Ok(()));
        assert_eq!(settings.hash, 32);
        assert_eq!(settings.set("enteringkingrule", Some(b"csarule24")), Ok(()));
        assert_eq!(
            settings.search.entering_king_rule,
            EnteringKingRule::CSARule24
        );
    }

    #[test]
    fn bad_values_are_rejected_or_clamped() {
        let mut settings = Settings::default();
        let rejected = settings.set("USI_Ponder", Some(b"")).unwrap_err();
        assert_eq!(
            rejected.to_string(),
            "setoption USI_Ponder: expected true or false, found no value; keeping false"
        );
        assert!(settings.set("Threads", Some(b"many")).is_err());
        let form = settings.set("usi_hash 16", None).unwrap_err();
        assert_eq!(
            form.to_string(),
            "setoption: expected `setoption name USI_Hash value 16`"
        );
        assert!(settings.set("EnteringKingRule", Some(b"x")).is_err());
        assert!(settings.set("NoSuchThing", None).is_err());
        assert_eq!(settings, Settings::default());
        let clamped = settings.set("threads", Some("9".repeat(31).as_bytes()));
        assert!(matches!(
            clamped,
            Err(UsiError::OptionOutOfRange { clamped: 1024, .. })
        ));
        assert_eq!(settings.threads, 1024);
    }

    #[test]
    fn book_options_are_ignored_and_paths_are_kept_as_bytes() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("USI_OwnBook", Some(b"true")), Ok(()));
        assert_eq!(settings.set("BookFile", Some(b"no_book")), Ok(()));
        assert_eq!(settings, Settings::default());
        assert_eq!(
            settings.set("EvalFile", Some(b"C:\\\x91\xBE\\nn.bin")),
            Ok(())
        );
        assert_eq!(settings.eval_file, b"C:\\\x91\xBE\\nn.bin");
        assert_eq!(settings.set("evaldir", Some(b"a b")), Ok(()));
        assert_eq!(settings.eval_dir, b"a b");
        for nothing in [Some(&b"<empty>"[..]), Some(b""), None] {
            assert_eq!(settings.set("EvalFile", nothing), Ok(()));
            assert_eq!(settings.set("EvalDir", nothing), Ok(()));
            assert_eq!(settings, Settings::default());
        }
    }

    #[test]
    fn current_values_are_listed() {
        let settings = Settings::default();
        assert_eq!(
            settings.describe(Some("usi_hash")),
            Ok(vec!["Options[USI_Hash] == 256".to_string()])
        );
        assert_eq!(settings.describe(None).map(|lines| lines.len()), Ok(22));
        assert!(settings.describe(Some("x")).is_err());
    }
}
