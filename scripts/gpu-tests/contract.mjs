// The contract of Device on the GPU, for both kinds of program. Cases in which a kernel faults have a process of their
// own: the driver lets a process use the GPU no more after a fault.
import { spawnSync } from "node:child_process";
import { CONTRACT_SOURCE } from "../../dist/device/contract-bench.js";
import { deviceContract } from "../../dist/device/device.contract.js";
import { openFlatDevice, openWindowDevices } from "../../dist/device/cuda/open-device.js";
import { syncNodeStore } from "../../dist/store/disk-store-node.js";
import * as framework from "./framework.mjs";
import { preparedFrom } from "./prepared.mjs";

const FAULTS = /fault|trap/;
const exceptions = {
  "an illegal address is a fault, poisons the device, and reset clears it":
    "the driver gives a process no new context after a fault, and reset says so",
};

async function describeContract(prepared) {
  const [library, program] = [await prepared.library(), await prepared.device("contract", CONTRACT_SOURCE)];
  const store = syncNodeStore();
  deviceContract(
    {
      name: "GPU, IR with 32-bit pointers",
      open: (observer = null) => openWindowDevices(1, { library, store, observer })[0],
      compile: async () => program,
      exceptions,
    },
    framework,
  );
  deviceContract(
    {
      name: "GPU, source with 64-bit pointers",
      open: (observer = null) => openFlatDevice(0, { store, observer }),
      compile: null,
      exceptions,
    },
    framework,
  );
}

export async function run({ verbose, prepared }) {
  await describeContract(prepared);
  const alone = [];
  const result = await framework.runCases({
    verbose,
    choose: (group, title) => {
      if (FAULTS.test(title)) alone.push([group, title]);
      return !FAULTS.test(title);
    },
  });
  for (const [group, title] of alone) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [import.meta.filename, group, title, prepared.folder ?? ""],
      { encoding: "utf8" },
    );
    if (status === 0) result.passed++;
    else result.failed++;
    if (verbose || status !== 0) console.log(`${stdout}${stderr}`.trimEnd());
  }
  console.log(`in processes of their own: ${alone.length} cases`);
  return result;
}

if (process.argv[1] === import.meta.filename) {
  const [, , group, title, folder] = process.argv;
  await describeContract(await preparedFrom(folder || null));
  const { failed } = await framework.runCases({
    choose: (thisGroup, thisTitle) => thisGroup === group && thisTitle === title,
  });
  process.exit(failed > 0 ? 1 : 0);
}
