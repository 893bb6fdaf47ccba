//! `stepscope mcp` as agents use it: the real program over pipes.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::support::{fixture, root, stepscope};

/// Hosts and their sessions: two runs of one program.
fn runs() -> Client {
    Client::begun(&[&fixture("experiments-cpu")])
}

#[test]
fn both_versions_of_the_protocol_begin() {
    let demo = fixture("demo-gpt-cpu");
    let mut old = Client::start(&[&demo]);
    let hello = old.begin();
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "stepscope");
    let instructions = hello["instructions"].as_str().expect("a text");
    assert!(instructions.contains("`report`"), "{instructions}");
    old.told("report", &json!({}));

    let mut new = Client::start(&[&demo]);
    new.meta = Some(json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }));
    let found = new.ask("server/discover", json!({}));
    let versions = found["supportedVersions"].as_array().expect("versions");
    for version in ["2026-07-28", "2025-11-25"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    // Nothing is begun: each request stands alone.
    new.told("report", &json!({}));
    let tools = new.ask("tools/list", json!({}));
    assert!(tools["ttlMs"].is_number(), "{}", tools["ttlMs"]);
}

#[test]
fn tools_only_read_and_their_schemas_name_every_analysis() {
    let mut client = Client::begun(&[&fixture("demo-gpt-cpu")]);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let expected = [
        "sessions", "report", "ask", "explain", "compare", "what_if", "sql", "picture",
    ];
    assert_eq!(names, expected);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    let analyses = &tools[2]["inputSchema"]["properties"]["analysis"]["enum"];
    let analyses: Vec<&str> = analyses
        .as_array()
        .expect("names")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let known: Vec<&str> = stepscope_analysis::ANALYSES
        .iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(analyses, known);
    let options = &tools[2]["inputSchema"]["properties"]["options"]["properties"];
    assert!(
        options["steps"]["description"]
            .as_str()
            .expect("help")
            .contains("3..8")
    );
}

#[test]
fn every_tool_answers_and_its_next_calls_do_too() {
    let mut client = runs();
    let sessions = client.told("sessions", &json!({}));
    let rows = sessions["tables"][0]["rows"]
        .as_array()
        .expect("rows")
        .clone();
    let handles: Vec<String> = rows
        .iter()
        .filter_map(|row| row[0].as_str().map(str::to_owned))
        .collect();
    assert!(handles.len() > 2, "{sessions}");
    client.next(&sessions);
    let session = &handles[0];

    let report = client.told("report", &json!({ "session": session }));
    assert!(report["facts"]["Step time"].is_string(), "{report}");
    assert!(
        !report["findings"].as_array().expect("findings").is_empty(),
        "{report}"
    );
    client.next(&report);

    let ops = client.told("ask", &json!({ "session": session, "analysis": "ops" }));
    client.next(&ops);
    let op = &ops["tables"][0]["rows"][0][0];
    let op = client.told(
        "explain",
        &json!({ "session": session, "kind": "op", "id": op }),
    );
    assert!(op["facts"]["self_ps"].is_number(), "{op}");
    client.next(&op);
    let finding = &report["findings"][0]["id"];
    let finding = client.told(
        "explain",
        &json!({ "session": session, "kind": "finding", "id": finding }),
    );
    client.next(&finding);
    let slice = client.told(
        "explain",
        &json!({ "session": session, "kind": "slice", "id": "0/0/0" }),
    );
    client.next(&slice);
    let gap = client.told(
        "explain",
        &json!({ "session": session, "kind": "gap", "id": 0 }),
    );
    assert!(gap["facts"]["cause"].is_string(), "{gap}");
    client.next(&gap);

    let pair = json!({ "sessions": [handles[1], handles[0]] });
    let compared = client.told("compare", &pair);
    client.next(&compared);
    let changed = json!({ "session": session, "changes": ["scale:compute:0.5"] });
    let replayed = client.told("what_if", &changed);
    assert!(replayed["tables"][0]["rows"].is_array(), "{replayed}");
    client.next(&replayed);
}

#[test]
fn options_are_those_of_the_command_line() {
    let mut client = Client::begun(&[&fixture("demo-gpt-cpu")]);
    let some =
        json!({ "analysis": "ops", "options": { "match": "dot", "limit": 3, "by": "device" } });
    let page = client.told("ask", &some);
    assert_eq!(
        page["tables"][0]["rows"].as_array().map(Vec::len),
        Some(3),
        "{page}"
    );
    assert!(
        page["about"]
            .as_str()
            .expect("a text")
            .contains("--match dot"),
        "{page}"
    );
    let columns = json!({ "analysis": "ops", "table": "rows", "columns": ["name", "self_ps"] });
    let page = client.told("ask", &columns);
    assert_eq!(page["tables"][0]["columns"], json!(["name", "self_ps"]));
    let all = json!({ "analysis": "ops", "table": "rows", "columns": ["all"] });
    let page = client.told("ask", &all);
    assert!(
        page["tables"][0]["columns"].as_array().expect("keys").len() > 20,
        "{page}"
    );
}

#[test]
fn pages_hold_all_rows_once() {
    let mut client = Client::begun(&[&fixture("demo-gpt-cpu")]);
    let mut question = json!({ "analysis": "ops", "table": "rows", "options": { "limit": 0 } });
    let mut names = Vec::new();
    let mut count = Value::Null;
    loop {
        let page = client.told("ask", &question);
        for table in page["tables"].as_array().into_iter().flatten() {
            count = table["row_count"].clone();
            let rows = table["rows"].as_array().expect("rows");
            names.extend(rows.iter().map(|row| row[0].clone()));
        }
        match page["cursor"].as_str() {
            Some(cursor) => question["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert!(names.len() > 100, "{}", names.len());
    assert_eq!(count, json!(names.len()));
    question["cursor"] = json!("nowhere");
    let error = client.refused("ask", &question);
    assert!(error.contains("not a cursor"), "{error}");
}

#[test]
fn errors_name_a_call_that_works() {
    let mut client = runs();
    for (tool, arguments, said) in [
        ("report", json!({ "session": "nowhere" }), "Unknown session"),
        (
            "report",
            json!({ "sessions": "x" }),
            "no argument \"sessions\"",
        ),
        ("ask", json!({ "analysis": "opps" }), "Unknown analysis"),
        ("ask", json!({}), "missing field"),
        (
            "ask",
            json!({ "analysis": "ops", "steps": "1" }),
            "stand in `options`",
        ),
        (
            "ask",
            json!({ "analysis": "ops", "options": { "stepz": "1" } }),
            "stepz",
        ),
        (
            "ask",
            json!({ "analysis": "ops", "options": { "steps": "900" } }),
            "matches nothing",
        ),
        (
            "ask",
            json!({ "analysis": "ops", "options": { "steps": {} } }),
            "must be text",
        ),
        (
            "ask",
            json!({ "analysis": "ops", "table": "x" }),
            "Unknown table",
        ),
        (
            "ask",
            json!({ "analysis": "ops", "table": "rows", "columns": ["x"] }),
            "unknown column",
        ),
        (
            "explain",
            json!({ "kind": "op", "id": "nowhere" }),
            "Unknown op",
        ),
        (
            "explain",
            json!({ "kind": "finding", "id": "nowhere" }),
            "Unknown finding",
        ),
        (
            "explain",
            json!({ "kind": "gap", "id": 1_000_000 }),
            "not the number of a gap",
        ),
        (
            "explain",
            json!({ "kind": "slice", "id": "0/0/999999999" }),
            "not a slice",
        ),
        (
            "explain",
            json!({ "kind": "thing", "id": "x" }),
            "unknown variant",
        ),
        ("compare", json!({ "sessions": [] }), "empty"),
        (
            "compare",
            json!({ "sessions": ["nowhere"] }),
            "Unknown session",
        ),
        ("what_if", json!({ "changes": ["explode"] }), "explode"),
        ("nowhere", json!({}), "Unknown tool"),
    ] {
        let error = client.refused(tool, &arguments);
        assert!(error.contains(said), "{tool} {arguments}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_roots_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("inside");
    let run = |name: &str| folder.path().join(name).join("plugins/profile/run");
    std::fs::create_dir_all(run("inside")).expect("folders");
    std::fs::create_dir_all(run("secret")).expect("folders");
    let bytes = crate::support::profile_bytes();
    std::fs::write(run("inside").join("a.xplane.pb"), &bytes).expect("a file");
    std::fs::write(run("secret").join("b.xplane.pb"), &bytes).expect("a file");
    std::os::unix::fs::symlink(folder.path().join("secret"), inside.join("link")).expect("a link");
    let file = inside.join("plugins/profile/other");
    std::fs::create_dir_all(&file).expect("a folder");
    std::os::unix::fs::symlink(run("secret").join("b.xplane.pb"), file.join("b.xplane.pb"))
        .expect("a link");

    let mut client = Client::begun(&[&inside.display().to_string()]);
    let sessions = client.told("sessions", &json!({}));
    let rows = sessions["tables"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{sessions}");
    assert!(
        sessions["notes"].to_string().contains("left out: links"),
        "{sessions}"
    );
    let secret = run("secret").display().to_string();
    for handle in [
        &*secret,
        "../secret",
        "link~run",
        "/etc/passwd",
        "other",
        "1",
    ] {
        let error = client.refused("report", &json!({ "session": handle }));
        assert!(error.contains("Unknown session"), "{handle}: {error}");
    }
    // A folder whose session becomes a link later.
    let handle = rows[0][0].clone();
    client.told("report", &json!({ "session": handle }));
}

#[test]
fn several_roots_are_told_apart() {
    let (one, two) = (fixture("mlp-cpu"), fixture("demo-gpt-cpu"));
    let mut client = Client::begun(&[&one, &two]);
    let sessions = client.told("sessions", &json!({}));
    let rows = sessions["tables"][0]["rows"].as_array().expect("rows");
    let handles: Vec<&str> = rows.iter().filter_map(|row| row[0].as_str()).collect();
    assert!(
        handles.iter().any(|handle| handle.starts_with("mlp-cpu:")),
        "{handles:?}"
    );
    assert!(
        handles
            .iter()
            .any(|handle| handle.starts_with("demo-gpt-cpu:")),
        "{handles:?}"
    );
    for handle in handles {
        let report = client.told("report", &json!({ "session": handle }));
        assert_eq!(report["session"], handle);
    }
}

#[test]
fn links_lead_to_the_page_or_to_the_command_that_serves_it() {
    let demo = fixture("demo-gpt-cpu");
    let mut client = Client::begun(&[&demo, "--page", "http://127.0.0.1:6006/?token=secret"]);
    let steps = json!({ "analysis": "ops", "options": { "steps": "2..4", "match": "a b" } });
    let page = client.call(
        "ask",
        &json!({ "analysis": "ops", "options": { "steps": "2..4" } }),
    );
    assert_eq!(
        page["open"],
        "http://127.0.0.1:6006/#/s/demo/ops?steps=2..4"
    );
    assert!(!page.to_string().contains("secret"), "{page}");
    let mut client = Client::begun(&[&demo]);
    let page = client.told("ask", &steps);
    let open = page["open"].as_str().expect("a text");
    assert!(
        open.ends_with("#/s/demo/ops?match=a%20b&steps=2..4"),
        "{open}"
    );
    let page = client.told("report", &json!({}));
    let open = page["open"].as_str().expect("a text");
    assert!(
        open.contains("stepscope view ") && open.contains("#/s/demo/overview"),
        "{open}"
    );
}

#[test]
fn a_root_that_does_not_exist_is_an_error_at_the_start() {
    let answer = crate::support::run(&["mcp", "/nowhere/at/all"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    let (one, two) = (fixture("mlp-cpu"), fixture("demo-gpt-cpu"));
    let answer = crate::support::run(&["mcp", &one, &two, "--page", "http://localhost:1"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
}

#[test]
fn nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("plugins/profile/run");
    std::fs::create_dir_all(&run).expect("folders");
    std::fs::write(run.join("a.xplane.pb"), crate::support::profile_bytes()).expect("a file");
    let before = listing(folder.path());
    let home = tempfile::tempdir().expect("a folder");
    let mut command = stepscope();
    command
        .arg("mcp")
        .arg(folder.path())
        .env("HOME", home.path());
    command
        .env_remove("STEPSCOPE_CATALOG")
        .env_remove("XDG_CACHE_HOME")
        .current_dir(root());
    let mut client = Client::of(&mut command);
    client.begin();
    let report = client.told("report", &json!({}));
    client.next(&report);
    assert_eq!(listing(folder.path()), before);
    assert_eq!(listing(home.path()), Vec::<String>::new());
}

fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            found.push(path.display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_skill_is_served_and_its_files_are_what_their_digests_say() {
    let mut client = Client::begun(&[&fixture("demo-gpt-cpu")]);
    let listed = client.ask("skills/list", json!({}));
    let skill = &listed["skills"][0];
    assert_eq!(skill["uri"], "skill://stepscope/SKILL.md");
    assert_eq!(skill["frontmatter"]["name"], "stepscope");
    let same = client.ask("skills/get", json!({ "uri": skill["uri"] }));
    assert_eq!(&same["skill"], skill);
    let resources = client.ask("resources/list", json!({}));
    let known = resources["resources"].as_array().expect("resources").len();
    let files = skill["resources"].as_array().expect("files");
    assert_eq!(files.len(), known);
    for file in files {
        let read = client.ask("resources/read", json!({ "uri": file["uri"] }));
        let text = read["contents"][0]["text"].as_str().expect("a text");
        assert_eq!(file["size"], text.len(), "{file}");
    }
    let error = client.answer("resources/read", json!({ "uri": "file:///etc/passwd" }));
    assert!(
        error["error"]["message"]
            .as_str()
            .expect("an error")
            .contains("unknown resource")
    );
}

#[test]
fn the_skill_is_installed_and_changed_files_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let install = |more: &[&str]| {
        let output = stepscope()
            .current_dir(folder.path())
            .args(["skills", "install"])
            .args(more)
            .output()
            .expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().expect("it ends"), text)
    };
    assert_eq!(install(&[]).0, 0);
    let at = folder.path().join(".agents/skills/stepscope");
    let own = root().join("skills/stepscope");
    for file in ["SKILL.md", "references/trust.md"] {
        let (there, own) = (std::fs::read(at.join(file)), std::fs::read(own.join(file)));
        assert_eq!(
            there.expect("it is there"),
            own.expect("it is ours"),
            "{file}"
        );
    }
    assert!(install(&[]).1.contains("there already"));
    std::fs::write(at.join("SKILL.md"), "mine").expect("a file");
    let (code, error) = install(&[]);
    assert!(code == 1 && error.contains("--force"), "{error}");
    assert_eq!(
        std::fs::read_to_string(at.join("SKILL.md")).expect("a file"),
        "mine"
    );
    assert_eq!(install(&["--force"]).0, 0);
    assert_ne!(
        std::fs::read_to_string(at.join("SKILL.md")).expect("a file"),
        "mine"
    );
    // Where Claude Code is used, it goes where that looks.
    std::fs::create_dir(folder.path().join(".claude")).expect("a folder");
    assert_eq!(install(&[]).0, 0);
    assert!(
        folder
            .path()
            .join(".claude/skills/stepscope/SKILL.md")
            .exists()
    );
    assert_eq!(
        listing(folder.path())
            .iter()
            .filter(|path| path.contains(".part"))
            .count(),
        0
    );
}
