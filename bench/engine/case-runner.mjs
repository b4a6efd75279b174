// A case on Heddle through its library, as a user would run it; the same in Node.js and in a browser.

/**
 * @param library { load, openDevice } of the package
 * @param case_ { source: path or URL, launches, buffers: [{ name, values, restored }], engine, workers }
 * @returns { tier, run: () => milliseconds in kernels, results: () => [name, bytes][] after one more run, close }
 */
export async function prepareCase(library, case_) {
  if (case_.engine !== "auto") return prepare(library, case_, case_.engine);
  // The tier that "auto" takes: the warp tier, unless it declines.
  try {
    return await prepare(library, case_, "warp");
  } catch (error) {
    if (error.code !== "unsupported") throw error;
    return prepare(library, case_, "thread");
  }
}

/** Compiles for `tier`, makes all buffers and runs once. */
async function prepare({ load, openDevice }, { source, launches, buffers, workers }, tier) {
  // A launch that repeats an earlier one must be carried out, too.
  const device = await openDevice({ engine: tier, workers, reuse: false, onPrint: (text) => console.error(text) });
  const program = await load(source, { device, kernels: [...new Set(launches.map(({ kernel }) => kernel))] });
  const memory = new Map(buffers.map(({ name, values, restored }) => [name, { values, restored, array: device.array(values) }]));
  const calls = [];
  for (const { kernel, grid, block, args } of launches) {
    const values = args.map((argument) => (typeof argument === "string" ? memory.get(argument).array : (argument.int ?? argument.float)));
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
  try {
    await run();
  } catch (error) {
    device.close();
    throw error;
  }
  return {
    tier,
    run,
    async results() {
      for (const { values, array } of memory.values()) await array.write(values);
      await run();
      const found = [];
      for (const [name, { array }] of memory) found.push([name, await array.read()]);
      return found;
    },
    close: () => device.close(),
  };
}
