; grid 2 2 block 2 1 n 1138850626
; seed 104336: interpreter and warp: thread 5 slot 0: 000000000000007f and 0000000000000000
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
  %v25 = and i32 -14, 1
  %v26 = add i32 %v25, 1
  br label %head27
head27:
  %v29 = phi i32 [ 127, %entry ], [ %v39, %head27 ]
  %v30 = phi i32 [ 1, %entry ], [ %v39, %head27 ]
  %v31 = phi i32 [ 0, %entry ], [ %v41, %head27 ]
  %v32 = getelementptr i64, ptr %own, i32 6
  %v33 = load i32, ptr %v32, align 4
  %v34 = insertelement <2 x i32> poison, i32 %v29, i32 0
  %v35 = insertelement <2 x i32> %v34, i32 %v33, i32 1
  %v36 = insertelement <2 x i32> poison, i32 %v33, i32 0
  %v37 = insertelement <2 x i32> %v36, i32 %v29, i32 1
  %v38 = xor <2 x i32> %v35, %v37
  %v39 = extractelement <2 x i32> %v38, i32 0
  %v41 = add i32 %v31, 1
  %v42 = icmp ult i32 %v41, %v26
  br i1 %v42, label %head27, label %exit28
exit28:
  %v43 = zext i8 -128 to i32
  %v44 = and i32 %v13, 1023
  %v45 = getelementptr i8, ptr %in, i32 %v44
  %v46 = load i8, ptr %v45, align 1
  %v47 = zext i8 %v46 to i32
  %v48 = call i32 @llvm.smin.i32(i32 %v43, i32 %v47)
  %v49 = and i32 %v48, 1
  br label %head50
head50:
  %v52 = phi i32 [ 0, %exit28 ], [ %v60, %join58 ]
  %v53 = icmp ult i32 %v52, %v49
  br i1 %v53, label %body54, label %exit51
body54:
  %v55 = icmp sgt i32 %v8, %v39
  br i1 %v55, label %then56, label %else57
then56:
  br label %join58
else57:
  br label %join58
join58:
  %v60 = add i32 %v52, 1
  br label %head50
exit51:
  %v61 = getelementptr i64, ptr %own, i32 0
  store i32 %v39, ptr %v61, align 4
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
declare i32 @llvm.smin.i32(i32, i32)
