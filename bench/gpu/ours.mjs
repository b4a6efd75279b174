// The TypeScript side of npm run bench:gpu: the same work as rival.cu, through Heddle's library. Prints one JSON
// object.
import { compile, openDevice } from "../../dist/index.js";

const SOURCE = `
__global__ void three(float *x, float *y, int n) {}
__global__ void ten(float *a, float *b, float *c, float *d, int e, int f, float g, float h, double i, int j) {}
`;
const gpu = await openDevice({ device: "cuda" });
const program = await compile(SOURCE, { device: gpu });
const [x, y] = [gpu.array(1024, "float32"), gpu.array(1024, "float32")];
const three = await program.kernel("three");
const ten = await program.kernel("ten");
const launch3 = three.configure({ grid: 1, block: 32 });
launch3(x, y, 10);
const firstLaunchMs = performance.now();
await gpu.synchronize();
if (process.argv[2] === "first") {
  console.log(JSON.stringify({ firstLaunchMs }));
  process.exit(0);
}
const launch10 = ten.configure({ grid: 1, block: 32 });
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const { queue } = gpu.raw;

const [BATCHES, LAUNCHES] = [400, 250];
function perLaunch(launch) {
  const times = [];
  for (let batch = -40; batch < BATCHES; batch++) {
    const start = performance.now();
    for (let i = 0; i < LAUNCHES; i++) launch();
    const end = performance.now();
    queue.waitBlocking();
    if (batch >= 0) times.push(((end - start) * 1000) / LAUNCHES);
  }
  return median(times);
}
const launch3Us = perLaunch(() => launch3(x, y, 10));
const launch10Us = perLaunch(() => launch10(x, y, x, y, 1, 2, 3, 4, 5, 6));

const paced = performance.now();
for (let i = 0; i < 20000; i++) launch3(x, y, 10);
queue.waitBlocking();
const pacedUs = (performance.now() - paced) / 20;

const stream = gpu.stream();
const inStream = three.configure({ grid: 1, block: 32, stream: stream.id });
const graph = gpu.graph(stream, () => {
  for (let i = 0; i < 100; i++) inStream(x, y, 10);
});
const [launches, ends] = [[], []];
for (let i = -20; i < 500; i++) {
  const begin = performance.now();
  graph.launch(stream);
  const launched = performance.now();
  queue.waitForStreamBlocking(stream.id);
  if (i < 0) continue;
  launches.push((launched - begin) * 1000);
  ends.push((performance.now() - begin) * 1000);
}

const bytes = 256 * 2 ** 20;
const device = gpu.array(bytes, "uint8");
const host = new Uint8Array(bytes);
gpu.pin(host);
const [down, up] = [[], []];
for (let i = -3; i < 15; i++) {
  const begin = performance.now();
  await device.write(host);
  const middle = performance.now();
  await device.readInto(host);
  if (i < 0) continue;
  down.push(bytes / (middle - begin) / 1e6);
  up.push(bytes / (performance.now() - middle) / 1e6);
}
console.log(
  JSON.stringify({
    launch3Us,
    launch10Us,
    pacedUs,
    graphLaunchUs: median(launches),
    graphUs: median(ends),
    toDeviceGBs: median(down),
    toHostGBs: median(up),
  }),
);
process.exit(0);
