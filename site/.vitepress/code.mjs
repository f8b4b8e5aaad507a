// Code in the documents: shown as it is.

/** Vue would read `{{ … }}` in code as an expression, and the highlighter knows no `hex`. */
export function code(markdown) {
  const inline = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (tokens, at, ...rest) => {
    tokens[at].attrSet("v-pre", "");
    return inline(tokens, at, ...rest);
  };
  markdown.core.ruler.push("unknown-languages", ({ tokens }) => {
    for (const token of tokens) if (/^hex\b/.test(token.info)) token.info = "txt";
  });
}
