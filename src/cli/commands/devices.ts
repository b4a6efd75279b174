/**
 * `heddle devices`: what deviceQuery prints, for the GPU that the emulated device follows, or for those of this
 * machine.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { parseDeviceKind, type DeviceKind } from "../../device/common/device-kind.ts";
import type { DeviceProperties } from "../../device/device.ts";
import { DEFAULT_GPU, GPU_NAMES, gpuProperties } from "../../device/emulated/gpus.ts";
import { ILP32, largestSize } from "../../base/data-model.ts";
import { devicePropertyValues, type DevicePlace } from "../../runtime/cuda/api-functions/device-attributes.ts";

/** FP32 units of a multiprocessor by compute capability (CUDA C++ Programming Guide, "Arithmetic Instructions"). */
const CORES_PER_SM: Readonly<Record<string, number>> = {
  "6.0": 64,
  "6.1": 128,
  "7.0": 64,
  "7.2": 64,
  "7.5": 64,
  "8.0": 64,
  "8.6": 128,
  "8.7": 128,
  "8.9": 128,
  "9.0": 128,
  "10.0": 128,
  "12.0": 128,
};

export async function devicesCommand(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options.list) {
    for (const name of GPU_NAMES) {
      const p = gpuProperties(name);
      const { major, minor } = p.computeCapability;
      const processors = String(p.multiProcessorCount).padStart(3);
      const gigabytes = Math.round(p.totalGlobalMem / 2 ** 30);
      const names = `${name.padEnd(10)} ${p.name.padEnd(32)}`;
      process.stdout.write(`${names} compute ${major}.${minor}  ${processors} SMs  ${gigabytes} GB\n`);
    }
    return 0;
  }
  const kind = options.device ?? parseDeviceKind(process.env["HEDDLE_DEVICE"]);
  const real = kind === "emulated" ? null : await realDevices(kind);
  if (real !== null) {
    process.stdout.write(options.json ? `${JSON.stringify(real.devices, null, 2)}\n` : realDevicesText(real));
    return 0;
  }
  const properties = gpuProperties(options.gpu);
  if (options.json) process.stdout.write(`${JSON.stringify({ ...properties, gpu: options.gpu }, null, 2)}\n`);
  else process.stdout.write(deviceQueryText(properties, options.devices));
  return 0;
}

interface RealDevices {
  readonly devices: readonly DeviceProperties[];
  readonly version: string;
  readonly path: string;
}

/** null: "auto", and there is none. */
async function realDevices(kind: "cuda" | "auto"): Promise<RealDevices | null> {
  const { listGpus } = await import("../../device/cuda/open-device.ts");
  try {
    return listGpus();
  } catch (error) {
    if (kind === "auto" && error instanceof HeddleError && error.code === "no-device") return null;
    throw error;
  }
}

function realDevicesText({ devices, version, path }: RealDevices): string {
  const lines = [`heddle devices: ${devices.length} CUDA device${devices.length === 1 ? "" : "s"}`, ""];
  for (const [ordinal, p] of devices.entries())
    lines.push(
      `Device ${ordinal}: "${p.name}"`,
      ...rows(
        p,
        { ordinal, deviceCount: devices.length, hasClusters: p.computeCapability.major >= 9 },
        `${version} / 12.4`,
      ).map(([label, value]) => `  ${`${label}:`.padEnd(62)} ${value}`),
      "",
    );
  lines.push(
    `Driver: ${path}, CUDA ${version}. Programs of heddle run address at most 4 GB of a GPU's memory; TypeScript ` +
      `programs all of it.`,
    "",
  );
  return lines.join("\n");
}

function parse(args: readonly string[]): {
  device: DeviceKind | null;
  gpu: string;
  devices: number;
  list: boolean;
  json: boolean;
} {
  const options = {
    device: null as DeviceKind | null,
    gpu: process.env["HEDDLE_GPU"] || DEFAULT_GPU,
    devices: 1,
    list: false,
    json: false,
  };
  for (let at = 0; at < args.length; at++) {
    const [flag, attached] = (args[at] as string).split("=", 2) as [string, string?];
    if (flag === "--list") options.list = true;
    else if (flag === "--json") options.json = true;
    else if (flag === "--gpu" || flag === "--devices" || flag === "--device") {
      const value = attached ?? args[++at];
      if (value === undefined) throw new HeddleError("bad-arguments", `${flag} needs a value`);
      if (flag === "--gpu") options.gpu = value;
      else if (flag === "--device") options.device = parseDeviceKind(value);
      else options.devices = Number(value);
    } else
      throw new HeddleError("bad-arguments", `unknown option ${args[at]}`, {
        notes: ["heddle devices [--device KIND] [--gpu NAME] [--devices N] [--list] [--json]"],
      });
  }
  if (!Number.isInteger(options.devices) || options.devices < 1)
    throw new HeddleError("bad-arguments", "--devices needs a whole number above 0");
  return options;
}

const yes = (value: number | undefined): string => (value ? "Yes" : "No");

export function deviceQueryText(p: DeviceProperties, count: number): string {
  const versions = "12.4 / 12.4";
  const lines = [`heddle devices: ${count} emulated CUDA device${count === 1 ? "" : "s"}`, ""];
  for (let ordinal = 0; ordinal < count; ordinal++)
    lines.push(
      `Device ${ordinal}: "${p.name}" (emulated)`,
      ...rows(p, { ordinal, deviceCount: count, hasClusters: false }, versions).map(
        ([label, value]) => `  ${`${label}:`.padEnd(62)} ${value}`,
      ),
      "",
    );
  lines.push(
    `Limits and properties: ${p.source}`,
    "Memory that can be allocated here is at most 4 GB, the address space of the emulated device.",
    "",
  );
  return lines.join("\n");
}

function rows(
  p: DeviceProperties,
  place: Pick<DevicePlace, "ordinal" | "deviceCount" | "hasClusters">,
  versions: string,
): [string, string][] {
  const values = new Map(
    devicePropertyValues(p, { ...place, allocatableBytes: Math.min(p.totalGlobalMem, largestSize(ILP32)) }).map(
      ([name, ...numbers]) => [name, numbers],
    ),
  );
  const one = (name: string): number => values.get(name)?.[0] as number;
  const tuple = (name: string): string => (values.get(name) as number[]).join(", ");
  const { major, minor } = p.computeCapability;
  const cores = CORES_PER_SM[`${major}.${minor}`] ?? 128;
  return [
    ["CUDA Driver Version / Runtime Version", versions],
    ["CUDA Capability Major/Minor version number", `${major}.${minor}`],
    ["Total amount of global memory", `${Math.round(p.totalGlobalMem / 2 ** 20)} MBytes (${p.totalGlobalMem} bytes)`],
    [
      `(${String(p.multiProcessorCount).padStart(3, "0")}) Multiprocessors, (${String(cores).padStart(3, "0")}) ` +
        `CUDA Cores/MP`,
      `${p.multiProcessorCount * cores} CUDA Cores`,
    ],
    ["GPU Max Clock rate", `${(p.clockRateKHz / 1e3).toFixed(0)} MHz (${(p.clockRateKHz / 1e6).toFixed(2)} GHz)`],
    ["Memory Clock rate", `${(p.memoryClockRateKHz / 1e3).toFixed(0)} Mhz`],
    ["Memory Bus Width", `${p.memoryBusWidthBits}-bit`],
    ["L2 Cache Size", `${p.l2CacheBytes} bytes`],
    [
      "Maximum Texture Dimension Size (x,y,z)",
      `1D=(${tuple("maxTexture1D")}), 2D=(${tuple("maxTexture2D")}), 3D=(${tuple("maxTexture3D")})`,
    ],
    [
      "Maximum Layered 1D Texture Size, (num) layers",
      `1D=(${one("maxTexture1DLayered")}), ${values.get("maxTexture1DLayered")?.[1]} layers`,
    ],
    [
      "Maximum Layered 2D Texture Size, (num) layers",
      `2D=(${(values.get("maxTexture2DLayered") as number[]).slice(0, 2).join(", ")}), ` +
        `${values.get("maxTexture2DLayered")?.[2]} layers`,
    ],
    ["Total amount of constant memory", `${p.totalConstMem} bytes`],
    ["Total amount of shared memory per block", `${p.sharedMemPerBlock} bytes`],
    ["Total shared memory per multiprocessor", `${p.sharedMemPerMultiprocessor} bytes`],
    ["Total number of registers available per block", String(p.regsPerBlock)],
    ["Warp size", String(p.warpSize)],
    ["Maximum number of threads per multiprocessor", String(p.maxThreadsPerMultiProcessor)],
    ["Maximum number of threads per block", String(p.maxThreadsPerBlock)],
    ["Max dimension size of a thread block (x,y,z)", `(${p.maxThreadsDim.join(", ")})`],
    ["Max dimension size of a grid size    (x,y,z)", `(${p.maxGridSize.join(", ")})`],
    ["Maximum memory pitch", `${one("memPitch")} bytes`],
    ["Texture alignment", `${one("textureAlignment")} bytes`],
    [
      "Concurrent copy and kernel execution",
      `${yes(one("deviceOverlap"))} with ${one("asyncEngineCount")} copy engine(s)`,
    ],
    ["Run time limit on kernels", yes(one("kernelExecTimeoutEnabled"))],
    ["Integrated GPU sharing Host Memory", yes(one("integrated"))],
    ["Support host page-locked memory mapping", yes(one("canMapHostMemory"))],
    ["Alignment requirement for Surfaces", "Yes"],
    ["Device has ECC support", one("ECCEnabled") ? "Enabled" : "Disabled"],
    ["Device supports Unified Addressing (UVA)", yes(one("unifiedAddressing"))],
    ["Device supports Managed Memory", yes(one("managedMemory"))],
    ["Device supports Compute Preemption", yes(one("computePreemptionSupported"))],
    ["Supports Cooperative Kernel Launch", yes(one("cooperativeLaunch"))],
    ["Supports MultiDevice Co-op Kernel Launch", yes(one("cooperativeMultiDeviceLaunch"))],
    [
      "Device PCI Domain ID / Bus ID / location ID",
      `${one("pciDomainID")} / ${one("pciBusID")} / ${one("pciDeviceID")}`,
    ],
    ["Compute Mode", "Default (several host threads may use the device)"],
  ];
}
