//! Every analysis over every capture, as agents get it: short, complete over its pages, and with next
//! calls that work.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use stepscope_analysis::ANALYSES;
use stepscope_mcp::{Agent, MOST_BYTES, Shown, answer_schema, tools};
use stepscope_testing::corpus;

async fn call(agent: &Agent, tool: &str, arguments: Value) -> Shown {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object: {arguments}")
    };
    let shown = agent.call(tool, arguments.clone()).await;
    let bytes = shown.bytes();
    assert!(bytes <= MOST_BYTES, "{tool} {arguments:?}: {bytes} bytes");
    assert!(
        !shown.text.contains('\u{1b}'),
        "{tool}: a control character"
    );
    shown
}

fn captures() -> Vec<PathBuf> {
    let all = corpus::fixtures().into_iter().chain(corpus::captures());
    all.map(|capture| capture.folder).collect()
}

/// Next calls of an answer, each tool and analysis once.
async fn follow(agent: &Agent, shown: &Shown, seen: &mut Vec<String>) {
    for next in shown.json["next"].as_array().into_iter().flatten() {
        let tool = next["tool"].as_str().expect("a name");
        let arguments = &next["arguments"];
        let kind = format!("{tool} {} {}", arguments["analysis"], arguments["kind"]);
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        let answer = call(agent, tool, arguments.clone()).await;
        assert!(!answer.is_error, "{tool} {arguments}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_about_every_capture_is_short() {
    let (mut answers, mut errors) = (0, 0);
    for path in captures() {
        let agent = Agent::new(std::slice::from_ref(&path), None);
        let mut seen = Vec::new();
        let report = call(&agent, "report", json!({})).await;
        assert!(!report.is_error, "{}: {}", path.display(), report.text);
        follow(&agent, &report, &mut seen).await;
        for entry in ANALYSES {
            let shown = call(&agent, "ask", json!({ "analysis": entry.name })).await;
            answers += 1;
            if shown.is_error {
                errors += 1;
                let next = shown.json["next"].as_array().map_or(0, Vec::len);
                assert!(next > 0, "{}: {}", entry.name, shown.text);
            }
            follow(&agent, &shown, &mut seen).await;
            let wide = json!({ "analysis": entry.name, "columns": ["all"] });
            call(&agent, "ask", wide).await;
        }
    }
    assert!(answers > 100, "{answers} answers");
    assert!(errors * 4 < answers, "{errors} of {answers} are errors");
}

#[test]
fn schemas_are_small_and_describe_every_argument() {
    let tools = tools();
    let bytes: usize = tools
        .iter()
        .map(|tool| tool.description.len() + json!(tool.arguments).to_string().len())
        .sum();
    assert!(bytes < 24_000, "{bytes} bytes of every agent's context");
    for tool in &tools {
        let properties = tool.arguments["properties"].as_object().expect("arguments");
        for (name, schema) in properties {
            let is_told = schema["description"]
                .as_str()
                .is_some_and(|text| text.len() > 8);
            assert!(is_told, "{} {name}: {schema}", tool.name);
        }
    }
    let answer = answer_schema();
    let keys: Map<String, Value> = answer["properties"].as_object().cloned().expect("keys");
    for key in [
        "about", "facts", "lines", "findings", "tables", "notes", "next", "open", "cursor",
    ] {
        assert!(keys.contains_key(key), "{key}");
    }
}
