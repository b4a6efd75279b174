// A case on Heddle through its library, as a user would run it; the same in Node.js and in a browser.

/**
 * @param library { load, openDevice } of the package
 * @param task { source: path or URL, cases: [{ launches, buffers: [{ name, values, restored }] }], engine, workers,
 *   model }
 * @returns { tier, cases, close }; each case { run: () => milliseconds in kernels, results: () => [name, bytes][] after
 * one more run }.
 *   Cases that launch a kernel in blocks of the same shape run the same code.
 */
export async function prepareCases(library, task) {
  if (task.engine !== "auto") return prepare(library, task, task.engine);
  // The tier that "auto" takes: the warp tier, unless it declines.
  try {
    return await prepare(library, task, "warp");
  } catch (error) {
    if (error.code !== "unsupported") throw error;
    return prepare(library, task, "thread");
  }
}

/** Compiles for `tier`, makes all buffers and runs every case once. */
async function prepare({ load, openDevice }, { source, cases, workers, model = "ilp32", memory = null }, tier) {
  // A launch that repeats an earlier one must be carried out, too.
  const onPrint = (text) => console.error(text);
  const options = { engine: tier, workers, reuse: false, onPrint };
  const device = await openDevice(memory === null ? options : { ...options, memoryBytes: memory.bytes });
  // All other arrays lie behind this one.
  if (memory !== null && memory.below > 0) device.array(memory.below, "uint8");
  const program = await load(source, {
    device,
    model,
    kernels: [...new Set(cases.flatMap(({ launches }) => launches).map(({ kernel }) => kernel))],
  });
  try {
    const prepared = [];
    for (const case_ of cases) prepared.push(await prepareCase(device, program, case_));
    return { tier, cases: prepared, close: () => device.close() };
  } catch (error) {
    device.close();
    throw error;
  }
}

async function prepareCase(device, program, { launches, buffers }) {
  const memory = new Map(
    buffers.map(({ name, values, restored }) => [name, { values, restored, array: device.array(values) }]),
  );
  const calls = [];
  for (const { kernel, grid, block, args } of launches) {
    const values = args.map((argument) =>
      typeof argument === "string" ? memory.get(argument).array : (argument.int ?? argument.float),
    );
    calls.push({ kernel: await program.kernel(kernel), options: { grid, block }, values });
  }
  const run = async () => {
    for (const { values, restored, array } of memory.values()) if (restored) await array.write(values);
    let ms = 0;
    for (const { kernel, options, values } of calls) {
      const result = await kernel.launch(options, ...values);
      if (result.reused) throw new Error(`${kernel.name} was not run`);
      ms += result.elapsedMs;
    }
    return ms;
  };
  await run();
  return {
    run,
    async results() {
      for (const { values, array } of memory.values()) await array.write(values);
      await run();
      const found = [];
      for (const [name, { array }] of memory) found.push([name, await array.read()]);
      return found;
    },
  };
}
