//! The ids of pages, sections, passages, vectors and shards inside a bundle.
//!
//! Ids are dense and start at 0. Sections are numbered in page order, passages and vectors in
//! section order. So the sections of a page, and the passages and vectors of a section, are ranges
//! ([`crate::structure`]).

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the number as an index into an array.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A page or record: it has a URL, a title and attributes.
    PageId
);
id!(
    /// A section of a page: it has a heading and an anchor. The key of fusion, filters and deep
    /// links.
    SectionId
);
id!(
    /// A passage of a section, about 110 words: the unit of lexical retrieval.
    PassageId
);
id!(
    /// An embedding. A section has one vector; a long section has several.
    VectorId
);
id!(
    /// A shard. Ids below the number of the manifest's shards are places in its shard directory.
    /// Ids of cells follow; ids of positions begin at [`ShardId::POSITIONS`].
    ShardId
);

impl ShardId {
    /// The first id of the shards that the directory of positions lists, in its order.
    pub const POSITIONS: u32 = 1 << 31;

    /// Returns the place in the directory of positions; `None` for other shards.
    #[inline]
    pub fn place_of_positions(self) -> Option<usize> {
        self.0.checked_sub(Self::POSITIONS).map(|place| place as usize)
    }
}
