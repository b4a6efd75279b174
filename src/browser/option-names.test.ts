import { expect, test } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { benchLadder } from "./bench-ladder.ts";
import { checkProgram } from "./check-program.ts";
import { openHeddle } from "./library.ts";
import { openSession } from "./open-session.ts";
import { profileProgram } from "./profile-program.ts";
import { runProgram } from "./run-program.ts";

const clang = "/clang/";
const ladder = { name: "a", declaration: "", versions: {} };

/** The message of what the call throws, now or later. Nothing is fetched before. */
async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof HeddleError && error.code === "bad-arguments") return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

type Options = { readonly clang: string };
const given = (options: object): Options => options as Options;

test.each<[string, (options: Options) => unknown, string, string]>([
  ["runProgram", (options) => runProgram("", options), "onOuput", "onOutput"],
  ["runProgram", (options) => runProgram("", options), "argv", "args"],
  ["checkProgram", (options) => checkProgram("", options), "tool", "tools"],
  ["checkProgram", (options) => checkProgram("", options), "maxReport", "maxReports"],
  ["profileProgram", (options) => profileProgram("", options), "line", "lines"],
  ["benchLadder", (options) => benchLadder(ladder, options), "onProgres", "onProgress"],
  ["openSession", (options) => openSession(options), "hedle", "heddle"],
  ["openHeddle", (options) => openHeddle(options), "hedle", "heddle"],
])("%s refuses a misspelt option, with the one that was meant: %#", async (what, call, wrong, right) => {
  const message = await messageOf(() => call(given({ clang, [wrong]: 1 })));
  expect(message).toContain(`${what} has no option "${wrong}"; did you mean "${right}"?`);
  expect(message).toContain(`options of ${what}: clang, heddle`);
});

test("an option of the compiler that does not exist, and nvcc's names", async () => {
  expect(await messageOf(() => runProgram("", given({ clang, compile: { std: "c++20" } })))).toContain(
    'compile of runProgram has no option "std"; did you mean "standard"?',
  );
});

test("options that are no object, or say nothing of the compiler", async () => {
  expect(await messageOf(() => runProgram("", clang as unknown as Options))).toContain(
    'runProgram takes its options as an object, not the string "/clang/"',
  );
  expect(await messageOf(() => checkProgram("", given({})))).toMatch(
    /clang of checkProgram must be a URL, not undefined\n {2}for example checkProgram\(…, \{ clang: /,
  );
});
