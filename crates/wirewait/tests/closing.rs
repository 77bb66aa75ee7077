//! The end of a capture closes all that is open: its records are counted batch by batch, so that
//! they take no more room than while frames come.

use std::sync::{Arc, Mutex};
use wirewait::{Analyzer, Driver, Frame, LinkType, Settings, Timestamp, registry};
use wirewait_model::Figures;
use wirewait_model::records::{Entities, Moment, Records};
use wirewait_stats::Collector;

const CLIENTS: u16 = 3_000;

/// The most moments and groups at once, and how many waits ended.
#[derive(Default)]
struct Seen {
    moments: usize,
    groups: usize,
    ended: usize,
    requests: u64,
}

struct Watching(Arc<Mutex<Seen>>);

impl Collector for Watching {
    fn batch(&mut self, records: &Records<'_>) {
        let mut seen = self.0.lock().unwrap();
        seen.moments = seen.moments.max(records.moments.len());
        seen.groups = seen.groups.max(records.groups.len());
        let ends = records.moments.iter();
        seen.ended += ends.filter(|m| matches!(m, Moment::Ends(_))).count();
        let groups = records.groups.iter();
        seen.requests += groups.map(|group| group.counts.requests).sum::<u64>();
    }

    fn write(&self, _: &dyn Entities, _: &mut Figures) {}
}

/// A request to read from a file, by this client: NCP in IPX in Ethernet II.
fn request(client: u16) -> Vec<u8> {
    let [high, low] = client.to_be_bytes();
    let server = [2, 0, 0, 0, 0, 1];
    let station = [2, 0, 0, 1, high, low];
    let mut bytes = [&server[..], &station, &[0x81, 0x37]].concat();
    // IPX: no checksum, 50 bytes, no router passed, NCP; to socket 0451 from 4003.
    bytes.extend([0xff, 0xff, 0, 50, 0, 0x11]);
    bytes.extend([&[0, 0, 0, 1][..], &server, &[0x04, 0x51]].concat());
    bytes.extend([&[0, 0, 0, 2][..], &station, &[0x40, 0x03]].concat());
    // NCP: the first request of connection 1, function 72; handle, offset 0, 512 bytes.
    bytes.extend([0x22, 0x22, 1, 1, 1, 0, 72, 0, 1, 0, 0, 0, 0, 0]);
    bytes.extend([0, 0, 0, 0, 2, 0]);
    bytes
}

#[test]
fn what_closes_at_the_end_is_counted_batch_by_batch() {
    let mut settings = Settings::default();
    settings.rows = usize::from(CLIENTS) + 1;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let driver = Driver::new(Analyzer::new(registry(), settings));
    let mut driver = driver.collecting(Box::new(Watching(Arc::clone(&seen))));
    for client in 0..CLIENTS {
        let bytes = request(client);
        let frame = Frame {
            at: Timestamp::from_nanos(i64::from(client) * 1_000),
            link: LinkType(1),
            interface: 0,
            wire_len: 64,
            bytes: &bytes,
        };
        driver.frame(&frame, &mut ());
    }
    assert_eq!(seen.lock().unwrap().ended, 0, "all are open");
    driver.finish(&mut ());
    let snapshot = driver.snapshot();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.ended, usize::from(CLIENTS));
    assert_eq!(seen.requests, u64::from(CLIENTS));
    assert_eq!(snapshot.stations.len(), usize::from(CLIENTS));
    // A batch has 512 moments or 16 groups, and what the conversation brought that filled it.
    assert!(seen.moments < 600, "{} moments at once", seen.moments);
    assert!(seen.groups <= 256, "{} groups at once", seen.groups);
}
