/** `heddle new ladder NAME`: a ladder to begin with. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { ladderTemplate } from "../../kernel-library/ladder-template.ts";

export async function newCommand(args: readonly string[]): Promise<number> {
  const [what, name, parent = "kernels", ...rest] = args;
  if (what !== "ladder" || name === undefined || rest.length > 0)
    throw new HeddleError("bad-arguments", "heddle new makes ladders", { notes: ["heddle new ladder NAME [FOLDER]"] });
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new HeddleError("bad-arguments", `"${name}" is no name for a ladder: small letters, digits and -`);
  const folder = join(parent, name);
  if (existsSync(folder)) throw new HeddleError("bad-arguments", `${folder} is there already`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(ladderTemplate(name))) writeFileSync(join(folder, file), text);
  process.stdout.write(`${folder} is written; heddle bench ${folder} runs it\n`);
  return 0;
}
