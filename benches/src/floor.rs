//! The limits of the machine, to compare the stages with.

use std::hint::black_box;

/// Copies all bytes: the bandwidth of memory, read and written.
pub fn copy(bytes: &[u8], into: &mut [u8]) {
    into.copy_from_slice(bytes);
    black_box(into);
}

/// Reads all bytes once and adds them up, eight at a time.
pub fn scan(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(0u64, |sum, word| {
        sum.wrapping_add(u64::from_le_bytes(*word))
    });
    rest.iter()
        .fold(sum, |sum, &byte| sum.wrapping_add(u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read() {
        let bytes = [1u8, 0x80, 0, 0, 0, 0, 0, 0, 5, 0xff];
        assert_eq!(scan(&bytes), 0x8001 + 5 + 0xff);
        let mut copied = [0; 10];
        copy(&bytes, &mut copied);
        assert_eq!(copied, bytes);
    }
}
