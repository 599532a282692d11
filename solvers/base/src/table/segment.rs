//! A segment: the buckets for all keys whose hashes begin alike.
//!
//! A segment has a list of buckets. The bits of the hash that chose the segment are shifted out; what is
//! left, taken as a fraction of 2^64, says at which part of the list the bucket of the key is (D. Lemire,
//! Fast random integer generation in an interval, ACM Transactions on Modeling and Computer Simulation
//! 29, 2019). So a list may have any length. A key whose bucket is full is put into the next one that is
//! not; no entry is ever taken out of a bucket, so a search may end at the first bucket with room.
//!
//! *Growth.* A segment that is getting full is copied to a larger one, or, when it is large, to 64 small
//! ones, by the next bits of the hash. Buckets are marked as they are copied, from the first to the last.
//! Meanwhile any thread may read all of them, and write into those that are not marked. A thread that wants to write
//! into a marked one waits for the end, which takes a millisecond or so; then the new segments are
//! published in `next`, and all threads go on there. The order of entries stays the same, so both
//! segments are passed through from one end to the other, without any jumps.
//!
//! ```text
//! before    segment                         after    segment --next--> larger segment
//! or        segment                                  segment --next--> 0.. 1.. 2.. ... 63..
//! ```

use crate::table::hash;
use crate::table::layout::{Bucket, Key, Layout, Line};
use crate::value::Numerator;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A segment of more bytes becomes several, if it has at least [`ENTRIES_TO_SPLIT`].
const MAX_BYTES: usize = 1 << 22;
/// The fewest entries of a segment that becomes several. Each of them then has enough entries that their
/// sizes differ little.
const ENTRIES_TO_SPLIT: usize = 1 << 14;
/// Bits of the hash that choose among those.
const FAN_OUT_BITS: u32 = 6;
const FAN_OUT: usize = 1 << FAN_OUT_BITS;
/// Cache lines that are asked for ahead.
const LINES_TO_TOUCH: usize = 2;
/// A segment with fewer buckets doubles; one with more grows by a half.
const FEW_BUCKETS: usize = 32;

/// Buckets, or where they went.
#[repr(align(64))]
#[derive(Default)]
pub struct Segment {
    lines: Vec<Line>,
    buckets: usize,
    /// Set when there is no memory to grow: then a key is searched in a few buckets only.
    is_confined: AtomicBool,
    /// One larger segment or [`FAN_OUT`] others, which have all entries.
    next: OnceLock<Box<[Segment]>>,
    load: Load,
}

/// The fields that change often, in a cache line of their own, so that reading the rest stays fast.
#[repr(align(64))]
#[derive(Default)]
struct Load {
    entries: AtomicUsize,
    /// Whether a thread copies the segment, or has copied it.
    is_moving: AtomicBool,
}

/// The outcome of storing something.
pub enum Insertion<T> {
    /// The bounds are stored: these are those of the entry now. The flag says whether the segment should grow.
    Done(T, bool),
    /// The segment is being copied, or has been.
    Moved,
}

/// Where the entries of a segment should go: the number of segments, and of the buckets of each.
#[derive(Clone, Copy)]
pub struct Plan {
    segments: usize,
    buckets: usize,
}

impl Plan {
    /// For a segment that should have this many buckets.
    fn new(layout: &Layout, buckets: usize) -> Self {
        let is_large = buckets * layout.bucket_bytes() > MAX_BYTES;
        match is_large && buckets * layout.entries >= ENTRIES_TO_SPLIT {
            true => Plan {
                segments: FAN_OUT,
                buckets: buckets.div_ceil(FAN_OUT),
            },
            false => Plan {
                segments: 1,
                buckets,
            },
        }
    }

    /// The memory of the new segments, in bytes.
    pub fn bytes(&self, layout: &Layout) -> u64 {
        let segment = size_of::<Segment>() + self.buckets * layout.bucket_bytes();
        (self.segments * segment) as u64
    }
}

impl Segment {
    /// An empty segment.
    pub fn with_buckets(layout: &Layout, buckets: usize) -> Self {
        let mut lines = Vec::new();
        lines.resize_with(buckets * layout.lines, Line::default);
        Segment {
            lines,
            buckets,
            ..Segment::default()
        }
    }

    /// The same, divided where it would be large.
    pub fn with_room(layout: &Layout, buckets: usize) -> Self {
        let plan = Plan::new(layout, buckets);
        if plan.segments == 1 {
            return Segment::with_buckets(layout, buckets);
        }
        let segment = |_| Segment::with_room(layout, plan.buckets);
        let next: Box<[Segment]> = (0..plan.segments).map(segment).collect();
        Segment {
            next: next.into(),
            ..Segment::default()
        }
    }

    /// The memory that such a segment takes beside its own head, in bytes.
    pub fn bytes_with_room(layout: &Layout, buckets: usize) -> u64 {
        let plan = Plan::new(layout, buckets);
        match plan.segments {
            1 => (buckets * layout.bucket_bytes()) as u64,
            segments => {
                let each = size_of::<Segment>() as u64;
                segments as u64 * (each + Segment::bytes_with_room(layout, plan.buckets))
            }
        }
    }

    /// The segment behind this one for a hash, and the bits of the hash that have not been used.
    #[inline]
    pub fn find(&self, hash: u64) -> (&Segment, u32) {
        let (mut segment, mut used) = (self, 0);
        while let Some(next) = segment.next.get() {
            (segment, used) = choose(next, hash, used);
        }
        (segment, used)
    }

    /// The bytes of its buckets.
    pub fn bytes(&self) -> u64 {
        (self.lines.len() * size_of::<Line>()) as u64
    }

    #[inline]
    fn bucket(&self, layout: &Layout, number: usize) -> Bucket<'_> {
        Bucket(&self.lines[number * layout.lines..][..layout.lines])
    }

    /// The buckets in which a key may be, in turn.
    #[inline]
    fn buckets(&self, layout: &Layout, rest: u64) -> impl ExactSizeIterator<Item = Bucket<'_>> {
        let home = (u128::from(rest) * self.buckets as u128) >> 64;
        let reach = match self.is_confined.load(Ordering::Relaxed) {
            true => layout.short_reach,
            false => layout.reach,
        };
        (0..reach.min(self.buckets)).map(move |step| {
            let number = home as usize + step;
            let behind = number.checked_sub(self.buckets);
            self.bucket(layout, behind.unwrap_or(number))
        })
    }

    /// Asks for the first lines of the bucket of a key, or also for those of the next one, in which the key is
    /// if the first one is full. It does not wait for them.
    #[inline]
    pub fn touch(&self, layout: &Layout, rest: u64) {
        let home = (u128::from(rest) * self.buckets as u128) >> 64;
        let first = home as usize * layout.lines;
        let end = (first + LINES_TO_TOUCH).min(self.lines.len());
        Bucket(&self.lines[first..end]).prefetch();
    }

    /// The result of `read` for the entry of a key.
    #[inline]
    pub fn get<T>(
        &self,
        layout: &Layout,
        key: Key<'_>,
        rest: u64,
        read: impl Fn(Bucket<'_>, usize) -> T,
    ) -> Option<T> {
        for bucket in self.buckets(layout, rest) {
            let is_full = loop {
                let head = bucket.head();
                if head.is_writing() {
                    std::hint::spin_loop();
                    continue;
                }
                if let Some(entry) = layout.find(bucket, head, key) {
                    let found = read(bucket, entry);
                    if bucket.is_still(head) {
                        return Some(found);
                    }
                    continue;
                }
                let is_full = layout.is_full(bucket, head);
                if bucket.is_still(head) {
                    break is_full;
                }
            };
            if !is_full {
                return None;
            }
        }
        None
    }

    /// Stores bounds, or, if the key is known, the result of `merge` for them and the known ones.
    #[inline]
    pub fn update<N: Numerator>(
        &self,
        layout: &Layout,
        key: Key<'_>,
        rest: u64,
        bounds: &(N, N),
        merge: impl Fn(&(N, N), (N, N)) -> (N, N),
    ) -> Insertion<(N, N)> {
        let mut buckets = self.buckets(layout, rest);
        while let Some(bucket) = buckets.next() {
            let head = bucket.lock();
            if head.is_moved() {
                bucket.unlock(head);
                return Insertion::Moved;
            }
            if let Some(entry) = layout.find(bucket, head, key) {
                let merged = merge(bounds, layout.bounds(bucket, entry));
                layout.write_bounds(bucket, entry, &merged);
                bucket.unlock(head);
                return Insertion::Done(merged, false);
            }
            let used = layout.used(bucket, head);
            if used < layout.entries {
                bucket.unlock(layout.write(bucket, head, used, key, bounds));
                let entries = self.load.entries.fetch_add(1, Ordering::Relaxed) + 1;
                return Insertion::Done(bounds.clone(), self.is_crowded(layout, entries));
            }
            if buckets.len() == 0 && self.load.is_moving.load(Ordering::Relaxed) {
                bucket.unlock(head);
                return Insertion::Moved;
            }
            if buckets.len() == 0 {
                // No room: an entry of this bucket, one after the other, has to go.
                let victim = head.count() % layout.entries;
                bucket.unlock(layout.write(bucket, head, victim, key, bounds));
                return Insertion::Done(bounds.clone(), self.should_grow(layout));
            }
            bucket.unlock(head);
        }
        Insertion::Done(bounds.clone(), self.should_grow(layout))
    }

    /// Waits until the new segments are there, or are not to come after all.
    pub fn wait(&self) {
        while self.load.is_moving.load(Ordering::Relaxed) && self.next.get().is_none() {
            std::thread::yield_now();
        }
    }

    /// Whether it should grow at this number of entries, and no thread copies it yet.
    #[inline]
    fn is_crowded(&self, layout: &Layout, entries: usize) -> bool {
        // Small buckets get full by chance earlier.
        let of_32 = (24 + layout.entries / 2).min(28);
        let indices = self.buckets * layout.entries;
        entries * 32 > indices * of_32 && !self.load.is_moving.load(Ordering::Relaxed)
    }

    /// Whether it should grow, and no thread copies it yet.
    pub fn should_grow(&self, layout: &Layout) -> bool {
        self.buckets == 0 || self.is_crowded(layout, self.len())
    }

    /// Lets it be, as there is no memory to grow.
    pub fn confine(&self) {
        self.is_confined.store(true, Ordering::Relaxed);
    }

    /// The size that the segment should grow to.
    pub fn plan(&self, layout: &Layout) -> Plan {
        let buckets = match self.buckets {
            0 => 1,
            few @ ..FEW_BUCKETS => 2 * few,
            many => many + many.div_ceil(2),
        };
        Plan::new(layout, buckets)
    }

    /// Whether the calling thread is the one that may make it grow.
    pub fn begin_to_grow(&self) -> bool {
        !self.load.is_moving.swap(true, Ordering::Relaxed)
    }

    /// Leaves it as it was after all, as there is no memory.
    pub fn stay(&self) {
        self.confine();
        self.load.is_moving.store(false, Ordering::Relaxed);
    }

    /// Copies it to new segments. `used` is the number of bits of hashes that led here.
    pub fn grow(&self, layout: &Layout, plan: Plan, used: u32) {
        let segment = |_| Segment::with_buckets(layout, plan.buckets);
        let next: Box<[Segment]> = (0..plan.segments).map(segment).collect();
        let mut key = vec![0; layout.key_words()];
        for number in 0..self.buckets {
            let bucket = self.bucket(layout, number);
            let head = bucket.lock();
            bucket.unlock(head.moved());
            for entry in 0..layout.used(bucket, head) {
                layout.load_key(bucket, head, entry, &mut key);
                let hash = hash(&key);
                let (segment, used) = choose(&next, hash, used);
                segment.take_in(layout, hash << used, |to| {
                    layout.copy(bucket, head, entry, to);
                });
            }
        }
        assert!(self.next.set(next).is_ok(), "only one thread copies it");
    }

    /// Copies an entry into a bucket with room, while no other thread knows the segment. It is forgotten
    /// where it finds none, which is rare.
    fn take_in(&self, layout: &Layout, rest: u64, copy: impl FnOnce(Bucket<'_>)) {
        let mut buckets = self.buckets(layout, rest);
        let has_room = |bucket: &Bucket<'_>| !layout.is_full(*bucket, bucket.head());
        if let Some(bucket) = buckets.find(has_room) {
            copy(bucket);
            self.load.entries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Gives back the memory of segments that have been copied, on the way to a hash; returns how much.
    pub fn free(&mut self, hash: u64) -> u64 {
        let (mut segment, mut used, mut freed) = (self, 0, 0);
        loop {
            while let Some(next) = segment.next.get_mut()
                && let [only] = &mut **next
            {
                let only = std::mem::take(only);
                freed += segment.bytes() + size_of::<Segment>() as u64;
                *segment = only;
            }
            if segment.next.get().is_none() {
                return freed;
            }
            freed += segment.bytes();
            segment.clear();
            let next = segment.next.get_mut().expect("it was just seen");
            segment = &mut next[index(FAN_OUT, hash, used)];
            used += FAN_OUT_BITS;
        }
    }

    fn clear(&mut self) {
        self.lines = Vec::new();
        self.buckets = 0;
    }

    /// The number of entries of this segment.
    pub fn len(&self) -> usize {
        self.load.entries.load(Ordering::Relaxed)
    }

    /// Calls `visit` with each segment that has entries of its own, and the bits used up to there.
    pub fn for_each<'s>(&'s self, visit: &mut impl FnMut(&'s Segment)) {
        match self.next.get() {
            None => visit(self),
            Some(next) => next.iter().for_each(|segment| segment.for_each(visit)),
        }
    }

    /// The same, to change them, as long as `visit` says `true`; whether it always did. `used` is the number
    /// of bits of hashes that led here.
    pub fn for_each_mut(
        &mut self,
        used: u32,
        visit: &mut impl FnMut(&mut Segment, u32) -> bool,
    ) -> bool {
        match self.next.get_mut() {
            None => visit(self, used),
            Some(next) => {
                let used = used + next.len().trailing_zeros();
                next.iter_mut()
                    .all(|segment| segment.for_each_mut(used, visit))
            }
        }
    }

    /// Calls `visit` with each entry, the key also as words.
    pub fn for_each_entry(
        &self,
        layout: &Layout,
        mut visit: impl FnMut(Bucket<'_>, usize, &[u64]),
    ) {
        let mut key = vec![0; layout.key_words()];
        for number in 0..self.buckets {
            let bucket = self.bucket(layout, number);
            let head = bucket.head();
            for entry in 0..layout.used(bucket, head) {
                layout.load_key(bucket, head, entry, &mut key);
                visit(bucket, entry, &key);
            }
        }
    }
}

/// The one of several segments that a hash belongs to, and the bits used then.
#[inline]
fn choose(segments: &[Segment], hash: u64, used: u32) -> (&Segment, u32) {
    let segment = &segments[index(segments.len(), hash, used)];
    (segment, used + segments.len().trailing_zeros())
}

/// The index of the segment for a hash, where the number of segments is a power of two.
#[inline]
fn index(segments: usize, hash: u64, used: u32) -> usize {
    let bits = segments.trailing_zeros();
    ((hash << used) >> 1 >> (63 - bits)) as usize
}
