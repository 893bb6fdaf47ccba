//! Indices as types: each names the table of [`Session`](crate::Session) it points into.

macro_rules! index_types {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// From a position; tables never exceed 2^32 entries (ingest refuses to grow them past it).
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    )*};
}

index_types! {
    /// A host in `Session::hosts`.
    HostId;
    /// A device in `Session::devices`.
    DeviceId;
    /// A track in `Session::tracks`.
    TrackId;
    /// A label in `Session::labels`.
    #[derive(bytemuck::TransparentWrapper)]
    #[repr(transparent)]
    LabelId;
    /// A string in `Session::strings`.
    StringId;
    /// A program in `Session::programs`.
    ProgramId;
    /// An op in `Session::ops`.
    OpId;
    /// A kernel launch geometry in `Session::launches`.
    LaunchId;
}

/// Address of one slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceId {
    /// Track it lies on.
    pub track: TrackId,
    /// Lane within the track, counted over all nests.
    pub lane: u32,
    /// Position within the lane.
    pub index: u32,
}
