//! Replica groups as axes of a mesh.
//!
//! Newer compilers record the axes. For older ones, they are inferred from the groups of all collectives
//! of a program: a group of devices `a, a + s, a + 2s …` is an axis with stride `s`. Compatible strides
//! and sizes give the mesh, most major axis first; the names of its axes are made up.

use std::collections::BTreeMap;

use stepscope_model::hlo::{MeshAxis, Program};
use stepscope_model::{Collective, ProgramId, ReplicaGroups};

use super::Evidence;

/// Maximum number of devices in the groups of a collective.
const MAX_DEVICES: usize = 1 << 16;

/// Axes of every collective, and whether they are inferred; the meshes of programs.
pub(super) struct Meshes {
    of_ops: Vec<(String, bool)>,
    of_programs: BTreeMap<ProgramId, Mesh>,
}

/// The mesh of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mesh {
    /// Axes with more than one device, most major first: name and size.
    pub(super) axes: Vec<(String, u64)>,
    /// Whether it is inferred from strides and the names are made up.
    pub(super) is_guessed: bool,
}

impl Mesh {
    /// A mesh from strides and sizes of axes; none if they are incompatible.
    pub(super) fn guess(axes: &[(u64, u64)], device_count: u64) -> Option<Self> {
        let sizes = mesh(axes, device_count);
        let named = sizes.into_iter().enumerate();
        let axes: Vec<(String, u64)> = named
            .map(|(place, size)| (format!("axis {place}"), size))
            .collect();
        (!axes.is_empty()).then_some(Self {
            axes,
            is_guessed: true,
        })
    }

    /// A mesh that the program names, without axes of one device.
    pub(super) fn named(mesh: &[MeshAxis]) -> Self {
        let axes = mesh.iter().filter(|axis| axis.size > 1);
        Self {
            axes: axes.map(|axis| (axis.name.clone(), axis.size)).collect(),
            is_guessed: false,
        }
    }

    /// How one dimension is cut, as JAX writes it: the axes by name, or the number of parts.
    pub(super) fn cut(
        mesh: Option<&Self>,
        parts: u64,
        devices: &[i64],
        device_count: u64,
    ) -> String {
        if parts == 1 {
            return "None".to_owned();
        }
        match mesh.and_then(|mesh| mesh.along(devices)) {
            Some(names) if names.len() == 1 => names[0].to_owned(),
            Some(names) => format!("({})", names.join(", ")),
            None if parts == device_count => "all".to_owned(),
            None => format!("{parts} parts"),
        }
    }

    /// The axes along which devices are arranged, most major first; none if there are no such axes.
    pub(super) fn along(&self, devices: &[i64]) -> Option<Vec<&str>> {
        let strides = self.axes.iter().rev().scan(1u64, |covered, (name, size)| {
            let stride = *covered;
            *covered = covered.saturating_mul(*size);
            Some((name.as_str(), *size, stride))
        });
        let mut free: Vec<(&str, u64, u64)> = strides.collect();
        let first = *devices.first()?;
        let mut names = Vec::new();
        let mut covered = 1usize;
        let mut found: Vec<(usize, u64, u64)> = Vec::new();
        while covered < devices.len() {
            let step = devices.get(covered)?.checked_sub(first)?;
            let step = u64::try_from(step).ok()?;
            let place = free.iter().position(|&(_, _, stride)| stride == step)?;
            let (name, size, stride) = free.remove(place);
            names.push(name);
            found.push((covered, size, stride));
            covered = covered.checked_mul(usize::try_from(size).ok()?)?;
        }
        let at = |position: usize| {
            let parts = found.iter();
            parts.fold(0u64, |sum, &(inner, size, stride)| {
                sum + (position / inner) as u64 % size * stride
            })
        };
        let fits = |(position, &device): (usize, &i64)| {
            device.checked_sub(first) == i64::try_from(at(position)).ok()
        };
        names.reverse();
        (covered == devices.len() && devices.iter().enumerate().all(fits)).then_some(names)
    }
}

/// Along what a collective communicates, before the mesh is known.
enum Along {
    /// The axes that the program names.
    Named(String),
    /// Size and stride of its groups.
    Regular {
        size: u64,
        stride: u64,
    },
    /// All devices of the program.
    All,
    Unknown,
}

impl Meshes {
    pub(super) fn of(evidence: &Evidence<'_>) -> Self {
        let ops = &evidence.survey.ops;
        let along: Vec<(Along, usize)> = ops
            .iter()
            .map(|op| along(evidence, op).unwrap_or((Along::Unknown, 0)))
            .collect();
        let mut axes: BTreeMap<ProgramId, Vec<(u64, u64)>> = BTreeMap::new();
        for (op, (along, _)) in ops.iter().zip(&along) {
            if let (Some(program), Along::Regular { size, stride }) = (op.program, along) {
                axes.entry(program).or_default().push((*stride, *size));
            }
        }
        let named = named_meshes(evidence);
        let mut of_programs: BTreeMap<ProgramId, Mesh> = BTreeMap::new();
        for (op, (_, count)) in ops.iter().zip(&along) {
            let Some(program) = op.program else {
                continue;
            };
            let found = match named.get(&program) {
                Some(axes) => Some(Mesh {
                    axes: axes.clone(),
                    is_guessed: false,
                }),
                None => axes
                    .get(&program)
                    .and_then(|axes| Mesh::guess(axes, *count as u64)),
            };
            if let Some(found) = found {
                of_programs.insert(program, found);
            }
        }
        let text = |(number, (along, count)): (usize, (Along, usize))| match along {
            Along::Named(text) => (text, false),
            Along::All => (format!("all {count} devices"), false),
            Along::Regular { size, stride } => {
                let program = ops[number].program;
                let own = program.and_then(|program| named.get(&program));
                if let Some(text) = own.and_then(|mesh| by_name(mesh, size, stride)) {
                    return (text, true);
                }
                let known = program.and_then(|program| axes.get(&program));
                let mesh = mesh(known.map_or(&[][..], Vec::as_slice), count as u64);
                (regular(&mesh, size, stride), true)
            }
            Along::Unknown => (String::new(), false),
        };
        Self {
            of_ops: along.into_iter().enumerate().map(text).collect(),
            of_programs,
        }
    }

    pub(super) fn axes(&self, op: usize) -> (String, bool) {
        self.of_ops.get(op).cloned().unwrap_or_default()
    }

    /// The mesh of a program, according to its executed collectives.
    pub(super) fn of_program(&self, program: ProgramId) -> Option<&Mesh> {
        self.of_programs.get(&program)
    }
}

/// Strides and sizes of the groups of all collectives of a program, other than those of all devices.
pub(super) fn strides(program: &Program) -> Vec<(u64, u64)> {
    let all = program.sharding_device_count();
    let mut found: Vec<(u64, u64)> = program
        .instructions()
        .filter_map(|instruction| {
            let groups = program.collective(instruction)?.groups(MAX_DEVICES)?;
            let (size, stride) = stride(&groups)?;
            (Some(size) != all).then_some((stride, size))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The mesh that some collective of a program names, without axes of one device.
fn named_meshes(evidence: &Evidence<'_>) -> BTreeMap<ProgramId, Vec<(String, u64)>> {
    let mut found = BTreeMap::new();
    for op in &evidence.survey.ops {
        let Some(program) = op.program.filter(|program| !found.contains_key(program)) else {
            continue;
        };
        let Some(hlo) = &evidence.session.program(program).hlo else {
            continue;
        };
        let instruction = hlo.instruction(&op.name);
        let collective = instruction.and_then(|instruction| hlo.collective(instruction));
        let groups = collective.as_ref().and_then(Collective::replica_groups);
        if let Some(ReplicaGroups::MeshAxes { mesh, .. }) = groups {
            found.insert(program, Mesh::named(mesh).axes);
        }
    }
    found
}

/// The axis of a named mesh with this size and stride.
fn by_name(mesh: &[(String, u64)], size: u64, stride: u64) -> Option<String> {
    let mut covered = 1u64;
    for (name, axis) in mesh.iter().rev() {
        if covered == stride && *axis == size {
            let sizes: Vec<String> = mesh.iter().map(|(_, size)| size.to_string()).collect();
            return Some(format!("{name} ({size} of {})", sizes.join("×")));
        }
        covered = covered.saturating_mul(*axis);
    }
    None
}

/// Along what a collective communicates, and the number of devices of the program.
fn along(evidence: &Evidence<'_>, op: &super::survey::CollectiveOp) -> Option<(Along, usize)> {
    let hlo = evidence.session.program(op.program?).hlo.as_ref()?;
    let collective = hlo.collective(hlo.instruction(&op.name)?)?;
    let count = hlo.assigned_devices().len();
    if let Some(ReplicaGroups::MeshAxes { mesh, axes, .. }) = collective.replica_groups() {
        let sizes = mesh.iter().filter(|axis| axis.size > 1);
        let sizes: Vec<String> = sizes.map(|axis| axis.size.to_string()).collect();
        let names = axes.iter().filter_map(|part| {
            let axis = mesh.get(part.axis)?;
            let size = part.part.map_or(axis.size, |(_, size)| size);
            Some(format!("{} ({size} of {})", axis.name, sizes.join("×")))
        });
        let names: Vec<String> = names.collect();
        return Some((Along::Named(names.join(", ")), count));
    }
    let pairs = collective.exchange.attributes()?;
    if !pairs.source_target_pairs.is_empty() {
        return Some((Along::Unknown, count));
    }
    let groups = collective.groups(MAX_DEVICES)?;
    let along = match groups.as_slice() {
        [all] if all.len() == count => Along::All,
        _ => stride(&groups).map_or(Along::Unknown, |(size, stride)| Along::Regular {
            size,
            stride,
        }),
    };
    Some((along, count))
}

/// Size and stride that all groups share.
fn stride(groups: &[Vec<i64>]) -> Option<(u64, u64)> {
    let mut found: Option<(u64, u64)> = None;
    for group in groups {
        let mut sorted = group.clone();
        sorted.sort_unstable();
        let step = sorted.get(1)?.checked_sub(*sorted.first()?)?;
        let is_regular = sorted
            .windows(2)
            .all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
        let own = (
            sorted.len() as u64,
            u64::try_from(step).ok().filter(|&s| s > 0)?,
        );
        if !is_regular || found.is_some_and(|found| found != own) {
            return None;
        }
        found = Some(own);
    }
    found
}

/// Sizes of a mesh, most major first, from strides and sizes of axes; empty if they are incompatible.
fn mesh(axes: &[(u64, u64)], device_count: u64) -> Vec<u64> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    axes.dedup();
    let mut sizes = Vec::new();
    let mut covered = 1;
    for (stride, size) in axes {
        if stride < covered || stride % covered != 0 {
            return Vec::new();
        }
        if stride > covered {
            sizes.push(stride / covered);
        }
        sizes.push(size);
        covered = stride.saturating_mul(size);
    }
    if covered == 0 || !device_count.is_multiple_of(covered) {
        return Vec::new();
    }
    if device_count > covered {
        sizes.push(device_count / covered);
    }
    sizes.reverse();
    sizes
}

/// `axis 1 (2 of 4×2)`, or without a mesh `2 devices, stride 1`.
fn regular(mesh: &[u64], size: u64, stride: u64) -> String {
    let mut covered = 1;
    for (place, &axis) in mesh.iter().enumerate().rev() {
        if covered == stride && axis == size {
            let sizes: Vec<String> = mesh.iter().map(u64::to_string).collect();
            return format!("axis {place} ({size} of {})", sizes.join("×"));
        }
        covered = covered.saturating_mul(axis);
    }
    format!("{size} devices, stride {stride}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_give_the_mesh() {
        assert_eq!(stride(&[vec![0, 2, 4], vec![1, 3, 5]]), Some((3, 2)));
        assert_eq!(stride(&[vec![0, 1, 3]]), None);
        assert_eq!(stride(&[vec![0, 1], vec![2, 4]]), None);
        assert_eq!(mesh(&[(1, 2), (2, 4)], 8), [4, 2]);
        assert_eq!(mesh(&[(1, 2)], 8), [4, 2]);
        assert_eq!(mesh(&[(4, 2)], 8), [2, 4]);
        assert_eq!(mesh(&[(2, 2)], 8), [2, 2, 2]);
        assert_eq!(mesh(&[(1, 4), (2, 2)], 8), Vec::<u64>::new());
        assert_eq!(regular(&[4, 2], 2, 1), "axis 1 (2 of 4×2)");
        assert_eq!(regular(&[4, 2], 4, 2), "axis 0 (4 of 4×2)");
        assert_eq!(regular(&[], 4, 2), "4 devices, stride 2");
        let named = [("data".to_owned(), 4), ("model".to_owned(), 2)];
        assert_eq!(by_name(&named, 2, 1).as_deref(), Some("model (2 of 4×2)"));
        assert_eq!(by_name(&named, 4, 2).as_deref(), Some("data (4 of 4×2)"));
        assert_eq!(by_name(&named, 2, 2), None);
    }

    #[test]
    fn devices_lie_along_axes() {
        let mesh = Mesh {
            axes: vec![("data".to_owned(), 4), ("model".to_owned(), 2)],
            is_guessed: false,
        };
        assert_eq!(mesh.along(&[0, 2, 4, 6]), Some(vec!["data"]));
        assert_eq!(mesh.along(&[0, 1]), Some(vec!["model"]));
        assert_eq!(
            mesh.along(&[0, 1, 2, 3, 4, 5, 6, 7]),
            Some(vec!["data", "model"])
        );
        assert_eq!(
            mesh.along(&[0, 2, 4, 6, 1, 3, 5, 7]),
            Some(vec!["model", "data"]),
            "parts along the model lie further apart"
        );
        assert_eq!(mesh.along(&[0]), Some(Vec::new()));
        assert_eq!(mesh.along(&[0, 4]), None, "half an axis");
        assert_eq!(mesh.along(&[0, 2, 4, 5]), None);
        assert_eq!(mesh.along(&[]), None);
    }
}
