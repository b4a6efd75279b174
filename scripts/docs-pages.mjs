// What the scripts share that make pages of docs/: tables, and `--check`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const cell = (text) => text.replaceAll("|", "\\|");

const WIDTH = 118;

/** Names as `code`, in lines that are not too long. */
export function codeNames(names) {
  const lines = [""];
  for (const name of names) {
    const more = `\`${name}\``;
    const line = lines.at(-1);
    if (line === "") lines[lines.length - 1] = more;
    else if (line.length + 1 + more.length > WIDTH) lines.push(more);
    else lines[lines.length - 1] = `${line} ${more}`;
  }
  return lines.join("\n");
}

/** Breaks a paragraph into lines; `hang`: what the lines after the first begin with. */
export function wrap(paragraph, hang = "", first = hang) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of paragraph.split(/\s+/)) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = hang;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}

/** A table in Markdown. */
export function markdownTable(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
}

/**
 * Writes pages, given by their paths. With `--check` on the command line it writes nothing, names the pages that differ
 * and ends the process with 1.
 */
export function writeOrCheck(pages) {
  for (const [path, text] of Object.entries(pages)) {
    const file = join(root, path);
    if (!process.argv.includes("--check")) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
      console.error(`${path} is out of date: npm run docs`);
      process.exitCode = 1;
    }
  }
}
