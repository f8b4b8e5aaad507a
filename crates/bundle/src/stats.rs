//! Collection statistics, and the fields of lexical retrieval.

/// Collection statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Number of pages.
    pub n_pages: u32,
    /// Number of sections, of all pages.
    pub n_sections: u32,
    /// Number of passages, of all sections.
    pub n_passages: u32,
    /// Number of vectors, of all sections.
    pub n_vectors: u32,
    /// Number of distinct terms.
    pub n_terms: u32,
    /// Mean number of tokens in each field, over the passages in which the field is not empty, in
    /// the order of [`Field`]. A page's title counts once for each of its passages, because BM25F
    /// scores passages.
    pub mean_len: [f32; 6],
}

/// The fields of lexical retrieval, two on each level.
///
/// Postings of a page have the term frequencies in `Title` and `Path`. Postings of a section have
/// the frequencies in `Heading` and `Ancestors`, and postings of a passage the frequencies in
/// `Body` and `Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Field {
    /// The page's title.
    Title = 0,
    /// The words of the page's path or URL.
    Path = 1,
    /// The section's own heading.
    Heading = 2,
    /// The headings above the section's.
    Ancestors = 3,
    /// Running text.
    Body = 4,
    /// Code blocks and inline code.
    Code = 5,
}
