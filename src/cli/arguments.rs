//! Arguments of subcommands: `--name value`, `--name=value`, switches, and positional arguments.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Why arguments are rejected.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum ArgumentError {
    /// An option without its value.
    #[error("{0} needs a value")]
    NoValue(&'static str),
    /// An invalid value.
    #[error("{name}: expected {expected}, found `{found}`")]
    BadValue {
        /// The option.
        name: &'static str,
        /// Valid values.
        expected: String,
        /// The value given.
        found: String,
    },
    /// An option given twice.
    #[error("{0} given twice")]
    Twice(&'static str),
    /// Not an option of this command.
    #[error("unknown option {0}")]
    Unknown(String),
    /// A required argument is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// Two options that exclude each other.
    #[error("{0} and {1} cannot be used together")]
    Together(&'static str, &'static str),
}

/// The arguments not yet taken.
pub struct Arguments(Vec<OsString>);

impl Arguments {
    /// All arguments.
    pub fn new(arguments: Vec<OsString>) -> Arguments {
        Arguments(arguments)
    }

    /// Takes a switch; returns whether it was given.
    pub fn switch(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != name);
        self.0.len() < before
    }

    /// Takes the value of an option as it was given.
    ///
    /// # Errors
    /// When it has no value or is given twice.
    fn text(&mut self, name: &'static str) -> Result<Option<OsString>, ArgumentError> {
        let mut taken = None;
        while let Some(at) = self.0.iter().position(|text| is_option(text, name)) {
            let argument = self.0.remove(at);
            let value = match after_equals(&argument, name) {
                Some(value) => value,
                None if at < self.0.len() => self.0.remove(at),
                None => return Err(ArgumentError::NoValue(name)),
            };
            if taken.replace(value).is_some() {
                return Err(ArgumentError::Twice(name));
            }
        }
        Ok(taken)
    }

    /// Takes the value of an option as parsed by `read`, which returns `None` if it is invalid.
    ///
    /// # Errors
    /// When it has no value, is given twice, or is invalid.
    pub fn value<T>(
        &mut self,
        name: &'static str,
        expected: impl FnOnce() -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ArgumentError> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match text.to_str().and_then(read) {
            Some(value) => Ok(Some(value)),
            None => Err(ArgumentError::BadValue {
                name,
                expected: expected(),
                found: text.display().to_string(),
            }),
        }
    }

    /// Takes an option that is a path.
    ///
    /// # Errors
    /// When it has no value or is given twice.
    pub fn path(&mut self, name: &'static str) -> Result<Option<PathBuf>, ArgumentError> {
        match self.text(name)? {
            Some(path) if path.is_empty() => Err(ArgumentError::NoValue(name)),
            path => Ok(path.map(PathBuf::from)),
        }
    }

    /// Takes an option that is a whole number within bounds. It may end with `k` or `M`, for thousands
    /// and millions.
    ///
    /// # Errors
    /// When it has no value, is given twice, or is not a number within bounds.
    pub fn number<T: FromStr + TryFrom<u64> + Into<u64> + Copy>(
        &mut self,
        name: &'static str,
        bounds: RangeInclusive<T>,
    ) -> Result<Option<T>, ArgumentError> {
        let bounds = (*bounds.start()).into()..=(*bounds.end()).into();
        let expected = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        self.value(name, expected, |text| {
            let number = read_number(text).filter(|number| bounds.contains(number))?;
            T::try_from(number).ok()
        })
    }

    /// Takes an option that is a decimal number within bounds.
    ///
    /// # Errors
    /// When it has no value, is given twice, or is not a number within bounds.
    pub fn decimal(
        &mut self,
        name: &'static str,
        bounds: RangeInclusive<f64>,
    ) -> Result<Option<f64>, ArgumentError> {
        let expected = || format!("a number from {} to {}", bounds.start(), bounds.end());
        let read = |text: &str| text.parse().ok().filter(|number| bounds.contains(number));
        self.value(name, expected, read)
    }

    /// The positional arguments, in order.
    ///
    /// # Errors
    /// When an option has not been taken.
    pub fn rest(self) -> Result<Vec<OsString>, ArgumentError> {
        let is_left = |argument: &&OsString| argument.as_encoded_bytes().starts_with(b"--");
        match self.0.iter().find(is_left) {
            Some(option) => Err(ArgumentError::Unknown(option.to_string_lossy().into())),
            None => Ok(self.0),
        }
    }
}

fn is_option(argument: &OsStr, name: &str) -> bool {
    argument
        .as_encoded_bytes()
        .strip_prefix(name.as_bytes())
        .is_some_and(|rest| matches!(rest, [] | [b'=', ..]))
}

/// The value in `--name=value`.
fn after_equals(argument: &OsStr, name: &str) -> Option<OsString> {
    // A path need not be UTF-8.
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let value = argument.as_bytes().get(name.len() + 1..)?;
        Some(OsStr::from_bytes(value).to_os_string())
    }
    #[cfg(not(unix))]
    Some(argument.to_str()?.get(name.len() + 1..)?.into())
}

fn read_number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments {
        Arguments::new(text.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn options_are_taken_in_any_order() {
        let mut arguments = arguments("a --nodes 5k --force --seed=7 b --out=x=y");
        assert!(arguments.switch("--force") && !arguments.switch("--force"));
        assert_eq!(arguments.number("--seed", 0..=u64::MAX), Ok(Some(7)));
        assert_eq!(arguments.number("--nodes", 1..=10_000u32), Ok(Some(5000)));
        assert_eq!(arguments.number("--nodes", 1..=10_000u32), Ok(None));
        assert_eq!(arguments.path("--out"), Ok(Some("x=y".into())));
        let error = Arguments::new(vec!["--out".into(), "".into()]).path("--out");
        assert_eq!(error, Err(ArgumentError::NoValue("--out")));
        assert_eq!(arguments.rest(), Ok(vec!["a".into(), "b".into()]));
    }

    #[test]
    fn decimal_numbers_are_read() {
        let decimal = |text: &str| arguments(text).decimal("--rate", 0.0..=1.0);
        assert_eq!(decimal("--rate 5e-4"), Ok(Some(0.0005)));
        assert_eq!(decimal("--rats 5e-4"), Ok(None));
        assert_eq!(
            decimal("--rate=NaN").unwrap_err().to_string(),
            "--rate: expected a number from 0 to 1, found `NaN`"
        );
        assert!(decimal("--rate 1.1").is_err());
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let number = |text: &str| arguments(text).number("--nodes", 1..=10u32).unwrap_err();
        assert_eq!(number("--nodes").to_string(), "--nodes needs a value");
        assert_eq!(
            number("--nodes 11").to_string(),
            "--nodes: expected a whole number from 1 to 10, found `11`"
        );
        for bad in ["0", "-1", "x", "", "1e3", "99999999999999999999", "9M"] {
            number(&format!("--nodes={bad}"));
        }
        assert_eq!(
            number("--nodes 1 --nodes 2"),
            ArgumentError::Twice("--nodes")
        );
        let unknown = arguments("--nodess 1").rest().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown option --nodess");
    }
}
