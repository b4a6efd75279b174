// Reads a list of public programs (programs.mjs --help describes it).
import { readFileSync } from "node:fs";

/** Options of `heddle run`, each with a value, which are not nvcc's. */
const RUN_OPTIONS = ["--gpu", "--devices", "--processes", "--exit-code"];

/** @returns `build`: what of an entry's flags is nvcc's; `run`: what is the run's */
export function splitFlags(flags) {
  const [build, run] = [[], []];
  for (let i = 0; i < flags.length; i++)
    if (RUN_OPTIONS.includes(flags[i])) run.push(flags[i], flags[++i]);
    else build.push(flags[i]);
  return { build, run };
}

/** What `--only` looks at: `nvrtc: cuda-samples/…`, the name alone for a program without a library. */
export const titleOf = ({ library, name }) => (library === undefined ? name : `${library}: ${name}`);

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
