//! `--listen`: the metrics of a live capture for Prometheus, over HTTP.
//!
//! The address is bound with the rights that the user gave; the thread that answers has none
//! ([`Rights::start_listener`](crate::rights::Rights::start_listener)). It answers one scrape after
//! the other, each within [`DEADLINE`], and reads no capture.

use crate::failure::Failure;
use prometheus_client::encoding::{prometheus_text, text};
use prometheus_client::registry::Registry;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long a client may take to ask, and again to take the answer.
const DEADLINE: Duration = Duration::from_secs(2);

/// Bytes of a request; a longer one is refused.
const REQUEST: usize = 8192;

/// After a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// An address that is bound.
pub(super) struct Listener(TcpListener);

impl Listener {
    /// Binds the address.
    pub(super) fn bind(address: SocketAddr) -> Result<Self, Failure> {
        TcpListener::bind(address).map(Self).map_err(|error| {
            Failure::Cannot(format!(
                "--listen {address}: {error}; name another port, or 127.0.0.1:0 for any"
            ))
        })
    }

    /// Where it listens: the port that the system chose, if it was 0.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers until the program ends.
    pub(super) fn serve(self, registry: &Registry) {
        loop {
            match self.0.accept() {
                // A client that closes its connection early harms nobody.
                Ok((stream, _)) => drop(answer(stream, registry)),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }
}

fn answer(mut stream: TcpStream, registry: &Registry) -> io::Result<()> {
    stream.set_write_timeout(Some(DEADLINE))?;
    let head = head(&mut stream)?;
    let reply = Reply::to(&head, registry);
    write!(
        stream,
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len()
    )?;
    if !head.starts_with("HEAD ") {
        stream.write_all(reply.body.as_bytes())?;
    }
    stream.shutdown(std::net::Shutdown::Write)
}

/// The request without its body.
fn head(stream: &mut TcpStream) -> io::Result<String> {
    let until = Instant::now() + DEADLINE;
    let mut bytes = Vec::new();
    let mut piece = [0; 1024];
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > REQUEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => bytes.extend(piece.iter().take(n)),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

struct Reply {
    status: &'static str,
    kind: &'static str,
    body: String,
}

const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Reply {
    fn to(head: &str, registry: &Registry) -> Self {
        let mut words = head.split(' ');
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        if !matches!(method, "GET" | "HEAD") {
            return Self::of("405 Method Not Allowed", "GET /metrics\n".to_owned());
        }
        if path != "/metrics" {
            return Self::of("404 Not Found", "/metrics\n".to_owned());
        }
        let mut lines = head.lines().map(str::to_ascii_lowercase);
        let open = lines.any(|line| {
            line.starts_with("accept:") && line.contains("application/openmetrics-text")
        });
        let mut body = String::new();
        let (kind, written) = match open {
            true => (OPEN_METRICS, text::encode(&mut body, registry)),
            false => (PLAIN, prometheus_text::encode(&mut body, registry)),
        };
        match written {
            Ok(()) => Self {
                status: "200 OK",
                kind,
                body,
            },
            Err(_) => Self::of("500 Internal Server Error", String::new()),
        }
    }

    fn of(status: &'static str, body: String) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body,
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

    #[test]
    fn a_client_that_says_nothing_is_left() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address().unwrap();
        std::thread::spawn(move || listener.serve(&Registry::default()));
        let silent = TcpStream::connect(address).unwrap();
        let mut next = TcpStream::connect(address).unwrap();
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
