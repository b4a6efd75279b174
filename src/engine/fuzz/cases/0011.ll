; grid 1 1 block 32 1 n 1499261243
; seed 111878: interpreter and warp: thread 0 slot 0: 0000000042000000 and 0000000000000000
@sh = external addrspace(3) global [0 x i64], align 8
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
  %v25 = getelementptr i64, ptr %own, i32 2
  store i32 %v9, ptr %v25, align 4
  %v26 = and i32 1, 1
  %v27 = add i32 %v26, 1
  br label %head28
head28:
  %v30 = phi float [ 0x3FF0000000000000, %entry ], [ %v34, %head28 ]
  %v31 = phi i32 [ 0, %entry ], [ %v36, %head28 ]
  %v32 = getelementptr i64, ptr %own, i32 2
  %v33 = load i16, ptr %v32, align 2
  %v34 = sitofp i16 %v33 to float
  %v36 = add i32 %v31, 1
  %v37 = icmp ult i32 %v36, %v27
  br i1 %v37, label %head28, label %exit29
exit29:
  %v38 = trunc i32 1 to i1
  %v39 = and i32 %v8, 127
  %v40 = getelementptr i64, ptr %in, i32 %v39
  %v41 = load i64, ptr %v40, align 8
  %v42 = trunc i64 %v41 to i32
  %v43 = zext i1 true to i32
  %v44 = select i1 %v38, i32 %v42, i32 %v43
  %v45 = and i32 %v44, 1
  br label %head46
head46:
  %v48 = phi i32 [ 0, %exit29 ], [ %v59, %join57 ]
  %v49 = icmp ult i32 %v48, %v45
  br i1 %v49, label %body50, label %exit47
body50:
  %v51 = getelementptr i64, ptr %own, i32 2
  %v52 = load i16, ptr %v51, align 2
  %v53 = icmp eq i16 %v52, 1
  %v54 = and i1 true, %v53
  br i1 %v54, label %then55, label %else56
then55:
  br label %join57
else56:
  br label %join57
join57:
  %v59 = add i32 %v48, 1
  br label %head46
exit47:
  %v60 = fcmp uno float %v34, 0x0000000000000000
  %v61 = select i1 %v60, float 0x0000000000000000, float %v34
  %v62 = getelementptr i64, ptr %own, i32 0
  store float %v61, ptr %v62, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
