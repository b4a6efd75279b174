/** Runs a program on a page, with its output in the page. */
import type { TestBrowser } from "./chromium.test-helper.ts";

export const CLANG = "/node_modules/@yowasp/clang/gen/";

/** @returns how it ended and what the page shows, or the error's code, message and notes. */
export function runOnPage(chromium: TestBrowser, isolated: boolean, source: string): Promise<unknown> {
  return chromium.onPage(
    isolated,
    `
      const { runProgram } = await import("/dist/browser/index.js");
      const output = document.body.appendChild(document.createElement("pre"));
      try {
        const { exitCode, launches, parallel } = await runProgram(${JSON.stringify(source)}, {
          clang: ${JSON.stringify(CLANG)},
          args: ["browser"],
          workers: 2,
          files: { "scale.h": "#define SCALE 3.0f\\n", "data.txt": "forty-two\\n" },
          onOutput: (text) => { output.textContent += text; },
        });
        return { exitCode, launches, parallel, page: document.body.innerText };
      } catch (error) {
        return { code: error.code, message: error.message, notes: error.notes, cause: String(error.cause) };
      }`,
  );
}
