/** The example on the images that come with Heddle: its command line, its files, its checkpoint. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openTensors } from "../../tensor.ts";
import { packageRoot } from "../../frontend/clang/clang-loader-node.ts";
import { parseMnistCommand } from "./command.ts";
import { loadMnist, parseIdx } from "./images.ts";
import { terminalCurve, trainingPage } from "./loss-curve.ts";
import { Training } from "./training.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-mnist-"));
afterAll(() => rmSync(folder, { recursive: true }));
const OPTIONS = { net: "mlp", batch: 60, lr: 0.1, momentum: 0.9, seed: 1, decay: 2 } as const;

it("learns, is interrupted, and goes on as if it had not been", async () => {
  const torch = await openTensors({ device: "emulated" });
  const mnist = loadMnist(join(packageRoot(), "examples", "mnist"));
  expect([mnist.train.count, mnist.test.count]).toEqual([600, 200]);
  const whole = new Training(torch, mnist, OPTIONS);
  for (let epoch = 0; epoch < 3; epoch++) for (const _ of whole.steps());
  expect(whole.measure().accuracy).toBeGreaterThan(0.75);

  const first = new Training(torch, mnist, OPTIONS);
  for (const _ of first.steps());
  for (const { step } of first.steps()) if (step === 4) break;
  const path = join(folder, "net.safetensors");
  first.save(path);
  const second = new Training(torch, mnist, OPTIONS);
  second.resume(path);
  expect([second.epoch, second.step]).toEqual([1, 14]);
  while (second.epoch < 3) for (const _ of second.steps());
  expect(second.losses).toEqual(whole.losses);
  expect(() => new Training(torch, mnist, { ...OPTIONS, seed: 2 }).resume(path)).toThrow("--seed 1, not 2");

  expect(terminalCurve(whole.losses, 60).split("\n")).toHaveLength(6);
  expect(trainingPage(whole, "a test")).toContain("of the test images are right");
  torch.device.close();
});

it("recorded steps learn what steps one by one do", async () => {
  const torch = await openTensors({ device: "emulated" });
  const mnist = loadMnist(join(packageRoot(), "examples", "mnist"));
  const options = { ...OPTIONS, net: "cnn", batch: 20, decay: 0 } as const;
  const [recorded, plain] = [true, false].map((records) => {
    const training = new Training(torch, mnist, options, records);
    for (const { step } of training.steps()) if (step === 4) break;
    return training;
  }) as [Training, Training];
  for (const [i, loss] of plain.losses.entries()) expect(recorded.losses[i]).toBeCloseTo(loss, 4);
  const counted = (training: Training): unknown => training.model.stateDict()["bn1.num_batches_tracked"]?.item();
  expect(counted(recorded)).toBe(counted(plain));
  torch.device.close();
});

it("options", () => {
  expect(parseMnistCommand([])).toMatchObject({ net: "mlp", batch: 64, epochs: 3, decay: 3, device: null });
  expect(parseMnistCommand(["--decay", "off"]).decay).toBe(0);
  expect(() => parseMnistCommand(["--decay", "fast"])).toThrow("--decay is on or off");
  expect(parseMnistCommand(["--net", "cnn", "--device", "cuda"])).toMatchObject({ lr: 0.01, momentum: 0 });
  expect(() => parseMnistCommand(["--net", "rnn"])).toThrow('--net is mlp or cnn, not "rnn"');
  expect(() => parseMnistCommand(["--batch", "0"])).toThrow("--batch is at least 1");
  expect(() => parseIdx(new Uint8Array(20), 3, "x")).toThrow("x is no file of MNIST: it begins with 0x0");
});
