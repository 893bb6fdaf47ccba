//! `picture`: what a person sees of a session, for agents that can look.

use schemars::JsonSchema;
use serde::Deserialize;
use stepscope_analysis::find;

use super::ask::unknown;
use super::{Within, ask_about};
use crate::asked::Options;
use crate::browser::{self, BrowserError, Look, VARIABLE};
use crate::link;
use crate::page::{Next, Whole};
use crate::roots::Refusal;

/// Arguments of `picture`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Handle of the session; the latest one without.
    session: Option<String>,
    /// The view: an analysis, by name. `timeline` shows the slices.
    view: String,
    /// Which part of the session, as on the command line.
    options: Options,
    /// On the timeline, the slice to show, by its address `track/lane/index`.
    slice: Option<String>,
    /// Width of the page, 400 to 2,560 pixels.
    width_px: u32,
    /// Height of the page, 300 to 4,000 pixels.
    height_px: u32,
    /// Light letters on dark ground.
    dark: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            session: None,
            view: "overview".to_owned(),
            options: Options::default(),
            slice: None,
            width_px: 1280,
            height_px: 900,
            dark: false,
        }
    }
}

/// Takes a picture.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let entry = find(&asked.view).ok_or_else(|| unknown(&asked.view))?;
    let mut pairs = asked.options.pairs()?;
    let look = look(asked)?;
    if let Some(slice) = asked.slice.as_deref().filter(|_| entry.name != "timeline") {
        let again = Next::new(
            "picture",
            &[("view", "timeline"), ("slice", slice)],
            "the slice",
        );
        let error = format!("The view {} shows no slice.", entry.name);
        return Err(Refusal::new(error).next(again));
    }
    // What takes long is done before the browser waits for it.
    let opened = within.open(asked.session.as_deref(), entry, &pairs).await?;
    let handle = opened.handle().to_owned();
    let as_text = || ask_about(&handle, entry.name, "the same as text");
    let pages = opened.chosen.root.pages().await;
    let pages = pages.map_err(|error| Refusal::new(error.to_string()).next(as_text()))?;
    if let Some(slice) = &asked.slice {
        pairs.push(("slice".to_owned(), slice.replace('/', ":")));
    }
    let place = link::place(&opened.chosen, entry.name, &pairs);
    let png = browser::picture(&format!("{pages}{place}"), look).await;
    let png = png.map_err(|error| {
        let hint = match error {
            BrowserError::NotFound | BrowserError::NotStarted { .. } => {
                format!("Install one, or name it in the variable {VARIABLE}.")
            }
            _ => "Try again, or ask for the same as text.".to_owned(),
        };
        let said = format!("{error}.");
        Refusal::new(said).hint(hint).next(as_text())
    })?;
    let mut whole = Whole::new(format!("picture of {}", entry.name), &handle);
    whole.line(&format!(
        "The view {} as the page shows it, {} × {} pixels.",
        entry.name, look.width_px, look.height_px
    ));
    whole.picture = Some(png);
    whole.next.push(as_text());
    whole.open = within.link(&opened.chosen, entry.name, &pairs);
    Ok(whole)
}

fn look(asked: &Arguments) -> Result<Look, Refusal> {
    let (width_px, height_px) = (asked.width_px, asked.height_px);
    if !(400..=2560).contains(&width_px) || !(300..=4000).contains(&height_px) {
        let error = format!("A page of {width_px} × {height_px} pixels cannot be drawn.");
        return Err(Refusal::new(error).hint("400 to 2,560 wide, and 300 to 4,000 high."));
    }
    Ok(Look {
        width_px,
        height_px,
        is_dark: asked.dark,
    })
}
