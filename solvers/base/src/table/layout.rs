//! The layout of the entries of a bucket in its cache lines.
//!
//! ```text
//! first word   | tags of up to 5 entries, a byte each | writing | moved | counter |
//! second word  | tags of up to 8 more                 |        (where there are more than 5)
//! then records | key without 7 bits | lower | upper | key without 7 bits | lower | upper | ...
//! ```
//!
//! Records are packed to the bit: a key of 52 bits and two bounds of 23 take 91. A tag is 0 if there is
//! no entry, else 128 plus 7 bits by which most wrong entries are passed over at once. These are the
//! lowest 7 bits of the key, mixed with its other bits, so that they differ also where keys are alike;
//! with the other bits at hand they can be unmixed, so the record need not hold them. (To leave out of
//! the record what its place says is called quotienting: J. G. Cleary, Compact hash tables using
//! bidirectional linear probing, IEEE Transactions on Computers 33, 1984.) All tags of a word are
//! compared at once.

use crate::table::prefetch::prefetch;
use crate::value::Numerator;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of a cache line.
const LINE: usize = 8;
/// The most lines of a bucket, unless one record needs more.
const MAX_LINES: usize = 16;
/// The bits that a further line of a bucket must save for each entry.
const BITS_PER_LINE: usize = 4;
/// Tags in the first word and in the second.
const TAGS: [usize; 2] = [5, 8];
const MAX_ENTRIES: usize = TAGS[0] + TAGS[1];
/// Bits of a key that its tag holds.
const TAG_BITS: usize = 7;
/// A key may be in its own bucket and the next ones, up to this number of entries together. They are never
/// all full before the segment grows.
const REACH: usize = 1 << 10;
/// The same where the segment cannot grow.
const SHORT_REACH: usize = 24;

/// A thread writes into the bucket.
const WRITING: u64 = 1 << 40;
/// The entries have been copied to a larger segment: they can be read, not changed.
const MOVED: u64 = 1 << 41;
/// The unit of the counter, above the flags. It has 22 bits: a reader would have to sleep while exactly a multiple of 4,194,304 writes hit
/// this one bucket to take two states of it for one. More bits would cost a tag, and with it an entry of many buckets.
const COUNT: u64 = 1 << 42;

/// The lowest bit of each byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// A cache line of words that threads share.
#[repr(align(64))]
#[derive(Default)]
pub struct Line([AtomicU64; LINE]);

/// The lines of a bucket.
#[derive(Clone, Copy)]
pub struct Bucket<'a>(pub &'a [Line]);

/// The first word of a bucket, as a thread found it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Head(u64);

/// A key and its tag.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    words: &'a [u64],
    tag: u64,
}

/// Where everything is in a bucket.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    key_bits: usize,
    value_bits: usize,
    /// Bits of the key in a record.
    rest_bits: usize,
    /// Words of a key, and the bits that the last one may have.
    key_words: usize,
    last_word: u64,
    /// Whether tags take two words.
    has_two_heads: bool,
    /// The first bit of the first record.
    first: usize,
    /// Bits of a record.
    record: usize,
    /// Entries per bucket.
    pub entries: usize,
    /// Lines per bucket.
    pub lines: usize,
    /// The number of buckets in which a key may be, and where the segment cannot grow.
    pub reach: usize,
    pub short_reach: usize,
}

impl Layout {
    /// For two bounds of at most `value_bits` bits: the layout that takes the least memory, or nearly so with fewer lines to a bucket.
    pub fn new(key_bits: usize, value_bits: usize) -> Self {
        let value_bits = value_bits.max(1);
        let rest_bits = key_bits.saturating_sub(TAG_BITS);
        let record = rest_bits + 2 * value_bits;
        let key_words = key_bits.div_ceil(64).max(1);
        let with_lines = |lines: usize| {
            let words = lines * LINE;
            let one_head = ((words - 1) * 64 / record).min(TAGS[0]);
            let two_heads = ((words - 2) * 64 / record).min(MAX_ENTRIES);
            let entries = one_head.max(two_heads);
            let has_two_heads = entries > TAGS[0];
            Layout {
                key_bits,
                value_bits,
                rest_bits,
                key_words,
                last_word: match key_bits - 64 * (key_words - 1) {
                    0 => 0,
                    bits => u64::MAX >> (64 - bits),
                },
                has_two_heads,
                first: 64 + 64 * usize::from(has_two_heads),
                record,
                entries,
                lines,
                reach: REACH.div_ceil(entries.max(1)),
                short_reach: SHORT_REACH.div_ceil(entries.max(1)),
            }
        };
        let costs = |layout: &Layout| {
            layout.lines * LINE * 64 / layout.entries + (layout.lines - 1) * BITS_PER_LINE
        };
        let layouts = (1..=MAX_LINES).map(with_lines);
        let best = layouts
            .filter(|layout| layout.entries > 0)
            .min_by_key(costs);
        best.unwrap_or_else(|| with_lines((1 + record.div_ceil(64)).div_ceil(LINE)))
    }

    /// The memory of a bucket, in bytes.
    pub fn bucket_bytes(&self) -> usize {
        self.lines * size_of::<Line>()
    }

    /// The bits of a key.
    pub fn key_bits(&self) -> usize {
        self.key_bits
    }

    /// The words of a key.
    pub fn key_words(&self) -> usize {
        self.key_words
    }

    /// A key with its tag.
    ///
    /// # Panics
    /// If the key has more bits than it was said to have: it would be taken for another one.
    #[inline]
    pub fn key<'a>(&self, words: &'a [u64]) -> Key<'a> {
        let fits = words.len() == self.key_words && words[words.len() - 1] & !self.last_word == 0;
        assert!(fits, "a key of at most {} bits", self.key_bits);
        let tag = mixer(words) ^ words[0] & ((1 << TAG_BITS) - 1);
        Key {
            words,
            tag: tag | 1 << TAG_BITS,
        }
    }

    /// The first bit of a record.
    #[inline]
    fn index(&self, entry: usize) -> usize {
        self.first + entry * self.record
    }

    /// The widths of the words of a key in a record.
    #[inline]
    fn widths(&self) -> impl Iterator<Item = usize> {
        let first = self.rest_bits.min(64 - TAG_BITS);
        let further = (64..self.key_bits).step_by(64);
        std::iter::once(first).chain(further.map(|start| (self.key_bits - start).min(64)))
    }

    /// The number of entries in a bucket.
    #[inline]
    pub fn used(&self, bucket: Bucket<'_>, head: Head) -> usize {
        let used = |tags: u64| 8 - tags.leading_zeros() as usize / 8;
        let first = used(head.tags());
        match self.has_two_heads && first == TAGS[0] {
            true => first + used(bucket.second()),
            false => first,
        }
    }

    /// Whether a bucket is full.
    #[inline]
    pub fn is_full(&self, bucket: Bucket<'_>, head: Head) -> bool {
        match self.has_two_heads {
            true => bucket.second() >> (8 * (self.entries - TAGS[0] - 1)) != 0,
            false => head.tags() >> (8 * (self.entries - 1)) != 0,
        }
    }

    /// The entry with a key.
    #[inline]
    pub fn find(&self, bucket: Bucket<'_>, head: Head, key: Key<'_>) -> Option<usize> {
        let found = self.find_among(bucket, head.tags(), 0, key);
        match self.has_two_heads && found.is_none() {
            true => self.find_among(bucket, bucket.second(), TAGS[0], key),
            false => found,
        }
    }

    #[inline(always)]
    fn find_among(
        &self,
        bucket: Bucket<'_>,
        tags: u64,
        first: usize,
        key: Key<'_>,
    ) -> Option<usize> {
        let mut equal = equal_bytes(tags, key.tag);
        while equal != 0 {
            let entry = first + equal.trailing_zeros() as usize / 8;
            if self.has_key(bucket, entry, key) {
                return Some(entry);
            }
            equal &= equal - 1;
        }
        None
    }

    /// Whether an entry with the tag of a key has this key.
    #[inline]
    fn has_key(&self, bucket: Bucket<'_>, entry: usize, key: Key<'_>) -> bool {
        let index = self.index(entry);
        let first = self.rest_bits.min(64 - TAG_BITS);
        if bucket.read(index, first) != key.words[0] >> TAG_BITS {
            return false;
        }
        key.words.len() == 1 || self.has_further_words(bucket, index, key)
    }

    /// Whether the words of a key behind the first are in the record there.
    fn has_further_words(&self, bucket: Bucket<'_>, index: usize, key: Key<'_>) -> bool {
        let mut further = (64..self.key_bits).step_by(64).zip(&key.words[1..]);
        further.all(|(start, word)| {
            let width = (self.key_bits - start).min(64);
            bucket.read(index + start - TAG_BITS, width) == *word
        })
    }

    /// Reads the key of an entry.
    pub fn load_key(&self, bucket: Bucket<'_>, head: Head, entry: usize, key: &mut [u64]) {
        let mut index = self.index(entry);
        let mut shift = TAG_BITS;
        for (width, word) in self.widths().zip(&mut *key) {
            *word = bucket.read(index, width) << shift;
            index += width;
            shift = 0;
        }
        let tag = self.tag(bucket, head, entry);
        key[0] |= (mixer(key) ^ tag) & ((1 << TAG_BITS) - 1);
    }

    #[inline]
    fn tag(&self, bucket: Bucket<'_>, head: Head, entry: usize) -> u64 {
        match entry.checked_sub(TAGS[0]) {
            None => head.0 >> (8 * entry) & 0xff,
            Some(further) => bucket.read(64 + 8 * further, 8),
        }
    }

    /// Writes the tag of an entry; gives the first word, with it if it belongs there.
    #[inline]
    fn write_tag(&self, bucket: Bucket<'_>, head: Head, entry: usize, tag: u64) -> Head {
        match entry.checked_sub(TAGS[0]) {
            None => Head(head.0 & !(0xff << (8 * entry)) | tag << (8 * entry)),
            Some(further) => {
                bucket.write(64 + 8 * further, 8, tag);
                head
            }
        }
    }

    /// Reads both bounds of an entry.
    #[inline]
    pub fn bounds<N: Numerator>(&self, bucket: Bucket<'_>, entry: usize) -> (N, N) {
        let index = self.index(entry) + self.rest_bits;
        let number = |index: usize| {
            if self.value_bits <= 64 {
                return N::from_words([bucket.read(index, self.value_bits)].into_iter());
            }
            let words = (0..self.value_bits.div_ceil(64)).map(|word| {
                let width = (self.value_bits - 64 * word).min(64);
                bucket.read(index + 64 * word, width)
            });
            N::from_words(words)
        };
        (number(index), number(index + self.value_bits))
    }

    /// Writes both bounds of an entry.
    ///
    /// # Panics
    /// If a bound has more bits than it was said to have.
    #[inline]
    pub fn write_bounds<N: Numerator>(&self, bucket: Bucket<'_>, entry: usize, bounds: &(N, N)) {
        let mut index = self.index(entry) + self.rest_bits;
        for number in [&bounds.0, &bounds.1] {
            for start in (0..self.value_bits).step_by(64) {
                let (width, word) = ((self.value_bits - start).min(64), number.word(start / 64));
                assert!(width == 64 || word >> width == 0, "{number:?} is too wide");
                bucket.write(index, width, word);
                index += width;
            }
        }
    }

    /// Writes an entry with bounds; gives the first word with its tag.
    #[inline]
    pub fn write<N: Numerator>(
        &self,
        bucket: Bucket<'_>,
        head: Head,
        entry: usize,
        key: Key<'_>,
        bounds: &(N, N),
    ) -> Head {
        self.write_bounds(bucket, entry, bounds);
        self.write_key(bucket, head, entry, key)
    }

    /// Writes the key of an entry; gives the first word with its tag.
    #[inline]
    fn write_key(&self, bucket: Bucket<'_>, head: Head, entry: usize, key: Key<'_>) -> Head {
        let mut index = self.index(entry);
        let mut shift = TAG_BITS;
        for (width, word) in self.widths().zip(key.words) {
            bucket.write(index, width, word >> shift);
            index += width;
            shift = 0;
        }
        self.write_tag(bucket, head, entry, key.tag)
    }

    /// Copies an entry to the end of another bucket with room, which no other thread knows yet.
    pub fn copy(&self, from: Bucket<'_>, head: Head, entry: usize, to: Bucket<'_>) {
        let to_head = to.head();
        let end = self.used(to, to_head);
        let (first, second) = (self.index(entry), self.index(end));
        for start in (0..self.record).step_by(64) {
            let width = (self.record - start).min(64);
            to.write(second + start, width, from.read(first + start, width));
        }
        let tag = self.tag(from, head, entry);
        to.unlock(self.write_tag(to, to_head, end, tag));
    }
}

/// Some bits from all of a key but its lowest 7, to mix those with.
#[inline]
fn mixer(key: &[u64]) -> u64 {
    let mut mixed = key[0] >> TAG_BITS;
    for word in &key[1..] {
        mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32) ^ word;
    }
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - TAG_BITS)
}

/// The highest bit of each byte of `tags` that equals `tag`; both have no bytes from 1 to 127.
#[inline]
fn equal_bytes(tags: u64, tag: u64) -> u64 {
    let low = BYTES * 0x7f;
    let different = tags ^ (BYTES * tag);
    !((different & low).wrapping_add(low) | different) & !low
}

impl Head {
    #[inline]
    fn tags(self) -> u64 {
        self.0 & (WRITING - 1)
    }

    /// Whether a thread writes into the bucket.
    #[inline]
    pub fn is_writing(self) -> bool {
        self.0 & WRITING != 0
    }

    /// Whether the entries have been copied to a larger segment.
    #[inline]
    pub fn is_moved(self) -> bool {
        self.0 & MOVED != 0
    }

    /// The same, but the entries have been copied.
    pub fn moved(self) -> Self {
        Head(self.0 | MOVED)
    }

    /// A number that changes with each write.
    pub fn count(self) -> usize {
        (self.0 / COUNT) as usize
    }
}

impl Bucket<'_> {
    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        &self.0[index / LINE].0[index % LINE]
    }

    /// The second word.
    #[inline]
    fn second(&self) -> u64 {
        self.0[0].0[1].load(Ordering::Relaxed)
    }

    /// The field of at most 64 bits from a bit on.
    #[inline]
    fn read(&self, bit: usize, width: usize) -> u64 {
        if width == 0 {
            return 0;
        }
        let (index, shift) = (bit / 64, bit % 64);
        let mut field = self.word(index).load(Ordering::Relaxed) >> shift;
        if shift + width > 64 {
            field |= self.word(index + 1).load(Ordering::Relaxed) << (64 - shift);
        }
        field & u64::MAX >> (64 - width)
    }

    /// Writes a field of at most 64 bits, for a thread that has the bucket alone.
    #[inline]
    fn write(&self, bit: usize, width: usize, field: u64) {
        if width == 0 {
            return;
        }
        let (index, shift) = (bit / 64, bit % 64);
        let mask = u64::MAX >> (64 - width);
        let replace = |word: &AtomicU64, mask: u64, field: u64| {
            let others = word.load(Ordering::Relaxed) & !mask;
            word.store(others | field, Ordering::Relaxed);
        };
        replace(self.word(index), mask << shift, field << shift);
        if shift + width > 64 {
            let behind = 64 - shift;
            replace(self.word(index + 1), mask >> behind, field >> behind);
        }
    }

    /// The first word, before the rest is read.
    #[inline]
    pub fn head(&self) -> Head {
        Head(self.0[0].0[0].load(Ordering::Acquire))
    }

    /// Whether no thread has written since the first word was read: then the rest is consistent with it.
    #[inline]
    pub fn is_still(&self, head: Head) -> bool {
        std::sync::atomic::fence(Ordering::Acquire);
        self.0[0].0[0].load(Ordering::Relaxed) == head.0
    }

    /// Locks the bucket, when no thread writes into it; returns the first word.
    #[inline]
    pub fn lock(&self) -> Head {
        loop {
            let head = Head(self.0[0].0[0].load(Ordering::Relaxed));
            if self.lock_if_still(head) {
                return head;
            }
            std::hint::spin_loop();
        }
    }

    /// Locks the bucket, if no thread writes into it, or has since the first word was read; whether it did.
    #[inline]
    pub fn lock_if_still(&self, head: Head) -> bool {
        let (word, locked) = (&self.0[0].0[0], head.0 | WRITING);
        let is_still = !head.is_writing()
            && word
                .compare_exchange_weak(head.0, locked, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if is_still {
            // Nothing written now may be seen before the lock.
            std::sync::atomic::fence(Ordering::Release);
        }
        is_still
    }

    /// Ends what [`Bucket::lock`] began, with a new first word and the next counter.
    #[inline]
    pub fn unlock(&self, head: Head) {
        let next = head.0.wrapping_add(COUNT);
        self.0[0].0[0].store(next, Ordering::Release);
    }

    /// Asks the processor to bring the lines near, without waiting for them.
    #[inline]
    pub fn prefetch(&self) {
        self.0.iter().for_each(prefetch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_fit_into_their_buckets() {
        for key_bits in (0..200).chain([500, 5000]) {
            for value_bits in (1..=512).chain([3000]) {
                let layout = Layout::new(key_bits, value_bits);
                let about = format!("{layout:?}");
                let bits = layout.bucket_bytes() * 8;
                assert!(layout.entries > 0 && layout.reach > 0, "{about}");
                assert!(layout.index(layout.entries) <= bits, "{about}");
                assert_eq!(layout.widths().sum::<usize>(), layout.rest_bits, "{about}");
                // Little is left over: a quarter, unless there are no tags for more entries.
                let used = layout.entries * (layout.record + 8);
                let has_all = [1, TAGS[0], MAX_ENTRIES].contains(&layout.entries);
                assert!(used * 4 >= bits * 3 || has_all, "{about}");
            }
        }
    }

    /// Bytes are compared all at once as they would be one by one.
    #[test]
    fn equal_bytes_are_found() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let tag = 0x80 | random.u8(..4);
            let tags = [(); 8].map(|()| match random.bool() {
                true => 0x80 | random.u8(..4),
                false => 0,
            });
            let found = equal_bytes(u64::from_le_bytes(tags), u64::from(tag)).to_le_bytes();
            for (byte, found) in tags.iter().zip(found) {
                assert_eq!(found, if *byte == tag { 0x80 } else { 0 });
            }
        }
    }

    #[test]
    fn fields_do_not_touch_each_other() {
        let mut random = fastrand::Rng::with_seed(2);
        let lines: Vec<Line> = (0..2).map(|_| Line::default()).collect();
        let bucket = Bucket(&lines);
        let mut bits = vec![false; 1024];
        for _ in 0..20_000 {
            let width = random.usize(..=64);
            let first = random.usize(..=1024 - width);
            let field = random.u64(..) & u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
            bucket.write(first, width, field);
            (0..width).for_each(|bit| bits[first + bit] = field >> bit & 1 == 1);
            let (first, width) = (random.usize(..=960), random.usize(..=64));
            let expected = (0..width).fold(0, |all, bit| all | u64::from(bits[first + bit]) << bit);
            assert_eq!(bucket.read(first, width), expected);
        }
    }
}
