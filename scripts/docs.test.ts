/** The pages of docs/ are current, and what they name exists. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECKED, checkPage } from "./check-pages.mjs";

const root = join(import.meta.dirname, "..");
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const CURRENT = ["README.md", ...markdownIn("docs")];
/** Pages of the lab are dated: they name files as they were. Their links hold. */
const PAGES = [...CURRENT, ...markdownIn("docs/lab")];

describe("pages made by scripts are current (npm run docs)", () => {
  it.each(CHECKED)("%s", (name) => expect(checkPage(name)).toBe(""));
});

it("docs/errors.md has a row for every exit code of the command line", () => {
  const codes = [...readFileSync(join(root, "src/cli/exit-codes.ts"), "utf8").matchAll(/^ {2}\w+: (\d+),$/gm)];
  const rows = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^\| (\d+) \|/gm)];
  const listed = rows.map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.map(([, code]) => code).filter((code) => !listed.includes(code))).toEqual([]);
});

/** Without blocks of code: what looks like a link there is none. */
const prose = (text: string): string => text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, "");

/** The anchors of a page, made from its headings as GitHub makes them. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of prose(text).matchAll(/^#+ +(.+?) *$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; found.has(unique); count++) unique = `${slug}-${count}`;
    found.add(unique);
  }
  for (const [, id = ""] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}

function brokenLinks(page: string): string[] {
  const broken: string[] = [];
  const text = prose(readFileSync(join(root, page), "utf8"));
  const targets = [
    ...[...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target),
    ...[...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, target = ""]) => target),
  ];
  for (const target of targets) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? join(root, page) : resolve(root, dirname(page), path);
    if (!existsSync(file)) broken.push(`${target}: there is no ${relative(root, file)}`);
    else if (anchor !== undefined && !anchors(readFileSync(file, "utf8")).has(anchor))
      broken.push(`${target}: ${relative(root, file)} has no such heading`);
  }
  return broken;
}

/** Folders that paths may begin with. Those of `src/` may stand without it, where a file of TypeScript is meant. */
const TOP = ["src", "scripts", "bench", "docs", "include", "hostlib", "libdevice", "examples"];
const ROOMS = readdirSync(join(root, "src")).filter((name) => !name.includes("."));

/** Paths in `code` that are the repository's and do not exist. `*`, `…`, `{` and NAME stand for several files. */
function missingPaths(page: string): string[] {
  const text = prose(readFileSync(join(root, page), "utf8"));
  const below = new RegExp(`\`((?:${TOP.join("|")})/[^\`\\s]*)\``, "g");
  const files = new RegExp(`\`((?:${ROOMS.join("|")})/[\\w./-]+\\.ts)(?::\\d+)?\``, "g");
  const paths = [...text.matchAll(below), ...text.matchAll(files)]
    .map(([, path = ""]) => path.replace(/[:#].*$/, ""))
    .filter((path) => !/[*…{<]|NAME/.test(path));
  return [...new Set(paths)].filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, "src", path)));
}

describe("links and paths", () => {
  it.each(PAGES)("%s: every relative link leads to a file and a heading", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
  it.each(CURRENT)("%s: every path of the repository exists", (page) => {
    expect(missingPaths(page)).toEqual([]);
  });
});

describe("docs/errors.md", () => {
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");
  const source = (path: string): string => readFileSync(join(root, "src", path), "utf8");

  it("has every code of a HeddleError", () => {
    const [, union = ""] = /export type ErrorCode =([^;]*);/.exec(source("base/diagnostics.ts")) ?? [];
    const codes = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code = ""]) => code);
    expect(codes).toContain("compile-error");
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("has every exit code", () => {
    const codes = [...source("cli/exit-codes.ts").matchAll(/readonly \w+: (\d+);/g)].map(([, code = ""]) => code);
    expect(codes).toContain("65");
    expect(codes.filter((code) => code !== "0" && !page.includes(`| ${code} |`))).toEqual([]);
  });
});
