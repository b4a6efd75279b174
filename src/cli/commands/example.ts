/** `heddle example`: lists the examples that come with Heddle, or copies one. */
import { HeddleError } from "../../base/diagnostics.ts";
import { copyExample, examples } from "../own-files.ts";

export async function exampleCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (rest.length > 0 || name?.startsWith("-") === true)
    throw new HeddleError("bad-arguments", "heddle example takes one name", { notes: ["heddle example [NAME]"] });
  if (name === undefined) {
    const all = examples();
    const width = Math.max(...all.map((example) => example.name.length));
    process.stdout.write(all.map((example) => `${example.name.padEnd(width)}  ${example.about}\n`).join(""));
    process.stdout.write('\n"heddle example NAME" copies one here.\n');
    return 0;
  }
  const written = copyExample(name);
  const command = written.endsWith(".cu") ? "run" : "bench";
  process.stdout.write(`${written} is written; heddle ${command} ${written}\n`);
  return 0;
}
