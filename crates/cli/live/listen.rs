//! `--listen`: the metrics of a live capture for Prometheus, over HTTP.
//!
//! The address is bound with the rights that the user gave; the thread that answers has none
//! ([`Rights::start_listener`](crate::rights::Rights::start_listener)). It waits for all who are
//! connected, answers who has asked, one after the other, and reads no capture.

use crate::failure::Failure;
use prometheus_client::encoding::{prometheus_protobuf, prometheus_text, text};
use prometheus_client::registry::Registry;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long a client may take to ask, and again to take the answer.
const DEADLINE: Duration = Duration::from_secs(2);

/// Bytes of a request; a longer one is refused.
const REQUEST: usize = 8192;

/// Connections that have not asked yet. The first of them goes where there would be more.
const ASKING: usize = 64;

/// Between two looks at who is connected and has not asked.
const TURN: Duration = Duration::from_millis(10);

/// After a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// An address that is bound.
pub(super) struct Listener(TcpListener);

impl Listener {
    /// Binds the address.
    pub(super) fn bind(address: SocketAddr) -> Result<Self, Failure> {
        TcpListener::bind(address).map(Self).map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrNotAvailable => {
                    "name an address of this machine, as 127.0.0.1 or 0.0.0.0 for all"
                }
                io::ErrorKind::PermissionDenied => "name a port above 1023",
                _ => "name another port, or 127.0.0.1:0 for any",
            };
            Failure::Cannot(format!("--listen {address}: {error}; {advice}"))
        })
    }

    /// Where it listens: the port that the system chose, if it was 0.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers until the program ends.
    pub(super) fn serve(self, registry: &Registry) {
        let mut asking: Vec<Asking> = Vec::new();
        loop {
            let came = self.take(&mut asking);
            let before = asking.len();
            let now = Instant::now();
            let each = std::mem::take(&mut asking).into_iter();
            let left = each.filter(|one| one.until > now);
            asking.extend(left.filter_map(|one| one.read(registry)));
            if !came && asking.len() == before {
                std::thread::sleep(TURN);
            }
        }
    }

    /// Takes the next connection, for which it waits if there is no other one. Whether there was one.
    fn take(&self, asking: &mut Vec<Asking>) -> bool {
        let mode = self.0.set_nonblocking(!asking.is_empty());
        match mode.and_then(|()| self.0.accept()) {
            Ok((stream, _)) => {
                if asking.len() >= ASKING {
                    asking.remove(0);
                }
                asking.extend(Asking::new(stream).ok());
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(_) => {
                std::thread::sleep(PAUSE);
                false
            }
        }
    }
}

/// A connection that has not asked yet.
struct Asking {
    stream: TcpStream,
    head: Vec<u8>,
    until: Instant,
}

impl Asking {
    fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            head: Vec::new(),
            until: Instant::now() + DEADLINE,
        })
    }

    /// Reads what has come, and answers where that is all of it. A client that closes its connection
    /// early harms nobody.
    fn read(mut self, registry: &Registry) -> Option<Self> {
        let mut piece = [0; 1024];
        match self.stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(n) => self.head.extend(piece.iter().take(n)),
            Err(error) => {
                use io::ErrorKind::{Interrupted, WouldBlock};
                return matches!(error.kind(), Interrupted | WouldBlock).then_some(self);
            }
        }
        if self.head.windows(4).any(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&self.head);
            drop(answer(&self.stream, &head, registry));
            return None;
        }
        (self.head.len() <= REQUEST).then_some(self)
    }
}

fn answer(mut stream: &TcpStream, head: &str, registry: &Registry) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(DEADLINE))?;
    let reply = Reply::to(head, registry);
    write!(
        stream,
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len()
    )?;
    if !head.starts_with("HEAD ") {
        stream.write_all(&reply.body)?;
    }
    stream.shutdown(std::net::Shutdown::Write)
}

/// What metrics are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The text of Prometheus: what everyone reads.
    Plain,
    OpenMetrics,
    /// The binary format of Prometheus, which alone has native histograms.
    Protobuf,
}

const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PROTOBUF: &str = "application/vnd.google.protobuf; \
    proto=io.prometheus.client.MetricFamily; encoding=delimited";

impl Form {
    /// What the client would rather have (RFC 9110, 12.5.1); the first of those that it likes best.
    fn wanted(head: &str) -> Self {
        let mut best = (Self::Plain, 0.0);
        for line in head.lines() {
            let line = line.to_ascii_lowercase();
            let ranges = line.strip_prefix("accept:").unwrap_or_default().split(',');
            for range in ranges {
                let mut parts = range.split(';').map(str::trim);
                let media = parts.next().unwrap_or_default();
                let parts: Vec<&str> = parts.map(|part| part.trim_matches('"')).collect();
                let quality = parts.iter().find_map(|part| part.strip_prefix("q="));
                let quality = quality.map_or(Ok(1.0), str::parse::<f32>).unwrap_or(0.0);
                let form = match media {
                    "application/vnd.google.protobuf"
                        if parts.contains(&"proto=io.prometheus.client.metricfamily")
                            && parts.contains(&"encoding=delimited") =>
                    {
                        Self::Protobuf
                    }
                    "application/openmetrics-text" => Self::OpenMetrics,
                    "text/plain" | "text/*" | "*/*" => Self::Plain,
                    _ => continue,
                };
                if quality > best.1 {
                    best = (form, quality);
                }
            }
        }
        best.0
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Plain => PLAIN,
            Self::OpenMetrics => OPEN_METRICS,
            Self::Protobuf => PROTOBUF,
        }
    }

    /// The metrics; `None` if one of them cannot be written so.
    fn write(self, registry: &Registry) -> Option<Vec<u8>> {
        let mut body = String::new();
        match self {
            Self::Plain => prometheus_text::encode(&mut body, registry).ok()?,
            Self::OpenMetrics => text::encode(&mut body, registry).ok()?,
            Self::Protobuf => return prometheus_protobuf::encode_to_vec(registry).ok(),
        }
        Some(in_order(&body).into_bytes())
    }
}

/// The samples of each metric in the order of their labels: a metric has them in that of hashes, which differs from run to run.
fn in_order(body: &str) -> String {
    let mut lines: Vec<&str> = body.lines().collect();
    for samples in lines.split_mut(|line| line.starts_with('#')) {
        samples.sort_by_key(|line| series(line));
    }
    let mut body = lines.join("\n");
    body.push('\n');
    body
}

/// The labels of a sample without the end of its bucket, which stands before them: the buckets of a histogram stay in their order.
fn series(sample: &str) -> &str {
    let labels = sample.split_once('{').map_or("", |(_, labels)| labels);
    let labels = labels.rsplit_once('}').map_or("", |(labels, _)| labels);
    let behind = labels
        .strip_prefix("le=\"")
        .and_then(|end| end.split_once('"'));
    behind.map_or(labels, |(_, others)| {
        others.strip_prefix(',').unwrap_or(others)
    })
}

struct Reply {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
}

impl Reply {
    fn to(head: &str, registry: &Registry) -> Self {
        let mut words = head.split(' ');
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        if !matches!(method, "GET" | "HEAD") {
            return Self::of("405 Method Not Allowed", "GET /metrics\n");
        }
        if path != "/metrics" {
            return Self::of("404 Not Found", "/metrics\n");
        }
        let form = Form::wanted(head);
        match form.write(registry) {
            Some(body) => Self {
                status: "200 OK",
                kind: form.kind(),
                body,
            },
            None => Self::of("500 Internal Server Error", ""),
        }
    }

    fn of(status: &'static str, body: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: body.as_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(request: &str) -> (String, String) {
        let registry = Registry::default();
        let reply = Reply::to(request, &registry);
        (reply.status.to_owned(), reply.kind.to_owned())
    }

    #[test]
    fn samples_have_an_order_of_their_own() {
        let as_hashed = "# TYPE x histogram\n\
             x_sum{server=\"b\"} 2\nx_bucket{le=\"0.5\",server=\"b\"} 1\nx_bucket{le=\"10.0\",server=\"b\"} 2\n\
             x_sum{server=\"a\"} 1\nx_bucket{le=\"0.5\",server=\"a\"} 3\nx_bucket{le=\"10.0\",server=\"a\"} 4\n\
             # TYPE y counter\ny_total{of=\"2\"} 1\ny_total{of=\"1\"} 5\n# EOF\n";
        let ordered = "# TYPE x histogram\n\
             x_sum{server=\"a\"} 1\nx_bucket{le=\"0.5\",server=\"a\"} 3\nx_bucket{le=\"10.0\",server=\"a\"} 4\n\
             x_sum{server=\"b\"} 2\nx_bucket{le=\"0.5\",server=\"b\"} 1\nx_bucket{le=\"10.0\",server=\"b\"} 2\n\
             # TYPE y counter\ny_total{of=\"1\"} 5\ny_total{of=\"2\"} 1\n# EOF\n";
        assert_eq!(in_order(as_hashed), ordered);
    }

    #[test]
    fn only_metrics_are_given_out() {
        let ok = "200 OK".to_owned();
        assert_eq!(
            asked("GET /metrics HTTP/1.1\r\n\r\n"),
            (ok.clone(), PLAIN.into())
        );
        assert_eq!(asked("HEAD /metrics?x=1 HTTP/1.0\r\n\r\n").0, ok);
        let open =
            "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n";
        assert_eq!(asked(open), (ok, OPEN_METRICS.into()));
        assert_eq!(asked("GET / HTTP/1.1\r\n\r\n").0, "404 Not Found");
        assert_eq!(
            asked("GET /../etc/passwd HTTP/1.1\r\n\r\n").0,
            "404 Not Found"
        );
        assert_eq!(
            asked("POST /metrics HTTP/1.1\r\n\r\n").0,
            "405 Method Not Allowed"
        );
        assert_eq!(asked("\r\n\r\n").0, "405 Method Not Allowed");
    }

    /// What Prometheus 2.42 asks for, without and with native histograms, and what others do.
    #[test]
    fn a_client_gets_what_it_likes_best() {
        let protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;\
            encoding=delimited";
        let texts = "application/openmetrics-text;version=1.0.0;q=0.8,\
            application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        for (accept, form) in [
            (texts.to_owned(), Form::OpenMetrics),
            (format!("{protobuf},{texts}"), Form::Protobuf),
            (format!("{protobuf};q=0.4,{texts}"), Form::OpenMetrics),
            (format!("{protobuf};q=0"), Form::Plain),
            // Another message, and another framing.
            (
                "application/vnd.google.protobuf;proto=x;encoding=delimited".into(),
                Form::Plain,
            ),
            (protobuf.replace("delimited", "text"), Form::Plain),
            ("text/html, */*;q=0.8".into(), Form::Plain),
            (
                "text/plain;q=1, application/openmetrics-text;q=x".into(),
                Form::Plain,
            ),
            (String::new(), Form::Plain),
        ] {
            let head = format!("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: {accept}\r\n\r\n");
            assert_eq!(Form::wanted(&head), form, "{accept}");
            assert_eq!(asked(&head), ("200 OK".to_owned(), form.kind().to_owned()));
        }
    }

    #[test]
    fn clients_that_say_nothing_keep_nobody_waiting() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address().unwrap();
        std::thread::spawn(move || listener.serve(&Registry::default()));
        // One after the other they would take minutes.
        let silent: Vec<_> = (0..2 * ASKING)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        let mut next = TcpStream::connect(address).unwrap();
        next.set_read_timeout(Some(10 * DEADLINE)).unwrap();
        next.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut reply = String::new();
        next.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
        drop(silent);
    }

    #[test]
    fn a_taken_port_is_said() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address().unwrap();
        let Err(Failure::Cannot(text)) = Listener::bind(address) else {
            panic!("the port is taken");
        };
        assert!(text.contains(&address.to_string()), "{text}");
    }
}
