//! The type of a file by its first bytes. An XSpace cannot start with any of the signatures: its
//! first byte is the tag of one of its five fields.

use std::io::{self, Read};

use crate::compression::{Meter, decoder};
use crate::encoding::Encoding;
use crate::limits::Limits;

/// What the first bytes of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Zip,
    Tar,
    Compressed(Encoding),
    /// The name of an unsupported compression or archive format.
    Foreign(&'static str),
    LfsPointer,
    /// Unknown: plain data, or an empty file.
    Other,
}

/// Number of bytes that [`Content::of`] needs: one block of a tar.
pub(crate) const HEAD_BYTES: usize = 512;

impl Content {
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => Self::Zip,
            [0x1f, 0x8b, ..] => Self::Compressed(Encoding::Gzip),
            // The second is a skippable frame, which parallel compressors write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Self::Compressed(Encoding::Zstd)
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Foreign("xz"),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, ..] => Self::Foreign("bzip2"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Self::Foreign("7z"),
            [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Self::Foreign("rar"),
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Foreign("lz4"),
            _ if head.starts_with(b"version https://git-lfs.github.com/spec/") => Self::LfsPointer,
            _ if is_tar(head) => Self::Tar,
            _ => Self::Other,
        }
    }
}

/// Whether these bytes start with a tar header: its checksum is the sum of the block's bytes, with
/// the checksum itself taken as spaces, in octal. All tar dialects share this.
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..HEAD_BYTES) else {
        return false;
    };
    let digits = &block[148..156];
    let stored = digits
        .iter()
        .skip_while(|byte| **byte == b' ')
        .take_while(|byte| byte.is_ascii_digit())
        .try_fold(0_u32, |sum, digit| {
            let digit = u32::from(digit - b'0');
            (digit < 8).then_some(sum * 8 + digit)
        });
    let rest = block[..148].iter().chain(&block[156..]);
    let computed: u32 = rest.map(|byte| u32::from(*byte)).sum::<u32>() + 8 * u32::from(b' ');
    block[0] != 0 && stored == Some(computed)
}

/// The first bytes of a stream: [`HEAD_BYTES`], or fewer if it is shorter.
pub(crate) fn read_head(mut reader: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    reader
        .by_ref()
        .take(HEAD_BYTES as u64)
        .read_to_end(&mut head)?;
    Ok(head)
}

/// The type of the data in a compressed stream, by its first decompressed bytes. A stream that
/// (of so many bytes) that cannot be decompressed counts as [`Content::Other`]: opening it will say why.
pub(crate) fn content_within(encoding: Encoding, reader: impl Read, size_bytes: u64) -> Content {
    let meter = Meter::of(size_bytes);
    let limits = Limits::default();
    let head = decoder(encoding, reader, &meter, &limits).and_then(read_head);
    head.map_or(Content::Other, |head| Content::of(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_xspace_is_not_taken_for_anything_else() {
        let mut space = vec![0x0a, 0x80, 0x04];
        space.resize(1024, b'0');
        assert_eq!(Content::of(&space), Content::Other);
        assert_eq!(Content::of(&[]), Content::Other);
        assert_eq!(Content::of(&[0; 600]), Content::Other);
    }

    #[test]
    fn a_tar_header_of_any_dialect_is_told_by_its_checksum() {
        for mut header in [
            tar::Header::new_old(),
            tar::Header::new_ustar(),
            tar::Header::new_gnu(),
        ] {
            header.set_path("run/host-0.xplane.pb").unwrap();
            header.set_size(7);
            header.set_cksum();
            assert_eq!(Content::of(header.as_bytes()), Content::Tar);
            let mut broken = *header.as_bytes();
            broken[0] ^= 1;
            assert_eq!(Content::of(&broken), Content::Other);
        }
    }
}
