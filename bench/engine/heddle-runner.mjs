// Runs a case on Heddle through its library, as a user would: `node heddle-runner.mjs { dist, source, plan, engine, workers }`.
// See contestant.mjs for the commands. It may use one Node.js or another, hence a process of its own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { dist, source, plan, engine, workers } = JSON.parse(process.argv[2]);
const { load, openDevice } = await import(pathToFileURL(join(dist, "index.js")).href);
const { buffers, launches } = JSON.parse(readFileSync(plan, "utf8"));
const TYPES = { Float32Array, Int32Array, Uint32Array, Uint8Array };

/** Compiles for `tier`, makes all buffers and runs once. */
async function prepare(tier) {
  // A launch that repeats an earlier one must be carried out, too.
  const device = await openDevice({ engine: tier, workers, reuse: false, onPrint: (text) => process.stderr.write(text) });
  const kernels = [...new Set(launches.map(({ kernel }) => kernel))];
  const program = await load(source, { device, kernels });
  const memory = new Map();
  for (const { name, file, type, restored } of buffers) {
    const bytes = readFileSync(file);
    const values = new TYPES[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    memory.set(name, { values, restored, array: device.array(values) });
  }
  const calls = [];
  for (const { kernel, grid, block, args } of launches) {
    const values = args.map((argument) => (typeof argument === "string" ? memory.get(argument).array : (argument.int ?? argument.float)));
    calls.push({ kernel: await program.kernel(kernel), options: { grid, block }, values });
  }
  const state = { tier, device, memory, calls };
  try {
    await run(state);
  } catch (error) {
    device.close();
    throw error;
  }
  return state;
}

/** Milliseconds in kernels. */
async function run({ memory, calls }) {
  for (const { values, restored, array } of memory.values()) if (restored) await array.write(values);
  let ms = 0;
  for (const { kernel, options, values } of calls) {
    const result = await kernel.launch(options, ...values);
    if (result.reused) throw new Error(`${kernel.name} was not run`);
    ms += result.elapsedMs;
  }
  return ms;
}

async function check({ memory }, folder) {
  for (const { values, array } of memory.values()) await array.write(values);
  await run(state);
  for (const [name, { array }] of memory) writeFileSync(join(folder, name), await array.read());
}

/** The tier that "auto" takes: the warp tier, unless it declines. */
async function prepareFastest() {
  try {
    return await prepare("warp");
  } catch (error) {
    if (error.code !== "unsupported") throw error;
    return { ...(await prepare("thread")), declined: error.message };
  }
}

const state = engine === "auto" ? await prepareFastest() : await prepare(engine);
console.log(`ready ${state.tier}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
  if (command === "check") {
    await check(state, argument);
    console.log("checked");
  } else if (command === "run") {
    const times = [];
    for (let left = Number(argument); left > 0; left--) times.push(await run(state));
    console.log(`times ${times.map((ms) => ms.toFixed(6)).join(" ")}`);
  } else throw new Error(`unknown command ${line}`);
}
state.device.close();
