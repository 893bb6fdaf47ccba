//! Reads a trace and says how fast, and what came of it: `convert FILE [chrome|perfetto]`.

use std::fs::File;
use std::io::Read as _;
use std::time::Instant;

use stepscope_interchange::{Format, chrome, perfetto, sniff};

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("convert FILE")?;
    let mut head = Vec::new();
    File::open(&path)?.take(512).read_to_end(&mut head)?;
    let size = std::fs::metadata(&path)?.len();
    let began = Instant::now();
    let trace = match sniff(&head) {
        Some(Format::Chrome) => chrome::read(File::open(&path)?)?,
        Some(Format::Perfetto) => perfetto::read(File::open(&path)?)?,
        None => return Err("no trace".into()),
    };
    let seconds = began.elapsed().as_secs_f64();
    let bytes: usize = trace.hosts.iter().map(|host| host.bytes.len()).sum();
    let rate = size as f64 / seconds / 1e6;
    println!("{size} bytes in {seconds:.3} s, {rate:.0} MB/s, into {bytes} bytes");
    if let Some(problem) = trace.problem {
        println!("{problem}");
    }
    Ok(())
}
