; grid 1 1 block 33 1 n 1459802934
; seed 2017: interpreter and warp: thread 0 slot 2: 0000000000000021 and 0000000000000000
@sh = internal addrspace(3) global [128 x i64] undef, align 8
@cells = internal addrspace(3) global [8 x i32] undef, align 4

define ptx_kernel void @k(ptr %out, ptr %in, ptr %acc, i32 %n) {
entry:
  %v0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %v2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %v3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %v4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %v5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %v6 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %v7 = mul i32 %v1, %v2
  %v8 = add i32 %v7, %v0
  %v9 = mul i32 %v2, %v3
  %v10 = mul i32 %v5, %v6
  %v11 = add i32 %v10, %v4
  %v12 = mul i32 %v11, %v9
  %v13 = add i32 %v12, %v8
  %v14 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %v15 = mul i32 %v13, 64
  %own = getelementptr i8, ptr %out, i32 %v15
  %loc = alloca [8 x i32], align 4
  %v16 = getelementptr i32, ptr %loc, i32 0
  store i32 0, ptr %v16, align 4
  %v17 = getelementptr i32, ptr %loc, i32 1
  store i32 17, ptr %v17, align 4
  %v18 = getelementptr i32, ptr %loc, i32 2
  store i32 34, ptr %v18, align 4
  %v19 = getelementptr i32, ptr %loc, i32 3
  store i32 51, ptr %v19, align 4
  %v20 = getelementptr i32, ptr %loc, i32 4
  store i32 68, ptr %v20, align 4
  %v21 = getelementptr i32, ptr %loc, i32 5
  store i32 85, ptr %v21, align 4
  %v22 = getelementptr i32, ptr %loc, i32 6
  store i32 102, ptr %v22, align 4
  %v23 = getelementptr i32, ptr %loc, i32 7
  store i32 119, ptr %v23, align 4
  %v24 = lshr i32 %n, %n
  %v25 = icmp eq i32 %v24, %v11
  br i1 %v25, label %then26, label %else27
then26:
  %v29 = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  br label %join28
else27:
  br label %join28
join28:
  %v30 = phi i32 [ %v29, %then26 ], [ 1, %else27 ]
  %v31 = getelementptr i64, ptr %own, i32 2
  store i32 %v30, ptr %v31, align 4
  ret void
}

declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

