/** The page and the worker of docs/browser.md work as they stand there. */
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.mjs";
import { pageText } from "./docs-commands.mjs";

const ROOT = join(import.meta.dirname, "..");

const blocks = (language: string): string[] =>
  [...pageText("docs/browser.md").matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => match[1] ?? "",
  );
const [programPage = "", workerPage = ""] = blocks("html");
const [workerScript = ""] = blocks("js");

/** The page prints the worker's answer on the console; a test reads it from the document. */
const shownWorkerPage = workerPage.replace("console.log(data)", "document.body.textContent = data.join()");

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/program.html": ["text/html", `<!doctype html>${programPage}`],
  "/worker.html": ["text/html", `<!doctype html><body></body>${shownWorkerPage}`],
  "/kernels.js": ["text/javascript", workerScript],
  "/vector-add.cu": ["text/plain", readFileSync(join(ROOT, "examples", "vector-add.cu"), "utf8")],
};

/** Serves the files above, and the package's own folder as node_modules/heddle. */
function handle(path: string, response: ServerResponse): boolean {
  const file = FILES[path];
  if (file !== undefined) {
    response.setHeader("Content-Type", file[0]).end(file[1]);
    return true;
  }
  const module = /^\/node_modules\/heddle\/(dist\/.*)$/.exec(path)?.[1];
  if (module === undefined) return false;
  response.setHeader("Content-Type", module.endsWith(".js") ? "text/javascript" : "application/octet-stream");
  response.end(readFileSync(join(ROOT, module)));
  return true;
}

describe.skipIf(CHROMIUM === undefined)("the snippets of docs/browser.md", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser((path, _request, response) => handle(path, response));
  });
  afterAll(() => chromium?.close());

  /** Opens one of the pages in a frame. @returns its text, as soon as there is some that matches. */
  const textOf = (page: string, pattern: RegExp): Promise<unknown> =>
    chromium.onPage(
      true,
      `
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.src = ${JSON.stringify(page)};
      const text = () => frame.contentDocument?.body?.innerText?.trim() ?? "";
      while (!${String(pattern)}.test(text())) await new Promise((resolve) => setTimeout(resolve, 50));
      return text();`,
    );

  it("runs a whole program", async () => {
    expect(await textOf("/program.html", /wrong/)).toBe("20 blocks of 256 threads added 5000 elements, 0 wrong");
  });

  it("calls a kernel in a worker", async () => {
    expect(await textOf("/worker.html", /,/)).toBe("2,4,6");
  });
});
