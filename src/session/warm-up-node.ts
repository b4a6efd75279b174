/**
 * A warm-up launch, made by a thread that has nothing else to do. V8 compiles the engine's functions when they are
 * first called: the first kernel of a thread takes 40 ms, the second 10.
 */
import { bug } from "../base/diagnostics.ts";
import { createDevices } from "./devices-node.ts";
import type { DeviceRequest } from "./request.ts";

/** What most kernels have: an index, a bound, a loop, arithmetic, loads, stores and a barrier. */
const KERNEL = `
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@tile = internal addrspace(3) global [256 x float] undef, align 4
define ptx_kernel void @warm_up(ptr %data, i32 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %loop, label %done
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %j = urem i32 %k, 17
  %from = getelementptr inbounds float, ptr %data, i32 %j
  %value = load float, ptr %from, align 4
  %float = sitofp i32 %i to float
  %product = fmul contract float %value, %float
  %more = fadd contract float %sum, %product
  %next = add nuw nsw i32 %k, 1
  %again = icmp slt i32 %next, 20
  br i1 %again, label %loop, label %stored
stored:
  %place = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %thread
  store float %more, ptr %place, align 4
  br label %done
done:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %inside, label %write, label %end
write:
  %mine = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %thread
  %result = load float, ptr %mine, align 4
  %to = getelementptr inbounds float, ptr %data, i32 %i
  store float %result, ptr %to, align 4
  br label %end
end:
  ret void
}`;

/** Runs on a device of its own, which is closed afterwards. */
export async function warmUpLaunch(options: DeviceRequest): Promise<void> {
  const {
    devices: [device],
  } = await createDevices({ ...options, devices: 1, workers: 1, keepsCode: false, deviceMemory: null }, null);
  if (device === undefined) return;
  const kernel = device.loadModule({ name: "warm_up", ir: KERNEL, options: { fmad: true } }).kernel("warm_up");
  const count = 512;
  const data = device.allocate(4 * count);
  const bytes = new Uint8Array(4 * count);
  device.write(data, bytes);
  const { fault } = device.launchBlocking(
    kernel,
    { grid: { x: 2, y: 1, z: 1 }, block: { x: 256, y: 1, z: 1 }, sharedBytes: 0 },
    new Uint8Array(Uint32Array.of(data, count).buffer),
  );
  device.read(data, bytes);
  if (fault !== null) bug("the warm-up launch failed");
}
