// The worker of index.html: fetches the images, trains, and posts what the page shows.
import { openTensors } from "../../dist/page/tensor.js";
import { train } from "./network.js";

/** The bytes of an IDX file without its head. */
async function fetchBytes(name, head) {
  const response = await fetch(new URL(`../mnist/${name}.gz`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const bytes = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(bytes).arrayBuffer()).subarray(head);
}

try {
  const [torch, images, labels] = await Promise.all([
    openTensors(),
    fetchBytes("train-images-idx3-ubyte", 16),
    fetchBytes("train-labels-idx1-ubyte", 8),
  ]);
  for (const step of train(torch, images, labels)) postMessage(step);
} catch (error) {
  postMessage({ error: String(error) });
}
