//! Seconds since 1970 as people and standards write them. No time zones, no leap seconds, no locale.

/// The last second that has a year of four digits.
const LAST: u64 = 253_402_300_799;

/// As `2026-11-16T04:05:06Z`; times beyond the year 9999 become its last second.
pub(crate) fn timestamp(seconds: u64) -> String {
    let seconds = seconds.min(LAST);
    let (year, month, day) = date(seconds / 86_400);
    let clock = seconds % 86_400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", clock / 3600, clock / 60 % 60, clock % 60)
}

/// As `2026-11-16 04:05 UTC`, for people.
pub(crate) fn readable(seconds: u64) -> String {
    let timestamp = timestamp(seconds);
    format!("{} {} UTC", &timestamp[..10], &timestamp[11..16])
}

/// Year, month and day, from days since 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March have their leap day at the end, and the months before it repeat every five: 153 days.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day_of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_date() {
        // Compared with `date --utc --date @… +%FT%TZ`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
        }
        assert_eq!(readable(951_782_399), "2000-02-28 23:59 UTC");
    }

    #[test]
    fn every_day_of_eight_centuries_follows_the_one_before() {
        let mut before = date(0);
        for days in 1..300_000 {
            let (year, month, day) = date(days);
            let next_day = (year, month, day) == (before.0, before.1, before.2 + 1) && day <= 31;
            let next_month = day == 1 && before.2 >= 28 && (year, month) == (before.0, before.1 + 1);
            let next_year = (month, day) == (1, 1) && before == (year - 1, 12, 31);
            assert!(next_day || next_month || next_year, "{before:?} and then {:?}", (year, month, day));
            before = (year, month, day);
        }
    }
}
