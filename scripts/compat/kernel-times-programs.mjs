// Which public programs kernel-times.mjs times, and how nvcc builds them.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const lab = resolve(import.meta.dirname, "../../docs/lab");
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * Every program of programs.json that passes on the emulated device, is built from a list of files, and needs no
 * library of NVIDIA's; one of each collection, then the next of each.
 */
export function candidates() {
  const results = read(join(lab, "compat-programs.json"));
  const groups = new Map();
  for (const program of read(join(import.meta.dirname, "programs.json"))) {
    const links = (program.flags ?? []).some((flag) => /^-lcu/.test(flag));
    const isPlain = program.files !== undefined && !program.needs && !program.branch && !program.stdin && !links;
    if (!isPlain || results[program.name]?.status !== "pass") continue;
    groups.set(program.repository, [...(groups.get(program.repository) ?? []), program]);
  }
  const most = Math.max(...[...groups.values()].map((group) => group.length));
  return Array.from({ length: most }, (_, i) => [...groups.values()].flatMap((group) => group[i] ?? [])).flat();
}

/**
 * Each version of each program of llm.c's dev/cuda. Programs that need NVIDIA's libraries, or memory for minutes of
 * random numbers on the host, are left out.
 */
export function llmcVersions() {
  const { programs } = read(join(import.meta.dirname, "llmc.json"));
  return programs.flatMap(({ file, versions, flags = [] }) =>
    versions.map((version) => ({
      name: `llm.c/${file.replace(".cu", "")}${version === null ? "" : ` ${version}`}`,
      folder: `llm.c/${file}`,
      repository: "karpathy/llm.c",
      dir: "dev/cuda",
      trees: ["dev/cuda"],
      files: [file],
      flags,
      args: version === null ? [] : [String(version)],
    })),
  );
}

/** A program's own flags, without those that choose a GPU or a level of optimisation. */
export function nativeFlags({ flags = [] }) {
  const kept = [];
  for (let i = 0; i < flags.length; i++) {
    if (["-gencode", "-arch", "--gpu-architecture"].includes(flags[i])) i++;
    else if (!/^(-O\d|-arch=|-gencode=|--gpu-architecture=)/.test(flags[i])) kept.push(flags[i]);
  }
  return kept;
}

/** A program's name as the name of a folder. */
export const slug = (name) => name.replaceAll(/[^\w.-]+/g, "_");
