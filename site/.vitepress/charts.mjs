// Charts of archived measurements, drawn as SVG when the site is built:
//
//   <!-- chart: {"data": "bench/results/DATE-NAME.json#TABLE", "label": COLUMN, "values": [COLUMN],
//        "names": [NAME], "where": {COLUMN: VALUE}, "unit": "kB", "title": "…"} -->
//
// Several columns of labels are joined. `names` are those of the values, in place of the columns'.
// Below each is its table with the date, the machine and the command.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const CHART = /^<!-- chart: ([\s\S]*?) -->\s*$/;

/** Units of the drawing: its width, a bar's height, and what is around the bars. */
const SIZE = { width: 680, labels: 230, numbers: 70, bar: 16, gap: 10, legend: 26 };

/** Draws the charts of a page. */
export function charts(markdown, root) {
  const html = markdown.renderer.rules.html_block;
  markdown.renderer.rules.html_block = (tokens, at, options, env, self) => {
    const [, given] = CHART.exec(tokens[at].content) ?? [];
    if (given === undefined) return html(tokens, at, options, env, self);
    return figure(JSON.parse(given), root);
  };
}

function figure(chart, root) {
  const [file, id] = chart.data.split("#");
  const result = JSON.parse(readFileSync(join(root, file), "utf8"));
  const table = (result.tables ?? [result]).find((table) => id === undefined || table.id === id);
  if (!table) throw new Error(`${chart.data}: expected a table \`${id}\`, found none of that name`);
  const columns = table.columns.map((column) => column.name ?? column);
  const column = (name) => {
    const at = columns.indexOf(name);
    if (at < 0)
      throw new Error(`${chart.data}: no column \`${name}\`; there are ${columns.join(", ")}`);
    return at;
  };
  const conditions = Object.entries(chart.where ?? {}).map(([name, is]) => [column(name), is]);
  const rows = table.rows.filter((row) => conditions.every(([at, is]) => row[at] === is));
  const label = [chart.label].flat().map(column);
  const bars = rows.map((row) => ({
    label: label.map((at) => row[at]).join(", "),
    values: chart.values.map((name) => Number.parseFloat(row[column(name)])),
  }));
  const { date, machine, commit, command } = result;
  return `<figure class="chart" v-pre>
<figcaption>${escapeHtml(chart.title)}</figcaption>
${drawing(chart, bars)}
<details><summary>Figures</summary>
${tableOf([...label.map((at) => columns[at]), ...chart.values], rows, column)}
<p>${escapeHtml([date, machine, commit && `commit ${commit.slice(0, 7)}`].filter(Boolean).join("; "))}.
<code>${escapeHtml(command ?? "")}</code></p>
</details>
</figure>
`;
}

/** Horizontal bars, those of one row together. The picture's text is all in the table below it. */
function drawing({ title, values, names = values, unit = "" }, bars) {
  const { width, labels, numbers, bar, gap, legend } = SIZE;
  const most = Math.max(...bars.flatMap((row) => row.values));
  const scale = (width - labels - numbers) / most;
  const top = values.length > 1 ? legend : 0;
  const height = top + bars.length * (values.length * bar + gap);
  const parts = values.length > 1 ? [legends(names)] : [];
  for (const [at, row] of bars.entries()) {
    const y = top + at * (values.length * bar + gap);
    const middle = y + (values.length * bar) / 2 + 4;
    parts.push(text(labels - 8, middle, row.label, "end"));
    for (const [series, value] of row.values.entries()) {
      const [from, length] = [y + series * bar, Math.max(1, value * scale)];
      parts.push(
        `<rect class="series-${series}" x="${labels}" y="${from + 1}" width="${length.toFixed(1)}" height="${bar - 2}"/>`,
        text(labels + length + 6, from + bar - 4, `${value} ${unit}`.trim(), "start"),
      );
    }
  }
  const view = `viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}"`;
  return `<svg ${view}>${parts.join("")}</svg>`;
}

function legends(names) {
  const step = SIZE.width / names.length;
  return names
    .map((name, series) => {
      const x = series * step;
      const sample = `<rect class="series-${series}" x="${x}" y="2" width="12" height="12"/>`;
      return sample + text(x + 18, 13, name, "start");
    })
    .join("");
}

const text = (x, y, content, anchor) =>
  `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escapeHtml(content)}</text>`;

function tableOf(names, rows, column) {
  const row = (tag, cells) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell ?? "")}</${tag}>`).join("")}</tr>`;
  const head = row("th", names);
  const body = rows.map((cells) =>
    row(
      "td",
      names.map((name) => cells[column(name)]),
    ),
  );
  return `<table><thead>${head}</thead><tbody>${body.join("")}</tbody></table>`;
}

const escapeHtml = (value) =>
  String(value).replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
