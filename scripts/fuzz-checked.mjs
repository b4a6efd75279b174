// An executor that checks: the instrumentation of heddle check must not change what a program does, and must accuse
// none of its threads.

/**
 * What random kernels do on purpose, because engines must agree on it: barriers on both sides of a branch, masks that
 * name lanes that have ended, shuffles from lanes without part.
 */
const MEANT = new Set(["divergent-barrier", "mask-mismatch", "inactive-lane"]);

/** What kernels may use, and for how many shadow planes there is room behind it. */
const USER_BYTES = 32 * 1024 * 1024;
const PLANES = 4;

export function checkedHarness(Harness) {
  return new Harness(USER_BYTES, PLANES * USER_BYTES);
}

/** @param executor what runs the instrumented program. @param dist imports a module of Heddle. */
export async function checkedExecutor(executor, dist) {
  const { Checks } = await dist("check/checks.js");
  const { createCheckers } = await dist("check/checkers.js");
  const { layOutShared } = await dist("engine/load-program.js");
  const { USER_BASE, TAIL_SLACK_BYTES } = await dist("machine/memory-map.js");
  const hooks = await libraryFunctions(createCheckers(), dist);
  return {
    name: `checked ${executor.name}`,
    run(program, kernel, launch, memory, host) {
      const own = [];
      const checker = new Checks(createCheckers());
      const zeroed = (bytes) => {
        const start = host.allocate(bytes, 256, "user");
        new Uint8Array(memory.buffer).fill(0, start, start + bytes);
        own.push(start);
        return start;
      };
      const limit = USER_BASE + USER_BYTES;
      const planeAt = (plane) => limit + TAIL_SLACK_BYTES + plane * USER_BYTES;
      if (checker.shadowPlanes > PLANES) throw new Error(`the harness has room for ${PLANES} shadow planes`);
      const memoryTop = planeAt(checker.shadowPlanes);
      new Uint8Array(memory.buffer).fill(0, planeAt(0), memoryTop);
      // Arrays are the last of memory (engine/fuzz/run-case.ts): windows are what lies in front of them.
      const params = new DataView(launch.params.buffer, launch.params.byteOffset);
      const arrays = Math.min(
        ...kernel.params.filter(({ kind }) => kind === "pointer").map(({ offset }) => params.getUint32(offset, true)),
      );
      checker.attach({
        get bytes() {
          return new Uint8Array(memory.buffer);
        },
        limit,
        windows: { start: USER_BASE, end: arrays },
        shadowed: { start: USER_BASE, end: limit },
        shadow: (plane) => planeAt(plane) - USER_BASE,
        allocate: zeroed,
      });
      checker.allocated({ start: arrays, bytes: limit - arrays, purpose: "user" });
      checker.written(arrays, limit - arrays);
      const users = new Set(program.module.functions.values());
      const library = hooks();
      for (const [name, fn] of library.functions)
        if (!program.module.functions.has(name)) program.module.functions.set(name, fn);
      for (const [name, variable] of library.globals) program.module.globals.set(name, variable);
      checker.instrument(program.module, users);
      const globalAddresses = new Map(program.globalAddresses);
      for (const name of program.module.globals.keys()) {
        const address = checker.addressOf(name);
        if (address !== null) globalAddresses.set(name, address);
      }
      const observed = {
        ordinal: 1,
        kernel: kernel.name,
        function: kernel.function,
        params: kernel.params,
        grid: launch.grid,
        block: launch.block,
        sharedBytes: launch.dynamicSharedBytes,
        cooperative: launch.cooperative,
        arguments: launch.params,
      };
      checker.launching(observed);
      const fault = executor.run(
        { ...program, globalAddresses },
        { ...kernel, ...layOutShared(kernel.function, program.functionTable) },
        { ...launch, memoryTop },
        memory,
        host,
      );
      checker.launched(observed, fault);
      for (const start of own) host.free(start);
      const finding = checker.findings.find(({ kind }) => !MEANT.has(kind));
      if (fault !== null || finding === undefined) return fault;
      return accusation(finding, kernel);
    },
  };
}

/** A checker's finding as a fault of the kernel. */
function accusation(finding, kernel) {
  const { block, thread } = finding.example ?? { block: null, thread: null };
  return {
    kind: "illegal-address",
    kernel: kernel.name,
    block,
    thread,
    location: null,
    message: `accused by ${finding.checker} of ${finding.kind}: ${finding.message}, ${JSON.stringify(finding.details)}`,
  };
}

/** A function that parses, again for each program, what the checkers' code calls of the device library. */
async function libraryFunctions(checkers, dist) {
  const names = checkers.flatMap(({ libraryFunctions = [] }) => libraryFunctions);
  const { createCompiler } = await dist("frontend/clang/compile.js");
  const { nodeClangResources } = await dist("frontend/clang/clang-loader-node.js");
  const { openNodeStore } = await dist("frontend/clang/prebuilt-node.js");
  const { sha256 } = await dist("store/sha256.js");
  const { cachedDeviceLibrary } = await dist("frontend/clang/device-library.js");
  const { ModuleText } = await dist("ir/text/excerpt.js");
  const { parseModule } = await dist("ir/text/parse.js");
  const store = openNodeStore();
  const text = new ModuleText(
    await cachedDeviceLibrary(await createCompiler({ resources: nodeClangResources(), store }), store, sha256),
  ).excerpt(names);
  return () => parseModule(text, "libdevice");
}
