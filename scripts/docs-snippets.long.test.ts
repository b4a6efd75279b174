/**
 * The README and the guides do what they say. TypeScript snippets run and print what their comments promise, commands
 * print the outputs beside them, and quoted code is that of the file it comes from.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transformSync } from "@swc/wasm-typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGES, commandsOf, isSameOutput, outputOf, pageText, withoutTimes } from "./docs-commands.mjs";

const ROOT = join(import.meta.dirname, "..");
// A module inside of the package may import the package by its name. Not in dist/: who runs on another machine sends
// that, and takes it for another version when files come and go.
const FOLDER = join(ROOT, `.docs-${process.pid}`);

beforeAll(() => mkdirSync(FOLDER, { recursive: true }));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const blocks = (page: string, language: string): string[] =>
  [...pageText(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => match[1] ?? "",
  );

/** Snippets that are whole programs for Node.js: they import what they use, and need no web page. */
const programs = PAGES.flatMap((page) =>
  blocks(page, "ts")
    .filter((code) => /^import /m.test(code) && !/heddle\/(browser|ladder)/.test(code))
    .map((code, i) => ({ page, number: i + 1, code })),
);

/** `Float32Array [1, 2]` of a comment, as Node.js prints it. */
const asPrinted = (promise: string): string =>
  promise.replace(/^(\w+Array) \[(.*)\]$/, (_, type: string, values: string) => {
    return `${type}(${values.split(",").length}) [ ${values} ]`;
  });

it.each(programs)("the snippet $number of $page prints what its comments promise", async ({ page, number, code }) => {
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => asPrinted(match[1] ?? ""));
  const file = join(FOLDER, `${page.replaceAll(/\W/g, "-")}-${number}.mjs`);
  writeFileSync(file, transformSync(code, { mode: "strip-only" }).code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: ROOT, encoding: "utf8" });
  if (promised.length > 0) expect(stdout.trim().split("\n")).toEqual(promised);
});

it("all snippets satisfy the types of the package", async () => {
  const files = programs.map(({ page, number, code }) => {
    const name = `${page.replaceAll(/\W/g, "-")}-${number}.mts`;
    writeFileSync(join(FOLDER, name), code);
    return name;
  });
  const compilerOptions = { module: "nodenext", target: "es2023", strict: true, types: ["node"], noEmit: true };
  const tsconfig = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, files };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(tsconfig));
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  const { stdout } = await promisify(execFile)(tsc, ["-p", FOLDER], { encoding: "utf8" }).catch((error) => error);
  expect(stdout).toBe("");
});

describe("commands", () => {
  const commands = PAGES.flatMap(commandsOf);
  const keyOf = (args: readonly string[]): string => args.toSorted().join(" ");
  const runs = new Map<string, Promise<string>>();
  /** Commands that stand on several pages run once, and one after the other: a bench needs the machine. */
  const outputs = (): Promise<unknown> =>
    commands.reduce<Promise<unknown>>((before, { args }) => {
      const known = runs.get(keyOf(args));
      const run = known ?? before.then(() => outputOf({ args }));
      runs.set(keyOf(args), run);
      return known === undefined ? run : before;
    }, Promise.resolve());
  beforeAll(outputs);

  it.each(commands)("$page: $command prints what the page shows (npm run docs)", async ({ args, printed }) => {
    const output = (await runs.get(keyOf(args))) ?? "";
    if (!isSameOutput(printed, output)) expect(withoutTimes(output)).toBe(withoutTimes(printed));
  });
});

it("code of the examples is quoted as it is", () => {
  const files = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(cu|ts)$/.test(name))
    .map((name) => readFileSync(join(ROOT, "examples", name), "utf8"));
  const ladders = blocks("docs/ladders.md", "ts").filter((code) => code.includes("heddle/ladder"));
  for (const [page, codes] of [
    ["docs/start.md", blocks("docs/start.md", "cuda")],
    ["docs/ladders.md", ladders],
  ] as const)
    for (const code of codes)
      expect(
        files.some((file) => file.includes(code)),
        `${page} quotes no example:\n${code}`,
      ).toBe(true);
});

it("the picture of heddle check shows what the command prints (npm run docs)", () => {
  const picture = readFileSync(join(ROOT, "docs", "images", "check.svg"), "utf8")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  const [shown] = commandsOf("docs/start.md").filter(
    ({ command }) => command === "npx heddle check examples/sum-race.cu",
  );
  const lines = (shown?.printed ?? "").split("\n").filter((line) => line.length <= 100);
  for (const line of lines) expect(picture).toContain(line);
  expect(lines.length).toBeGreaterThan(10);
});
