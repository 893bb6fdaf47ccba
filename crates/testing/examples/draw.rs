//! Writes a synthetic profile to a file, to inspect it: `cargo run -p stepscope-testing --example draw --
//! DRAWING.txt OUT.xplane.pb`.

use std::error::Error;

use stepscope_testing::drawing;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("expected two arguments: a description and the file to write".into());
    };
    let space = drawing::draw(&std::fs::read_to_string(from)?)?;
    std::fs::write(to, space.to_bytes())?;
    Ok(())
}
