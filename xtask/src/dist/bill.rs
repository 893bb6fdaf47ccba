//! The bill of materials of a target, in the JSON form of CycloneDX 1.6
//! (<https://cyclonedx.org/docs/1.6/json/>). It has no time and no random number, so the same
//! sources give the same bill.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::components::Component;
use super::sums;
use super::target::{Target, VERSION};

/// The bill, as text.
pub(super) fn text(target: &Target, components: &[Component]) -> Result<String> {
    let mut bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "application",
                "bom-ref": "stepscope",
                "name": "stepscope",
                "version": VERSION,
                "licenses": [{"expression": "Apache-2.0 OR MIT"}],
            },
            "properties": [{"name": "stepscope:target", "value": target.triple}],
        },
        "components": components.iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies(components),
    });
    let serial = serial(&bill);
    bill["serialNumber"] = Value::String(serial);
    let mut text = serde_json::to_string_pretty(&bill).context("cannot write the bill")?;
    text.push('\n');
    Ok(text)
}

fn component(component: &Component) -> Value {
    let mut entry = json!({
        "type": "library",
        "bom-ref": component.purl,
        "name": component.name,
        "version": component.version,
        "purl": component.purl,
        "licenses": [{"expression": component.license}],
    });
    if let Some(digest) = &component.sha256 {
        entry["hashes"] = json!([{"alg": "SHA-256", "content": digest}]);
    }
    entry
}

fn dependencies(components: &[Component]) -> Vec<Value> {
    // The programs use our own crates and the packages of the page.
    let is_direct = |component: &&Component| component.is_ours || component.purl.contains("/npm");
    let direct: Vec<&str> = components
        .iter()
        .filter(is_direct)
        .map(|component| component.purl.as_str())
        .collect();
    let mut all = vec![json!({"ref": "stepscope", "dependsOn": direct})];
    let of = |component: &Component| json!({"ref": component.purl, "dependsOn": component.uses});
    all.extend(components.iter().map(of));
    all
}

/// A UUID of what is in the bill, of the version for such UUIDs (RFC 9562, section 5.8).
fn serial(bill: &Value) -> String {
    let digest = sums::digest(bill.to_string().as_bytes());
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::components::tests::component;

    #[test]
    fn a_bill_names_parts_licenses_and_uses() {
        let target = Target::named("x86_64-unknown-linux-musl");
        let parts = [
            component("a", "MIT OR Apache-2.0", &["b"]),
            component("b", "MIT", &[]),
        ];
        let written = text(&target, &parts).unwrap();
        assert_eq!(written, text(&target, &parts).unwrap());
        let bill: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(
            bill["components"][0]["licenses"][0]["expression"],
            "MIT OR Apache-2.0"
        );
        assert_eq!(bill["components"][1]["hashes"][0]["alg"], "SHA-256");
        assert_eq!(bill["dependencies"][1]["dependsOn"][0], "pkg:cargo/b@1.0.0");
        let serial = bill["serialNumber"].as_str().unwrap();
        let lengths: Vec<usize> = serial["urn:uuid:".len()..]
            .split('-')
            .map(str::len)
            .collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        let other = text(&target, &parts[1..]).unwrap();
        assert!(!other.contains(serial), "other parts, other number");
    }
}
