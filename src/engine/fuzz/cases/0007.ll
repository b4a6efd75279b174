; grid 1 1 block 2 1 n 1481783946
; seed 108585: interpreter and warp: thread 0 slot 1: 0000000000000001 and 0000000000000000
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
  %v25 = and i32 %v8, 127
  %v26 = getelementptr double, ptr %in, i32 %v25
  %v27 = load double, ptr %v26, align 8
  %v28 = and i32 1, 255
  %v29 = getelementptr i32, ptr %in, i32 %v28
  %v30 = load i32, ptr %v29, align 4
  %v31 = mul i32 1, %v30
  %v32 = and i32 %v31, 1
  %v33 = add i32 %v32, 1
  br label %head34
head34:
  %v36 = phi i64 [ 1, %entry ], [ %v39, %head34 ]
  %v37 = phi i32 [ 0, %entry ], [ %v41, %head34 ]
  %v38 = fcmp ogt double %v27, 0x3FE0000000000000
  %v39 = select i1 %v38, i64 2, i64 %v36
  %v41 = add i32 %v37, 1
  %v42 = icmp ult i32 %v41, %v33
  br i1 %v42, label %head34, label %exit35
exit35:
  %v43 = mul i32 1, %v13
  %v44 = and i32 %v43, 1
  br label %head45
head45:
  %v47 = phi i32 [ 0, %exit35 ], [ %v57, %join55 ]
  %v48 = icmp ult i32 %v47, %v44
  br i1 %v48, label %body49, label %exit46
body49:
  %v50 = getelementptr i64, ptr %own, i32 3
  %v51 = load i32, ptr %v50, align 4
  %v52 = trunc i32 %v51 to i1
  br i1 %v52, label %then53, label %else54
then53:
  br label %join55
else54:
  br label %join55
join55:
  %v57 = add i32 %v47, 1
  br label %head45
exit46:
  %v58 = getelementptr i64, ptr %own, i32 1
  store i64 %v39, ptr %v58, align 8
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
