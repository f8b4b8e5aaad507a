/**
 * What the other scripts of the user interface take from `findling-ui.js`, so that no page loads it
 * twice. Not for sites.
 */

export { COMMON, define, FindlingElement, sheetOf } from "./base-element";
export { CROSS, h, icon, MAGNIFIER } from "./dom";
export { countOf, fill, LABELS, plural } from "./labels";
export { address, answerParts, hitParts, tagsOf } from "./rows";
export { choose, follow, isModified, tell } from "./selection";
export { StateView } from "./state-view";
export { type Hit, type Verdict, verdictOn } from "./verdict";
