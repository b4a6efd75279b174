// IR with 64-bit pointers on more memory than 32 bits can address: an array of 6 GiB whose elements beyond 4 GiB are
// written and read through 64-bit indices.
import { openFlatDevice } from "../../dist/device/cuda/open-device.js";
import { parseModule } from "../../dist/ir/text/parse.js";

const ELEMENTS = 3 * 2 ** 29;
const IR = `target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @fill(ptr %out, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %t64 = zext i32 %t to i64
  %b64 = zext i32 %b to i64
  %g64 = zext i32 %g to i64
  %base = mul i64 %b64, 1024
  %first = add i64 %base, %t64
  %step = mul i64 %g64, 1024
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %body ]
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %body, label %end
body:
  %p = getelementptr inbounds i32, ptr %out, i64 %i
  %low = trunc i64 %i to i32
  %v = mul i32 %low, 3
  store i32 %v, ptr %p, align 4
  %next = add i64 %i, %step
  br label %loop
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
`;

export async function run({ verbose }) {
  const device = openFlatDevice(0, { store: null });
  const program = { ir: parseModule(IR, "large-memory.ll"), name: "large-memory.ll", options: { fmad: true } };
  const kernel = device.loadModule(program).kernel("fill");
  const bytes = ELEMENTS * 4;
  const out = device.allocate(bytes);
  const params = new Uint8Array(16);
  new BigUint64Array(params.buffer).set([BigInt(out), BigInt(ELEMENTS)]);
  const config = { grid: { x: 4096, y: 1, z: 1 }, block: { x: 1024, y: 1, z: 1 }, sharedBytes: 0 };
  const { fault } = device.launchBlocking(kernel, config, params);
  const wrong = [];
  if (fault !== null) wrong.push(`fault: ${fault.message}`);
  for (const index of [0, 1, 2 ** 30 - 1, 2 ** 30, 2 ** 30 + 12345, ELEMENTS - 1]) {
    const found = new Int32Array(1);
    device.read(out + index * 4, new Uint8Array(found.buffer));
    if (found[0] !== Math.imul(index | 0, 3))
      wrong.push(`element ${index}: ${found[0]}, not ${Math.imul(index | 0, 3)}`);
  }
  device.close();
  const end = (out + bytes).toString(16);
  if (verbose || wrong.length > 0)
    console.log(`large memory: 0x${out.toString(16)} to 0x${end}: ${wrong.join("; ") || "right"}`);
  console.log(
    `large memory: ${wrong.length === 0 ? "1 of 1" : "0 of 1"} cases, ${bytes / 2 ** 30} GiB through 64-bit pointers`,
  );
  return wrong.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}
