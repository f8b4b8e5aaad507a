// Curves as an SVG: small charts side by side, both axes logarithmic, so that growth in proportion
// to the number of pages is a line of 45 degrees. Colours follow the reader's light or dark
// setting.

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [250, 190, 52, 30, 14, 26];
const PER_ROW = 3;
const COLOURS = ["#2563c9", "#c2570c", "#0f8a5f", "#8b3fc4"];

const STYLE = `
text { font: 11px system-ui, sans-serif; fill: #333 }
.t { font-weight: 600; font-size: 12px }
.g { stroke: #ddd }
.r { text-anchor: end }
.m { text-anchor: middle }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .g { stroke: #444 } }
`;

const escaped = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A number with a unit of thousands. */
function short(number) {
  if (number >= 1e6) return `${number / 1e6}M`;
  if (number >= 1e3) return `${number / 1e3}k`;
  return `${number}`;
}

/** Powers of ten that span the numbers. */
function span(numbers) {
  const low = Math.floor(Math.log10(Math.min(...numbers)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(...numbers)) - 1e-9);
  return [low, Math.max(high, low + 1)];
}

/**
 * `curves` are `{ title, of: [{ name, points: [[x, y], ...] }, ...] }`, with `linear: [from, to]`
 * if the axis of `y` is not logarithmic.
 */
export function chart(title, curves) {
  const rows = Math.ceil(curves.length / PER_ROW);
  const [width, height] = [WIDTH * Math.min(PER_ROW, curves.length), HEIGHT * rows + 26];
  const names = [...new Set(curves.flatMap(({ of }) => of.map(({ name }) => name)))];
  const colour = (name) => COLOURS[names.indexOf(name) % COLOURS.length];
  const drawn = curves.map((curve, at) => {
    const [x, y] = [(at % PER_ROW) * WIDTH, Math.floor(at / PER_ROW) * HEIGHT];
    return `<g transform="translate(${x} ${y})">${one(curve, colour)}</g>`;
  });
  const legend = names.map((name, at) => {
    const x = LEFT + at * 150;
    const y = height - 10;
    return (
      `<circle cx="${x}" cy="${y - 4}" r="4" fill="${colour(name)}"/>` +
      `<text x="${x + 10}" y="${y}">${escaped(name)}</text>`
    );
  });
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
${drawn.join("\n")}
${legend.join("\n")}
</svg>
`;
}

/** One of the charts. */
function one({ title, of, linear }, colour) {
  const points = of.flatMap(({ points }) => points);
  const [x0, x1] = span(points.map(([x]) => x));
  const [y0, y1] = linear ?? span(points.map(([, y]) => y));
  const scaled = linear ? (value) => value : Math.log10;
  const [right, bottom] = [WIDTH - RIGHT, HEIGHT - BOTTOM];
  const atX = (x) => LEFT + ((Math.log10(x) - x0) / (x1 - x0)) * (right - LEFT);
  const atY = (y) => bottom - ((scaled(y) - y0) / (y1 - y0)) * (bottom - TOP);
  const parts = [`<text class="t" x="${LEFT}" y="18">${escaped(title)}</text>`];
  for (let power = x0; power <= x1; power++) {
    const x = atX(10 ** power).toFixed(1);
    parts.push(`<line class="g" x1="${x}" x2="${x}" y1="${TOP}" y2="${bottom}"/>`);
    parts.push(`<text class="m" x="${x}" y="${bottom + 15}">${short(10 ** power)}</text>`);
  }
  const step = linear ? (y1 - y0) / 4 : 1;
  for (let at = y0; at <= y1 + 1e-9; at += step) {
    const value = linear ? at : 10 ** at;
    const y = atY(value);
    parts.push(`<line class="g" x1="${LEFT}" x2="${right}" y1="${y}" y2="${y}"/>`);
    const label = short(Number(value.toPrecision(2)));
    parts.push(`<text class="r" x="${LEFT - 5}" y="${y + 4}">${label}</text>`);
  }
  for (const { name, points } of of) {
    const at = points.map(([x, y]) => [atX(x).toFixed(1), atY(y).toFixed(1)]);
    const line = at.map((point) => point.join(",")).join(" ");
    parts.push(
      `<polyline points="${line}" fill="none" stroke="${colour(name)}" stroke-width="2"/>`,
    );
    for (const [x, y] of at)
      parts.push(`<circle cx="${x}" cy="${y}" r="3" fill="${colour(name)}"/>`);
  }
  return parts.join("");
}
