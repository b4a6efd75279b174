// Times of the versions of our ladders on an H200, as they were recorded (time-ladders.mjs, heddle bench): of each
// ladder the first shape that was timed.
import { existsSync, readFileSync } from "node:fs";

const LAB = new URL("../../docs/lab/", import.meta.url);
const UNITS = { µs: 1, ms: 1000 };

/** @returns by "LADDER VERSION": microseconds, the shape, and the configuration; of the later runs also the spread */
export function ladderTimes() {
  const times = new Map();
  // Of later runs first: what is there already stays.
  const later = new URL("ladder-times-h200.json", LAB);
  if (existsSync(later))
    for (const { ladder, version, ...row } of JSON.parse(readFileSync(later, "utf8")))
      times.set(`${ladder} ${version}`, row);
  addTimes(times, readFileSync(new URL("2026-11-22-kernels-h200.txt", LAB), "utf8").split("\n"));
  return times;
}

/** What heddle bench prints: a line with the ladder's name, one with the shape, a row for each version. */
function addTimes(times, lines) {
  const shapes = new Map();
  let [ladder, shape] = [null, ""];
  for (const [n, line] of lines.entries()) {
    if (/^={8,}/.test(line)) ladder = null;
    const sizes = /^((?:[a-z0-9]+=\d+ ?)+);/.exec(line);
    if (sizes !== null) {
      // Without its name above: of a ladder that the text does not say.
      if (/^[a-z0-9-]+: /.test(lines[n - 1] ?? "")) ladder = /^([a-z0-9-]+): /.exec(lines[n - 1])[1];
      else ladder = null;
      shape = sizes[1].trim();
    }
    const row = /^(\d-\S+)\s+(.*?)\s{2,}([\d.]+) ([µm]s)\s+±/.exec(line);
    if (row === null || ladder === null) continue;
    const [, version, configuration, time, unit] = row;
    const key = `${ladder} ${version}`;
    if (times.has(key) || (shapes.has(ladder) && shapes.get(ladder) !== shape)) continue;
    shapes.set(ladder, shape);
    times.set(key, {
      microseconds: Number(time) * UNITS[unit],
      shape: numbersOf(shape),
      configuration: numbersOf(configuration),
    });
  }
}

/** "a=1 b=2" */
function numbersOf(text) {
  return Object.fromEntries(text.split(" ").map((pair) => [pair.split("=")[0], Number(pair.split("=")[1])]));
}
