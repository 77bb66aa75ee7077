//! `wirewait live --listen`: what Prometheus reads is what the rows of the same capture say, its own
//! tools accept it, and the rules and the dashboard name metrics that there are.

use crate::support::{program, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A probe that has read the demo and waits for more.
struct Probe {
    child: Child,
    address: SocketAddr,
    /// What it wrote of the requests that are over.
    rows: Arc<Mutex<Vec<Value>>>,
}

impl Probe {
    fn start() -> Self {
        Self::fed(&std::fs::read(root().join("captures/demo.pcapng")).unwrap())
    }

    /// A probe that has read this capture.
    fn fed(capture: &[u8]) -> Self {
        let mut child = program()
            .args(["live", "-", "--format", "ndjson", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let rows = Arc::<Mutex<Vec<Value>>>::default();
        let (kept, written) = (Arc::clone(&rows), child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(written).lines().map_while(Result::ok) {
                let row = serde_json::from_str(&line).unwrap();
                kept.lock().unwrap().push(row);
            }
        });
        child.stdin.as_mut().unwrap().write_all(capture).unwrap();
        let mut lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(url) = line.strip_prefix("wirewait: metrics: http://") {
                break url.strip_suffix("/metrics").unwrap().parse().unwrap();
            }
        };
        Self {
            child,
            address,
            rows,
        }
    }

    fn scrape(&self, accept: &str) -> String {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: probe\r\nAccept: {accept}\r\n\r\n");
        let (head, body) = ask(self.address, &request);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        body
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(address: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

type Sums = BTreeMap<[String; 3], f64>;

/// Values of a metric, by server, protocol and class.
fn values(text: &str, metric: &str) -> Sums {
    let lines = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(metric)?.strip_prefix('{')?;
        let (labels, value) = rest.split_once("} ")?;
        let label = |name: &str| {
            let (_, rest) = labels.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let key = ["server", "protocol", "class"].map(label);
        Some((key, value.parse().unwrap()))
    });
    lines.collect()
}

/// The same from the rows of the requests that are over.
fn by_rows(probe: &Probe, value: impl Fn(&Value) -> Option<f64>) -> Sums {
    let mut sums = Sums::new();
    let rows = probe.rows.lock().unwrap();
    for row in rows.iter().filter(|row| !row["request_time"].is_null()) {
        let key = ["server_address", "protocol", "kind"].map(|n| row[n].as_str().unwrap().into());
        *sums.entry(key).or_default() += value(row).unwrap_or(0.0);
    }
    sums
}

/// Waits until it holds, as the last requests are counted when they are over.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn near(a: &Sums, b: &Sums) -> bool {
    let close = |((k, v), (l, w)): ((_, &f64), (_, &f64))| k == l && (v - w).abs() < 1e-6;
    a.len() == b.len() && a.iter().zip(b).all(close)
}

#[test]
fn metrics_are_those_of_the_rows() {
    let probe = Probe::start();
    let number = |name: &str, row: &Value| row[name].as_f64();
    type Figure = Box<dyn Fn(&Value) -> Option<f64>>;
    let ns = |name: &'static str| -> Figure { Box::new(move |row| Some(number(name, row)? / 1e9)) };
    let count =
        |name: &'static str| -> Figure { Box::new(move |row| number(name, row).map(|_| 1.0)) };
    let expected: [(&str, Figure); 7] = [
        ("wirewait_requests_total", Box::new(|_| Some(1.0))),
        (
            "wirewait_retransmitted_requests_total",
            Box::new(move |row| Some(f64::from(number("copies", row)? > 1.0))),
        ),
        (
            "wirewait_data_bytes_total",
            Box::new(move |row| number("data_bytes", row)),
        ),
        (
            "wirewait_server_turnaround_seconds_sum",
            ns("turnaround_ns"),
        ),
        (
            "wirewait_server_turnaround_seconds_count",
            count("turnaround_ns"),
        ),
        ("wirewait_response_time_seconds_sum", ns("response_time_ns")),
        (
            "wirewait_response_time_seconds_count",
            count("response_time_ns"),
        ),
    ];
    // Those that may be repeated are not over.
    until("rows", || probe.rows.lock().unwrap().len() > 1000);
    for accept in ["*/*", "application/openmetrics-text; version=1.0.0"] {
        for (metric, value) in &expected {
            until(metric, || {
                let expected = by_rows(&probe, value);
                let found = values(&probe.scrape(accept), metric);
                expected.values().sum::<f64>() > 0.0 && near(&found, &expected)
            });
        }
    }
    // That more has to be processed is no failure.
    let errors = values(&probe.scrape("*/*"), "wirewait_request_errors_total");
    assert!(
        !errors.is_empty() && errors.values().all(|n| *n == 0.0),
        "{errors:?}"
    );
    // Frames and phases are those of the report.
    let report = program()
        .args(["report", "--format", "json"])
        .arg(root().join("captures/demo.pcapng"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let frames = report["capture"]["frames"].as_u64().unwrap();
    let frames = format!("wirewait_segment_frames_total{{interface=\"0\"}} {frames}\n");
    until(&frames, || probe.scrape("*/*").contains(&frames));
    assert!(
        probe
            .scrape("application/openmetrics-text")
            .ends_with("# EOF\n")
    );
}

/// The clock is set by an hour: nothing counts twice, and the metrics go on at the new time.
#[test]
fn a_clock_that_is_set_stops_no_metric() {
    for off in [-1_i32, 1] {
        let off_ns = i64::from(off) * 3_600_000_000_000;
        let step = |number| if number > 1350 { off_ns } else { 0 };
        let probe = Probe::fed(&crate::intervals::stepped(step));
        until("rows", || probe.rows.lock().unwrap().len() > 1000);
        until("requests", || {
            let found = values(&probe.scrape("*/*"), "wirewait_requests_total");
            near(&found, &by_rows(&probe, |_| Some(1.0)))
        });
        let frames = "wirewait_segment_frames_total{interface=\"0\"} 2702\n";
        until(frames, || probe.scrape("*/*").contains(frames));
        // 1999-03-01, 09:01 UTC.
        let expected = 920_278_860.0 + f64::from(off) * 3600.0;
        until("the time of the last frame", || {
            let text = probe.scrape("*/*");
            let mut lines = text.lines();
            let name = "wirewait_last_frame_timestamp_seconds ";
            let last = lines.find_map(|line| line.strip_prefix(name)).unwrap();
            (last.parse::<f64>().unwrap() - expected).abs() < 60.0
        });
    }
}

#[test]
fn promtool_accepts_them_and_the_examples() {
    let test = "promtool_accepts_them_and_the_examples";
    let Some(_) = installed("promtool", test) else {
        return;
    };
    let probe = Probe::start();
    let text = probe.scrape("*/*");
    let mut child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success() && said.is_empty(),
        "{}",
        String::from_utf8_lossy(&said)
    );
    let config = root().join("examples/prometheus/prometheus.yml");
    let output = Command::new("promtool")
        .args(["check", "config"])
        .arg(config)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.contains("7 rules found"),
        "{said}"
    );
}

/// The operating system counts it; a pipe has none.
const DROPS: &str = "wirewait_dropped_frames_total";

/// The rules and the dashboard ask for nothing that there is not.
#[test]
fn examples_name_metrics_that_there_are() {
    let probe = Probe::start();
    until("phases", || {
        probe
            .scrape("*/*")
            .contains("wirewait_client_time_seconds{")
    });
    let shown = probe.scrape("*/*");
    let examples = root().join("examples/prometheus");
    let mut names = 0;
    for file in ["alerts.yml", "dashboard.json"] {
        let text = std::fs::read_to_string(examples.join(file)).unwrap();
        if file.ends_with("json") {
            let dashboard: Value = serde_json::from_str(&text).unwrap();
            assert!(dashboard["panels"].as_array().unwrap().len() > 5);
        }
        for part in text.split("wirewait_").skip(1) {
            let end = part
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap();
            let name = format!("wirewait_{}", &part[..end]);
            let base = ["_bucket", "_count", "_sum"]
                .iter()
                .find_map(|end| name.strip_suffix(end));
            let kind = format!("# TYPE {} ", base.unwrap_or(&name));
            assert!(shown.contains(&kind) || name == DROPS, "{file}: {name}");
            names += 1;
        }
    }
    assert!(names > 20, "{names}");
}

/// A Prometheus that scrapes a probe as the examples say.
struct Prometheus {
    child: Child,
    address: SocketAddr,
}

impl Prometheus {
    fn start(probe: &Probe, test: &str, options: &[&str]) -> Option<Self> {
        let prometheus = installed("prometheus", test)?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let examples = root().join("examples/prometheus");
        let config = std::fs::read_to_string(examples.join("prometheus.yml")).unwrap();
        let config = config
            .replace("scrape_interval: 15s", "scrape_interval: 1s")
            .replace("127.0.0.1:9464", &probe.address.to_string());
        std::fs::write(folder.join("prometheus.yml"), config).unwrap();
        std::fs::copy(examples.join("alerts.yml"), folder.join("alerts.yml")).unwrap();
        // A port that is free at this moment.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap();
        drop(port);
        let [config, data] = ["prometheus.yml", "data"].map(|name| folder.join(name));
        let child = Command::new(prometheus)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg(format!("--web.listen-address={address}"))
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { child, address })
    }

    /// What it says at this path; `Null` while it does not answer.
    fn data(&self, path: &str) -> Value {
        if TcpStream::connect(self.address).is_err() {
            return Value::Null;
        }
        let request = format!("GET /api/v1/{path} HTTP/1.0\r\nHost: here\r\n\r\n");
        let answer: Value =
            serde_json::from_str(&ask(self.address, &request).1).unwrap_or_default();
        answer["data"].clone()
    }

    /// Values by server, protocol and class; what has no such labels counts as `""`.
    fn query(&self, query: &str) -> Sums {
        let mut path = "query?query=".to_owned();
        for byte in query.bytes() {
            path += &format!("%{byte:02X}");
        }
        let data = self.data(&path);
        let rows = data["result"].as_array().into_iter().flatten();
        let row = |row: &Value| {
            let label = |name| row["metric"][name].as_str().unwrap_or_default().to_owned();
            let value = row["value"][1].as_str().unwrap().parse().unwrap();
            (["server", "protocol", "class"].map(label), value)
        };
        rows.map(row).collect()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn prometheus_scrapes_it() {
    let probe = Probe::start();
    let Some(prometheus) = Prometheus::start(&probe, "prometheus_scrapes_it", &[]) else {
        return;
    };
    until("requests", || {
        let requests = by_rows(&probe, |_| Some(1.0));
        requests.values().sum::<f64>() > 1000.0
            && near(&prometheus.query("wirewait_requests_total"), &requests)
    });
}

/// Native histograms, which Prometheus reads in its binary format: their counts and sums are those of
/// the rows, their quantiles as near as their buckets are wide, and nothing else is missing.
#[test]
fn prometheus_takes_native_histograms() {
    let probe = Probe::start();
    let test = "prometheus_takes_native_histograms";
    let options = ["--enable-feature=native-histograms"];
    let Some(prometheus) = Prometheus::start(&probe, test, &options) else {
        return;
    };
    until("rows", || probe.rows.lock().unwrap().len() > 1000);
    let histograms = [
        ("wirewait_server_turnaround_seconds", "turnaround_ns"),
        ("wirewait_response_time_seconds", "response_time_ns"),
    ];
    for (metric, column) in histograms {
        let seconds = |row: &Value| Some(row[column].as_f64()? / 1e9);
        until(metric, || {
            let counts = by_rows(&probe, |row| seconds(row).map(|_| 1.0));
            counts.values().sum::<f64>() > 1000.0
                && near(
                    &prometheus.query(&format!("histogram_count({metric})")),
                    &counts,
                )
        });
        let sums = prometheus.query(&format!("histogram_sum({metric})"));
        assert!(near(&sums, &by_rows(&probe, seconds)), "{metric}: {sums:?}");
        let rows = probe.rows.lock().unwrap();
        let mut times: Vec<f64> = rows.iter().filter_map(seconds).collect();
        times.sort_by(f64::total_cmp);
        for (share, of) in [("0.5", 2), ("0.9", 10), ("0.99", 100)] {
            let query = format!("histogram_quantile({share}, sum({metric}))");
            let found = prometheus.query(&query);
            let found = found.values().next().copied().unwrap();
            let exact = times[times.len() - 1 - times.len() / of];
            let ratio = found / exact;
            assert!(
                (0.9..1.1).contains(&ratio),
                "{query}: {found}, exactly {exact}"
            );
        }
    }
    // Names of all samples; those of the native histograms have no ends.
    let expected = || -> BTreeSet<String> {
        let text = probe.scrape("*/*");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let names = lines.map(|line| line.split(['{', ' ']).next().unwrap());
        let whole = |name: &str| {
            let of = |metric: &&(&str, &str)| name.starts_with(metric.0);
            histograms
                .iter()
                .find(of)
                .map_or(name, |metric| metric.0)
                .to_owned()
        };
        names.map(whole).collect()
    };
    let names = || -> BTreeSet<String> {
        let names = prometheus.data("label/__name__/values");
        let names = names.as_array().into_iter().flatten();
        let names = names.map(|name| name.as_str().unwrap().to_owned());
        names.filter(|name| name.starts_with("wirewait_")).collect()
    };
    until("the same metrics", || names() == expected());
}

#[test]
fn a_taken_port_is_an_error_before_anything_is_captured() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = program()
        .args(["live", "-", "--listen", &address])
        .stdin(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains(&address) && said.contains("another port"),
        "{said}"
    );
}

/// A program's name, if it can be started; otherwise a loud word.
fn installed(name: &'static str, test: &str) -> Option<&'static str> {
    let there = Command::new(name).arg("--version").output().is_ok();
    if !there {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_PROMETHEUS").is_none(),
            "{test}: {name} is required"
        );
        eprintln!("SKIPPED: {test}: no {name}");
    }
    there.then_some(name)
}
