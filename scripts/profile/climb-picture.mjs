// Bars of several counters side by side as SVG: a row for each version, a column for each counter.
const WIDTH = 480;
const MARGIN = 14;
const NAME = 100;
const ROW = 34;
const TOP = 66;
const GAP = 10;
const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .name { font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .page { fill: #ffffff; stroke: #d1d9e0 }
  .bar { fill: #0969da }
  .track { fill: #eff2f5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .page { fill: #0d1117; stroke: #3d444d }
    .bar { fill: #4493f8 }
    .track { fill: #21262d }
  }`;

/** @param rows name, values and their texts, one for each column; a column's longest bar is its largest value */
export function climbPicture({ title, columns, rows }) {
  const height = TOP + rows.length * ROW + 8;
  const width = (WIDTH - 2 * MARGIN - NAME) / columns.length - GAP;
  const x = (column) => Number((MARGIN + NAME + column * (width + GAP)).toFixed(1));
  const most = columns.map((_, column) => Math.max(...rows.map(({ values }) => values[column])));
  const heads = columns.map((name, column) => `<text class="small" x="${x(column)}" y="52">${name}</text>`);
  const lines = rows.map(({ name, values, texts }, index) => {
    const y = TOP + index * ROW;
    const cells = values.map((value, column) => {
      const length = ((width * value) / most[column]).toFixed(1);
      return [
        `<text class="small" x="${x(column)}" y="${y + 11}">${texts[column]}</text>`,
        `<rect class="track" x="${x(column)}" y="${y + 16}" width="${width.toFixed(1)}" height="9" rx="1"/>`,
        `<rect class="bar" x="${x(column)}" y="${y + 16}" width="${length}" height="9" rx="1"/>`,
      ].join("\n");
    });
    return `<text class="name" x="${MARGIN}" y="${y + 20}">${name}</text>\n${cells.join("\n")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="640" role="img">
<title>${title}</title>
<style>${STYLE}
</style>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="${MARGIN}" y="26">${title}</text>
${heads.join("\n")}
${lines.join("\n")}
</svg>
`;
}
