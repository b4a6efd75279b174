/**
 * Rivals that are functions of PyTorch, run by a Python process (python-process-node.ts). It has tensors of its own,
 * made of the same bytes as the arrays here, and follows the same rules; what its outputs hold comes back here to be
 * compared with the reference.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeValues, dtypeBytes } from "../base/dtypes.ts";
import type { OutputDeclaration, PythonRival, Shape } from "../kernel-library/ladder.ts";
import type { MeasuredRun } from "./timed-run.ts";
import type { Python } from "./python-process-node.ts";
import type { Absent, OpenRival } from "./rival.ts";
import { SubjectProblem } from "./subject.ts";
import type { Workspace } from "./workspace.ts";

export interface PythonSurroundings {
  readonly python: Python;
  /** The ladder's. */
  readonly folder: string;
  /** As PyTorch names it. */
  readonly device: "cuda" | "cpu";
  /** What must be written to have nothing left in the GPU's L2 cache. */
  readonly flushBytes: number;
}

export async function openPythonRival(
  { python: file, function: name, compile = false }: PythonRival,
  { python, folder, device, flushBytes }: PythonSurroundings,
): Promise<OpenRival | Absent> {
  const opened = await python.request({ do: "open", file: join(folder, file), function: name, compile, device });
  if ("absent" in opened) return opened;
  const { description } = opened.ok as { description: string };
  return {
    description,
    note: "",
    with: async (workspace, use) => {
      await sendArrays(python, workspace, flushBytes);
      return use(runOn(python, workspace));
    },
    close: async () => {
      if (python.isRunning) await python.request({ do: "close" });
    },
  };
}

/** The bytes go by files: hundreds of megabytes are no lines. */
async function sendArrays(python: Python, workspace: Workspace, flushBytes: number): Promise<void> {
  const { ladder, shape } = workspace;
  const folder = mkdtempSync(join(tmpdir(), "heddle-tensors-"));
  try {
    const inputs = Object.entries(ladder.inputs).map(([name, { dtype }], i) => ({
      name,
      dtype,
      files: Array.from({ length: workspace.sets }, (_, set) => {
        const path = join(folder, `${i}-${set}`);
        writeFileSync(path, workspace.stagedBytes(name, set));
        return path;
      }),
    }));
    const outputs = (Object.entries(ladder.outputs) as [string, OutputDeclaration<Shape>][]).map(
      ([name, { dtype, length }]) => ({ name, dtype, length: length(shape) }),
    );
    await ask(python, { do: "arrays", inputs, outputs, sizes: shape, flushBytes });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runOn(python: Python, workspace: Workspace): MeasuredRun {
  return {
    sets: workspace.sets,
    launch: async (set, cache) => ((await ask(python, { do: "launch", set, cache })) as { ms: number }).ms,
    compare: (set, whole) =>
      workspace.compare(set, whole, async (output, begin, end) => {
        const { dtype } = workspace.ladder.outputs[output] as OutputDeclaration<Shape>;
        const { bytes } = (await ask(python, { do: "read", output, begin, end })) as { bytes: string };
        const buffer = new Uint8Array((end - begin) * dtypeBytes(dtype));
        if (Buffer.from(buffer.buffer).write(bytes, "base64") !== buffer.length)
          throw new Error(`BUG: the adapter gave another number of bytes than ${buffer.length}`);
        return decodeValues(buffer, dtype);
      }),
  };
}

async function ask(
  python: Python,
  request: { readonly do: string; readonly [field: string]: unknown },
): Promise<unknown> {
  const reply = await python.request(request);
  if ("absent" in reply) throw new SubjectProblem("failed", reply.absent);
  return reply.ok;
}
