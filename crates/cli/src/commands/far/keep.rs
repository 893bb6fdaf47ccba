//! Keeps a tunnel open until Ctrl-C: reconnects if the connection breaks, or reports that it
//! cannot.

use std::time::Duration;

use super::engine::{Engine, Running, Wanted};
use super::place::{Connect, Place};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Pauses before attempts to connect again, in seconds.
const PAUSES: [u64; 6] = [1, 2, 5, 10, 20, 30];
/// How often to check whether the connection is still up.
const LOOK: Duration = Duration::from_millis(200);

/// Prints the address and runs until Ctrl-C.
pub(crate) fn alive(
    mut running: Running,
    place: &Place,
    connect: &Connect,
    wanted: &Wanted,
    output: &Output,
) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut stop = Box::pin(stepscope_server::asked_to_stop());
        output.address(&running.url());
        output.remark(&format!(
            "computed on {}, shown here through an ssh tunnel; Ctrl-C ends both",
            place.host
        ));
        loop {
            let status = loop {
                tokio::select! {
                    () = &mut stop => {
                        running.line.end();
                        output.remark("stopped");
                        return Ok(Exit::Fine);
                    }
                    () = tokio::time::sleep(LOOK) => {
                        if let Some(status) = running.line.ended() {
                            break status;
                        }
                    }
                }
            };
            // Ctrl-C reaches ssh as well, possibly before it reaches us.
            tokio::select! {
                () = &mut stop => {
                    output.remark("stopped");
                    return Ok(Exit::Fine);
                }
                () = tokio::time::sleep(LOOK) => {}
            }
            let said = running.line.said();
            if status.code().is_some_and(|code| code != 255) {
                let last = said.lines().rev().find(|line| !line.trim().is_empty());
                let detail = last.map_or_else(String::new, |line| format!(" ({})", line.trim()));
                let message = format!("Stepscope on {} ended{detail}: {}", place.host, place.url);
                return Err(Failure::new(Exit::Failure, message));
            }
            output.warn(
                &format!("lost the connection to {}; reconnecting", place.host),
                "",
            );
            let again = Wanted {
                path: wanted.path.clone(),
                session: wanted.session.clone(),
                command: wanted.command.clone(),
                local_port: Some(running.local_port),
                remote_port: Some(running.remote_port),
                token: Some(running.token.clone()),
            };
            drop(running);
            let mut last = (place.failure)(&place.url, &place.host, status.code(), &said);
            let mut connected = None;
            for pause in PAUSES {
                tokio::select! {
                    () = &mut stop => {
                        output.remark("stopped");
                        return Ok(Exit::Fine);
                    }
                    () = tokio::time::sleep(Duration::from_secs(pause)) => {}
                }
                match Engine::start(place, connect, &again) {
                    Ok(Engine::Running(engine)) => {
                        connected = Some(engine);
                        break;
                    }
                    Ok(Engine::Missing(why)) => last = Failure::new(Exit::Failure, why),
                    Err(failure) => last = failure,
                }
            }
            let Some(engine) = connected else {
                return Err(last);
            };
            running = engine;
            output.remark("reconnected");
            output.address(&running.url());
        }
    })
}
