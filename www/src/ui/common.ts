/**
 * Parts of `findling-ui.js` that the other scripts of the user interface use, so that no page loads
 * them twice. Not for sites.
 */

export { COMMON, define, FindlingElement, sheetOf } from "./base-element";
export { CROSS, h, icon, MAGNIFIER } from "./dom";
export { nameText } from "./facet-values";
export { countOf, fill, LABELS, plural } from "./labels";
export { Notices } from "./notices";
export { placeOf, repeatedTitles } from "./places";
export { address, furtherSections, hitParts, subParts, tagsOf } from "./rows";
export { searchField } from "./search-box";
export { choose, follow, isModified, tell } from "./selection";
export { SettledSearches } from "./settled";
export { StateView } from "./state-view";
export { type Hit, type Verdict, verdictOn } from "./verdict";
