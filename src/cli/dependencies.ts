/**
 * Make rules for -M, -MM, -MD and -MMD: the files that a source includes. System headers live inside Heddle and are not
 * listed, so -M and -MM are alike.
 */
import type { NvccCommand } from "./options/nvcc-command.ts";
import { includedFiles } from "../kernel-library/included-files-node.ts";

function escapeForMake(path: string): string {
  return path.replaceAll("$", "$$$$").replaceAll(/([ #])/g, "\\$1");
}

export function dependencyRule(command: NvccCommand, source: string, target: string): string {
  const files = includedFiles(source, command.compile.includePaths ?? [], command.compile.forcedIncludes);
  const targets = command.dependencyTargets.length > 0 ? command.dependencyTargets : [target];
  const rule = `${targets.map(escapeForMake).join(" ")}: ${files.map(escapeForMake).join(" \\\n  ")}\n`;
  return command.phonyTargets
    ? rule +
        files
          .slice(1)
          .map((file) => `\n${escapeForMake(file)}:\n`)
          .join("")
    : rule;
}
