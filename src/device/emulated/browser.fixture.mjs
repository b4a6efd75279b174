/**
 * Runs in a dedicated worker of a browser: opens a device with worker threads of its own and launches on it, blocking.
 */
import { openEmulatedDevice } from "/dist/device/emulated/open-device.js";
import { browserWorkerSpawner } from "/dist/device/emulated/spawn-worker-browser.js";

addEventListener("message", async ({ data: { ir, workers } }) => {
  try {
    const { device, warmUp } = openEmulatedDevice({ workers, library: null, spawn: browserWorkerSpawner() });
    await warmUp();
    const module = device.loadModule({ name: "browser.ll", ir, options: { fmad: true } });
    const kernel = module.kernel("k");
    const blocks = 400;
    const out = device.allocate(4 * blocks * 64);
    const config = { grid: { x: blocks, y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 }, sharedBytes: 0 };
    const results = [];
    for (const form of ["blocking", "async", "blocking"]) {
      device.fill(out, 0, 4, blocks * 64);
      const params = new Uint8Array(new Uint32Array([out, 20_000]).buffer);
      const outcome =
        form === "blocking"
          ? device.launchBlocking(kernel, config, params)
          : await device.launch(kernel, config, params);
      const bytes = new Uint8Array(4 * blocks * 64);
      device.read(out, bytes);
      const words = new Int32Array(bytes.buffer);
      results.push({
        fault: outcome.fault,
        right: words.every((word, i) => word === 20_000 + i),
        shared: device.memory.shared,
      });
    }
    const wild = device.launchBlocking(kernel, config, new Uint8Array(new Uint32Array([0, 1]).buffer));
    device.reset();
    device.close();
    postMessage({ results, wild: wild.fault?.kind });
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) });
  }
});
