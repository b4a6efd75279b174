// Calls fft, dnn and communicator from TypeScript on a device, and writes their numbers, or why there are none.
//
//   node scripts/gpu-rounds/call-libraries.mjs DEVICE FILE.json
//
// On two GPUs the communicator has both, on one GPU it has that one twice. Where Heddle's compiler is not installed it
// is called on GPUs only. Exit code 1: a call has failed.
import { writeFileSync } from "node:fs";
import { communicator, dnn, fft, openDevice } from "../../dist/index.js";

const [device, file] = process.argv.slice(2);
const numbers = (count, seed = 1) => Float32Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 17) / 8 - 1);
const IMAGES = { shape: [2, 4, 5, 6], filter: [6, 2, 3, 2], stride: [2, 1], padding: 1, groups: 2 };
const MANY = { shape: [1, 16, 7, 8], filter: [16, 16, 3, 3], padding: 1 };

/** Each gets a device, and resolves with an array. */
const CASES = {
  "fft c2c": (gpu) => fft(gpu).c2c(gpu.array(numbers(240)), { shape: [60], batch: 2 }),
  "fft c2c, inverse, 2 dimensions": (gpu) =>
    fft(gpu).c2c(gpu.array(numbers(2 * 12 * 35)), { shape: [12, 35], direction: "inverse" }),
  "fft r2c of doubles": (gpu) => fft(gpu).r2c(gpu.array(new Float64Array(numbers(1000))), { shape: [1000] }),
  "fft c2r": (gpu) => fft(gpu).c2r(gpu.array(numbers(2 * 129)), { shape: [256] }),
  convolution: (gpu) =>
    dnn(gpu).convolution(gpu.array(numbers(240)), gpu.array(numbers(72, 2)), {
      ...IMAGES,
      bias: gpu.array(numbers(6, 3)),
    }),
  "convolution of many channels": (gpu) =>
    dnn(gpu).convolution(gpu.array(numbers(16 * 56)), gpu.array(numbers(16 * 16 * 9, 2)), MANY),
  "gradient of the input": (gpu) =>
    dnn(gpu).convolutionInputGradient(gpu.array(numbers(2 * 6 * 21, 4)), gpu.array(numbers(72, 2)), IMAGES),
  "gradient of the filter": (gpu) =>
    dnn(gpu).convolutionFilterGradient(gpu.array(numbers(240)), gpu.array(numbers(2 * 6 * 21, 4)), IMAGES),
  softmax: (gpu) => dnn(gpu).softmax(gpu.array(numbers(3 * 100)), { columns: 100 }),
};

/** The sum of two arrays, on two devices. */
async function allReduce() {
  const first = await openDevice({ device: "cuda", ordinal: 0 });
  const second = await openDevice({ device: "cuda", ordinal: 1 }).catch((error) => {
    console.log(`one GPU: ${error.message}`);
    return openDevice({ device: "cuda", ordinal: 0 });
  });
  const arrays = [first, second].map((gpu, i) => gpu.array(numbers(1000, i)));
  await communicator([first, second]).allReduce(arrays);
  const sums = await Promise.all(arrays.map((array) => array.read()));
  for (const gpu of [first, second]) gpu.close();
  return sums.flatMap((array) => [...array]);
}

const values = {};
let failed = 0;
async function add(name, call) {
  try {
    values[name] = await call();
  } catch (error) {
    failed++;
    values[name] = [error.message, ...(error.notes ?? [])].join(" ").slice(0, 400);
    console.log(`${name}: ${values[name]}`);
  }
}
const gpu = await openDevice({ device });
for (const [name, call] of Object.entries(CASES)) await add(name, async () => [...(await (await call(gpu)).read())]);
gpu.close();
if (device === "cuda") await add("communicator", allReduce);
else {
  const [a, b] = [numbers(1000, 0), numbers(1000, 1)];
  const sums = a.map((value, i) => value + b[i]);
  values.communicator = [...sums, ...sums];
}
writeFileSync(file, JSON.stringify(values));
console.log(`${Object.keys(values).length} calls, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
