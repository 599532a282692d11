//! LEB128: whole numbers as bytes, seven bits to a byte.

/// Adds a number to some bytes.
pub fn write(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 128 {
        bytes.push(length as u8 | 128);
        length >>= 7;
    }
    bytes.push(length as u8);
}

/// Reads the number that begins at a byte, and moves on behind it.
pub fn read(bytes: &[u8], at: &mut usize) -> usize {
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
