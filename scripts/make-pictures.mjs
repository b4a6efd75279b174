// Writes the pictures of the pages from the output of the tool: docs/images/check.svg is what a terminal shows for
// "heddle check examples/sum-race.cu". Part of `npm run docs`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outputOf } from "./docs-commands.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FONT_SIZE = 14;
/** Of one character. Each line is stretched to its number of characters, so that columns align in every font. */
const ADVANCE = 8.4;
const LINE = 20;
const MARGIN = 18;
const TITLE_BAR = 34;
const COLUMNS = 100;
const TEXT = "#e6edf3";
/** By SGR parameters. */
const COLORS = { "1;31": "#ff7b72", "1;32": "#7ee787", 36: "#79c0ff", 2: "#8b949e", 1: "#ffffff" };

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Breaks a line at a space; what follows is indented as the line is. Colours take no room. */
function wrapped(line) {
  if (line.replaceAll(/\x1b\[[\d;]*m/g, "").length <= COLUMNS) return [line];
  const at = line.lastIndexOf(" ", COLUMNS + (line.length - line.replaceAll(/\x1b\[[\d;]*m/g, "").length));
  const indent = " ".repeat(line.search(/\S/));
  return [line.slice(0, at), ...wrapped(indent + line.slice(at + 1))];
}

/** One line of a terminal as SVG. */
function lineOf(line, top) {
  const length = line.replaceAll(/\x1b\[[\d;]*m/g, "").length;
  if (length === 0) return "";
  const spans = line
    .split(/(?=\x1b\[)/)
    .map((part) => {
      const [, codes, text] = /^(?:\x1b\[([\d;]*)m)?(.*)$/.exec(part);
      const color = COLORS[codes];
      if (text === "") return "";
      return color === undefined ? escape(text) : `<tspan fill="${color}">${escape(text)}</tspan>`;
    })
    .join("");
  const width = (length * ADVANCE).toFixed(1);
  return `<text x="${MARGIN}" y="${top}" textLength="${width}" xml:space="preserve">${spans}</text>\n`;
}

function terminal(title, lines) {
  const width = MARGIN * 2 + COLUMNS * ADVANCE;
  const height = TITLE_BAR + lines.length * LINE + MARGIN;
  const body = lines.map((line, i) => lineOf(line, TITLE_BAR + (i + 0.9) * LINE)).join("");
  const buttons = ["#ff5f57", "#febc2e", "#28c840"]
    .map((color, i) => `<circle cx="${MARGIN + 4 + i * 18}" cy="17" r="5.5" fill="${color}"/>`)
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escape(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9" fill="#0d1117" stroke="#57606a"/>
${buttons}
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
 font-size="${FONT_SIZE}" fill="${TEXT}">
${body}</g>
</svg>
`;
}

const command = "heddle check examples/sum-race.cu";
const args = [join(ROOT, "dist", "bin", "main.js"), ...command.split(" ").slice(1)];
const output = await outputOf({ args, color: true });
const lines = [`\x1b[2m$\x1b[0m npx ${command}`, ...output.trimEnd().split("\n").flatMap(wrapped)];
mkdirSync(join(ROOT, "docs", "images"), { recursive: true });
const target = join(ROOT, "docs", "images", "check.svg");
writeFileSync(target, terminal(`What ${command} prints`, lines));
console.log("docs/images/check.svg");
