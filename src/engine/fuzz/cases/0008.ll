; grid 1 1 block 2 1 n 1720028660
; seed 108229: interpreter and warp: thread 1 slot 5: 0000000000000001 and 0000000000000000
@sh = external addrspace(3) global [0 x i64], align 8
@cells = internal addrspace(3) global [8 x i32] undef, align 4
@ftab = internal constant [2 x ptr] [ptr @f0, ptr @f1], align 4

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
  %v15 = lshr i32 %v8, 5
  %v16 = mul i32 %v13, 64
  %own = getelementptr i8, ptr %out, i32 %v16
  %loc = alloca [8 x i32], align 4
  %v17 = getelementptr i32, ptr %loc, i32 0
  store i32 0, ptr %v17, align 4
  %v18 = getelementptr i32, ptr %loc, i32 1
  store i32 17, ptr %v18, align 4
  %v19 = getelementptr i32, ptr %loc, i32 2
  store i32 34, ptr %v19, align 4
  %v20 = getelementptr i32, ptr %loc, i32 3
  store i32 51, ptr %v20, align 4
  %v21 = getelementptr i32, ptr %loc, i32 4
  store i32 68, ptr %v21, align 4
  %v22 = getelementptr i32, ptr %loc, i32 5
  store i32 85, ptr %v22, align 4
  %v23 = getelementptr i32, ptr %loc, i32 6
  store i32 102, ptr %v23, align 4
  %v24 = getelementptr i32, ptr %loc, i32 7
  store i32 119, ptr %v24, align 4
  %v25 = and i32 %v14, 127
  %v26 = getelementptr i64, ptr %in, i32 %v25
  %v27 = load i64, ptr %v26, align 8
  %v28 = and i32 1, 1
  br label %head29
head29:
  %v31 = phi i64 [ %v27, %entry ], [ 1, %body34 ]
  %v32 = phi i32 [ 0, %entry ], [ %v36, %body34 ]
  %v33 = icmp ult i32 %v32, %v28
  br i1 %v33, label %body34, label %exit30
body34:
  %v36 = add i32 %v32, 1
  br label %head29
exit30:
  %v37 = select i1 true, i32 1, i32 1
  %v38 = add i32 %v13, %v37
  %v39 = and i32 %v38, 1
  br label %head40
head40:
  %v42 = phi i64 [ %v27, %exit30 ], [ %v46, %body45 ]
  %v43 = phi i32 [ 0, %exit30 ], [ %v48, %body45 ]
  %v44 = icmp ult i32 %v43, %v39
  br i1 %v44, label %body45, label %exit41
body45:
  %v46 = call i64 @f1(i64 1, i64 %v42, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 0, i32 %n)
  %v48 = add i32 %v43, 1
  br label %head40
exit41:
  %v49 = getelementptr i64, ptr %own, i32 5
  store i64 %v31, ptr %v49, align 8
  ret void
}

define internal double @f0(i32 %p0, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n) noinline {
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
  %v15 = lshr i32 %v8, 5
  %v16 = and i32 %v14, 127
  %v17 = getelementptr i64, ptr %in, i32 %v16
  %v18 = load i64, ptr %v17, align 8
  %v19 = call i64 @llvm.ctpop.i64(i64 %v18)
  ret double 0x3FF0000000000000
}

define internal i64 @f1(i64 %p5, i64 %p6, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n) noinline {
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
  %v15 = lshr i32 %v8, 5
  %v16 = icmp ugt i32 %v15, 1
  %v17 = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %p6, i64 %p5)
  %v18 = extractvalue { i64, i1 } %v17, 0
  %v19 = and i32 %v14, 127
  %v20 = getelementptr i64, ptr %in, i32 %v19
  %v21 = load i64, ptr %v20, align 8
  %v22 = call i64 @llvm.smax.i64(i64 %p6, i64 %v21)
  %v23 = select i1 %v16, i64 %v18, i64 %v22
  %v24 = icmp ult i64 %p6, 31
  %v25 = icmp uge i8 0, 2
  %v26 = or i1 %v24, %v25
  br i1 %v26, label %then27, label %else28
then27:
  br label %join29
else28:
  br label %join29
join29:
  ret i64 %v23
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smax.i64(i64, i64)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
