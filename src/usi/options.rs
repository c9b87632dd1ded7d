//! Everything that can be set, from one [`table`]: name, kind, range, and where the value is kept.
//!
//! The defaults are those of [`Settings::default`]. Names are those of YaneuraOu where it has
//! one, because GUIs know and translate them; they are one word each, because some GUIs cut names
//! at a blank.

mod table;

use super::error::{UsiError, clip};
use super::number::parse_number;
use crate::position::EnteringKingRule;
use crate::search::{self, SearchOptions};
use std::fmt::Write;
use table::{Kind, OPTIONS, UsiOption};

/// Largest hash table, in megabytes.
pub const MAX_HASH: i64 = 33_554_432;
/// Most search threads.
pub const MAX_THREADS: i64 = search::MAX_THREADS as i64;

/// The values in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Hash table, in megabytes.
    pub hash: usize,
    /// Search threads. One unless told otherwise: searches repeat exactly, and an engine match
    /// on a shared machine takes no more than its share.
    pub threads: usize,
    /// What is handed to each search.
    pub search: SearchOptions,
    /// Deepest iteration of every search, in plies; 0 for no limit.
    pub depth_limit: usize,
    /// Nodes of every search; 0 for no limit.
    pub nodes_limit: u64,
    /// Whether the hash table is to be cleared before the next search.
    pub clear_hash: bool,
    /// Folder of the network to evaluate with, as bytes; empty for none.
    pub eval_dir: Vec<u8>,
    /// The network's file, in that folder or anywhere, as bytes; empty for `nn.bin` of the folder.
    pub eval_file: Vec<u8>,
    /// What the network's output is divided by; 0 for what its files say.
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

/// Names that are sent by habit, offered or not, about books this engine does not have.
const IGNORED: [&str; 4] = ["USI_OwnBook", "OwnBook", "BookFile", "BookDir"];
/// How GUIs write an empty text.
const EMPTY: &str = "<empty>";

fn find(name: &str) -> Option<&'static UsiOption> {
    OPTIONS.iter().find(|option| {
        let mut names = option.aliases.iter().chain([&option.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    })
}

/// A path as GUIs write it.
fn path(value: &[u8]) -> Vec<u8> {
    if value == EMPTY.as_bytes() {
        Vec::new()
    } else {
        value.to_vec()
    }
}

impl UsiOption {
    /// The value in force, as text; empty for a button.
    fn value(&self, settings: &Settings) -> String {
        match &self.kind {
            Kind::Spin { get, .. } => get(settings).to_string(),
            Kind::Check { get, .. } => get(settings).to_string(),
            Kind::Rule { get, .. } => get(settings).to_string(),
            Kind::Path { get, .. } => match get(settings).as_slice() {
                [] => EMPTY.into(),
                path => String::from_utf8_lossy(path).into_owned(),
            },
            Kind::Button { .. } => String::new(),
        }
    }

    /// The line of the answer to `usi`.
    fn declaration(&self) -> String {
        let default = self.value(&Settings::default());
        let name = self.name;
        match &self.kind {
            Kind::Spin { range, .. } => format!(
                "option name {name} type spin default {default} min {} max {}",
                range.start(),
                range.end()
            ),
            Kind::Check { .. } => format!("option name {name} type check default {default}"),
            Kind::Rule { .. } => {
                let mut line = format!("option name {name} type combo default {default}");
                for rule in EnteringKingRule::ALL {
                    let _ = write!(line, " var {rule}");
                }
                line
            }
            Kind::Path { usi, .. } => format!("option name {name} type {usi} default {default}"),
            Kind::Button { .. } => format!("option name {name} type button"),
        }
    }

    /// Sets the option to a value that need not be text, as paths are not.
    fn set_bytes(&self, settings: &mut Settings, value: &[u8]) -> Result<(), UsiError> {
        if let Kind::Path { set, .. } = &self.kind {
            set(settings, path(value));
            return Ok(());
        }
        self.set(settings, &String::from_utf8_lossy(value))
    }

    fn set(&self, settings: &mut Settings, value: &str) -> Result<(), UsiError> {
        let refused = |expected: String| UsiError::OptionValue {
            name: self.name,
            value: clip(value),
            expected,
            current: self.value(settings),
        };
        match &self.kind {
            Kind::Spin { range, set, .. } => {
                let number = parse_number(value).ok_or_else(|| refused("a number".into()))?;
                let taken = number.clamp(*range.start(), *range.end());
                set(settings, taken);
                if taken != number {
                    return Err(UsiError::OptionRange {
                        name: self.name,
                        value: clip(value),
                        taken,
                    });
                }
            }
            Kind::Check { set, .. } => match value.to_ascii_lowercase().as_str() {
                "true" => set(settings, true),
                "false" => set(settings, false),
                _ => return Err(refused("true or false".into())),
            },
            Kind::Rule { set, .. } => match value.parse() {
                Ok(rule) => set(settings, rule),
                Err(()) => {
                    let names = EnteringKingRule::ALL.map(EnteringKingRule::name);
                    return Err(refused(format!("one of {}", names.join(", "))));
                }
            },
            Kind::Path { set, .. } => set(settings, path(value.as_bytes())),
            Kind::Button { press } => press(settings),
        }
        Ok(())
    }
}

impl Settings {
    /// Sets an option by name, upper or lower case.
    ///
    /// # Errors
    /// When there is no such option, or the value is not one of its kind. A number out of range
    /// is an error too, but the nearest one in range is in force afterwards.
    pub fn set(&mut self, name: &str, value: Option<&[u8]>) -> Result<(), UsiError> {
        let value = value.unwrap_or_default();
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if let Some(option) = find(name) {
            return option.set_bytes(self, value);
        }
        #[cfg(feature = "tune")]
        if let Some(result) = super::tunables::set(name, &String::from_utf8_lossy(value)) {
            return result;
        }
        if !is_one_of(&IGNORED) {
            return Err(UsiError::UnknownOption(clip(name)));
        }
        Ok(())
    }

    /// Names and values in force: of one option, or of all.
    ///
    /// # Errors
    /// When there is no option of that name.
    pub fn describe(&self, name: Option<&str>) -> Result<Vec<String>, UsiError> {
        let describe =
            |option: &UsiOption| format!("Options[{}] == {}", option.name, option.value(self));
        match name {
            Some(name) => find(name)
                .map(|option| vec![describe(option)])
                .ok_or_else(|| UsiError::UnknownOption(clip(name))),
            None => Ok(OPTIONS.iter().map(describe).collect()),
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
mod tests;
