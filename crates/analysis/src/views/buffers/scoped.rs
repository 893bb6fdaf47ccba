//! VMEM that instructions reserve while they run, according to their backend configuration. It is not
//! part of the memory plan.

use stepscope_model::Program;
use stepscope_model::hlo::Outline;

const KEY: &str = "used_scoped_memory_configs";

/// The most that one instruction reserves, and its name.
pub(super) fn largest(program: &Program, outline: &Outline<'_>) -> Option<(u64, String)> {
    let bytes = program.hlo_bytes();
    let hlo = program.hlo.as_ref()?;
    // Most programs have none, so search the bytes before decoding instructions.
    if !bytes
        .windows(KEY.len())
        .any(|window| window == KEY.as_bytes())
    {
        return None;
    }
    let sizes = hlo.instructions().filter_map(|instruction| {
        let config = hlo.details(outline, instruction).backend_config;
        let size = reserved(&config)?;
        Some((size, instruction.name.clone()))
    });
    sizes
        .filter(|(size, _)| *size > 0)
        .max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)))
}

/// `"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"1048576"}]`.
fn reserved(config: &str) -> Option<u64> {
    let config: serde_json::Value = serde_json::from_str(config).ok()?;
    let entries = config.get(KEY)?.as_array()?;
    let number = |entry: &serde_json::Value, key: &str| {
        let value = entry.get(key)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    };
    let vmem = entries
        .iter()
        .filter(|entry| number(entry, "memory_space") == u64::try_from(super::space::VMEM).ok());
    Some(
        vmem.filter_map(|entry| number(entry, "size"))
            .fold(0, u64::saturating_add),
    )
}

#[cfg(test)]
mod tests {
    use super::reserved;

    #[test]
    fn sizes_of_vmem_are_summed() {
        let config = r#"{"flag":1,"used_scoped_memory_configs":[
            {"memory_space":"1","offset":"0","size":"1024"},
            {"memory_space":"2","size":"7"},{"memory_space":1,"size":512}]}"#;
        assert_eq!(reserved(config), Some(1536));
        assert_eq!(reserved("{}"), None);
        assert_eq!(reserved("no JSON"), None);
    }
}
