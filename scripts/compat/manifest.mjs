// Reads a list of public programs (programs.mjs --help describes it).
import { readFileSync } from "node:fs";

/** The programs of a manifest, an entry with `each` as one program for each of its paths. */
export function readManifest(path) {
  return JSON.parse(readFileSync(path, "utf8")).flatMap(({ each, with: with_, ...entry }) =>
    each === undefined
      ? [entry]
      : each.map((file) => ({
          ...entry,
          name: `${entry.name}/${file}`,
          files: [file, ...(with_ ?? [])],
          inPlace: true,
        })),
  );
}
