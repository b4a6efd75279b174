// Calls ladders in kernels/ as functions on the emulated device, with no more sizes than they need, and compares what
// comes with their references. Prints a line of JSON for each.
//   node scripts/call-ladders.mjs [NAME…]    default: all
import { join } from "node:path";
import { loadLadder, findLadders, ladderName } from "../dist/kernel-library/ladder-files-node.js";
import { describeMismatch } from "../dist/bench/comparison.js";
import { methodName, neededSizes } from "../dist/kernel-library/kernel-types.js";
import { Workspace } from "../dist/bench/workspace.js";
import { openDevice, openKernels } from "../dist/index.js";

const wanted = process.argv.slice(2);
const device = await openDevice({ device: "emulated", workers: 1 });
const kernels = openKernels(device);
for (const file of findLadders([join(import.meta.dirname, "../kernels")])) {
  const name = ladderName(file);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const loaded = await loadLadder(file, (source) => [source]);
  const { ladder } = loaded;
  const shape = ladder.shapes.check[1] ?? ladder.shapes.check[0];
  const data = new Workspace(device, ladder, shape, [0]);
  const inputs = Object.entries(ladder.inputs).map(([input, { dtype, length }]) => {
    const array = device.array(length(shape), dtype);
    device.raw.write(array.pointer, data.stagedBytes(input, 0));
    return array;
  });
  const sizes = Object.fromEntries(neededSizes(loaded)[0].map((size) => [size, shape[size]]));
  const result = await kernels[methodName(name)](...inputs, sizes);
  const outputs = Object.keys(ladder.outputs).length === 1 ? { [Object.keys(ladder.outputs)[0]]: result } : result;
  const comparison = await data.compare(0, true, (output, begin, end) => outputs[output].read(begin, end));
  console.log(
    JSON.stringify({
      name,
      sizes,
      compared: comparison.elements,
      wrong: comparison.wrong === 0 ? null : describeMismatch(comparison),
    }),
  );
}
await kernels.close();
device.close();
