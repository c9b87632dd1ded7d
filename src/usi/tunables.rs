//! The numbers of the search as options, for tuners (cargo feature `tune`).

use super::error::{UsiError, clip};
use super::number::parse_number;
use crate::search::params;
use std::sync::atomic::Ordering;

/// The `option` lines of all numbers.
pub fn declarations() -> impl Iterator<Item = String> {
    params::all().into_iter().map(|param| {
        format!(
            "option name {} type spin default {} min {} max {}",
            param.name, param.default, param.min, param.max
        )
    })
}

/// Sets a number, clamped to its range; `None` when there is none of that name.
pub fn set(name: &str, value: &str) -> Option<Result<(), UsiError>> {
    let mut params = params::all().into_iter();
    let param = params.find(|param| param.name.eq_ignore_ascii_case(name))?;
    let Some(number) = parse_number(value) else {
        return Some(Err(UsiError::OptionValue {
            name: param.name,
            value: clip(value),
            expected: "a number".into(),
            current: param.value.load(Ordering::Relaxed).to_string(),
        }));
    };
    let taken = number.clamp(param.min.into(), param.max.into());
    param.value.store(taken as i32, Ordering::Relaxed);
    Some(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_set_within_their_range() {
        let param = &params::all()[0];
        assert_eq!(set(param.name, "999999999"), Some(Ok(())));
        assert_eq!(param.value.load(Ordering::Relaxed), param.max);
        assert_eq!(set(param.name, &param.default.to_string()), Some(Ok(())));
        assert!(matches!(set(param.name, "x"), Some(Err(_))));
        assert_eq!(set("nothing", "1"), None);
    }
}
