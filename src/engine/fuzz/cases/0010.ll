; grid 1 1 block 2 1 n -1587776944
; seed 113477: interpreter and warp: thread 0 slot 3: 00000000000000bc and 0000000000000000
@sh = internal addrspace(3) global [128 x i64] undef, align 8
@cells = internal addrspace(3) global [8 x i32] undef, align 4
@ftab = internal constant [1 x ptr] [ptr @f0], align 4

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
  %v25 = and i32 %v13, 1023
  %v26 = getelementptr i8, ptr %in, i32 %v25
  %v27 = load i8, ptr %v26, align 1
  %v28 = and i32 %v9, 1
  br label %head29
head29:
  %v31 = phi i8 [ %v27, %entry ], [ 2, %body34 ]
  %v32 = phi i32 [ 0, %entry ], [ %v36, %body34 ]
  %v33 = icmp ult i32 %v32, %v28
  br i1 %v33, label %body34, label %exit30
body34:
  %v36 = add i32 %v32, 1
  br label %head29
exit30:
  %v37 = call bfloat @f0(i32 %v14, i16 1, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 -1, i32 %n)
  %v38 = getelementptr i64, ptr %own, i32 3
  store i8 %v31, ptr %v38, align 1
  ret void
}

define internal bfloat @f0(i32 %p0, i16 %p1, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n) noinline {
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
  %v16 = lshr i16 %p1, %p1
  %v17 = and i32 %v8, 511
  %v18 = getelementptr bfloat, ptr %in, i32 %v17
  %v19 = load bfloat, ptr %v18, align 2
  %v20 = and i32 %p0, 1
  br label %head21
head21:
  %v23 = phi i32 [ 0, %entry ], [ %v42, %join40 ]
  %v24 = icmp ult i32 %v23, %v20
  br i1 %v24, label %body25, label %exit22
body25:
  %v26 = getelementptr i64, ptr %own, i32 4
  %v27 = load i16, ptr %v26, align 2
  %v28 = icmp sge i16 %v27, %v16
  %v29 = getelementptr i64, ptr %own, i32 3
  %v30 = load i32, ptr %v29, align 4
  %v31 = and i32 %v30, %v8
  %v32 = select i1 false, i32 %p0, i32 %p0
  %v33 = select i1 %v28, i32 %v31, i32 %v32
  %v34 = urem i32 %v33, 5
  switch i32 %v34, label %case39 [ i32 0, label %case35 i32 1, label %case36 i32 2, label %case37 i32 3, label %case38 ]
case35:
  br label %join40
case36:
  br label %join40
case37:
  br label %join40
case38:
  br label %join40
case39:
  br label %join40
join40:
  %v42 = add i32 %v23, 1
  br label %head21
exit22:
  ret bfloat %v19
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
