//! Which devices take part in a collective together: three ways to write it, one to read it.
//!
//! ```text
//! {{0,1},{2,3}}                   every group listed
//! [2,2]<=[4]                      iota: 0 1 2 3 laid out in [4], cut into 2 groups of 2
//! [2,2]<=[2,2]T(1,0)              laid out in 2 x 2, transposed first: {0,2} {1,3}
//! mesh['data'=2,'model'=2] {'model'}   axes of a mesh: devices that differ in `model` only
//! ```

use std::fmt;

/// Which devices take part in a collective together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicaGroups {
    /// Every group is listed; no group at all means all devices in one.
    Listed(Vec<Vec<i64>>),
    /// Groups cut from a permuted counting sequence: `[4,2]<=[2,4]T(1,0)`.
    Iota {
        /// Number of groups.
        group_count: u64,
        /// Devices in each.
        devices_per_group: u64,
        /// Dimensions the sequence is laid out in first.
        reshape_dimensions: Vec<i64>,
        /// Permutation of these dimensions.
        transpose_permutation: Vec<i32>,
    },
    /// Axes of a mesh: devices whose coordinates agree in all other axes are a group.
    MeshAxes {
        /// Axes of the mesh, most major first.
        mesh: Vec<MeshAxis>,
        /// Device ids in row-major order of the mesh; empty where they count up.
        device_ids: Vec<i64>,
        /// Axes, or parts of axes, along which devices of a group differ, most major first.
        axes: Vec<MeshAxisPart>,
    },
}

/// An axis of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshAxis {
    /// Its name: that of the user's mesh, or one that the compiler made up.
    pub name: String,
    /// Devices along it.
    pub size: u64,
}

/// An axis of a mesh, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshAxisPart {
    /// Position of the axis in the mesh.
    pub axis: usize,
    /// Where it is a part: the size of what is more major within the axis, and its own size.
    pub part: Option<(u64, u64)>,
}

impl Default for ReplicaGroups {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

/// A mesh as a shape to lay a counting sequence out in, and the order in which to cut it.
struct Laid {
    sizes: Vec<u64>,
    /// Dimensions that tell groups apart, then dimensions within a group.
    order: Vec<usize>,
    devices_per_group: u64,
}

impl ReplicaGroups {
    /// Devices in the largest group; `None` when the program leaves it to the runtime.
    pub fn group_size(&self) -> Option<u64> {
        let size = match self {
            Self::Listed(groups) => groups.iter().map(Vec::len).max()? as u64,
            Self::Iota {
                devices_per_group, ..
            } => *devices_per_group,
            Self::MeshAxes { mesh, axes, .. } => laid(mesh, axes)?.devices_per_group,
        };
        (size > 0).then_some(size)
    }

    /// Devices in all groups together; `None` when the program leaves it to the runtime.
    pub fn device_count(&self) -> Option<u64> {
        let count = match self {
            Self::Listed(groups) => groups.iter().map(Vec::len).sum::<usize>() as u64,
            Self::Iota {
                group_count,
                devices_per_group,
                ..
            } => group_count.saturating_mul(*devices_per_group),
            Self::MeshAxes { mesh, .. } => product(mesh.iter().map(|axis| axis.size)),
        };
        (count > 0).then_some(count)
    }

    /// Every group written out; `None` when the program leaves it to the runtime, when what is
    /// written contradicts itself, or when there are more than `limit` devices.
    pub fn groups(&self, limit: usize) -> Option<Vec<Vec<i64>>> {
        let count = usize::try_from(self.device_count()?).ok()?;
        if count > limit {
            return None;
        }
        match self {
            Self::Listed(groups) => Some(groups.clone()),
            Self::Iota {
                devices_per_group,
                reshape_dimensions,
                transpose_permutation,
                ..
            } => {
                let sizes = reshape_dimensions.iter().map(|&size| u64::try_from(size));
                let sizes: Vec<u64> = sizes.collect::<Result<_, _>>().ok()?;
                let order = transpose_permutation.iter().map(|&d| usize::try_from(d));
                let order: Vec<usize> = order.collect::<Result<_, _>>().ok()?;
                let order = if order.is_empty() {
                    (0..sizes.len()).collect()
                } else {
                    order
                };
                cut(&sizes, &order, *devices_per_group, count)
            }
            Self::MeshAxes {
                mesh,
                device_ids,
                axes,
            } => {
                let Laid {
                    sizes,
                    order,
                    devices_per_group,
                } = laid(mesh, axes)?;
                let mut groups = cut(&sizes, &order, devices_per_group, count)?;
                if !device_ids.is_empty() {
                    for id in groups.iter_mut().flatten() {
                        *id = *device_ids.get(usize::try_from(*id).ok()?)?;
                    }
                }
                Some(groups)
            }
        }
    }
}

fn product(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(1, u64::saturating_mul)
}

/// Splits axes of which a part is asked for, and orders the dimensions.
fn laid(mesh: &[MeshAxis], axes: &[MeshAxisPart]) -> Option<Laid> {
    let mut sizes = Vec::new();
    let mut within: Vec<Option<usize>> = Vec::new();
    for (number, axis) in mesh.iter().enumerate() {
        let mut parts: Vec<(u64, u64, usize)> = Vec::new();
        for (place, part) in axes.iter().enumerate().filter(|(_, p)| p.axis == number) {
            let (before, size) = part.part.unwrap_or((1, axis.size));
            parts.push((before, size, place));
        }
        parts.sort_unstable();
        let mut covered = 1;
        for (before, size, place) in parts {
            // What lies between two parts is a dimension of its own.
            if before == 0 || size == 0 || before % covered != 0 {
                return None;
            }
            sizes.push(before / covered);
            within.push(None);
            sizes.push(size);
            within.push(Some(place));
            covered = before.checked_mul(size)?;
        }
        if axis.size % covered != 0 {
            return None;
        }
        sizes.push(axis.size / covered);
        within.push(None);
    }
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&d| within[d].is_none()).collect();
    let mut inner: Vec<usize> = (0..sizes.len()).filter(|&d| within[d].is_some()).collect();
    inner.sort_by_key(|&dimension| within[dimension]);
    let devices_per_group = product(inner.iter().map(|&dimension| sizes[dimension]));
    order.extend(inner);
    Some(Laid {
        sizes,
        order,
        devices_per_group,
    })
}

/// Counts through dimensions in another order and cuts what comes out into groups.
fn cut(sizes: &[u64], order: &[usize], group: u64, count: usize) -> Option<Vec<Vec<i64>>> {
    let mut seen = vec![false; sizes.len()];
    let is_permutation = order.len() == sizes.len()
        && order
            .iter()
            .all(|&d| d < seen.len() && !std::mem::replace(&mut seen[d], true));
    let group = usize::try_from(group).ok().filter(|&size| size > 0)?;
    if !is_permutation
        || product(sizes.iter().copied()) != count as u64
        || !count.is_multiple_of(group)
    {
        return None;
    }
    let mut strides = vec![1u64; sizes.len()];
    for dimension in (1..sizes.len()).rev() {
        strides[dimension - 1] = strides[dimension] * sizes[dimension];
    }
    let id = |position: usize| {
        let (mut rest, mut id) = (position as u64, 0);
        for &dimension in order.iter().rev() {
            id += rest % sizes[dimension] * strides[dimension];
            rest /= sizes[dimension];
        }
        id.cast_signed()
    };
    let ids: Vec<i64> = (0..count).map(id).collect();
    Some(ids.chunks(group).map(<[i64]>::to_vec).collect())
}

impl fmt::Display for ReplicaGroups {
    /// As HLO text has it; nothing when the program leaves it to the runtime.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(groups) if groups.is_empty() => Ok(()),
            Self::Listed(groups) => {
                let groups = groups.iter().map(|group| format!("{{{}}}", joined(group)));
                write!(out, "{{{}}}", groups.collect::<Vec<_>>().join(","))
            }
            Self::Iota {
                group_count,
                devices_per_group,
                reshape_dimensions,
                transpose_permutation,
            } => {
                let reshape = joined(reshape_dimensions);
                write!(out, "[{group_count},{devices_per_group}]<=[{reshape}]")?;
                if transpose_permutation.len() > 1 {
                    write!(out, "T({})", joined(transpose_permutation))?;
                }
                Ok(())
            }
            Self::MeshAxes {
                mesh,
                device_ids,
                axes,
            } => {
                let sizes = mesh
                    .iter()
                    .map(|axis| format!("'{}'={}", axis.name, axis.size));
                write!(out, "mesh[{}]", sizes.collect::<Vec<_>>().join(","))?;
                if !device_ids.is_empty() {
                    write!(out, ", device_ids=({})", joined(device_ids))?;
                }
                let axes = axes.iter().map(|part| {
                    let name = mesh.get(part.axis).map_or("?", |axis| &axis.name);
                    let part = part.part.map(|(before, size)| format!(":({before}){size}"));
                    format!("'{name}'{}", part.unwrap_or_default())
                });
                write!(out, " {{{}}}", axes.collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn joined(numbers: &[impl ToString]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1000;

    fn iota(groups: u64, size: u64, reshape: &[i64], transpose: &[i32]) -> ReplicaGroups {
        ReplicaGroups::Iota {
            group_count: groups,
            devices_per_group: size,
            reshape_dimensions: reshape.to_vec(),
            transpose_permutation: transpose.to_vec(),
        }
    }

    fn mesh(sizes: &[(&str, u64)], axes: &[MeshAxisPart]) -> ReplicaGroups {
        let named = |&(name, size): &(&str, u64)| MeshAxis {
            name: name.to_owned(),
            size,
        };
        ReplicaGroups::MeshAxes {
            mesh: sizes.iter().map(named).collect(),
            device_ids: Vec::new(),
            axes: axes.to_vec(),
        }
    }

    const fn whole(axis: usize) -> MeshAxisPart {
        MeshAxisPart { axis, part: None }
    }

    #[test]
    fn a_counting_sequence_is_cut() {
        let groups = iota(2, 2, &[4], &[0]).groups(LIMIT);
        assert_eq!(groups, Some(vec![vec![0, 1], vec![2, 3]]));
        let groups = iota(2, 2, &[2, 2], &[1, 0]).groups(LIMIT);
        assert_eq!(groups, Some(vec![vec![0, 2], vec![1, 3]]));
        // 2 x 4 = [[0 1 2 3] [4 5 6 7]], transposed 0 4 1 5 2 6 3 7.
        let groups = iota(4, 2, &[2, 4], &[1, 0]).groups(LIMIT).expect("whole");
        assert_eq!(groups, [[0, 4], [1, 5], [2, 6], [3, 7]]);
        // [2,2,2] by (0,2,1): the two minor dimensions change places.
        let groups = iota(2, 4, &[2, 2, 2], &[0, 2, 1])
            .groups(LIMIT)
            .expect("whole");
        assert_eq!(groups, [[0, 2, 1, 3], [4, 6, 5, 7]]);
        // No permutation is the identity.
        assert_eq!(
            iota(1, 3, &[3], &[]).groups(LIMIT),
            Some(vec![vec![0, 1, 2]])
        );
    }

    #[test]
    fn axes_of_a_mesh_say_who_differs() {
        let sizes = [("data", 2), ("model", 3)];
        let groups = mesh(&sizes, &[whole(1)]).groups(LIMIT).expect("whole");
        assert_eq!(groups, [[0, 1, 2], [3, 4, 5]]);
        let groups = mesh(&sizes, &[whole(0)]).groups(LIMIT).expect("whole");
        assert_eq!(groups, [[0, 3], [1, 4], [2, 5]]);
        let both = mesh(&sizes, &[whole(1), whole(0)]);
        assert_eq!(both.groups(LIMIT), Some(vec![vec![0, 3, 1, 4, 2, 5]]));
        assert_eq!((both.group_size(), both.device_count()), (Some(6), Some(6)));
        assert_eq!(
            both.to_string(),
            "mesh['data'=2,'model'=3] {'model','data'}"
        );
        // The middle one of an axis of 8 = 2 x 2 x 2.
        let part = MeshAxisPart {
            axis: 0,
            part: Some((2, 2)),
        };
        let groups = mesh(&[("x", 8)], &[part]).groups(LIMIT).expect("whole");
        assert_eq!(groups, [[0, 2], [1, 3], [4, 6], [5, 7]]);
    }

    #[test]
    fn device_ids_of_a_mesh_replace_positions() {
        let ReplicaGroups::MeshAxes { mesh, axes, .. } = mesh(&[("x", 2), ("y", 2)], &[whole(0)])
        else {
            unreachable!("drawn as a mesh")
        };
        let groups = ReplicaGroups::MeshAxes {
            mesh,
            axes,
            device_ids: vec![3, 2, 1, 0],
        };
        assert_eq!(groups.groups(LIMIT), Some(vec![vec![3, 1], vec![2, 0]]));
    }

    #[test]
    fn what_contradicts_itself_has_no_groups() {
        for wrong in [
            iota(2, 2, &[5], &[0]),
            iota(2, 2, &[2, 2], &[0, 0]),
            iota(2, 2, &[2, 2], &[0, 7]),
            iota(2, 2, &[2, 2], &[0, -1]),
            iota(2, 2, &[-4], &[0]),
            iota(0, 0, &[], &[]),
            iota(u64::MAX, u64::MAX, &[i64::MAX], &[0]),
            mesh(
                &[("x", 4)],
                &[MeshAxisPart {
                    axis: 0,
                    part: Some((3, 2)),
                }],
            ),
            mesh(
                &[("x", 4)],
                &[MeshAxisPart {
                    axis: 0,
                    part: Some((0, 0)),
                }],
            ),
            ReplicaGroups::default(),
        ] {
            assert_eq!(wrong.groups(LIMIT), None, "{wrong}");
        }
        assert_eq!(iota(1, 2000, &[2000], &[0]).groups(LIMIT), None);
        // An axis that is not there takes nobody apart.
        let alone = mesh(&[("x", 2)], &[whole(9)]).groups(LIMIT);
        assert_eq!(alone, Some(vec![vec![0], vec![1]]));
    }
}
