//! LEB128: lengths in as few bytes as they need.

/// Adds a number to some bytes, seven bits to a byte with a flag for more.
pub fn write_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 128 {
        bytes.push(length as u8 | 128);
        length >>= 7;
    }
    bytes.push(length as u8);
}

/// Reads such a number at a position, which moves behind it.
pub fn read_length(bytes: &[u8], at: &mut usize) -> usize {
    let (mut length, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        length |= usize::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return length;
        }
    }
}
