// Runs the kernel of softmax.py, without Python: node examples/triton/softmax.ts (from Node.js 22.18 on).
import { readFileSync } from "node:fs";
import { loadTriton } from "heddle/triton";

const [rows, columns] = [3, 5];
const source = readFileSync(new URL("softmax.py", import.meta.url), "utf8");
const program = await loadTriton(source, { filename: "softmax.py" });
const { device } = program;
const x = device.array(Float32Array.from({ length: rows * columns }, (_, i) => i % 4));
const y = device.array(rows * columns, "float32");
await program.kernel("softmax").launch({ grid: [2] }, y, x, columns, rows, columns, { BLOCK: 8 });
const result = await y.read();
for (let row = 0; row < rows; row++)
  console.log(Array.from(result.subarray(row * columns, (row + 1) * columns), (value) => value.toFixed(3)).join(" "));
