// Derived from crates/engine/src/{request,response}.rs; do not edit. To write it anew:
// cargo run -p findling-engine --features ts --example types -- www/src/engine-types.ts

/**
 * A query and its options. Hosts that are not written in Rust send it as JSON. Every field except
 * `query` is optional.
 */
export type Request = { 
/**
 * The text that the reader typed.
 */
query: string, 
/**
 * The legs to run.
 */
mode?: Mode, 
/**
 * How many pages to return. 0 returns counts only.
 */
limit?: Limit, 
/**
 * How many pages to skip first.
 */
offset?: number, 
/**
 * A condition on attributes: a string or a JSON object. [`crate::filter`] describes the three
 * notations.
 */
filter?: string | Record<string, unknown>, 
/**
 * A second filter, which a reader sets by facets. It is applied to the results that the query
 * finds without it, so the count of a value is the number of pages that remain after choosing
 * the value. Facets of an attribute are counted without its own part of this filter. A
 * response to a request with this filter has no suggestions and no `answerable`.
 */
postFilter?: string | Record<string, unknown>, 
/**
 * The query's embedding, if the host has an encoder. Without an embedding, a hybrid search
 * becomes lexical, and a notice says so.
 */
vector?: QueryVector, 
/**
 * The encoder of the query if there is no `vector`.
 */
encoder?: EncoderChoice, 
/**
 * How the lists of the two legs are fused.
 */
fusion?: Fusion, 
/**
 * Treat the last word as a prefix: the reader is still typing.
 */
prefix?: boolean, 
/**
 * With `prefix`: complete a query of a single letter as well. It then finds the pages with the
 * most frequent words that begin with the letter, besides those that have the letter alone.
 */
singleLetter?: boolean, 
/**
 * Find only pages that have every word of the query, in any of their sections. Both legs obey
 * it. Not asked for are stop words, and words that no page has, since nothing would be left.
 * No effect if `mode` is semantic, or in a search for similar pages.
 */
everyWord?: boolean, 
/**
 * Do not correct the spelling of words.
 */
verbatim?: boolean, 
/**
 * If nothing is found, return other queries that find something. Default: true.
 */
suggest?: Suggest, 
/**
 * Order by an attribute instead of by relevance.
 */
sort?: Sort, 
/**
 * Order by relevance combined with a number or a date.
 */
prefer?: Prefer, 
/**
 * A named order: by relevance, by date, by both, or by match. `sort` and `prefer` override
 * it.
 */
order?: Order, 
/**
 * The name of an attribute. Pages with the same value are spread over the list: each one
 * scores a little less than the one before it with that value.
 */
spread?: string, 
/**
 * Return every copy of a page, for example its other versions. By default one copy stands for
 * all.
 */
copies?: boolean, 
/**
 * Names of the attributes whose values are counted over all that matches. `["*"]` means all
 * facets of the bundle.
 */
facets?: Array<string>, 
/**
 * The set of pages that facets count.
 */
facetsOf?: FacetsOf, 
/**
 * Count the values of an attribute without the part of the filter that concerns it. The counts
 * are what a reader would find after choosing another value.
 */
facetsInstead?: boolean, 
/**
 * The maximum number of sections of a page, including its best one.
 */
sectionsPerPage?: SectionsPerPage, 
/**
 * Explain the score of each hit, and return the query's plan.
 */
explain?: boolean, 
/**
 * The URL (with an anchor for a section), path or id of a page. The response explains its rank
 * and compares it with the first page. Implies `explain`.
 */
why?: string, 
/**
 * At most four other phrasings of the query. Each is searched like the query. A page or a
 * section gets the best of its scores.
 */
also?: Array<string>, 
/**
 * The embeddings of `also`, in the same order, if the host has an encoder.
 */
alsoVectors?: Array<QueryVector | null>, 
/**
 * The URL, path or id of a page. Find pages similar to it instead of pages for `query`; the
 * page itself is left out. Its vectors are compared if it has any and `mode` is not lexical
 * (the response's mode is then semantic). Otherwise its most distinctive words are searched.
 */
similarTo?: string, 
/**
 * The URL, path or id of a page. The response has its whole text as `document`, and nothing is
 * searched.
 */
read?: string, };

/**
 * Number of pages to return. Default: 10.
 */
export type Limit = number;

/**
 * Maximum number of sections of a page. Default: 3.
 */
export type SectionsPerPage = number;

/**
 * Whether to return suggestions if nothing is found. Default: true.
 */
export type Suggest = boolean;

/**
 * The legs to run.
 */
export type Mode = "hybrid" | "lexical" | "semantic";

/**
 * An embedding of the query.
 */
export type QueryVector = { 
/**
 * `dim` numbers. The engine normalises them.
 */
values: Array<number>, 
/**
 * The name of the encoder: `transformer`, `hash` or `supplied`. The response repeats it.
 */
encoder: string, 
/**
 * Whether the encoder saw only the beginning of the query.
 */
truncated?: boolean, };

/**
 * The engine's own encoders, for a request without a vector.
 */
export type EncoderChoice = "auto" | "static" | "none";

/**
 * The set of pages that facets count.
 */
export type FacetsOf = "pages" | "sections";

/**
 * Fusion of the two legs.
 */
export type Fusion = { "method": "rrf", 
/**
 * Damping of the first ranks.
 */
k?: number, 
/**
 * Weight of the dense leg; the lexical leg's is 1.
 */
denseWeight?: number, } | { "method": "convex", 
/**
 * Share of the dense leg. Default: 0.35, and 0.45 for a query that is a sentence.
 */
alpha?: number, };

/**
 * An order by attribute. Pages without a value come last. Pages with equal values keep the order
 * of relevance.
 */
export type Sort = { 
/**
 * The attribute's name.
 */
by: string, 
/**
 * Whether the largest value comes first.
 */
descending?: boolean, };

/**
 * A preference for pages with a high or low number or date, for example the newest or the most
 * read. A page's score is multiplied by `1 - share * d / (d + half)`, where `d` is the distance of
 * its value from the best value of the bundle.
 */
export type Prefer = { 
/**
 * The attribute's name.
 */
by: string, 
/**
 * How much the preference counts: from 0 (not at all) to 0.9 (more than relevance). Default:
 * 0.3.
 */
share?: number, 
/**
 * The distance at which half of the share is lost, in the attribute's unit (days for dates).
 * Default: the median distance of the pages that have a value. Pages without a value are
 * treated as if they were at this distance.
 */
half?: number, 
/**
 * Whether the smallest value is the best.
 */
ascending?: boolean, };

/**
 * A named order. The date is the attribute `date` if the bundle has one of that name and type,
 * otherwise its first date attribute.
 */
export type Order = "relevance" | "recent" | "balanced" | "match";

/**
 * The response to a [`crate::api::Request`].
 */
export type Response = { 
/**
 * The query of the request.
 */
query: string, 
/**
 * The mode that was used: `lexical` if the request was hybrid and had no vector.
 */
mode: Mode, 
/**
 * The encoder of the query's vector; `None` if only words were searched.
 */
encoder: string | null, 
/**
 * Messages for the reader or the site's owner, for example about a missing encoder or an
 * unknown value of an attribute.
 */
notices: Array<Notice>, 
/**
 * Misspelled words of the query and the words that were searched instead, in the order of the
 * query.
 */
corrections: Array<Correction>, 
/**
 * If nothing is found: other requests, each of which finds something. The one most like the
 * query comes first.
 */
suggestions: Array<Suggestion>, 
/**
 * How likely it is that the site answers the query, 0 to 1: see [`Evidence`]. `None` if there
 * was no query, or neither words nor vectors to judge by.
 */
answerable: number | null, 
/**
 * How many pages and sections match, returned or not.
 */
total: Total, 
/**
 * Pages, best first.
 */
results: Array<PageHit>, 
/**
 * The values of the requested attributes with the number of matching pages or sections, the
 * most frequent first, then by value.
 */
facets: Array<Facet>, 
/**
 * How the query was read and run. Only with `explain`.
 */
plan: Plan | null, 
/**
 * The explanation of a page's rank. Only with `why`.
 */
why?: Why, 
/**
 * The page that was read. Only with `read`.
 */
document?: Document, };

/**
 * A message.
 */
export type Notice = { 
/**
 * A stable code for programs, such as `encoder-missing` or `unknown-value`.
 */
code: string, 
/**
 * The text for people (English).
 */
message: string, };

/**
 * A word that was treated as misspelled.
 */
export type Correction = { 
/**
 * The word as it is in the query.
 */
word: string, 
/**
 * The word of the site that was searched instead, in lower case.
 */
replacement: string, };

/**
 * A request to send instead of one that found nothing: the same request with these fields.
 */
export type Suggestion = { 
/**
 * The kind of change that the suggestion makes.
 */
kind: SuggestionKind, 
/**
 * The word, value or attribute that is replaced, or the attribute whose part of the filter is
 * left out. Empty for the other kinds.
 */
what: string, 
/**
 * The replacement; `None` if something is left out.
 */
instead: string | null, 
/**
 * The query.
 */
query: string, 
/**
 * The other phrasings. Omitted if there are none.
 */
also?: Array<string>, 
/**
 * The filter in its canonical notation.
 */
filter: string | null, 
/**
 * Whether spelling is not corrected.
 */
verbatim: boolean, 
/**
 * How many pages it finds, including copies.
 */
pages: number, };

/**
 * The kind of change that a [`Suggestion`] makes.
 */
export type SuggestionKind = "words" | "value" | "attribute" | "spelling" | "phrases" | "exclusions" | "part" | "filter" | "everything";

/**
 * How many pages and sections match: all that match by words, and the candidates of the dense leg
 * that are in the fused list.
 */
export type Total = { 
/**
 * Pages.
 */
pages: number, 
/**
 * Sections.
 */
sections: number, 
/**
 * Whether these numbers, the facets and the copies are lower bounds. In a streamed bundle only
 * the best passages of a very frequent word are read, unless there is a filter, a phrase or
 * an order by attribute.
 */
atLeast?: boolean, };

/**
 * A page that matches.
 */
export type PageHit = { 
/**
 * The document's id: a record's `_id`, or the page's path relative to the input directory.
 */
id: string, 
/**
 * The page's URL.
 */
url: string, 
/**
 * The title, plain text.
 */
title: string, 
/**
 * The language, BCP 47.
 */
language: string, 
/**
 * The fused score. It is the score of the best section, raised if another section is better in
 * one of the legs, plus a part of the second-best section's score, multiplied by the site's
 * boosts and the request's preferences. May exceed 1.
 */
score: number, 
/**
 * The attributes as JSON values (dates as ISO 8601).
 */
attributes: Record<string, string | number | boolean | string[]>, 
/**
 * Names and values of `data-findling-meta`, to be shown with the page: an image, an author.
 */
meta: Array<[string, string]>, 
/**
 * The matching sections, best first. If the query is the page's title, the first is the
 * beginning of the page.
 */
sections: Array<SectionHit>, 
/**
 * How many of its sections match, returned or not.
 */
nSections: number, 
/**
 * How many copies of this page match as well and are not in the list. Omitted if there are
 * none.
 */
copies?: number, 
/**
 * Whether the site has pinned it to this query. Omitted if not.
 */
pinned?: boolean, };

/**
 * A section that matches.
 */
export type SectionHit = { 
/**
 * The page's URL with the section's anchor.
 */
url: string, 
/**
 * The fragment without `#`; `None` for the text before the first heading.
 */
anchor: string | null, 
/**
 * Headings from the outermost to the section's own; empty for the text before the first
 * heading.
 */
headingPath: Array<string>, 
/**
 * The own attributes, without those of its page.
 */
attributes: Record<string, string | number | boolean | string[]>, 
/**
 * The fused score.
 */
score: number, 
/**
 * The text to show.
 */
snippet: Snippet, 
/**
 * The parts of the score.
 */
legs: Legs, 
/**
 * Terms and fields. Only with `explain`.
 */
explain: Explanation | null, };

/**
 * A part of a section's text.
 */
export type Snippet = { 
/**
 * Plain text, whole words, never markup.
 */
text: string, 
/**
 * The ranges to highlight, as [start, end) in UTF-16 code units (JavaScript's string indices),
 * ascending and disjoint.
 */
ranges: Array<[number, number]>, 
/**
 * The ranges that are code, in the same units.
 */
code: Array<[number, number]>, 
/**
 * The range of the sentence that the snippet was chosen for, in the same units: it says most
 * of the query. Long sentences are divided. Empty if the text has no words.
 */
sentence: [number, number], 
/**
 * Whether text before it was left out.
 */
cutStart: boolean, 
/**
 * Whether text after it was left out.
 */
cutEnd: boolean, };

/**
 * The parts of a fused score.
 */
export type Legs = { 
/**
 * The section's rank by words, from 1; `None` if no word matched.
 */
lexicalRank: number | null, 
/**
 * The BM25F score of its best passage.
 */
lexicalScore: number | null, 
/**
 * The section's rank by meaning, from 1; `None` if it is not among the candidates.
 */
semanticRank: number | null, 
/**
 * The cosine of the query and the section's best vector.
 */
similarity: number | null, 
/**
 * The lexical leg's part of the fused score.
 */
lexicalShare: number, 
/**
 * The dense leg's part of the fused score.
 */
semanticShare: number, };

/**
 * The explanation of a section's lexical score.
 */
export type Explanation = { 
/**
 * The part of each query term that matched.
 */
terms: Array<TermExplanation>, 
/**
 * The sum of the terms is multiplied by 1 plus the shares of these.
 */
boosts: Array<Boost>, };

/**
 * One term's part of the score.
 */
export type TermExplanation = { 
/**
 * The term in the index.
 */
term: string, 
/**
 * Inverse document frequency over passages.
 */
idf: number, 
/**
 * Term frequency in the best passage, by field: title, path, heading, ancestors, body, code.
 */
frequencies: [number, number, number, number, number, number], 
/**
 * The contribution to the BM25F score.
 */
score: number, };

/**
 * A reason for a higher score than that of the terms alone.
 */
export type Boost = { 
/**
 * `title`: the page's title consists of the query's words; `heading`: the section's heading
 * does; `symbol`: the section is of the symbol of code that the query is, as written.
 */
reason: string, 
/**
 * The share that it adds to the factor.
 */
share: number, };

/**
 * The evidence that the site answers a query. The most likely of several phrasings counts.
 */
export type Evidence = { 
/**
 * The BM25F score of the best passage, divided by the score of a passage of average length
 * that has every word of the query; `None` if no words were searched.
 */
words: number | null, 
/**
 * The cosine of the query and the nearest vector, minus the cosine of the query and the mean
 * vector; `None` without vectors.
 */
meaning: number | null, };

/**
 * How a query was read and run.
 */
export type Plan = { 
/**
 * The terms that were looked up, including completions, synonyms and relatives.
 */
terms: Array<string>, 
/**
 * Quoted phrases.
 */
phrases: Array<string>, 
/**
 * Terms that no hit may have.
 */
excluded: Array<string>, 
/**
 * The filter in its canonical notation.
 */
filter: string | null, 
/**
 * The share of sections that pass the filter, 0 to 1.
 */
selectivity: number, 
/**
 * How the nearest vectors were found: `exact`, `hnsw` or `none`.
 */
neighbours: string, 
/**
 * The fusion with its parameters, such as `rrf(k=5, dense_weight=0.7)` or
 * `convex(alpha=0.35)`, or `none`.
 */
fusion: string, 
/**
 * How many vectors were compared with the query.
 */
vectorsCompared: number, 
/**
 * The evidence from which [`Response::answerable`] is computed.
 */
evidence: Evidence, };

/**
 * The explanation of a page's rank.
 */
export type Why = { 
/**
 * The page asked about.
 */
page: PageName, 
/**
 * The main reason in a sentence (English).
 */
reason: string, 
/**
 * The rank, from 1; `None` if it is not found.
 */
rank: number | null, 
/**
 * The page as a hit, with explanations.
 */
hit: PageHit | null, 
/**
 * The section with the requested anchor, if it is found.
 */
section: SectionHit | null, 
/**
 * The first page; `None` if that is the page asked about, or nothing is found.
 */
first: PageHit | null, 
/**
 * The page ranked just before it; `None` if that is the first.
 */
above: PageHit | null, 
/**
 * The words that were looked up, and whether the page has them. Empty if no words were
 * searched.
 */
words: Array<WordOnPage>, 
/**
 * The causes that exclude sections of the page: the filter, phrases, exclusions.
 */
removedBy: Array<Removal>, 
/**
 * How many sections the page has.
 */
nSections: number, };

/**
 * A page's name and address.
 */
export type PageName = { 
/**
 * The document's id.
 */
id: string, 
/**
 * The page's URL.
 */
url: string, 
/**
 * The title, plain text.
 */
title: string, };

/**
 * A word of the query, and whether a page has it.
 */
export type WordOnPage = { 
/**
 * The word of the query, after correction.
 */
word: string, 
/**
 * The terms that were looked up for it.
 */
terms: Array<string>, 
/**
 * Whether the page has one of the terms.
 */
onPage: boolean, };

/**
 * A part of a request that excludes sections of a page.
 */
export type Removal = { 
/**
 * `filter`, `phrase` (the sections do not have it) or `exclusion` (they have it).
 */
kind: string, 
/**
 * The text in the query or the filter.
 */
text: string, 
/**
 * How many of the page's sections it excludes.
 */
sections: number, };

/**
 * The values of an attribute with their counts.
 */
export type Facet = { 
/**
 * The attribute's name.
 */
name: string, 
/**
 * Each value as it is written in a filter, and the number of matching pages with it.
 */
values: Array<[string, number]>, };

/**
 * A page with its whole text.
 */
export type Document = { 
/**
 * The document's id.
 */
id: string, 
/**
 * The page's URL.
 */
url: string, 
/**
 * The title, plain text.
 */
title: string, 
/**
 * The language, BCP 47; may be empty.
 */
language: string, 
/**
 * The attributes as JSON values (dates as ISO 8601).
 */
attributes: Record<string, string | number | boolean | string[]>, 
/**
 * The sections in the order of the page. A very long one is several with the same headings.
 */
sections: Array<DocumentSection>, };

/**
 * A section of a [`Document`].
 */
export type DocumentSection = { 
/**
 * 1 to 6; 0 for the text before the first heading.
 */
level: number, 
/**
 * Headings from the outermost to the section's own.
 */
headingPath: Array<string>, 
/**
 * The fragment without `#`.
 */
anchor: string | null, 
/**
 * All its text, blocks separated by line feeds.
 */
text: string, 
/**
 * The ranges of its passages, as [start, end) in UTF-16 code units, ascending; they may
 * overlap.
 */
passages: Array<[number, number]>, };
