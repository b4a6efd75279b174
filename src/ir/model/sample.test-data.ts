/**
 * IR in which most of the language occurs once: for tests of the reader, the printer and the passes. Written by hand.
 */
export const SAMPLE = `source_filename = "sample.cu"
target datalayout = "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

%struct.Pair = type { i32, float }

@tile = internal addrspace(3) global [32 x float] undef, align 4
@table = addrspace(4) externally_initialized constant [2 x %struct.Pair] \
[%struct.Pair { i32 1, float 1.000000e+00 }, %struct.Pair { i32 2, float 0x3FB99999A0000000 }], align 4
@text = private unnamed_addr constant [4 x i8] c"%d\\0A\\00", align 1
@pointer = addrspace(1) global ptr getelementptr (i8, ptr addrspacecast \
(ptr addrspace(4) @table to ptr), i32 8), align 4
@functions = addrspace(1) global [2 x ptr] [ptr @scale, ptr @recurse], align 4
@alias = alias [4 x i8], ptr @text

define internal float @scale(float noundef %x, ptr noundef readonly byval(%struct.Pair) align 4 %p) #0 !dbg !10 {
entry:
  %field = getelementptr inbounds nuw %struct.Pair, ptr %p, i32 0, i32 1
  %factor = load float, ptr %field, align 4, !dbg !12
  %product = fmul contract float %x, %factor, !dbg !12
  %sum = fadd contract float %product, 1.000000e+00, !dbg !12
  ret float %sum
}

define linkonce_odr i32 @recurse(i32 %n) {
entry:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %done, label %more

more:
  %less = add nsw i32 %n, -1
  %inner = call i32 @recurse(i32 %less)
  %result = mul nsw i32 %inner, %n
  ret i32 %result

done:
  ret i32 1
}

define ptx_kernel void @kernel(ptr noundef %out, i32 %n, <4 x float> %v, \
ptr byval(%struct.Pair) align 4 %pair) #0 !dbg !11 {
entry:
  %local = alloca [4 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !13
  %slot = getelementptr inbounds [32 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  %float = uitofp nneg i32 %t to float
  store float %float, ptr %slot, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %acc = phi float [ 0.000000e+00, %entry ], [ %acc.next, %latch ]
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %exit

body:
  %scaled = call contract float @scale(float %acc, ptr byval(%struct.Pair) align 4 %pair), !dbg !13
  %even = and i32 %i, 1
  switch i32 %even, label %latch [
    i32 0, label %other
    i32 7, label %exit
  ]

other:
  %negative = fneg float %scaled
  br label %latch

latch:
  %acc.next = phi float [ %scaled, %body ], [ %negative, %other ]
  %next = add nuw nsw i32 %i, 1
  br label %head, !llvm.loop !14

exit:
  %value = phi float [ %acc, %head ], [ %scaled, %body ]
  %lane = extractelement <4 x float> %v, i32 %n
  %twice = fadd <4 x float> %v, splat (float 2.000000e+00)
  %mixed = shufflevector <4 x float> %twice, <4 x float> poison, <4 x i32> <i32 3, i32 poison, i32 1, i32 0>
  %inserted = insertelement <4 x float> %mixed, float %lane, i64 2
  store <4 x float> %inserted, ptr %out, align 16
  %odd = trunc i32 %n to i24
  %grown = mul i24 %odd, -3
  %back = sext i24 %grown to i32
  %big = sext i32 %back to i128
  %square = mul i128 %big, %big
  %high = lshr i128 %square, 64
  %word = trunc i128 %high to i64
  %swap = cmpxchg ptr %out, i32 %n, i32 %back syncscope("block") acq_rel monotonic, align 4
  %old = extractvalue { i32, i1 } %swap, 0
  %rmw = atomicrmw umax ptr %out, i32 %old seq_cst, align 4
  %sum = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %rmw, i32 %n)
  %total = extractvalue { i32, i1 } %sum, 0
  call void @llvm.memcpy.p0.p0.i32(ptr align 4 %local, ptr align 4 %out, i32 16, i1 false)
  call void @llvm.memset.p0.i32(ptr align 4 %local, i8 0, i32 %n, i1 false)
  %pick = load ptr, ptr addrspacecast (ptr addrspace(1) @functions to ptr), align 4
  %called = call float %pick(float %value, ptr byval(%struct.Pair) align 4 %pair)
  %deep = call i32 @recurse(i32 %n)
  %id = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  %kept = freeze i32 %id
  %choice = select i1 %inside, i32 %kept, i32 %deep
  store volatile i32 %choice, ptr %local, align 4
  fence seq_cst
  %bits = bitcast float %called to i32
  %last = xor i32 %bits, %total
  %wide = zext i32 %last to i64
  %all = add i64 %wide, %word
  store i64 %all, ptr %out, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)

declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)

attributes #0 = { convergent nounwind memory(readwrite) "target-cpu"="sm_80" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nounwind }

!9 = !DIFile(filename: "sample.cu", directory: "")
!10 = distinct !DISubprogram(name: "scale", file: !9, line: 3)
!11 = distinct !DISubprogram(name: "kernel", file: !9, line: 9)
!12 = !DILocation(line: 4, column: 10, scope: !10)
!13 = !DILocation(line: 12, column: 5, scope: !11)
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.mustprogress"}
`;
