//! Builds a synthetic profile from a few lines of text, so that a test shows its profile on the
//! page.
//!
//! One directive or event per line; indentation is free; a line that begins with `# ` (or is a
//! lone `#`) is a comment. Names of planes, lines and stats are the real ones, so the engine
//! ingests a drawing like a capture.
//!
//! ```text
//! host vm                                  the host's name (several hosts: several drawings)
//! environment [profile_start_time=1700000000000000000]       stats of `Task Environment`
//! error TEXT / warning TEXT                what the profiler itself complained about
//! origin 1700000000s                       added to every time: a file that is not normalized
//!
//! device tpu:0 v6e                         /device:TPU:0 with the plane stats of the chip
//! device tpu:0 sparsecore:1 v6e            /device:TPU:0 SparseCore 1
//! device gpu:0 nvidia H100                 also V100, A100, H200, GTX1080Ti; amd MI300X, MI355X
//! device gpu:1 {clock_rate=1000000}        no chip: only the stats given; they override a chip's
//! plane /device:CUSTOM:x {key=value}       any other plane
//!
//! stream 7 Compute,MemcpyH2D               line `Stream #7(Compute,MemcpyH2D)` of the device
//! line XLA Ops [id=3 at=5us]               any line; the TPU's well-known names know their id;
//!                                          `at` is the line's base, times stay absolute
//! thread python                            line of /host:CPU; `tf_XLAEigen/42` has id 42
//! split                                    the next plane or line begins a new message, even
//!                                          where one of that name exists
//!
//! 10..30us gemm                            an event from 10 us to 30 us (ps, ns, us, ms, s)
//! 10us+500ns gemm                          the same by duration
//! 10us mark                                an instant
//! x5 30us gemm                             aggregated: 5 occurrences, 30 us in all, no time
//! 0..9us train #step_num=3,_r=1#           an annotation with its metadata, as TraceMe has it
//! 0..9us dot.1 [run_id=7] {flops=100}      [] are stats of the event, {} of its metadata
//! each [program_id=5 hlo_op=$name] {…}     stats of every further event of the current line
//! counter hbm_gbps 0us=1.5 10us=2.5        samples on the `_counters_` line
//!
//! repeat 3 every 100us                     the lines up to `end`, three times, each 100 us
//!   0..90us train #step_num=$i,_r=1#       later; $i counts from 0, the innermost
//! end
//!
//! program 5 jit_step                       a tiny HLO module in /host:metadata
//!   p.0 = f32[8,16] parameter(0)
//!   ROOT dot.1 = f32[8,8] dot(p.0, p.0) op_name="jit(step)/mul" source="train.py:7"
//! ```
//!
//! A *value* is an integer (`5`, unsigned where recorded files have that stat unsigned or it is
//! beyond `i64`; `5u` forces it), a float (`1.5`), `hex:0a0b` bytes, `gzip:"text"` compressed text, `$name` (the event's name),
//! or text: bare, or `"quoted"` where it has spaces or brackets. Text of an event is interned
//! by reference as real files have it, text elsewhere stands in place; `@text` forces the
//! reference, `'text'` the place. Keys with spaces are quoted: `"Raw Value"=1`.
//!
//! On the lines `XLA Ops` and `Async XLA Ops` an event named `%x = …` or plain `x` gets the
//! display name `x`, as on TPU. Metadata is shared by events of one name; `{}` needs to be
//! written only the first time, and a different `{}` makes a second entry of the same name.
//!
//! # Example: the same two steps on CPU
//!
//! ```
//! let space = stepscope_testing::drawing::draw("
//!     host vm
//!     thread python
//!     repeat 2 every 100us
//!       0..90us train #step_num=$i,_r=1#
//!       1..5us  data_loading
//!     end
//!     thread tf_XLAEigen/42
//!     each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
//!     repeat 2 every 100us
//!       10..40us fusion.1
//!       50..80us all-reduce
//!     end
//! ").expect("the drawing is well formed");
//! assert_eq!(space.planes.len(), 1);
//! assert_eq!(space.planes[0].lines[1].events.len(), 4);
//! ```

mod canvas;
mod chips;
mod problem;
mod program;
mod text;

use canvas::Canvas;
use problem::Checked;
pub use problem::DrawError;
use program::ProgramSketch;
use text::SourceLine;

use crate::space::XSpace;

/// Builds the profile that the text describes; see the module's documentation for the language.
pub fn draw(text: &str) -> Result<XSpace, DrawError> {
    let mut drawing = Drawing::default();
    for line in text::expand(text)? {
        drawing.add(&line).map_err(|problem| line.error(problem))?;
    }
    Ok(drawing.finish())
}

#[derive(Default)]
struct Drawing {
    canvas: Canvas,
    /// The program whose instructions are being listed.
    program: Option<ProgramSketch>,
}

impl Drawing {
    fn add(&mut self, line: &SourceLine) -> Checked<()> {
        let (word, rest) = text::split_word(&line.text);
        if let Some(program) = &mut self.program
            && ProgramSketch::accepts(&line.text)
        {
            return program.add(&line.text);
        }
        if word == "program" {
            self.finish_program();
            self.program = Some(ProgramSketch::begin(rest)?);
            return Ok(());
        }
        self.finish_program();
        match word {
            "host" => self.canvas.space.hostnames.push(rest.into()),
            "error" => self.canvas.space.errors.push(rest.into()),
            "warning" => self.canvas.space.warnings.push(rest.into()),
            "split" => self.canvas.split(),
            "origin" => self.canvas.set_origin(rest)?,
            "environment" => {
                let (name, groups) = text::split_groups(rest)?;
                expect_nothing(&name)?;
                self.canvas.open_plane("Task Environment", 0);
                self.canvas.add_plane_stats(groups)?;
            }
            "device" => self.add_device(rest)?,
            "plane" => {
                let (name, groups) = text::split_groups(rest)?;
                self.canvas.open_plane(&name, 0);
                self.canvas.add_plane_stats(groups)?;
            }
            "stream" => self.add_stream(rest)?,
            "line" => self.add_line(rest)?,
            "thread" => {
                self.canvas.open_host_plane();
                self.add_line(rest)?;
            }
            "each" => {
                let (name, groups) = text::split_groups(rest)?;
                expect_nothing(&name)?;
                self.canvas.set_defaults(groups);
            }
            "counter" => self.canvas.add_counter(rest, line.shift_ps)?,
            _ if text::begins_event(word) => {
                self.canvas
                    .add_event(&text::parse_event(&line.text)?, line.shift_ps)?;
            }
            _ => return Err(format!("no directive `{word}`, and no time begins with it")),
        }
        Ok(())
    }

    /// `tpu:0 v6e`, `tpu:0 sparsecore:1`, `gpu:1 amd MI300X {…}`
    fn add_device(&mut self, rest: &str) -> Checked<()> {
        let (description, groups) = text::split_groups(rest)?;
        let (device, chip) = text::split_word(&description);
        let (kind, ordinal) = text::kind_and_number(device)?;
        let prefix = match kind {
            "tpu" => "/device:TPU:",
            "gpu" => "/device:GPU:",
            _ => return Err(format!("no device kind `{kind}`; there are tpu and gpu")),
        };
        let (mut name, mut chip) = (format!("{prefix}{ordinal}"), chip);
        if chip.starts_with("sparsecore") {
            let (core, rest) = text::split_word(chip);
            let (_, number) = text::kind_and_number(core)?;
            (name, chip) = (format!("{name} SparseCore {number}"), rest);
        }
        self.canvas.open_plane(&name, ordinal);
        if !chip.is_empty() {
            self.canvas
                .add_plane_stats(vec![chips::plane_stats(kind, chip)?])?;
        }
        self.canvas.add_plane_stats(groups)
    }

    /// `7 Compute,MemcpyH2D`; the kinds may be left out where the stream is reopened.
    fn add_stream(&mut self, rest: &str) -> Checked<()> {
        let (description, groups) = text::split_groups(rest)?;
        let (number, kinds) = text::split_word(&description);
        let id = number
            .parse()
            .map_err(|_| format!("`{number}` is no stream number"))?;
        let kinds = if kinds.is_empty() { "Compute" } else { kinds };
        self.canvas
            .open_line(&format!("Stream #{id}({kinds})"), Some(id), groups)
    }

    fn add_line(&mut self, rest: &str) -> Checked<()> {
        let (name, groups) = text::split_groups(rest)?;
        if name.is_empty() {
            return Err("a line needs a name".into());
        }
        self.canvas.open_line(&name, None, groups)
    }

    fn finish_program(&mut self) {
        if let Some(program) = self.program.take() {
            let (name, id, bytes) = program.finish();
            self.canvas.add_program(&name, id, bytes);
        }
    }

    fn finish(mut self) -> XSpace {
        self.finish_program();
        self.canvas.space
    }
}

fn expect_nothing(text: &str) -> Checked<()> {
    if text.is_empty() {
        Ok(())
    } else {
        Err(format!("`{text}` has no place here"))
    }
}
