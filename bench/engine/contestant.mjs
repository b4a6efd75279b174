// A process that runs one case, again and again, when it is told to. All contestants obey the same commands, a line
// each:
//
//   (started)       → ready DESCRIPTION
//   check FOLDER    → checked            all buffers restored, one run, every buffer written to FOLDER/NAME
//   run COUNT       → times MS MS …      one time for each run
//   case INDEX      → chosen             what the others are about from now on, where there are several cases
//
// They wait without using the processor, so that several can be measured in turns.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findMistake } from "./check.mjs";

export class Contestant {
  #process;
  #lines;
  #errors = "";

  /** @param command program, arguments and additions to the environment: { program, args, env } */
  static async start({ program, args, env = {} }) {
    const contestant = new Contestant(
      spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] }),
    );
    contestant.description = await contestant.#answer("ready");
    return contestant;
  }

  constructor(process_) {
    this.#process = process_;
    this.#lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
    process_.stderr.on("data", (text) => (this.#errors += text));
    process_.stdin.on("error", () => {}); // a process that has ended says why on stderr; #answer reports it
    this.ended = new Promise((resolve) =>
      process_
        .on("error", (error) => resolve(String(error)))
        .on("close", (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`)),
    );
  }

  /** One of several cases as a contestant of its own; they share the process. */
  case(index) {
    const choose = async () => {
      this.#process.stdin.write(`case ${index}\n`);
      await this.#answer("chosen");
    };
    return {
      description: this.description,
      run: async (count) => (await choose(), this.run(count)),
      mistake: async (case_, expected) => (await choose(), this.mistake(case_, expected)),
      close: () => this.close(),
    };
  }

  /** Milliseconds of `count` runs. */
  async run(count) {
    this.#process.stdin.write(`run ${count}\n`);
    return (await this.#answer("times")).split(" ").map(Number);
  }

  /** A message about the first wrong value that a run leaves, or null. */
  async mistake(case_, expected) {
    const folder = mkdtempSync(join(tmpdir(), "heddle-check-"));
    try {
      this.#process.stdin.write(`check ${folder}\n`);
      await this.#answer("checked");
      for (const [name, wanted] of Object.entries(expected)) {
        const bytes = readFileSync(join(folder, name));
        const actual = new case_.buffers[name].values.constructor(
          bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
        );
        const mistake = findMistake(name, actual, wanted);
        if (mistake !== null) return mistake;
      }
      return null;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  async close() {
    this.#process.stdin.end();
    await this.ended;
  }

  async #answer(word) {
    const { value: line = "", done } = await this.#lines.next();
    if (!done && line.split(" ", 1)[0] === word) return line.slice(word.length + 1);
    this.#process.kill();
    throw new Error([done ? await this.ended : `unexpected answer "${line}"`, this.#errors.trim()].join(": "));
  }
}
