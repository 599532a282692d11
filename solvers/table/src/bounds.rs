//! A table from exact keys to bounds of values, for all threads.
//!
//! The table consists of *buckets* of one or a few cache lines. A bucket holds a few entries (key,
//! lower and upper bound, in as many words as these need) and one word about them: a
//! byte per entry with some bits of the hash, 0 if the entry is empty, and a counter. A bucket that
//! is full overflows into the next ones.
//!
//! Nobody locks a table to read it. Who writes makes the counter of the bucket odd, writes, and
//! makes it even again; who reads looks at the counter before and after, and reads again if it was
//! odd or has changed (a *sequence lock*). So a reader never takes half of one entry and half of
//! another for a value: keys and values are exact, whatever the threads do.
//!
//! A table doubles when it gets full; while it does, nobody else may use it. Without memory for
//! that, new entries replace old ones of their bucket: then states are looked at again, and the
//! answer is the same.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use value::Numerator;

const LINE: usize = 8;
const MAX_LINES: usize = 4;
const MAX_ENTRIES: usize = 5;
/// A key is looked for in so many buckets that these have so many entries.
const REACH: usize = 16;
const FIRST_BUCKETS: usize = 1;
/// So many entries are moved between two looks at whether to go on.
const ENTRIES_PER_LOOK: usize = 1 << 14;
/// Bounds of so many bits share a word.
const HALF: usize = 32;
/// The counter of a bucket: the bits above those for the entries.
const COUNTER: u64 = 1 << 40;

#[repr(align(64))]
#[derive(Default)]
struct Line([AtomicU64; LINE]);

/// How entries are laid out.
#[derive(Clone, Copy, Debug)]
struct Layout {
    key_words: usize,
    /// Words of a bound; 0 if both bounds share one word.
    value_words: usize,
    /// Entries per bucket.
    entries: usize,
    /// Lines per bucket.
    lines: usize,
}

impl Layout {
    fn new(key_words: usize, value_bits: usize) -> Self {
        let value_words = match value_bits {
            0..=HALF => 0,
            bits => bits.div_ceil(64),
        };
        let entry = key_words + bounds_words(value_words);
        let layouts = (1..=MAX_LINES).map(|lines| Layout {
            key_words,
            value_words,
            entries: ((lines * LINE - 1) / entry).min(MAX_ENTRIES),
            lines,
        });
        let used = |layout: &Layout| layout.entries * entry * 100 / (layout.lines * LINE);
        let best = layouts
            .rev()
            .max_by_key(used)
            .filter(|layout| layout.entries > 0);
        best.unwrap_or(Layout {
            key_words,
            value_words,
            entries: 1,
            lines: (1 + entry).div_ceil(LINE),
        })
    }

    fn bounds_words(&self) -> usize {
        bounds_words(self.value_words)
    }

    fn entry_words(&self) -> usize {
        self.key_words + self.bounds_words()
    }

    /// So many buckets have room for so many entries.
    fn buckets_for(&self, entries: usize) -> usize {
        let buckets = (entries * 10 / 7).div_ceil(self.entries);
        buckets.next_power_of_two()
    }

    /// The memory of so many buckets, in bytes.
    fn bytes(&self, buckets: usize) -> u64 {
        (buckets * self.lines * size_of::<Line>()) as u64
    }

    /// The number of buckets in which a key may be.
    fn reach(&self) -> usize {
        REACH.div_ceil(self.entries)
    }
}

/// The words of two bounds of so many words each, as in [`Layout::value_words`].
fn bounds_words(value_words: usize) -> usize {
    (2 * value_words).max(1)
}

/// What became of an entry that was to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is there.
    Done,
    /// It is there, but the table is getting full.
    Crowded,
}

/// Bounds by key.
pub struct Table {
    layout: Layout,
    lines: Vec<Line>,
    /// The number of buckets less one; that number is a power of two.
    mask: usize,
    len: AtomicUsize,
}

/// The hash of a key.
#[inline]
pub fn hash(key: &[u64]) -> u64 {
    let mut hash = 0u64;
    for word in key {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    hash ^ (hash >> 32)
}

impl Table {
    /// An empty table for keys of so many words, and bounds of at most so many bits.
    pub fn new(key_words: usize, value_bits: usize) -> Self {
        Table::with_buckets(Layout::new(key_words, value_bits), FIRST_BUCKETS)
    }

    /// The same with room for so many entries.
    pub fn with_room(key_words: usize, value_bits: usize, entries: usize) -> Self {
        let layout = Layout::new(key_words, value_bits);
        Table::with_buckets(layout, layout.buckets_for(entries))
    }

    /// The memory that such a table takes, in bytes.
    pub fn bytes_with_room(key_words: usize, value_bits: usize, entries: usize) -> u64 {
        let layout = Layout::new(key_words, value_bits);
        layout.bytes(layout.buckets_for(entries))
    }

    /// The same without any memory until it is doubled for the first time; before that it is crowded,
    /// and keeps nothing.
    pub fn unallocated(key_words: usize, value_bits: usize) -> Self {
        Table {
            layout: Layout::new(key_words, value_bits),
            lines: Vec::new(),
            mask: 0,
            len: AtomicUsize::new(0),
        }
    }

    fn with_buckets(layout: Layout, buckets: usize) -> Self {
        let mut lines = Vec::new();
        lines.resize_with(buckets * layout.lines, Line::default);
        Table {
            layout,
            lines,
            mask: buckets - 1,
            len: AtomicUsize::new(0),
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.lines.len() * size_of::<Line>()) as u64
    }

    #[inline]
    fn word(&self, place: usize) -> &AtomicU64 {
        &self.lines[place / LINE].0[place % LINE]
    }

    /// The place of a bucket's word about its entries.
    #[inline]
    fn bucket(&self, hash: u64, step: usize) -> usize {
        ((hash as usize).wrapping_add(step) & self.mask) * (self.layout.lines * LINE)
    }

    /// Brings the bucket of a hash near. Asking for many at once, and only then looking, makes the
    /// processor wait for all of them together.
    #[inline]
    pub fn touch(&self, hash: u64) {
        let first = self.bucket(hash, 0) / LINE;
        let bucket = self.lines.get(first..first + self.layout.lines.min(2));
        for line in bucket.into_iter().flatten() {
            prefetch(line);
        }
    }

    /// The bounds of a state.
    #[inline]
    pub fn get<N: Numerator>(&self, key: &[u64], hash: u64) -> Option<(N, N)> {
        if self.lines.is_empty() {
            return None;
        }
        for step in 0..self.layout.reach() {
            let bucket = self.bucket(hash, step);
            loop {
                let about = self.word(bucket).load(Ordering::Acquire);
                if about & COUNTER != 0 {
                    std::hint::spin_loop();
                    continue;
                }
                let found = self.entry(bucket, about, key, hash);
                let bounds = found.map(|place| self.read(place));
                fence(Ordering::Acquire);
                if self.word(bucket).load(Ordering::Relaxed) != about {
                    continue;
                }
                match bounds {
                    Some(bounds) => return Some(bounds),
                    None if self.has_room(about) => return None,
                    None => break,
                }
            }
        }
        None
    }

    /// Whether a bucket has an empty entry.
    #[inline]
    fn has_room(&self, about: u64) -> bool {
        about >> (8 * (self.layout.entries - 1)) & 0xff == 0
    }

    /// Where in a bucket the entry with this key is.
    #[inline]
    fn entry(&self, bucket: usize, about: u64, key: &[u64], hash: u64) -> Option<usize> {
        let tag = tag(hash);
        (0..self.layout.entries)
            .filter(|entry| (about >> (8 * entry)) & 0xff == tag)
            .map(|entry| bucket + 1 + entry * self.layout.entry_words())
            .find(|place| {
                let words = key.iter().enumerate();
                words.fold(true, |equal, (word, &expected)| {
                    equal & (self.word(place + word).load(Ordering::Relaxed) == expected)
                })
            })
    }

    #[inline]
    fn read<N: Numerator>(&self, place: usize) -> (N, N) {
        let Layout {
            key_words,
            value_words,
            ..
        } = self.layout;
        if value_words == 0 {
            let both = self.word(place + key_words).load(Ordering::Relaxed);
            let half = |word: u64| N::from_words([word & ((1 << HALF) - 1)].into_iter());
            return (half(both), half(both >> HALF));
        }
        let load = |first: usize| {
            let places = first..first + value_words;
            N::from_words(places.map(|place| self.word(place).load(Ordering::Relaxed)))
        };
        (
            load(place + key_words),
            load(place + key_words + value_words),
        )
    }

    #[inline]
    fn write<N: Numerator>(&self, place: usize, lower: &N, upper: &N) {
        let first = place + self.layout.key_words;
        if self.layout.value_words == 0 {
            let both = lower.word(0) | upper.word(0) << HALF;
            self.word(first).store(both, Ordering::Relaxed);
        }
        for word in 0..self.layout.value_words {
            self.word(first + word)
                .store(lower.word(word), Ordering::Relaxed);
            let place = first + self.layout.value_words + word;
            self.word(place).store(upper.word(word), Ordering::Relaxed);
        }
    }

    /// Adds to what is known about a state. Gives back the bounds as they are then.
    pub fn set<N: Numerator>(&self, key: &[u64], hash: u64, lower: N, upper: N) -> (N, N, Stored) {
        self.update(key, hash, (lower, upper), |new, known| {
            (new.0.max(known.0), new.1.min(known.1))
        })
    }

    /// Gives a state a number of at most 32 bits, in place of bounds, unless it has one already.
    /// Gives back the number that it has then.
    pub fn number<N: Numerator>(&self, key: &[u64], hash: u64, number: u32) -> (u32, Stored) {
        if let Some((known, _)) = self.get::<N>(key, hash) {
            return (known.word(0) as u32, Stored::Done);
        }
        let new = N::from_words([u64::from(number)].into_iter());
        let (number, _, stored) = self.update(key, hash, (new.clone(), new), |_, known| known);
        (number.word(0) as u32, stored)
    }

    /// Replaces all numbers by what they stand for, as bounds that meet.
    pub fn replace_numbers<N: Numerator>(&mut self, value: impl Fn(u32) -> N) {
        self.for_each(|place| {
            let (number, _): (N, N) = self.read(place);
            let value = value(number.word(0) as u32);
            self.write(place, &value, &value);
            true
        });
    }

    /// Stores bounds, or, if the key is known, what `merge` makes of them and the known ones.
    #[inline]
    fn update<N: Numerator>(
        &self,
        key: &[u64],
        hash: u64,
        (lower, upper): (N, N),
        merge: impl FnOnce((N, N), (N, N)) -> (N, N),
    ) -> (N, N, Stored) {
        if self.lines.is_empty() {
            return (lower, upper, Stored::Crowded);
        }
        for step in 0..self.layout.reach() {
            let bucket = self.bucket(hash, step);
            let about = self.lock(bucket);
            if let Some(place) = self.entry(bucket, about, key, hash) {
                let known: (N, N) = self.read(place);
                let (lower, upper) = merge((lower, upper), known);
                self.write(place, &lower, &upper);
                self.unlock(bucket, about);
                return (lower, upper, Stored::Done);
            }
            let mut entries = 0..self.layout.entries;
            if let Some(free) = entries.find(|entry| (about >> (8 * entry)) & 0xff == 0) {
                self.fill_entry(bucket, free, key, &lower, &upper);
                self.unlock(bucket, about | tag(hash) << (8 * free));
                let len = self.len.fetch_add(1, Ordering::Relaxed) + 1;
                let crowded = len * 10 > (self.mask + 1) * self.layout.entries * 7;
                let stored = if crowded {
                    Stored::Crowded
                } else {
                    Stored::Done
                };
                return (lower, upper, stored);
            }
            if step + 1 == self.layout.reach() {
                // No room: an entry of this bucket, one after the other, has to go.
                let victim = (about / (2 * COUNTER)) as usize % self.layout.entries;
                self.fill_entry(bucket, victim, key, &lower, &upper);
                let others = about & !(0xff << (8 * victim));
                self.unlock(bucket, others | tag(hash) << (8 * victim));
                return (lower, upper, Stored::Crowded);
            }
            self.unlock(bucket, about);
        }
        unreachable!("the last bucket takes every entry")
    }

    fn fill_entry<N: Numerator>(
        &self,
        bucket: usize,
        entry: usize,
        key: &[u64],
        lower: &N,
        upper: &N,
    ) {
        let place = bucket + 1 + entry * self.layout.entry_words();
        for (word, &value) in key.iter().enumerate() {
            self.word(place + word).store(value, Ordering::Relaxed);
        }
        self.write(place, lower, upper);
    }

    /// Waits until nobody writes into a bucket, and tells others to wait; gives its word.
    #[inline]
    fn lock(&self, bucket: usize) -> u64 {
        let word = self.word(bucket);
        loop {
            let about = word.load(Ordering::Relaxed);
            if about & COUNTER == 0 {
                let locked = about | COUNTER;
                let order = (Ordering::Acquire, Ordering::Relaxed);
                if word
                    .compare_exchange_weak(about, locked, order.0, order.1)
                    .is_ok()
                {
                    // Nothing written now may be seen before the lock.
                    fence(Ordering::Release);
                    return about;
                }
            }
            std::hint::spin_loop();
        }
    }

    /// Ends what [`Table::lock`] began, with a new word and the next counter.
    #[inline]
    fn unlock(&self, bucket: usize, about: u64) {
        let next = about.wrapping_add(2 * COUNTER);
        self.word(bucket).store(next, Ordering::Release);
    }

    /// The number of buckets of a table of twice the size.
    fn buckets_when_doubled(&self) -> usize {
        match self.lines.is_empty() {
            true => FIRST_BUCKETS,
            false => 2 * (self.mask + 1),
        }
    }

    /// The memory a table of twice the size takes, in bytes.
    pub fn bytes_when_doubled(&self) -> u64 {
        (self.buckets_when_doubled() * self.layout.lines * size_of::<Line>()) as u64
    }

    /// Makes the table twice as large. It stays as it is if `go_on`, asked now and then, says `false`.
    pub fn double(&mut self, go_on: impl Fn() -> bool) {
        let grown = Table::with_buckets(self.layout, self.buckets_when_doubled());
        if self.move_to(&grown, go_on) {
            *self = grown;
        }
    }

    /// Copies all entries as words, for a table of the same layout; whether it came to the end.
    fn move_to(&self, other: &Table, go_on: impl Fn() -> bool) -> bool {
        let mut key = vec![0; self.layout.key_words];
        let mut bounds = vec![0; self.layout.bounds_words()];
        let mut moved = 0;
        self.for_each(|place| {
            self.load(place, &mut key, &mut bounds);
            other.insert_words(&key, &bounds);
            moved += 1;
            moved % ENTRIES_PER_LOOK != 0 || go_on()
        })
    }

    /// Multiplies all bounds, which may then need more bits. The new table takes at most so many bytes
    /// if that is said, and forgets some states if need be; for a moment the old one is there too. If
    /// `go_on`, asked now and then, says `false`, it forgets them all.
    pub fn scale<N: Numerator>(
        &mut self,
        factor: &N,
        value_bits: usize,
        most: Option<u64>,
        go_on: impl Fn() -> bool,
    ) {
        let key_words = self.layout.key_words;
        if self.is_empty() {
            *self = Table::unallocated(key_words, value_bits);
            return;
        }
        let layout = Layout::new(key_words, value_bits);
        let mut buckets = FIRST_BUCKETS;
        let fits = |buckets: usize| most.is_none_or(|most| layout.bytes(buckets) <= most);
        while buckets * layout.entries * 7 < self.len() * 10 && fits(2 * buckets) {
            buckets *= 2;
        }
        let scaled = Table::with_buckets(layout, buckets);
        let mut key = vec![0; key_words];
        let mut moved = 0;
        let is_whole = self.for_each(|place| {
            self.load(place, &mut key, &mut []);
            let (lower, upper): (N, N) = self.read(place);
            scaled.set(&key, hash(&key), lower.times(factor), upper.times(factor));
            moved += 1;
            moved % ENTRIES_PER_LOOK != 0 || go_on()
        });
        *self = match is_whole {
            true => scaled,
            false => Table::unallocated(key_words, value_bits),
        };
    }

    fn load(&self, place: usize, key: &mut [u64], bounds: &mut [u64]) {
        for (word, value) in key.iter_mut().chain(bounds).enumerate() {
            *value = self.word(place + word).load(Ordering::Relaxed);
        }
    }

    fn insert_words(&self, key: &[u64], bounds: &[u64]) {
        let hash = hash(key);
        for step in 0..self.layout.reach() {
            let bucket = self.bucket(hash, step);
            let about = self.word(bucket).load(Ordering::Relaxed);
            let mut entries = 0..self.layout.entries;
            if let Some(free) = entries.find(|entry| (about >> (8 * entry)) & 0xff == 0) {
                let place = bucket + 1 + free * self.layout.entry_words();
                for (word, &value) in key.iter().chain(bounds).enumerate() {
                    self.word(place + word).store(value, Ordering::Relaxed);
                }
                let about = about | tag(hash) << (8 * free);
                self.word(bucket).store(about, Ordering::Relaxed);
                self.len.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        // It overflows everywhere, which is rare; a state is forgotten.
    }

    /// Calls `visit` with the place of each entry, as long as it says `true`; whether it always did.
    fn for_each(&self, mut visit: impl FnMut(usize) -> bool) -> bool {
        for bucket in (0..self.lines.len()).step_by(self.layout.lines) {
            let bucket = bucket * LINE;
            let about = self.word(bucket).load(Ordering::Relaxed);
            for entry in 0..self.layout.entries {
                let is_used = (about >> (8 * entry)) & 0xff != 0;
                if is_used && !visit(bucket + 1 + entry * self.layout.entry_words()) {
                    return false;
                }
            }
        }
        true
    }
}

/// Asks the processor to bring a line near, without waiting for it.
#[inline]
fn prefetch(line: &Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch changes nothing that a program can see, and the address is valid anyway.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(line.0[0].load(Ordering::Relaxed));
}

/// The byte of an entry in the word of its bucket: never 0.
#[inline]
fn tag(hash: u64) -> u64 {
    hash >> 57 | 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use value::U256;

    #[test]
    fn finds_what_was_put_in_while_it_grows() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for (key_words, value_bits) in [(1, 32), (1, 64), (2, 60), (1, 100), (3, 256), (40, 9)] {
            let mut table = Table::new(key_words, value_bits);
            let mut known = HashSet::new();
            let bounds = |key: &[u64], factor: u64| {
                let number = key.iter().sum::<u64>();
                (
                    U256::from(number * factor),
                    U256::from((number + 5) * factor),
                )
            };
            let mut missing = 0;
            for _ in 0..3000 {
                let mut key = vec![0; key_words];
                key[random.usize(..key_words)] = random.u64(0..900);
                let h = hash(&key);
                match table.get(&key, h) {
                    Some(found) => assert_eq!(found, bounds(&key, 1), "seed {seed}"),
                    None => missing += u32::from(known.contains(&key)),
                }
                let (lower, upper) = bounds(&key, 1);
                if table.set(&key, h, lower, upper).2 == Stored::Crowded {
                    table.double(|| true);
                }
                known.insert(key);
            }
            table.scale(&U256::from(3), value_bits, None, || true);
            for key in known {
                match table.get(&key, hash(&key)) {
                    Some(found) => assert_eq!(found, bounds(&key, 3), "seed {seed}"),
                    None => missing += 1,
                }
            }
            // A state may be forgotten where many hashes are alike, but that is rare.
            assert!(missing < 30, "seed {seed}: {missing}");
        }
    }

    /// Who is told to stop leaves the table as it was, or empty, never half of it.
    #[test]
    fn a_table_that_is_not_to_grow_stays_whole() {
        let filled = || {
            let mut table = Table::unallocated(1, 64);
            assert_eq!(
                (table.bytes(), table.get::<u64>(&[1], hash(&[1]))),
                (0, None)
            );
            for key in 0..40_000u64 {
                if table.set(&[key], hash(&[key]), key, key).2 == Stored::Crowded {
                    table.double(|| true);
                    table.set(&[key], hash(&[key]), key, key);
                }
            }
            table
        };
        let mut table = filled();
        let (len, bytes) = (table.len(), table.bytes());
        assert!(len > 39_000, "{len}");
        table.double(|| false);
        assert_eq!((table.len(), table.bytes()), (len, bytes));
        table.scale(&2u64, 64, None, || false);
        assert_eq!((table.len(), table.bytes()), (0, 0));
        let mut table = filled();
        table.scale(&2u64, 64, None, || true);
        assert_eq!(table.get(&[7], hash(&[7])), Some((14u64, 14)));
    }

    #[test]
    fn bounds_only_get_tighter() {
        let table = Table::new(1, 64);
        let key = [7];
        table.set(&key, hash(&key), 3u64, 9);
        assert_eq!(table.set(&key, hash(&key), 2u64, 8), (3, 8, Stored::Done));
        assert_eq!(table.get(&key, hash(&key)), Some((3u64, 8)));
        assert_eq!(table.len(), 1);
    }

    #[test]
    fn a_full_table_forgets_but_does_not_lie() {
        let table = Table::new(1, 64);
        for key in 0..10_000u64 {
            table.set(&[key], hash(&[key]), key, key + 1);
        }
        let bytes = table.bytes();
        let mut found = 0;
        for key in 0..10_000u64 {
            if let Some(bounds) = table.get::<u64>(&[key], hash(&[key])) {
                assert_eq!(bounds, (key, key + 1));
                found += 1;
            }
        }
        assert!(found > 0 && table.bytes() == bytes);
    }

    #[test]
    fn scaling_within_bounds_of_memory_forgets_but_does_not_lie() {
        let mut table = Table::new(1, 64);
        for key in 0..1000u64 {
            let number = U256::from(key);
            if table.set(&[key], hash(&[key]), number, number).2 == Stored::Crowded {
                table.double(|| true);
            }
        }
        let (bytes, factor) = (table.bytes(), U256::from(1u64) << 100);
        table.scale(&factor, 256, Some(bytes), || true);
        assert!(table.bytes() <= bytes);
        let found: Vec<u64> = (0..1000)
            .filter(|&key| match table.get(&[key], hash(&[key])) {
                None => false,
                Some(bounds) => {
                    let number = U256::from(key) << 100;
                    assert_eq!(bounds, (number, number));
                    true
                }
            })
            .collect();
        assert!(!found.is_empty() && found.len() < 1000, "{}", found.len());
    }

    #[test]
    fn threads_never_see_half_an_entry() {
        let table = Table::new(2, 128);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let table = &table;
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(thread);
                    for _ in 0..50_000 {
                        let number = random.u64(0..200);
                        let key = [number, number * 3];
                        // All words of an entry are made of one number.
                        let value = u128::from(number) << 64 | u128::from(number);
                        match table.get::<u128>(&key, hash(&key)) {
                            Some(bounds) => assert_eq!(bounds, (value, value)),
                            None => _ = table.set(&key, hash(&key), value, value),
                        }
                    }
                });
            }
        });
    }
}
