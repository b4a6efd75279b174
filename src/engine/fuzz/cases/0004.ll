; grid 1 1 block 33 1 n -1122560476
; seed 104024: interpreter and warp: thread 2 slot 1: 0000000000003f80 and 0000000000000000
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
  %v25 = zext i32 %v8 to i64
  %v26 = getelementptr i64, ptr addrspace(3) @sh, i32 %v8
  store i64 %v25, ptr addrspace(3) %v26, align 8
  %v27 = getelementptr i32, ptr addrspace(3) @cells, i32 0
  store i32 0, ptr addrspace(3) %v27, align 4
  %v28 = getelementptr i32, ptr addrspace(3) @cells, i32 1
  store i32 0, ptr addrspace(3) %v28, align 4
  %v29 = getelementptr i32, ptr addrspace(3) @cells, i32 2
  store i32 0, ptr addrspace(3) %v29, align 4
  %v30 = getelementptr i32, ptr addrspace(3) @cells, i32 3
  store i32 0, ptr addrspace(3) %v30, align 4
  %v31 = getelementptr i32, ptr addrspace(3) @cells, i32 4
  store i32 0, ptr addrspace(3) %v31, align 4
  %v32 = getelementptr i32, ptr addrspace(3) @cells, i32 5
  store i32 0, ptr addrspace(3) %v32, align 4
  %v33 = getelementptr i32, ptr addrspace(3) @cells, i32 6
  store i32 0, ptr addrspace(3) %v33, align 4
  %v34 = getelementptr i32, ptr addrspace(3) @cells, i32 7
  store i32 0, ptr addrspace(3) %v34, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v35 = and i32 23, 1
  %v36 = add i32 %v35, 1
  br label %head37
head37:
  %v39 = phi bfloat [ 0xR3F80, %entry ], [ %v48, %head37 ]
  %v40 = phi i32 [ 0, %entry ], [ %v50, %head37 ]
  %v41 = fcmp uno bfloat %v39, 0xR0000
  %v42 = select i1 %v41, bfloat 0xR0000, bfloat %v39
  %v43 = getelementptr i64, ptr addrspace(3) @sh, i32 %v8
  store bfloat %v42, ptr addrspace(3) %v43, align 2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v44 = getelementptr i64, ptr %own, i32 5
  %v45 = load i32, ptr %v44, align 4
  %v46 = urem i32 %v45, %v9
  %v47 = getelementptr i64, ptr addrspace(3) @sh, i32 %v46
  %v48 = load bfloat, ptr addrspace(3) %v47, align 2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v50 = add i32 %v40, 1
  %v51 = icmp ult i32 %v50, %v36
  br i1 %v51, label %head37, label %exit38
exit38:
  %v52 = and i32 %v13, 511
  %v53 = getelementptr i16, ptr %in, i32 %v52
  %v54 = load i16, ptr %v53, align 2
  %v55 = sext i16 %v54 to i32
  %v56 = insertelement <2 x i32> poison, i32 -2, i32 0
  %v57 = insertelement <2 x i32> %v56, i32 %v55, i32 1
  %v58 = insertelement <2 x i32> poison, i32 %v55, i32 0
  %v59 = insertelement <2 x i32> %v58, i32 -2, i32 1
  %v60 = add <2 x i32> %v57, %v59
  %v61 = extractelement <2 x i32> %v60, i32 0
  %v62 = call i8 @f0(i32 %v61, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 -1, i32 %n)
  %v63 = fcmp uno bfloat %v48, 0xR0000
  %v64 = select i1 %v63, bfloat 0xR0000, bfloat %v48
  %v65 = getelementptr i64, ptr %own, i32 1
  store bfloat %v64, ptr %v65, align 2
  ret void
}

define internal i8 @f0(i32 %p0, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n) noinline {
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
  %v16 = select i1 false, bfloat 0xRBF80, bfloat 0xR42C8
  %v17 = and i32 %p0, 255
  %v18 = getelementptr float, ptr %in, i32 %v17
  %v19 = load float, ptr %v18, align 4
  %v20 = fptrunc float %v19 to bfloat
  %v21 = fmul bfloat %v16, %v20
  %v22 = getelementptr i64, ptr %own, i32 2
  %v23 = load i32, ptr %v22, align 4
  %v24 = xor i32 %p0, %v23
  %v25 = call i32 @llvm.cttz.i32(i32 %v24, i1 false)
  %v26 = and i32 %v25, 1
  br label %head27
head27:
  %v29 = phi i32 [ 0, %entry ], [ %v42, %join40 ]
  %v30 = icmp ult i32 %v29, %v26
  br i1 %v30, label %body31, label %exit28
body31:
  %v32 = select i1 true, i32 %v9, i32 0
  %v33 = and i32 %p0, %v29
  %v34 = and i32 %v33, 31
  %v35 = shl i32 %v32, %v34
  %v36 = urem i32 %v35, 3
  switch i32 %v36, label %case39 [ i32 0, label %case37 i32 1, label %case38 ]
case37:
  br label %join40
case38:
  br label %join40
case39:
  br label %join40
join40:
  %v42 = add i32 %v29, 1
  br label %head27
exit28:
  ret i8 5
}

declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
