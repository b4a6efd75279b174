// Plots of bars as SVG, for pages of docs/. An image brings its own background, so that it can be read on a page of any
// colour. Its colours follow the reader's choice of light or dark. It is 480 units wide: on a phone the text stays
// about 10 pixels high.
const WIDTH = 480;
const MARGIN = 14;
const ROW = 38;
const TOP = 92;
const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .name { font-weight: 600 }
  .small { font-size: 12px; fill: #59636e }
  .page { fill: #ffffff; stroke: #d1d9e0 }
  .ours { fill: #0969da }
  .rival { fill: #bf8700 }
  .track { fill: #eff2f5 }
  .ceiling { stroke: #cf222e; stroke-width: 1.5 }
  .ceiling-text { font-size: 12px; fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .page { fill: #0d1117; stroke: #3d444d }
    .ours { fill: #4493f8 }
    .rival { fill: #d29922 }
    .track { fill: #21262d }
    .ceiling { stroke: #f85149 }
    .ceiling-text { fill: #f85149 }
  }`;

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const rivalKey = (text) => `<rect class="rival" x="${MARGIN + 175}" y="42" width="12" height="5" rx="1"/>
<text class="small" x="${MARGIN + 193}" y="49">${escape(text)}</text>
`;

/**
 * Two bars a row: ours, and a thinner one for the rival.
 *
 * @param plot.title the heading
 * @param plot.legend what the bars are, one text or two
 * @param plot.ceiling what the line at 100 % is
 * @param plot.maximum the percentage at the right edge
 * @param plot.rows name, figure (text at the right), ours and rival (percentages; rival may be null)
 */
export function barPlot({ title, legend, ceiling, maximum, rows }) {
  const inner = WIDTH - 2 * MARGIN;
  const at = (share) => Number(((inner * Math.min(share, maximum)) / maximum).toFixed(1));
  const height = TOP + rows.length * ROW + 10;
  const line = MARGIN + at(100);
  const bars = rows.map(({ name, figure, ours, rival }, index) => {
    const y = TOP + index * ROW;
    const parts = [
      `<text class="name" x="${MARGIN}" y="${y + 11}">${escape(name)}</text>`,
      `<text class="small" x="${WIDTH - MARGIN}" y="${y + 11}" text-anchor="end">${escape(figure)}</text>`,
      `<rect class="track" x="${MARGIN}" y="${y + 16}" width="${inner}" height="15" rx="2"/>`,
      `<rect class="ours" x="${MARGIN}" y="${y + 16}" width="${at(ours)}" height="9" rx="1"/>`,
    ];
    if (rival !== null)
      parts.push(`<rect class="rival" x="${MARGIN}" y="${y + 26}" width="${at(rival)}" height="5" rx="1"/>`);
    // The line at 100 % crosses bars only: text stays readable.
    parts.push(`<line class="ceiling" x1="${line}" y1="${y + 14}" x2="${line}" y2="${y + 33}"/>`);
    return parts.join("\n");
  });
  // The text of the line stands on its side of the line that has room.
  const anchor = line > WIDTH / 2 ? `x="${line - 5}" text-anchor="end"` : `x="${line + 5}"`;
  const secondKey = legend[1] === undefined ? "" : rivalKey(legend[1]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="640" role="img">
<title>${escape(title)}</title>
<style>${STYLE}
</style>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="${MARGIN}" y="26">${escape(title)}</text>
<rect class="ours" x="${MARGIN}" y="40" width="12" height="9" rx="1"/>
<text class="small" x="${MARGIN + 18}" y="49">${escape(legend[0])}</text>
${secondKey}<text class="ceiling-text" ${anchor} y="74">${escape(ceiling)}</text>
${bars.join("\n")}
<line class="ceiling" x1="${line}" y1="64" x2="${line}" y2="${TOP - 8}"/>
</svg>
`;
}
