// Loads public PyTorch extensions, as extensions/extensions.json lists them, calls them, and compares what they give
// with PyTorch's values. `--help` says how.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadExtension, loadInline, openTensors } from "../../dist/tensor.js";
import { fromValues } from "../../dist/tensor/tensor.js";

const HELP = `node scripts/compat/extensions.mjs --checkouts FOLDER [options]

Loads each extension of extensions/extensions.json, calls its functions and compares the results with
extensions/values.json, which extensions/references.py made. Writes docs/lab/compat-extensions.json. What has
passed is not run again.

  --checkouts FOLDER   clones: FOLDER/owner+name or FOLDER/owner+name/repo, with the commit that is listed
  --only REGEX         extensions whose name matches
  --device KIND        emulated (default) or cuda
  --again              runs what has passed, too`;

const { values } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string", default: "" },
    device: { type: "string", default: "emulated" },
    again: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || values.checkouts === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const root = join(import.meta.dirname, "..", "..");
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const cases = read(join(import.meta.dirname, "extensions", "extensions.json"));
const expected = read(join(import.meta.dirname, "extensions", "values.json"));
const resultFile = join(root, "docs", "lab", "compat-extensions.json");
const results = existsSync(resultFile) ? read(resultFile) : {};
const work = join(root, "tmp", "extensions");
const torch = await openTensors({ device: values.device });
const place = torch.device.raw;

/** The files of a commit, in a folder of their own. */
function checkout({ repository, commit, only = "." }) {
  const name = [repository, commit.slice(0, 8), ...(only === "." ? [] : [only])].join("-");
  const folder = join(work, name.replaceAll("/", "+"));
  if (existsSync(folder)) return folder;
  const clone = join(values.checkouts, repository.replace("/", "+"));
  const git = existsSync(join(clone, "repo")) ? join(clone, "repo") : clone;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("sh", ["-c", 'git -C "$1" archive "$2" "$4" | tar x -C "$3"', "sh", git, commit, folder, only], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return folder;
}

async function load(entry) {
  const folder = join(checkout(entry), entry.path);
  const { device } = torch;
  if (entry.inline !== undefined) return loadInline({ ...inlineOptions(readFileSync(folder, "utf8"), entry), device });
  if (entry.sources === undefined) return loadExtension(folder, { device });
  // What `torch.utils.cpp_extension.load` is given in the project's own Python.
  const own = join(work, "setups", entry.name);
  mkdirSync(own, { recursive: true });
  const python = (value) => JSON.stringify(value);
  const sources = entry.sources.map((source) => join(folder, source));
  const include = (entry.include ?? []).map((path) => join(folder, path));
  writeFileSync(
    join(own, "setup.py"),
    `from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension(${python(posix.basename(entry.name))}, ` +
      `${python(sources)}, include_dirs=${python(include)}, extra_compile_args=${python(entry.flags ?? [])})\n`,
  );
  return loadExtension(own, { device });
}

/** The strings of a Python file that calls load_inline. */
function inlineOptions(text, { name, inline }) {
  const string = (variable) => {
    const [, triple, single] = new RegExp(`^${variable} = (?:'''([^]*?)'''|"(.*)")`, "m").exec(text) ?? [];
    return triple ?? single;
  };
  return {
    name: posix.basename(name),
    cppSources: string(inline.cpp),
    cudaSources: string(inline.cuda),
    functions: inline.functions,
  };
}

/** The same numbers as in references.py: uniform in [-1, 1). */
function numbers(seed, count) {
  return Float64Array.from({ length: count }, (_, i) => {
    return ((Math.imul(i, 2654435761) + seed * 97531) >>> 0) / 2 ** 31 - 1;
  });
}

function argument(spec, earlier, where) {
  if (Array.isArray(spec)) return spec.map((one) => argument(one, earlier, where));
  if (typeof spec !== "object" || spec === null) return spec;
  if (spec.result !== undefined) return earlier[spec.result[0]][spec.result[1]];
  const { shape, dtype = "float32", seed = 0, scale = 1, add = 0, fill, from } = spec;
  const count = shape.reduce((product, size) => product * size, 1);
  let own = numbers(seed, count).map((value) => value * scale + add);
  if (fill !== undefined) own = own.fill(fill);
  else if (from !== undefined)
    own = numbers(seed, count).map((value) => Math.floor(((value + 1) / 2) * (from[1] - from[0])) + from[0]);
  return fromValues(own, shape, dtype, where);
}

/** The largest error, as a part of the largest value. */
function errorOf(tensor, wanted) {
  const own = tensor.values();
  if (own.length !== wanted.length) return Infinity;
  let [error, size] = [0, 1e-30];
  for (const [i, value] of own.entries()) {
    if (!(Math.abs(value - wanted[i]) <= error)) error = Math.abs(value - wanted[i]);
    size = Math.max(size, Math.abs(wanted[i]));
  }
  return error / size;
}

async function run(entry) {
  const started = performance.now();
  const extension = await load(entry);
  const loadMs = Math.round(performance.now() - started);
  const earlier = [];
  let worst = 0;
  for (const [i, call] of entry.calls.entries()) {
    const where = call.place === "cpu" ? null : place;
    const given = call.arguments.map((one) => argument(one, earlier, where));
    const result = extension[call.function](...given);
    const list = Array.isArray(result) ? result : [result];
    const changed = call.changes?.map((index) => given[index]) ?? list;
    earlier.push(changed);
    for (const [k, wanted] of expected[entry.name][i].entries()) {
      const error = errorOf(changed[k], wanted);
      worst = Math.max(worst, error);
      if (!(error <= (call.tolerance ?? 1e-6)))
        throw new Error(`${call.function} (call ${i}): result ${k} is off by ${error.toExponential(2)}`);
    }
  }
  return { status: "passed", calls: entry.calls.length, worst: Number(worst.toExponential(2)), loadMs };
}

const wanted = new RegExp(values.only);
for (const entry of cases) {
  const key = `${entry.name} (${values.device})`;
  const before = results[key];
  if (!wanted.test(entry.name)) continue;
  if (before?.status === "passed" && before.commit === entry.commit && !values.again) continue;
  let outcome;
  try {
    outcome = await run(entry);
  } catch (error) {
    const notes = error.notes ?? [];
    outcome = { status: "failed", message: [error.message, ...notes].join("\n").split(resolve(work)).join("") };
  }
  console.log(`${entry.name}: ${outcome.status}${outcome.message ? `: ${outcome.message.slice(0, 3000)}` : ""}`);
  const { message, ...rest } = outcome;
  results[key] = {
    repository: entry.repository,
    commit: entry.commit,
    path: entry.path,
    ...rest,
    ...(message === undefined ? {} : { message: message.split("\n").slice(0, 3).join(" ").slice(0, 300) }),
  };
  mkdirSync(join(root, "docs", "lab"), { recursive: true });
  writeFileSync(resultFile, `${JSON.stringify(results, null, 1)}\n`);
}
const all = Object.entries(results).filter(([key]) => key.endsWith(`(${values.device})`));
const passed = all.filter(([, { status }]) => status === "passed").length;
console.log(`${passed} of ${all.length} extensions pass (${values.device})`);
process.exit(0);
