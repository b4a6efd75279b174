// The samples of NVIDIA's cudnn-frontend: how they are compiled, and what Catch2 reports of them.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const samplesOf = (checkout) => join(checkout, "samples/cpp");

/** Paths below samples/cpp. */
export function sampleFiles(checkout, keeps = () => true) {
  return readdirSync(samplesOf(checkout), { recursive: true })
    .filter((file) => file.endsWith(".cpp") && keeps(file))
    .toSorted();
}

/** Files of one folder are one program. */
export function byFolder(files) {
  const folders = [...new Set(files.map((file) => file.split("/")[0]))];
  return folders.map((folder) => files.filter((file) => file.startsWith(`${folder}/`)));
}

/** The headers that the samples include, from the two files of Catch2's folder "extras". */
export function writeCatchHeaders(catch2, work) {
  for (const name of readdirSync(join(catch2, "extras")).filter((file) => file.startsWith("catch_amalgamated")))
    cpSync(join(catch2, "extras", name), join(work, name));
  for (const folder of ["generators", "benchmark"]) mkdirSync(join(work, "catch2", folder), { recursive: true });
  for (const name of [
    "catch_test_macros",
    "generators/catch_generators",
    "generators/catch_generators_range",
    "benchmark/catch_benchmark",
  ])
    writeFileSync(join(work, "catch2", `${name}.hpp`), "#include <catch_amalgamated.hpp>\n");
}

/**
 * What is compiled for a program of these files: one file that includes them, each in a name space of its own, behind
 * what they include. A file that calls functions of another one is compiled by itself, and so is that one.
 */
export function sourcesOf(checkout, files, work) {
  const samples = samplesOf(checkout);
  const texts = new Map(files.map((file) => [file, readFileSync(join(samples, file), "utf8")]));
  const declared = new Set([...texts.values()].flatMap((text) => functionsIn(text, ";")));
  const isShared = (file) =>
    [";", " {"].some((end) => functionsIn(texts.get(file), end).some((name) => declared.has(name)));
  const alone = files.filter((file) => isShared(file)).map((file) => join(samples, file));
  const others = files.filter((file) => !isShared(file));
  if (others.length === 0) return alone;
  const includes = others.flatMap((file) =>
    [...texts.get(file).matchAll(/^\s*#include\s*(<[^>]+>)/gm)].map((match) => match[1]),
  );
  const lines = [...new Set(["<cudnn_frontend.h>", ...includes])].map((name) => `#include ${name}`);
  lines.push(`#include "${join(samples, "utils/helpers.h")}"`);
  for (const file of others)
    lines.push(`namespace ${file.replaceAll(/\W/g, "_")} {`, `#include "${join(samples, file)}"`, "}");
  const path = join(work, `${others[0].replaceAll(/\W/g, "_")}-${others.length}.cpp`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return [path, ...alone];
}

/** The functions whose parameters are followed by this: the samples have such a name at the beginning of a line. */
function functionsIn(text, end) {
  return [...text.matchAll(/^([a-z]\w*)\([^;{}]*\)(;| \{)/gm)].flatMap(([, name, found]) =>
    found === end ? [name] : [],
  );
}

/** What nvcc is given for a program of samples. -O0: they build graphs, and what is slow runs in the library. */
export const sampleArguments = (checkout, sources, work) => [
  ..."-include cudnn_frontend.h -O0 -std=c++17 -DCATCH_CONFIG_NO_POSIX_SIGNALS -I".split(" "),
  join(checkout, "include"),
  "-I",
  work,
  ...sources,
  join(work, "catch_amalgamated.cpp"),
  ..."-lcudnn -lnvrtc -lcuda".split(" "),
];

const decoded = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The names of the cases that "--list-tests -r xml" prints, and the files that they are in. */
export function listedCases(text) {
  const cases = text.matchAll(/<Name>([^<]*)<\/Name>[\s\S]*?<File>[^<]*samples\/cpp\/([^<]*)<\/File>/g);
  return [...cases].map(([, name, file]) => ({ name: decoded(name), file }));
}

/** What became of one case: of Catch2's report between what the sample prints. @param ended how the program ended */
export function resultOf(report, ended) {
  const skipped = /<Skip[^>]*>\s*([\s\S]*?)\s*<\/Skip>/.exec(report)?.[1];
  const wrong = /<Original>\s*([\s\S]*?)\s*<\/Original>|<(?:Exception|FatalErrorCondition|Failure)[^>]*>([\s\S]*?)<\//;
  const failure = wrong.exec(report.replaceAll(/<Expression success="true"[\s\S]*?<\/Expression>/g, ""));
  const success = /<OverallResult success="(true|false)"/.exec(report)?.[1];
  if (success === undefined) return { status: "failed", said: `the program ended (${ended})` };
  if (success === "false") return { status: "failed", said: decoded(failure?.[1] ?? failure?.[2] ?? "").trim() };
  return skipped === undefined ? { status: "passed" } : { status: "skipped", said: skipped.replaceAll(/\s+/g, " ") };
}

/** The cases of a whole report, by file and name. */
export function casesOf(report, ended) {
  const cases = {};
  for (const [, head, body] of report.matchAll(/<TestCase ([^>]*)>([\s\S]*?)(?=<TestCase |$)/g)) {
    const file = /filename="([^"]*)"/.exec(head)?.[1] ?? "";
    const name = decoded(/name="([^"]*)"/.exec(head)?.[1] ?? "");
    const place = file.slice(file.indexOf("samples/cpp/") + "samples/cpp/".length);
    (cases[place] ??= {})[name] = resultOf(body, ended);
  }
  return cases;
}
