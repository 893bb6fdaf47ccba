//! Shapes: element type, dimensions, layout and memory space, their size in bytes and their text.

use std::fmt;

use crate::primitive_type::PrimitiveType;

/// Memory space of host memory (`S(5)` in text), which device bandwidth does not cover.
pub const HOST_MEMORY_SPACE: i64 = 5;

/// Separator between groups of five tuple elements is annotated with the next index, as XLA does.
const ANNOTATION_INTERVAL: usize = 5;

/// The dimension of a tile that merges with the next more minor one; printed as `*`.
const COMBINED_DIMENSION: i64 = i64::MIN;

/// More nested tiles than any compiler writes; the rest of a hostile list is not looked at.
const MAX_TILES: usize = 8;

/// Shape of a value: an array, a tuple of shapes, a token or an opaque handle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Type of one element; [`PrimitiveType::Tuple`] for tuples.
    pub element_type: PrimitiveType,
    /// Number of elements per dimension, most major logical dimension first.
    pub dimensions: Vec<i64>,
    /// Per dimension, whether the size is an upper bound only; empty when all are static.
    pub dynamic_dimensions: Vec<bool>,
    /// Physical arrangement of an array, where recorded.
    pub layout: Option<Layout>,
    /// Shapes of the elements of a tuple.
    pub tuple_shapes: Vec<Self>,
}

/// Physical arrangement of an array in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Logical dimensions, fastest varying first.
    pub minor_to_major: Vec<i64>,
    /// Tiles, outermost first; each a list of sizes, most major first.
    pub tiles: Vec<Vec<i64>>,
    /// Bits per element when packed below the natural size; zero when not packed.
    pub element_size_bits: i64,
    /// 0 default (HBM), 1 alternate (VMEM), 2 synchronization and scalar memory, 5 host.
    pub memory_space: i64,
}

/// Tuples within tuples that are flattened.
pub(crate) const MAX_NESTING: usize = 16;

impl Shape {
    /// The arrays of a tuple, also within tuples in it; a shape that is no tuple is one array.
    pub fn arrays(&self) -> Vec<&Self> {
        fn collect<'a>(shape: &'a Shape, depth: usize, found: &mut Vec<&'a Shape>) {
            match depth.checked_sub(1).filter(|_| shape.is_tuple()) {
                Some(depth) => {
                    for inner in &shape.tuple_shapes {
                        collect(inner, depth, found);
                    }
                }
                None => found.push(shape),
            }
        }
        let mut found = Vec::new();
        collect(self, MAX_NESTING, &mut found);
        found
    }

    /// Whether both are arrays of the same elements and dimensions, however they lie in memory.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.element_type == other.element_type && self.dimensions == other.dimensions
    }

    /// Whether this is a tuple.
    pub fn is_tuple(&self) -> bool {
        self.element_type == PrimitiveType::Tuple
    }

    /// Number of elements of an array (1 for a scalar), summed over the leaves of a tuple.
    /// Saturates; negative dimensions count as zero.
    pub fn element_count(&self) -> u64 {
        if self.is_tuple() {
            return self
                .tuple_shapes
                .iter()
                .fold(0, |sum, shape| sum.saturating_add(shape.element_count()));
        }
        if matches!(
            self.element_type,
            PrimitiveType::Token | PrimitiveType::Opaque
        ) {
            return 0;
        }
        self.dimensions.iter().fold(1, |product: u64, &dimension| {
            product.saturating_mul(u64::try_from(dimension).unwrap_or(0))
        })
    }

    /// Size of dimension `index`, at least zero; `None` where there is no such dimension.
    pub fn dimension(&self, index: i64) -> Option<u64> {
        let dimension = self.dimensions.get(usize::try_from(index).ok()?)?;
        Some(u64::try_from(*dimension).unwrap_or(0))
    }

    /// Bytes without tile padding, summed over the leaves of a tuple (pointer tables not counted).
    pub fn byte_size(&self) -> u64 {
        if self.is_tuple() {
            return self
                .tuple_shapes
                .iter()
                .fold(0, |sum, shape| sum.saturating_add(shape.byte_size()));
        }
        bytes_of_bits(self.element_count(), self.bits_per_element())
    }

    /// Like [`Shape::byte_size`], without the leaves that live in host memory.
    pub fn device_byte_size(&self) -> u64 {
        if self.is_tuple() {
            return self
                .tuple_shapes
                .iter()
                .fold(0, |sum, shape| sum.saturating_add(shape.device_byte_size()));
        }
        if self.memory_space() == HOST_MEMORY_SPACE {
            0
        } else {
            self.byte_size()
        }
    }

    /// Bytes with the padding of a tiled layout: the physical dimensions are rounded up to whole
    /// tiles, the dimensions inside a tile again to those of the next tile.
    pub fn padded_byte_size(&self) -> u64 {
        if self.is_tuple() {
            return self
                .tuple_shapes
                .iter()
                .fold(0, |sum, shape| sum.saturating_add(shape.padded_byte_size()));
        }
        let Some(layout) = self
            .layout
            .as_ref()
            .filter(|layout| !layout.tiles.is_empty())
        else {
            return self.byte_size();
        };
        let element_count = layout.padded_element_count(&self.dimensions);
        bytes_of_bits(element_count, self.bits_per_element())
    }

    /// Memory space of an array; zero (the default space) where no layout is recorded.
    pub fn memory_space(&self) -> i64 {
        self.layout.as_ref().map_or(0, |layout| layout.memory_space)
    }

    /// The first array of a tuple, or the array itself: the result proper of custom calls that
    /// return `(result, workspace)`.
    pub fn first_leaf(&self) -> &Self {
        let mut shape = self;
        while let (true, Some(first)) = (shape.is_tuple(), shape.tuple_shapes.first()) {
            shape = first;
        }
        shape
    }

    /// Bits one element takes in memory: sub-byte types fill a byte unless the layout packs them.
    fn bits_per_element(&self) -> u64 {
        let packed_bits = self
            .layout
            .as_ref()
            .map_or(0, |layout| layout.element_size_bits);
        match u64::try_from(packed_bits) {
            Ok(bits) if bits > 0 => bits,
            _ => self.element_type.bits().next_multiple_of(8),
        }
    }
}

fn bytes_of_bits(element_count: u64, bits: u64) -> u64 {
    if bits.is_multiple_of(8) {
        element_count.saturating_mul(bits / 8)
    } else {
        element_count.saturating_mul(bits).div_ceil(8)
    }
}

impl Layout {
    /// Elements of an array of logical `dimensions` in this layout, padding included. Saturates.
    fn padded_element_count(&self, dimensions: &[i64]) -> u64 {
        let mut physical: Vec<u64> = self
            .minor_to_major
            .iter()
            .rev()
            .map(|&dimension| {
                let size = usize::try_from(dimension)
                    .ok()
                    .and_then(|index| dimensions.get(index));
                size.map_or(1, |&size| u64::try_from(size).unwrap_or(0))
            })
            .collect();
        for tile in self.tiles.iter().take(MAX_TILES) {
            physical = tiled(&physical, tile);
        }
        physical
            .iter()
            .fold(1, |product, &size| product.saturating_mul(size))
    }
}

/// Dimensions after tiling: the trailing ones become a count of tiles each, followed by the tile.
///
/// ```text
/// [3, 10, 200] tiled by (8, 128)  ->  [3, 2, 2, 8, 128]
/// ```
fn tiled(physical: &[u64], tile: &[i64]) -> Vec<u64> {
    let (mut outer, mut merged) = (Vec::with_capacity(physical.len() + tile.len()), 1u64);
    let mut inner = Vec::with_capacity(tile.len());
    // A tile may have more dimensions than the array, as in f32[]{:T(128)}: count them as one.
    let missing = tile.len().saturating_sub(physical.len());
    let untiled = physical.len().saturating_sub(tile.len());
    outer.extend_from_slice(&physical[..untiled]);
    for (index, &tile_size) in tile.iter().enumerate() {
        let size = index
            .checked_sub(missing)
            .and_then(|index| physical.get(untiled + index))
            .map_or(1, |&size| size);
        if tile_size == COMBINED_DIMENSION {
            merged = merged.saturating_mul(size);
            continue;
        }
        let tile_size = u64::try_from(tile_size).unwrap_or(1).max(1);
        outer.push(merged.saturating_mul(size).div_ceil(tile_size));
        inner.push(tile_size);
        merged = 1;
    }
    outer.push(merged);
    outer.append(&mut inner);
    outer
}

impl fmt::Display for Shape {
    /// XLA's text with layout: `f32[2,3]{1,0:T(8,128)S(1)}`, tuples as `(f32[], s32[4]{0})`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_tuple() {
            formatter.write_str("(")?;
            for (index, shape) in self.tuple_shapes.iter().enumerate() {
                write_separator(formatter, index)?;
                shape.fmt(formatter)?;
            }
            return formatter.write_str(")");
        }
        write!(formatter, "{}[", self.element_type)?;
        for (index, dimension) in self.dimensions.iter().enumerate() {
            let bound = self
                .dynamic_dimensions
                .get(index)
                .is_some_and(|&dynamic| dynamic);
            let separator = if index == 0 { "" } else { "," };
            write!(
                formatter,
                "{separator}{}{dimension}",
                if bound { "<=" } else { "" }
            )?;
        }
        formatter.write_str("]")?;
        match &self.layout {
            Some(layout) if !layout.is_plain_scalar() => layout.fmt(formatter),
            _ => Ok(()),
        }
    }
}

/// Comma before every element but the first, with XLA's index note every five elements.
pub(crate) fn write_separator(out: &mut impl fmt::Write, index: usize) -> fmt::Result {
    if index == 0 {
        Ok(())
    } else if index.is_multiple_of(ANNOTATION_INTERVAL) {
        write!(out, ", /*index={index}*/")
    } else {
        out.write_str(", ")
    }
}

impl Layout {
    fn is_plain_scalar(&self) -> bool {
        self.minor_to_major.is_empty() && !self.has_details()
    }

    fn has_details(&self) -> bool {
        !self.tiles.is_empty() || self.element_size_bits != 0 || self.memory_space != 0
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("{")?;
        for (index, dimension) in self.minor_to_major.iter().enumerate() {
            write!(
                formatter,
                "{}{dimension}",
                if index == 0 { "" } else { "," }
            )?;
        }
        if self.has_details() {
            formatter.write_str(":")?;
        }
        for (index, tile) in self.tiles.iter().enumerate() {
            formatter.write_str(if index == 0 { "T(" } else { "(" })?;
            for (index, &size) in tile.iter().enumerate() {
                formatter.write_str(if index == 0 { "" } else { "," })?;
                if size == COMBINED_DIMENSION {
                    formatter.write_str("*")?;
                } else {
                    write!(formatter, "{size}")?;
                }
            }
            formatter.write_str(")")?;
        }
        if self.element_size_bits != 0 {
            write!(formatter, "E({})", self.element_size_bits)?;
        }
        if self.memory_space != 0 {
            write!(formatter, "S({})", self.memory_space)?;
        }
        formatter.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(element_type: PrimitiveType, dimensions: &[i64], layout: Layout) -> Shape {
        Shape {
            element_type,
            dimensions: dimensions.to_vec(),
            layout: Some(layout),
            ..Shape::default()
        }
    }

    fn tiled(minor_to_major: &[i64], tiles: &[&[i64]]) -> Layout {
        Layout {
            minor_to_major: minor_to_major.to_vec(),
            tiles: tiles.iter().map(|tile| tile.to_vec()).collect(),
            ..Layout::default()
        }
    }

    #[test]
    fn text_is_that_of_xla() {
        let layout = Layout {
            memory_space: 1,
            ..tiled(&[1, 0], &[&[8, 128]])
        };
        let matrix = array(PrimitiveType::F32, &[2, 3], layout);
        assert_eq!(matrix.to_string(), "f32[2,3]{1,0:T(8,128)S(1)}");
        let layout = Layout {
            element_size_bits: 4,
            ..tiled(&[0], &[&[COMBINED_DIMENSION, 8], &[2]])
        };
        let packed = array(PrimitiveType::S4, &[10], layout);
        assert_eq!(packed.to_string(), "s4[10]{0:T(*,8)(2)E(4)}");
        let scalar = array(PrimitiveType::Pred, &[], Layout::default());
        let dynamic = Shape {
            dynamic_dimensions: vec![true, false],
            ..matrix.clone()
        };
        let token = Shape {
            element_type: PrimitiveType::Token,
            ..Shape::default()
        };
        let tuple = Shape {
            element_type: PrimitiveType::Tuple,
            tuple_shapes: vec![
                scalar.clone(),
                dynamic,
                token,
                scalar.clone(),
                scalar.clone(),
                scalar,
            ],
            ..Shape::default()
        };
        assert_eq!(
            tuple.to_string(),
            "(pred[], f32[<=2,3]{1,0:T(8,128)S(1)}, token[], pred[], pred[], /*index=5*/pred[])"
        );
    }

    #[test]
    fn sizes_count_leaves_and_packed_bits() {
        let half = array(PrimitiveType::Bf16, &[3, 5], tiled(&[1, 0], &[]));
        let unpacked = array(PrimitiveType::S4, &[3, 5], tiled(&[1, 0], &[]));
        let layout = Layout {
            element_size_bits: 4,
            ..tiled(&[1, 0], &[])
        };
        let packed = array(PrimitiveType::S4, &[3, 5], layout);
        assert_eq!(
            (half.byte_size(), unpacked.byte_size(), packed.byte_size()),
            (30, 15, 8)
        );
        let layout = Layout {
            memory_space: HOST_MEMORY_SPACE,
            ..Layout::default()
        };
        let on_host = array(PrimitiveType::F64, &[], layout);
        let tuple = Shape {
            element_type: PrimitiveType::Tuple,
            tuple_shapes: vec![half, on_host],
            ..Shape::default()
        };
        assert_eq!((tuple.byte_size(), tuple.device_byte_size()), (38, 30));
        assert_eq!(tuple.element_count(), 16);
        assert_eq!(tuple.first_leaf().element_type, PrimitiveType::Bf16);
    }

    #[test]
    fn tiles_round_physical_dimensions_up() {
        // 3 x (10 -> 16) x (200 -> 256) elements.
        let matrix = array(
            PrimitiveType::F32,
            &[3, 10, 200],
            tiled(&[2, 1, 0], &[&[8, 128]]),
        );
        assert_eq!(matrix.padded_byte_size(), 4 * 3 * 16 * 256);
        // Transposed: dimension 1 varies fastest, so (200 -> 200) x (10 -> 128).
        let matrix = array(PrimitiveType::F32, &[10, 200], tiled(&[0, 1], &[&[8, 128]]));
        assert_eq!(matrix.padded_byte_size(), 4 * 200 * 128);
        // A second tile packs pairs of rows; 8 is even already.
        let layout = tiled(&[1, 0], &[&[8, 128], &[2, 1]]);
        assert_eq!(
            array(PrimitiveType::Bf16, &[9, 1], layout).padded_byte_size(),
            2 * 16 * 128
        );
        // A scalar fills its tile.
        let scalar = array(PrimitiveType::F32, &[], tiled(&[], &[&[128]]));
        assert_eq!((scalar.byte_size(), scalar.padded_byte_size()), (4, 512));
        // All but the last dimension merge: 3 * 10 = 30 -> 32 rows.
        let tile: &[i64] = &[COMBINED_DIMENSION, 8, 128];
        let merged = array(
            PrimitiveType::F32,
            &[3, 10, 100],
            tiled(&[2, 1, 0], &[tile]),
        );
        assert_eq!(merged.padded_byte_size(), 4 * 32 * 128);
    }
}
