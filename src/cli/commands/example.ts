/** `heddle example`: lists the examples that come with Heddle, copies one, or trains on MNIST. */
import { HeddleError } from "../../base/diagnostics.ts";
import { copyExample, examples } from "../own-files.ts";

export async function exampleCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "mnist") return (await import("../mnist/command.ts")).mnistCommand(rest);
  if (rest.length > 0 || name?.startsWith("-") === true)
    throw new HeddleError("bad-arguments", "heddle example takes one name", { notes: ["heddle example [NAME]"] });
  if (name === undefined) {
    const all = examples();
    const shown = [...all, { name: "mnist", about: "a network that learns to read digits: it runs at once" }];
    const width = Math.max(...shown.map((example) => example.name.length));
    process.stdout.write(shown.map((example) => `${example.name.padEnd(width)}  ${example.about}\n`).join(""));
    process.stdout.write('\n"heddle example NAME" copies one here; "heddle example mnist" trains.\n');
    return 0;
  }
  const written = copyExample(name);
  const command = written.endsWith(".cu") ? "run" : "bench";
  const next = written.endsWith(".ts") ? "" : `; heddle ${command} ${written}`;
  process.stdout.write(`${written} is written${next}\n`);
  return 0;
}
