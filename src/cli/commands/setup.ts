/** `heddle setup`: builds the C and C++ library of 64-bit programs on this machine. */
import { HeddleError } from "../../base/diagnostics.ts";
import { wideLibrary } from "../data-model.ts";

export async function setupCommand(args: readonly string[]): Promise<number> {
  const again = args.includes("--again");
  const unknown = args.find((argument) => argument !== "--again");
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `unknown option ${unknown}`, { notes: ["heddle setup [--again]"] });
  const { path, seconds } = await wideLibrary(again);
  process.stdout.write(
    seconds === 0
      ? `heddle: 64-bit programs can be compiled: their library is in ${path}\n`
      : `heddle: the library of 64-bit programs is in ${path}, made in ${seconds} s\n`,
  );
  return 0;
}
