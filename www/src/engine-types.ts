// Derived from crates/engine/src/{request,response}.rs; do not edit. To write it anew:
// cargo run -p findling-engine --features ts --example types -- www/src/engine-types.ts

/**
 * A query and how to answer it. Hosts other than Rust send it as JSON; every field but `query` may
 * be left out.
 */
export type Request = { 
/**
 * What the reader typed.
 */
query: string, 
/**
 * Which legs to run.
 */
mode?: Mode, 
/**
 * How many pages to return. 0 counts only.
 */
limit?: Limit, 
/**
 * How many pages to pass over first.
 */
offset?: number, 
/**
 * A condition on attributes, in any of its three spellings (see [`crate::filter`]): a string,
 * or a JSON object.
 */
filter?: string | Record<string, unknown>, 
/**
 * The query's embedding, where the host has an encoder. Without one, hybrid becomes lexical
 * and says so.
 */
vector?: QueryVector, 
/**
 * What embeds the query where no vector is given.
 */
encoder?: EncoderChoice, 
/**
 * How the two legs become one list.
 */
fusion?: Fusion, 
/**
 * Treat the last word as the beginning of one, as while typing.
 */
prefix?: boolean, 
/**
 * Take every word as it is spelt: correct nothing.
 */
verbatim?: boolean, 
/**
 * Where nothing is found, look for what else could be asked; true unless told.
 */
suggest?: Suggest, 
/**
 * Order by an attribute instead of by relevance.
 */
sort?: Sort, 
/**
 * Order by relevance and by a number or a date together.
 */
prefer?: Prefer, 
/**
 * How relevance and the pages' dates meet, by name; `sort` and `prefer` say it in full and go
 * before it.
 */
order?: Order, 
/**
 * An attribute of whose values none is to fill the list: each page counts a little less than
 * one before it with the same value.
 */
spread?: string, 
/**
 * Show every copy of a page (the same in several versions), which otherwise one stands for.
 */
copies?: boolean, 
/**
 * Names of attributes to count values of, over all matching pages. `["*"]`: every facet of
 * the bundle.
 */
facets?: Array<string>, 
/**
 * Count an attribute's values as if the filter asked nothing of that attribute: what a reader
 * would find who chose another value instead.
 */
facetsInstead?: boolean, 
/**
 * Most sections shown under a page, its best included.
 */
sectionsPerPage?: SectionsPerPage, 
/**
 * Say for each hit how its score came about, and for the query what the plan was.
 */
explain?: boolean, 
/**
 * A page, by URL (with an anchor for one of its sections), path or id: say why it stands
 * where it stands, beside the first. Implies `explain`.
 */
why?: string, 
/**
 * The same in other words, at most four: each is searched like the query, and a page, a
 * section, scores what it scores best by any of them.
 */
also?: Array<string>, 
/**
 * The embeddings of `also`, in its order, where the host has an encoder.
 */
alsoVectors?: Array<QueryVector | null>, 
/**
 * A page, by URL, path or id, in place of a query: find pages similar to it, without itself.
 * By its own vectors, where they are to be had and `mode` is not lexical (the mode that
 * answers is then semantic); otherwise by its most telling words.
 */
similarTo?: string, };

/**
 * Number of pages to return; 10 unless told.
 */
export type Limit = number;

/**
 * Number of sections to show under a page; 3 unless told.
 */
export type SectionsPerPage = number;

/**
 * Whether to say what else could be asked where nothing is found; true unless told.
 */
export type Suggest = boolean;

/**
 * Which legs answer.
 */
export type Mode = "hybrid" | "lexical" | "semantic";

/**
 * An embedding of the query.
 */
export type QueryVector = { 
/**
 * `dim` numbers; normalised by the engine.
 */
values: Array<number>, 
/**
 * Who made it: `transformer`, `hash`, `supplied`; named in the response.
 */
encoder: string, 
/**
 * Whether the encoder saw only the beginning of the query.
 */
truncated?: boolean, };

/**
 * The engine's own encoders, for a query that comes without a vector.
 */
export type EncoderChoice = "auto" | "static" | "none";

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
 * Share of the dense leg. Unless told, the query decides: 0.35, and 0.45 where it is a
 * sentence.
 */
alpha?: number, };

/**
 * An order by attribute. Pages without a value come last; ties keep the order of relevance.
 */
export type Sort = { 
/**
 * The attribute's name.
 */
by: string, 
/**
 * Largest first.
 */
descending?: boolean, };

/**
 * An inclination towards pages by a number or a date: the newest, the most read. A page's score is
 * multiplied by `1 - share * d / (d + half)`, where `d` is its distance from the best value of the
 * site.
 */
export type Prefer = { 
/**
 * The attribute's name.
 */
by: string, 
/**
 * How much it counts: 0 nothing, 0.3 (unless told) beside relevance, 0.9 more than it.
 */
share?: number, 
/**
 * The distance at which half of the share is lost, in the attribute's unit, days for dates.
 * Unless told that of the middle one of all pages that have a value. Pages without one
 * are taken to be at this distance.
 */
half?: number, 
/**
 * The smallest is the best.
 */
ascending?: boolean, };

/**
 * An order by name. The date is the site's attribute `date` where that is one, else its first
 * attribute of that type.
 */
export type Order = "relevance" | "recent" | "balanced";

/**
 * The answer to one [`crate::api::Request`].
 */
export type Response = { 
/**
 * The query as asked.
 */
query: string, 
/**
 * The mode that answered, which is `lexical` where hybrid was asked and there was no vector.
 */
mode: Mode, 
/**
 * Who embedded the query; `None` where meaning took no part.
 */
encoder: string | null, 
/**
 * What the reader or the site's owner should know: a missing encoder, an unknown attribute
 * value.
 */
notices: Array<Notice>, 
/**
 * Words of the query that the bundle does not have, and what was searched for instead, in the
 * order of the query.
 */
corrections: Array<Correction>, 
/**
 * Where nothing is found, what else to ask, each of which finds something; what is nearest to
 * the query first.
 */
suggestions: Array<Suggestion>, 
/**
 * Matches beyond the ones returned.
 */
total: Total, 
/**
 * Pages, best first.
 */
results: Array<PageHit>, 
/**
 * Values and counts of the attributes asked for, over all matching pages; most frequent
 * first, then by value.
 */
facets: Array<Facet>, 
/**
 * How the query was understood and run; with `explain` only.
 */
plan: Plan | null, 
/**
 * Why the page asked about stands where it stands; with `why` only.
 */
why?: Why, };

/**
 * Something to tell.
 */
export type Notice = { 
/**
 * Stable, for programs: `encoder-missing`, `query-truncated`, `unknown-value`.
 */
code: string, 
/**
 * For people.
 */
message: string, };

/**
 * A word that was taken for a slip of the keyboard.
 */
export type Correction = { 
/**
 * As the query has it.
 */
word: string, 
/**
 * The word of the site that was searched for, in lower case.
 */
replacement: string, };

/**
 * Another request in place of one that finds nothing: the same with these fields instead of its
 * own.
 */
export type Suggestion = { 
/**
 * What is changed.
 */
kind: SuggestionKind, 
/**
 * The word, value or attribute that is replaced, or whose part of the filter is left out;
 * empty where the kind says it all.
 */
what: string, 
/**
 * What it is replaced by; `None` where it is left out.
 */
instead: string | null, 
/**
 * The query to ask.
 */
query: string, 
/**
 * Its other wordings; left out where there are none.
 */
also?: Array<string>, 
/**
 * The filter to ask with, in its canonical spelling.
 */
filter: string | null, 
/**
 * Whether to take words as they are spelt.
 */
verbatim: boolean, 
/**
 * The pages that it finds, copies of each other counted for themselves.
 */
pages: number, };

/**
 * What a [`Suggestion`] changes.
 */
export type SuggestionKind = "words" | "value" | "attribute" | "spelling" | "phrases" | "exclusions" | "part" | "filter" | "everything";

/**
 * How many pages and sections match: every one that words find, and those of the dense candidates
 * that made the fused list.
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
 * Whether there are more, and facets and copies count more: of a word that is nearly
 * everywhere, a streamed bundle was asked only for the passages where it says most. A
 * filter, a phrase or an order of its own has all of them looked at.
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
 * Where the page is.
 */
url: string, 
/**
 * Its title, plain text.
 */
title: string, 
/**
 * Its language, BCP 47.
 */
language: string, 
/**
 * The fused score: that of its best section, more where another is better in one of the legs,
 * and a part of the second best, all weighed by what the site and the reader favour. May
 * exceed 1.
 */
score: number, 
/**
 * Its attributes, as the JSON types they are (dates as ISO 8601).
 */
attributes: Record<string, string | number | boolean | string[]>, 
/**
 * What the site said to show with it (`data-findling-meta`): image, author.
 */
meta: Array<[string, string]>, 
/**
 * Its matching sections, best first; the first is the one the page stands for.
 */
sections: Array<SectionHit>, 
/**
 * Matching sections, shown or not.
 */
nSections: number, 
/**
 * Pages that are found as well and are copies of this one, not shown for themselves; left out
 * where there are none.
 */
copies?: number, 
/**
 * Whether the site has pinned it to this query; left out where it has not.
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
 * Fragment without `#`; `None` for what stands before the first heading.
 */
anchor: string | null, 
/**
 * Headings from the outermost to the section's own; empty for what stands before the first
 * heading.
 */
headingPath: Array<string>, 
/**
 * The fused score.
 */
score: number, 
/**
 * The passage that answers.
 */
snippet: Snippet, 
/**
 * Where the score comes from: always present, since hosts print it as JSON too.
 */
legs: Legs, 
/**
 * Terms and fields; with `explain` only.
 */
explain: Explanation | null, };

/**
 * A stretch of a section's text.
 */
export type Snippet = { 
/**
 * Plain text, whole words, never markup.
 */
text: string, 
/**
 * What to mark, as [start, end) in UTF-16 code units (JavaScript's own string indices), in
 * order, disjoint.
 */
ranges: Array<[number, number]>, 
/**
 * What is code, in the same units.
 */
code: Array<[number, number]>, 
/**
 * Whether text was left out in front.
 */
cutStart: boolean, 
/**
 * Whether text was left out behind.
 */
cutEnd: boolean, };

/**
 * The parts of a fused score.
 */
export type Legs = { 
/**
 * Rank by words, from 1, among sections; `None` where no word matched.
 */
lexicalRank: number | null, 
/**
 * BM25F of its best passage.
 */
lexicalScore: number | null, 
/**
 * Rank by meaning, from 1, among sections; `None` where it is not among the candidates.
 */
semanticRank: number | null, 
/**
 * Cosine with the query of its best vector.
 */
similarity: number | null, 
/**
 * What the lexical leg gave to the fused score.
 */
lexicalShare: number, 
/**
 * What the dense leg gave to the fused score.
 */
semanticShare: number, };

/**
 * Why a section scores by words what it scores.
 */
export type Explanation = { 
/**
 * One for each query term that matched.
 */
terms: Array<TermExplanation>, 
/**
 * What the sum of the terms was multiplied by: 1, plus the shares of these.
 */
boosts: Array<Boost>, };

/**
 * One term's part.
 */
export type TermExplanation = { 
/**
 * As indexed.
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
 * Its contribution to the BM25F score.
 */
score: number, };

/**
 * A reason to rank higher than the words alone would.
 */
export type Boost = { 
/**
 * `title`: the page's title consists of the query's words; `heading`: the section's heading
 * does.
 */
reason: string, 
/**
 * What it adds to the factor.
 */
share: number, };

/**
 * How a query was understood and run.
 */
export type Plan = { 
/**
 * Terms looked up; completions, synonyms and relatives of the words typed included.
 */
terms: Array<string>, 
/**
 * Quoted phrases.
 */
phrases: Array<string>, 
/**
 * Terms that a hit may not have.
 */
excluded: Array<string>, 
/**
 * The filter, in its canonical spelling.
 */
filter: string | null, 
/**
 * Share of sections that the filter lets through, 0 to 1.
 */
selectivity: number, 
/**
 * `exact`, `hnsw`, `none`.
 */
neighbours: string, 
/**
 * `rrf(k=5, dense_weight=0.7)`, `convex(alpha=0.35)`, `none`.
 */
fusion: string, 
/**
 * Vectors compared with the query.
 */
vectorsCompared: number, };

/**
 * Why a page stands where it stands.
 */
export type Why = { 
/**
 * The page asked about.
 */
page: PageName, 
/**
 * The main reason, in a sentence (English).
 */
reason: string, 
/**
 * Its rank from 1, `None` where it is not found.
 */
rank: number | null, 
/**
 * The page as a hit, with explanations.
 */
hit: PageHit | null, 
/**
 * The section asked about by its anchor, where it is found.
 */
section: SectionHit | null, 
/**
 * The first page; `None` where that is the page asked about, or nothing is found.
 */
first: PageHit | null, 
/**
 * The page right above; `None` where that is the first.
 */
above: PageHit | null, 
/**
 * The words that were looked up, and whether the page has them anywhere. Empty where words
 * took no part.
 */
words: Array<WordOnPage>, 
/**
 * What takes sections of the page out: the filter, phrases, exclusions.
 */
removedBy: Array<Removal>, 
/**
 * Sections of the page.
 */
nSections: number, };

/**
 * A page, named.
 */
export type PageName = { 
/**
 * The document's id.
 */
id: string, 
/**
 * Where the page is.
 */
url: string, 
/**
 * Its title, plain text.
 */
title: string, };

/**
 * A word of the query and a page.
 */
export type WordOnPage = { 
/**
 * As the query has it, corrected if it was.
 */
word: string, 
/**
 * What was looked up for it.
 */
terms: Array<string>, 
/**
 * Whether the page has one of the terms, anywhere.
 */
onPage: boolean, };

/**
 * What a page's sections are taken out by.
 */
export type Removal = { 
/**
 * `filter`, `phrase` (which they lack), `exclusion` (which they have).
 */
kind: string, 
/**
 * As the query or the filter has it.
 */
text: string, 
/**
 * How many of the page's sections it takes out.
 */
sections: number, };

/**
 * Counts of an attribute's values.
 */
export type Facet = { 
/**
 * The attribute.
 */
name: string, 
/**
 * Value as a filter spells it, and the number of matching pages that have it.
 */
values: Array<[string, number]>, };
