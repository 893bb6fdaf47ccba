//! A profiler service without a job, for trying captures and for the browser tests: hands over the
//! profile of a file again and again.
//!
//! `profiler_server FILE.xplane.pb[.gz] [PORT]`; prints `listening at ADDRESS`.

#![expect(clippy::print_stdout, reason = "it says where it listens")]

use std::error::Error;
use std::net::SocketAddr;

use stepscope_testing::profiler_server::{Behavior, ProfilerServer};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give it an *.xplane.pb")?;
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let behavior = Behavior {
        xspace: stepscope_testing::corpus::read_bytes(path.as_ref())?,
        ..Behavior::default()
    };
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let server = ProfilerServer::start_at(address, behavior)?;
    println!("listening at {}", server.address());
    loop {
        std::thread::park();
    }
}
