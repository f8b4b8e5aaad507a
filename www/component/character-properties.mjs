// Regular expressions for a JavaScript engine that is built without Unicode's properties.

/**
 * The source with each `\p{…}` of a character class as ranges of characters. In a string the
 * backslash is doubled, and so are the backslashes of the ranges.
 */
export function propertiesAsRanges(source) {
  return source.replaceAll(/(\\{1,2})p\{(\w+)\}/g, (_, backslash, property) =>
    ranges(property).replaceAll("\\", () => backslash),
  );
}

const known = new Map();

/** The characters with a property, according to this version of Node. */
function ranges(property) {
  if (!known.has(property)) known.set(property, rangesOf(new RegExp(`\\p{${property}}`, "u")));
  return known.get(property);
}

function rangesOf(pattern) {
  const LAST = 0x10ffff;
  const escaped = (code) => `\\u{${code.toString(16)}}`;
  let text = "";
  let start = -1;
  for (let code = 0; code <= LAST + 1; code++) {
    const has = code <= LAST && pattern.test(String.fromCodePoint(code));
    if (has && start < 0) start = code;
    if (has || start < 0) continue;
    text += start === code - 1 ? escaped(start) : `${escaped(start)}-${escaped(code - 1)}`;
    start = -1;
  }
  return text;
}
