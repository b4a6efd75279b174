// An executor that checks: what heddle check adds to a program must change nothing of what it does, and accuse no thread of it.

/** What random kernels do on purpose, because engines must agree on it: barriers on both sides of a branch, masks that name lanes that have ended, shuffles from lanes without part. */
const MEANT = new Set(["divergent-barrier", "mask-mismatch", "inactive-lane"]);

/** @param executor what runs the instrumented program. @param dist imports a module of Heddle. */
export async function checkedExecutor(executor, dist) {
  const { Checks } = await dist("check/checks.js");
  const { createCheckers } = await dist("check/checkers.js");
  const { layOutShared } = await dist("engine/load-program.js");
  const { USER_BASE, TAIL_SLACK_BYTES } = await dist("machine/memory-map.js");
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
      const limit = memory.buffer.byteLength - TAIL_SLACK_BYTES;
      // The upper part of memory is the program's, and the windows'; below lie its planes. A constant may lie below them: it needs no shadow.
      const planeBytes = Math.floor((limit - USER_BASE) / (checker.shadowPlanes + 1) / 65536 - 1) * 65536;
      const planes = Array.from({ length: checker.shadowPlanes }, () => zeroed(planeBytes));
      const start = limit - planeBytes;
      if (planes.length > 0) zeroed(start - (planes.at(-1) + planeBytes));
      checker.attach({
        get bytes() { return new Uint8Array(memory.buffer); },
        limit,
        windows: { start, end: limit },
        shadowed: { start, end: limit },
        shadow: (plane) => planes[plane] - start,
        allocate: zeroed,
      });
      checker.instrument(program.module, new Set(program.module.functions.values()));
      const globalAddresses = new Map(program.globalAddresses);
      for (const name of program.module.globals.keys()) {
        const address = checker.addressOf(name);
        if (address !== null) globalAddresses.set(name, address);
      }
      const observed = { ordinal: 1, kernel: kernel.name, params: kernel.params, grid: launch.grid, block: launch.block, sharedBytes: launch.dynamicSharedBytes, cooperative: launch.cooperative, arguments: launch.params };
      checker.launching(observed);
      const fault = executor.run({ ...program, globalAddresses }, { ...kernel, ...layOutShared(kernel.function, program.functionTable) }, launch, memory, host);
      checker.launched(observed, fault);
      for (const start of own) host.free(start);
      const finding = checker.findings.find(({ kind }) => !MEANT.has(kind));
      if (fault !== null || finding === undefined) return fault;
      const { block, thread } = finding.example ?? { block: null, thread: null };
      return { kind: "illegal-address", kernel: kernel.name, block, thread, location: null, message: `accused by ${finding.checker} of ${finding.kind}: ${finding.message}, ${JSON.stringify(finding.details)}` };
    },
  };
}
