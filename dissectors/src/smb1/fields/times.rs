//! Times as the older dialects write them. MS-CIFS 2.2.1.4.

use crate::calendar::civil;
use std::fmt;

/// UTIME: seconds since 1970-01-01, in the server's local time (MS-CIFS 2.2.1.4.3).
pub(super) struct Seconds(pub(super) u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => return f.write_str("not given"),
            u32::MAX => return f.write_str("leave as it is"),
            _ => {}
        }
        let (day, second) = (self.0 / 86_400, self.0 % 86_400);
        let (year, month, day) = civil(day.into());
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} local",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

/// SMB_DATE: year since 1980, month, day (MS-CIFS 2.2.1.4.1).
pub(super) struct DosDate(pub(super) u16);

impl fmt::Display for DosDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("not given");
        }
        let (year, month, day) = (self.0 >> 9, self.0 >> 5 & 15, self.0 & 31);
        write!(f, "{:04}-{month:02}-{day:02}", 1980 + year)
    }
}

/// SMB_TIME: hours, minutes, half seconds, local (MS-CIFS 2.2.1.4.2).
pub(super) struct DosTime(pub(super) u16);

impl fmt::Display for DosTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes, pairs) = (self.0 >> 11, self.0 >> 5 & 63, self.0 & 31);
        write!(f, "{hours:02}:{minutes:02}:{:02} local", 2 * pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_others_know() {
        assert_eq!(
            Seconds(951_827_696).to_string(),
            "2000-02-29 12:34:56 local"
        );
        assert_eq!(Seconds(0).to_string(), "not given");
        assert_eq!(Seconds(u32::MAX).to_string(), "leave as it is");
        // 1998-05-12: 18 << 9 | 5 << 5 | 12; 17:03:58: 17 << 11 | 3 << 5 | 29.
        assert_eq!(DosDate(0x24ac).to_string(), "1998-05-12");
        assert_eq!(DosTime(0x887d).to_string(), "17:03:58 local");
        assert_eq!(DosDate(0xffff).to_string(), "2107-15-31");
    }
}
