source_filename = "src/engine/suite/suite.cu"
target datalayout = "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx-nvidia-cuda"

%struct.int4 = type { i32, i32, i32, i32 }
%struct.int2 = type { i32, i32 }
%struct.double2 = type { double, double }
%struct.Pair = type { i8, i16, [3 x i32], double }
%struct.Shape = type { ptr, i32 }
%struct.Square = type { %struct.Shape }
%struct.Slab = type { %struct.Square, i32 }
%struct.Big = type { [12 x i32] }
%struct.layout = type { ptr, i32, i32 }
@table = addrspace(4) constant [16 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5, i32 8, i32 9, i32 7, i32 9, i32 3], align 4
@counter = addrspace(1) global i32 40, align 4
@weights = addrspace(1) global [4 x float] [float 5.000000e-01, float 2.500000e-01, float -1.000000e+00, float 0.000000e+00], align 4
@.str = private constant [14 x i8] c"warp and weft\00", align 1
@op_table = addrspace(1) global [3 x ptr] [ptr @_Z6op_addii, ptr @_Z6op_mulii, ptr @_Z6op_subii], align 4
@_ZZ14shared_reverseE1s = internal addrspace(3) global [128 x i32] undef, align 4
@d = external addrspace(3) global [0 x i32], align 4
@_ZZ18static_and_dynamicE1a = internal addrspace(3) global [16 x double] undef, align 8
@_ZZ18static_and_dynamicE1c = internal addrspace(3) global [5 x i8] undef, align 1
@raw = external addrspace(3) global [0 x i8], align 1
@_ZZ14tree_reductionE1s = internal addrspace(3) global [256 x i32] undef, align 4
@_ZZ16scan_two_buffersE1s = internal addrspace(3) global [2 x [256 x i32]] undef, align 4
@_ZZ9transposeE4tile = internal addrspace(3) global [16 x [17 x i32]] undef, align 4
@_ZZ12tiled_matmulE1A = internal addrspace(3) global [8 x [8 x float]] undef, align 4
@_ZZ12tiled_matmulE1B = internal addrspace(3) global [8 x [8 x float]] undef, align 4
@_ZZ18barrier_after_exitE1s = internal addrspace(3) global [128 x i32] undef, align 4
@_ZZ26barrier_in_divergent_warpsE1s = internal addrspace(3) global [64 x i32] undef, align 4
@_ZZ14named_barriersE1s = internal addrspace(3) global [128 x i32] undef, align 4
@_ZZ20uniform_loop_barrierE1s = internal addrspace(3) global [65 x i32] undef, align 4
@_ZZ17syncwarp_exchangeE1s = internal addrspace(3) global [64 x i32] undef, align 4
@_ZZ9histogramE1h = internal addrspace(3) global [16 x i32] undef, align 4
@_ZZ10last_blockE4last = internal addrspace(3) global i8 undef, align 1
@_ZTV5Shape = linkonce_odr constant { [5 x ptr] } { [5 x ptr] [ptr null, ptr null, ptr @_ZNK5Shape4areaEv, ptr @_ZN5ShapeD1Ev, ptr @_ZN5ShapeD0Ev] }, align 4
@_ZTV6Square = linkonce_odr constant { [5 x ptr] } { [5 x ptr] [ptr null, ptr null, ptr @_ZNK6Square4areaEv, ptr @_ZN6SquareD1Ev, ptr @_ZN6SquareD0Ev] }, align 4
@_ZTV4Slab = linkonce_odr constant { [5 x ptr] } { [5 x ptr] [ptr null, ptr null, ptr @_ZNK4Slab4areaEv, ptr @_ZN4SlabD1Ev, ptr @_ZN4SlabD0Ev] }, align 4
@__heddle_heap_base = addrspace(1) global i32 0, align 4
@__heddle_heap_bytes = addrspace(1) global i32 0, align 4

define ptx_kernel void @int_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %or = or i32 %4, 1
  %add5 = add nsw i32 %or, %3
  %arrayidx7.idx = shl nsw i32 %add, 5
  %arrayidx7 = getelementptr inbounds i8, ptr %out, i32 %arrayidx7.idx
  store i32 %add5, ptr %arrayidx7, align 4
  %mul8 = mul nsw i32 %or, %3
  %sub = add nsw i32 %mul8, -7
  %arrayidx11 = getelementptr i8, ptr %arrayidx7, i32 4
  store i32 %sub, ptr %arrayidx11, align 4
  %.frozen = freeze i32 %3
  %or.frozen = freeze i32 %or
  %div = sdiv i32 %.frozen, %or.frozen
  %arrayidx14 = getelementptr i8, ptr %arrayidx7, i32 8
  store i32 %div, ptr %arrayidx14, align 4
  %5 = mul i32 %div, %or.frozen
  %rem.decomposed = sub i32 %.frozen, %5
  %arrayidx17 = getelementptr i8, ptr %arrayidx7, i32 12
  store i32 %rem.decomposed, ptr %arrayidx17, align 4
  %.frozen68 = freeze i32 %3
  %or.frozen69 = freeze i32 %or
  %div18 = udiv i32 %.frozen68, %or.frozen69
  %arrayidx21 = getelementptr i8, ptr %arrayidx7, i32 16
  store i32 %div18, ptr %arrayidx21, align 4
  %6 = mul i32 %div18, %or.frozen69
  %rem22.decomposed = sub i32 %.frozen68, %6
  %arrayidx25 = getelementptr i8, ptr %arrayidx7, i32 20
  store i32 %rem22.decomposed, ptr %arrayidx25, align 4
  %and = and i32 %or, 31
  %shr = ashr i32 %3, %and
  %shl = shl i32 %3, %and
  %xor = xor i32 %shr, %shl
  %arrayidx29 = getelementptr i8, ptr %arrayidx7, i32 24
  store i32 %xor, ptr %arrayidx29, align 4
  %shr31 = lshr i32 %3, %and
  %arrayidx34 = getelementptr i8, ptr %arrayidx7, i32 28
  store i32 %shr31, ptr %arrayidx34, align 4
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)

declare void @llvm.lifetime.end.p0(ptr captures(none)) mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)

define ptx_kernel void @int64_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sext i32 %3 to i64
  %shl = shl nsw i64 %conv, 32
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %conv5 = zext i32 %4 to i64
  %or = or i64 %shl, %conv5
  %arrayidx7 = getelementptr i8, ptr %arrayidx, i32 8
  %5 = load i32, ptr %arrayidx7, align 4
  %or8 = or i32 %5, 1
  %conv9 = sext i32 %or8 to i64
  %mul10 = mul nsw i64 %conv9, 3
  %and = and i32 %3, 63
  %sh_prom = zext nneg i32 %and to i64
  %shl13 = shl i64 %or, %sh_prom
  %add11 = sub i64 %or, %shl13
  %sub = add i64 %add11, %mul10
  %add.ptr.idx = shl nsw i32 %add, 6
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  store i64 %sub, ptr %add.ptr, align 8
  %or.frozen = freeze i64 %or
  %conv9.frozen = freeze i64 %conv9
  %div = sdiv i64 %or.frozen, %conv9.frozen
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i64 %div, ptr %arrayidx16, align 8
  %6 = mul i64 %div, %conv9.frozen
  %rem.decomposed = sub i64 %or.frozen, %6
  %arrayidx17 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i64 %rem.decomposed, ptr %arrayidx17, align 8
  %or.frozen64 = freeze i64 %or
  %conv9.frozen65 = freeze i64 %conv9
  %div18 = udiv i64 %or.frozen64, %conv9.frozen65
  %arrayidx19 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i64 %div18, ptr %arrayidx19, align 8
  %7 = mul i64 %div18, %conv9.frozen65
  %rem20.decomposed = sub i64 %or.frozen64, %7
  %arrayidx21 = getelementptr inbounds i8, ptr %add.ptr, i32 32
  store i64 %rem20.decomposed, ptr %arrayidx21, align 8
  %shr = ashr i64 %or, %sh_prom
  %arrayidx25 = getelementptr inbounds i8, ptr %add.ptr, i32 40
  store i64 %shr, ptr %arrayidx25, align 8
  %shr29 = lshr i64 %or, %sh_prom
  %arrayidx30 = getelementptr inbounds i8, ptr %add.ptr, i32 48
  store i64 %shr29, ptr %arrayidx30, align 8
  %mul31 = mul nsw i64 %or, %conv9
  %arrayidx32 = getelementptr inbounds i8, ptr %add.ptr, i32 56
  store i64 %mul31, ptr %arrayidx32, align 8
  ret void
}

define ptx_kernel void @small_ints(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %shr = lshr i32 %3, 8
  %shr9 = lshr i32 %3, 12
  %mul12 = mul i32 %3, 3
  %conv13 = and i32 %shr, 255
  %add14 = add i32 %mul12, %shr
  %4 = lshr i32 %3, 4
  %sub = sub nsw i32 %4, %shr9
  %conv16 = shl nuw nsw i32 %shr9, 3
  %sext = shl i32 %add14, 24
  %conv22 = ashr exact i32 %sext, 24
  %div.lhs.trunc = trunc i32 %shr to i8
  %5 = trunc i32 %add14 to i8
  %6 = and i8 %5, 7
  %div.rhs.trunc = add nuw nsw i8 %6, 1
  %div65 = udiv i8 %div.lhs.trunc, %div.rhs.trunc
  %div.zext = zext i8 %div65 to i32
  %arrayidx30.idx = shl nsw i32 %add, 4
  %arrayidx30 = getelementptr inbounds i8, ptr %out, i32 %arrayidx30.idx
  store i32 %conv22, ptr %arrayidx30, align 4
  %arrayidx34 = getelementptr i8, ptr %arrayidx30, i32 4
  store i32 %div.zext, ptr %arrayidx34, align 4
  %sext64 = shl i32 %sub, 16
  %conv35 = ashr exact i32 %sext64, 16
  %arrayidx38 = getelementptr i8, ptr %arrayidx30, i32 8
  store i32 %conv35, ptr %arrayidx38, align 4
  %conv16.masked = and i32 %conv16, 65528
  %conv39 = or i32 %conv16.masked, %conv13
  %arrayidx42 = getelementptr i8, ptr %arrayidx30, i32 12
  store i32 %conv39, ptr %arrayidx42, align 4
  ret void
}

define ptx_kernel void @bit_functions(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = zext i32 %3 to i64
  %shl = shl nuw i64 %conv, 32
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %conv5 = zext i32 %4 to i64
  %or = or i64 %shl, %conv5
  %add.ptr.idx = mul nsw i32 %add, 48
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %call.i = call i32 @__nv_popc(i32 %3) convergent nounwind
  store i32 %call.i, ptr %add.ptr, align 4
  %call.i90 = call i32 @__nv_clz(i32 %3) convergent nounwind
  %arrayidx10 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %call.i90, ptr %arrayidx10, align 4
  %call.i91 = call i32 @__nv_ffs(i32 %3) convergent nounwind
  %arrayidx12 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %call.i91, ptr %arrayidx12, align 4
  %call.i92 = call i32 @__nv_brev(i32 %3) convergent nounwind
  %arrayidx14 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i92, ptr %arrayidx14, align 4
  %call.i93 = call i32 @__nv_popcll(i64 %or) convergent nounwind
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %call.i93, ptr %arrayidx16, align 4
  %call.i94 = call i32 @__nv_clzll(i64 %or) convergent nounwind
  %arrayidx18 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %call.i94, ptr %arrayidx18, align 4
  %call.i95 = call i32 @__nv_ffsll(i64 %or) convergent nounwind
  %arrayidx20 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %call.i95, ptr %arrayidx20, align 4
  %5 = load i32, ptr %arrayidx4, align 4
  %arrayidx24 = getelementptr i8, ptr %arrayidx, i32 8
  %6 = load i32, ptr %arrayidx24, align 4
  %and = and i32 %6, 30583
  %call.i96 = call i32 @__nv_byte_perm(i32 %3, i32 %5, i32 %and) convergent nounwind
  %arrayidx26 = getelementptr inbounds i8, ptr %add.ptr, i32 28
  store i32 %call.i96, ptr %arrayidx26, align 4
  %7 = load i32, ptr %arrayidx4, align 4
  %8 = load i32, ptr %arrayidx24, align 4
  %9 = call i32 @llvm.fshl.i32(i32 %7, i32 %3, i32 %8)
  %arrayidx32 = getelementptr inbounds i8, ptr %add.ptr, i32 32
  store i32 %9, ptr %arrayidx32, align 4
  %10 = load i32, ptr %arrayidx4, align 4
  %11 = load i32, ptr %arrayidx24, align 4
  %12 = call i32 @llvm.fshr.i32(i32 %10, i32 %3, i32 %11)
  %arrayidx38 = getelementptr inbounds i8, ptr %add.ptr, i32 36
  store i32 %12, ptr %arrayidx38, align 4
  %13 = load i32, ptr %arrayidx, align 4
  %14 = load i32, ptr %arrayidx4, align 4
  %call.i97 = call i32 @__nv_mulhi(i32 %13, i32 %14) convergent nounwind
  %arrayidx43 = getelementptr inbounds i8, ptr %add.ptr, i32 40
  store i32 %call.i97, ptr %arrayidx43, align 4
  %15 = load i32, ptr %arrayidx4, align 4
  %call.i98 = call i32 @__nv_umulhi(i32 %3, i32 %15) convergent nounwind
  %arrayidx47 = getelementptr inbounds i8, ptr %add.ptr, i32 44
  store i32 %call.i98, ptr %arrayidx47, align 4
  ret void
}

define ptx_kernel void @zero_bits(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %cmp = icmp eq i32 %add, 0
  %and = and i32 %add, 31
  %shl = shl nuw i32 1, %and
  %cond = select i1 %cmp, i32 0, i32 %shl
  %cmp3 = icmp eq i32 %add, 1
  %sh_prom = zext nneg i32 %add to i64
  %shl6 = shl nuw i64 1, %sh_prom
  %cond8 = select i1 %cmp3, i64 0, i64 %shl6
  %call.i49 = call i32 @__nv_clz(i32 %cond) convergent nounwind
  %arrayidx.idx = mul nsw i32 %add, 24
  %arrayidx = getelementptr inbounds i8, ptr %out, i32 %arrayidx.idx
  store i32 %call.i49, ptr %arrayidx, align 4
  %call.i50 = call i32 @__nv_ffs(i32 %cond) convergent nounwind
  %arrayidx14 = getelementptr i8, ptr %arrayidx, i32 4
  store i32 %call.i50, ptr %arrayidx14, align 4
  %call.i52 = call i32 @__nv_clzll(i64 %cond8) convergent nounwind
  %arrayidx18 = getelementptr i8, ptr %arrayidx, i32 8
  store i32 %call.i52, ptr %arrayidx18, align 4
  %call.i53 = call i32 @__nv_ffsll(i64 %cond8) convergent nounwind
  %arrayidx22 = getelementptr i8, ptr %arrayidx, i32 12
  store i32 %call.i53, ptr %arrayidx22, align 4
  %sub = add i32 %cond, -1
  %call.i = call i32 @__nv_popc(i32 %sub) convergent nounwind
  %arrayidx26 = getelementptr i8, ptr %arrayidx, i32 16
  store i32 %call.i, ptr %arrayidx26, align 4
  %call.i51 = call i32 @__nv_brev(i32 %cond) convergent nounwind
  %arrayidx30 = getelementptr i8, ptr %arrayidx, i32 20
  store i32 %call.i51, ptr %arrayidx30, align 4
  ret void
}

define ptx_kernel void @dot_products(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %arrayidx6 = getelementptr i8, ptr %arrayidx, i32 8
  %5 = load i32, ptr %arrayidx6, align 4
  %sext.i47 = shl i32 %3, 24
  %conv1.i48 = ashr exact i32 %sext.i47, 24
  %sext.i = shl i32 %4, 24
  %conv1.i = ashr exact i32 %sext.i, 24
  %mul.i = mul nsw i32 %conv1.i48, %conv1.i
  %add.i = add i32 %mul.i, %5
  %6 = shl i32 %3, 16
  %conv1.i48.1 = ashr i32 %6, 24
  %7 = shl i32 %4, 16
  %conv1.i.1 = ashr i32 %7, 24
  %mul.i.1 = mul nsw i32 %conv1.i48.1, %conv1.i.1
  %add.i.1 = add i32 %mul.i.1, %add.i
  %8 = shl i32 %3, 8
  %conv1.i48.2 = ashr i32 %8, 24
  %9 = shl i32 %4, 8
  %conv1.i.2 = ashr i32 %9, 24
  %mul.i.2 = mul nsw i32 %conv1.i48.2, %conv1.i.2
  %add.i.2 = add i32 %mul.i.2, %add.i.1
  %conv1.i48.3 = ashr i32 %3, 24
  %conv1.i.3 = ashr i32 %4, 24
  %mul.i.3 = mul nsw i32 %conv1.i48.3, %conv1.i.3
  %add.i.3 = add i32 %mul.i.3, %add.i.2
  %arrayidx9.idx = mul nsw i32 %add, 12
  %arrayidx9 = getelementptr inbounds i8, ptr %out, i32 %arrayidx9.idx
  store i32 %add.i.3, ptr %arrayidx9, align 4
  %conv1.i54 = and i32 %3, 255
  %conv1.i51 = and i32 %4, 255
  %mul.i40 = mul nuw nsw i32 %conv1.i54, %conv1.i51
  %add.i41 = add i32 %mul.i40, %5
  %shr.i53.1 = lshr i32 %3, 8
  %conv1.i54.1 = and i32 %shr.i53.1, 255
  %shr.i50.1 = lshr i32 %4, 8
  %conv1.i51.1 = and i32 %shr.i50.1, 255
  %mul.i40.1 = mul nuw nsw i32 %conv1.i54.1, %conv1.i51.1
  %add.i41.1 = add i32 %mul.i40.1, %add.i41
  %shr.i53.2 = lshr i32 %3, 16
  %conv1.i54.2 = and i32 %shr.i53.2, 255
  %shr.i50.2 = lshr i32 %4, 16
  %conv1.i51.2 = and i32 %shr.i50.2, 255
  %mul.i40.2 = mul nuw nsw i32 %conv1.i54.2, %conv1.i51.2
  %add.i41.2 = add i32 %mul.i40.2, %add.i41.1
  %shr.i53.3 = lshr i32 %3, 24
  %shr.i50.3 = lshr i32 %4, 24
  %mul.i40.3 = mul nuw nsw i32 %shr.i53.3, %shr.i50.3
  %add.i41.3 = add i32 %mul.i40.3, %add.i41.2
  %arrayidx13 = getelementptr i8, ptr %arrayidx9, i32 4
  store i32 %add.i41.3, ptr %arrayidx13, align 4
  %call.i43 = call i32 @__nv_sad(i32 %3, i32 %4, i32 %5) convergent nounwind
  %arrayidx17 = getelementptr i8, ptr %arrayidx9, i32 8
  store i32 %call.i43, ptr %arrayidx17, align 4
  ret void
}

define ptx_kernel void @int_minmax_abs(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %cond.i = call i32 @llvm.smin.i32(i32 %4, i32 %3)
  %arrayidx7.idx = mul nsw i32 %add, 20
  %arrayidx7 = getelementptr inbounds i8, ptr %out, i32 %arrayidx7.idx
  store i32 %cond.i, ptr %arrayidx7, align 4
  %cond.i42 = call i32 @llvm.smax.i32(i32 %3, i32 %4)
  %arrayidx11 = getelementptr i8, ptr %arrayidx7, i32 4
  store i32 %cond.i42, ptr %arrayidx11, align 4
  %cond.i43 = call i32 @llvm.umin.i32(i32 %4, i32 %3)
  %arrayidx15 = getelementptr i8, ptr %arrayidx7, i32 8
  store i32 %cond.i43, ptr %arrayidx15, align 4
  %cond.i44 = call i32 @llvm.umax.i32(i32 %3, i32 %4)
  %arrayidx19 = getelementptr i8, ptr %arrayidx7, i32 12
  store i32 %cond.i44, ptr %arrayidx19, align 4
  %call.i = call i32 @__nv_abs(i32 %3) convergent nounwind
  %arrayidx23 = getelementptr i8, ptr %arrayidx7, i32 16
  store i32 %call.i, ptr %arrayidx23, align 4
  ret void
}

define ptx_kernel void @bool_select(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %cmp = icmp sgt i32 %3, 0
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %and = and i32 %4, 1
  %tobool = icmp ne i32 %and, 0
  %loadedv.not = xor i1 %cmp, true
  %or.cond = select i1 %loadedv.not, i1 true, i1 %tobool
  %5 = select i1 %cmp, i1 true, i1 %tobool
  %cond = select i1 %5, i32 2, i32 3
  %cond9 = select i1 %or.cond, i32 %cond, i32 1
  %conv = zext i1 %cmp to i32
  %xor = xor i32 %and, %conv
  %mul13 = mul nuw nsw i32 %xor, 10
  %rem = srem i32 %3, 3
  %cmp16 = icmp eq i32 %rem, 0
  %mul18 = select i1 %cmp16, i32 100, i32 0
  %add14 = add nuw nsw i32 %mul13, %mul18
  %add19 = add nuw nsw i32 %add14, %cond9
  %arrayidx20 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add19, ptr %arrayidx20, align 4
  ret void
}

define ptx_kernel void @float_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sitofp i32 %3 to float
  %mul3 = fmul float %conv, 0x3EE4F8B580000000
  %arrayidx5 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx5, align 4
  %or = or i32 %4, 1
  %conv6 = sitofp i32 %or to float
  %mul7 = fmul float %conv6, 0x3F33A92A40000000
  %add.ptr.idx = shl nsw i32 %add, 5
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %add9 = fadd float %mul3, %mul7
  %call.i62 = call i32 @__nv_float_as_int(float %add9) convergent nounwind
  store i32 %call.i62, ptr %add.ptr, align 4
  %sub = fsub float %mul3, %mul7
  %call.i61 = call i32 @__nv_float_as_int(float %sub) convergent nounwind
  %arrayidx13 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %call.i61, ptr %arrayidx13, align 4
  %call.i63 = call float @__nv_fmul_rn(float %mul3, float %mul7) convergent nounwind
  %call.i60 = call i32 @__nv_float_as_int(float %call.i63) convergent nounwind
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %call.i60, ptr %arrayidx16, align 4
  %div = fdiv float %mul3, %mul7
  %call.i59 = call i32 @__nv_float_as_int(float %div) convergent nounwind
  %arrayidx18 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i59, ptr %arrayidx18, align 4
  %call.i65 = call float @__nv_fabsf(float %mul3) convergent nounwind
  %call.i64 = call float @__nv_sqrtf(float %call.i65) convergent nounwind
  %call.i58 = call i32 @__nv_float_as_int(float %call.i64) convergent nounwind
  %arrayidx22 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %call.i58, ptr %arrayidx22, align 4
  %fneg = fneg float %mul3
  %call.i66 = call float @__nv_fmaf(float %mul3, float %mul7, float %fneg) convergent nounwind
  %call.i57 = call i32 @__nv_float_as_int(float %call.i66) convergent nounwind
  %arrayidx25 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %call.i57, ptr %arrayidx25, align 4
  %call.i67 = call float @__nv_fminf(float %mul3, float %mul7) convergent nounwind
  %call.i56 = call i32 @__nv_float_as_int(float %call.i67) convergent nounwind
  %arrayidx28 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %call.i56, ptr %arrayidx28, align 4
  %call.i68 = call float @__nv_fmaxf(float %mul3, float %mul7) convergent nounwind
  %call.i = call i32 @__nv_float_as_int(float %call.i68) convergent nounwind
  %arrayidx31 = getelementptr inbounds i8, ptr %add.ptr, i32 28
  store i32 %call.i, ptr %arrayidx31, align 4
  ret void
}

define ptx_kernel void @double_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sitofp i32 %3 to double
  %mul3 = fmul double %conv, 1.000000e-05
  %arrayidx5 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx5, align 4
  %or = or i32 %4, 1
  %conv6 = sitofp i32 %or to double
  %mul7 = fmul double %conv6, 3.000000e-04
  %add.ptr.idx = shl nsw i32 %add, 6
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %add9 = fadd double %mul3, %mul7
  %call.i62 = call i64 @__nv_double_as_longlong(double %add9) convergent nounwind
  store i64 %call.i62, ptr %add.ptr, align 8
  %sub = fsub double %mul3, %mul7
  %call.i61 = call i64 @__nv_double_as_longlong(double %sub) convergent nounwind
  %arrayidx13 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i64 %call.i61, ptr %arrayidx13, align 8
  %call.i63 = call double @__nv_dmul_rn(double %mul3, double %mul7) convergent nounwind
  %call.i60 = call i64 @__nv_double_as_longlong(double %call.i63) convergent nounwind
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i64 %call.i60, ptr %arrayidx16, align 8
  %div = fdiv double %mul3, %mul7
  %call.i59 = call i64 @__nv_double_as_longlong(double %div) convergent nounwind
  %arrayidx18 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i64 %call.i59, ptr %arrayidx18, align 8
  %call.i65 = call double @__nv_fabs(double %mul3) convergent nounwind
  %call.i64 = call double @__nv_sqrt(double %call.i65) convergent nounwind
  %call.i58 = call i64 @__nv_double_as_longlong(double %call.i64) convergent nounwind
  %arrayidx22 = getelementptr inbounds i8, ptr %add.ptr, i32 32
  store i64 %call.i58, ptr %arrayidx22, align 8
  %fneg = fneg double %mul3
  %call.i66 = call double @__nv_fma(double %mul3, double %mul7, double %fneg) convergent nounwind
  %call.i57 = call i64 @__nv_double_as_longlong(double %call.i66) convergent nounwind
  %arrayidx25 = getelementptr inbounds i8, ptr %add.ptr, i32 40
  store i64 %call.i57, ptr %arrayidx25, align 8
  %call.i67 = call double @__nv_fmin(double %mul3, double %mul7) convergent nounwind
  %call.i56 = call i64 @__nv_double_as_longlong(double %call.i67) convergent nounwind
  %arrayidx28 = getelementptr inbounds i8, ptr %add.ptr, i32 48
  store i64 %call.i56, ptr %arrayidx28, align 8
  %call.i68 = call double @__nv_fmax(double %mul3, double %mul7) convergent nounwind
  %call.i = call i64 @__nv_double_as_longlong(double %call.i68) convergent nounwind
  %arrayidx31 = getelementptr inbounds i8, ptr %add.ptr, i32 56
  store i64 %call.i, ptr %arrayidx31, align 8
  ret void
}

define ptx_kernel void @fma_cancellation(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %conv = sitofp i32 %add to float
  %mul3 = fmul float %conv, 0x3F30000000000000
  %add4 = fadd float %mul3, 1.000000e+00
  %mul6 = fmul float %conv, 0x3F20000000000000
  %sub = fsub float 1.000000e+00, %mul6
  %conv7 = sitofp i32 %add to double
  %mul8 = fmul double %conv7, 0x3E10000000000000
  %add9 = fadd double %mul8, 1.000000e+00
  %mul11 = fmul double %conv7, 0x3E20000000000000
  %sub12 = fsub double 1.000000e+00, %mul11
  %call.i32 = call float @__nv_fmul_rn(float %add4, float %sub) convergent nounwind
  %fneg = fneg float %call.i32
  %call.i33 = call float @__nv_fmaf(float %add4, float %sub, float %fneg) convergent nounwind
  %call.i = call i32 @__nv_float_as_int(float %call.i33) convergent nounwind
  %arrayidx = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %call.i, ptr %arrayidx, align 4
  %call.i35 = call double @__nv_dmul_rn(double %add9, double %sub12) convergent nounwind
  %fneg17 = fneg double %call.i35
  %call.i36 = call double @__nv_fma(double %add9, double %sub12, double %fneg17) convergent nounwind
  %call.i34 = call i64 @__nv_double_as_longlong(double %call.i36) convergent nounwind
  %3 = getelementptr i64, ptr %out, i32 %add
  %arrayidx21 = getelementptr i8, ptr %3, i32 512
  store i64 %call.i34, ptr %arrayidx21, align 8
  ret void
}

define ptx_kernel void @float_special(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %t = alloca [8 x float], align 4
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  call void @llvm.lifetime.start.p0(ptr %t) nounwind
  store float 0.000000e+00, ptr %t, align 4
  %arrayinit.element = getelementptr inbounds i8, ptr %t, i32 4
  store float -0.000000e+00, ptr %arrayinit.element, align 4
  %arrayinit.element3 = getelementptr inbounds i8, ptr %t, i32 8
  store float 1.000000e+00, ptr %arrayinit.element3, align 4
  %arrayinit.element4 = getelementptr inbounds i8, ptr %t, i32 12
  store float -1.000000e+00, ptr %arrayinit.element4, align 4
  %arrayinit.element5 = getelementptr inbounds i8, ptr %t, i32 16
  %call.i154 = call float @__nv_int_as_float(i32 2139095040) convergent nounwind
  store float %call.i154, ptr %arrayinit.element5, align 4
  %arrayinit.element7 = getelementptr inbounds i8, ptr %t, i32 20
  %call.i153 = call float @__nv_int_as_float(i32 -8388608) convergent nounwind
  store float %call.i153, ptr %arrayinit.element7, align 4
  %arrayinit.element9 = getelementptr inbounds i8, ptr %t, i32 24
  %call.i152 = call float @__nv_int_as_float(i32 2147483647) convergent nounwind
  store float %call.i152, ptr %arrayinit.element9, align 4
  %arrayinit.element11 = getelementptr inbounds i8, ptr %t, i32 28
  store float 0x37A16C2000000000, ptr %arrayinit.element11, align 4
  %and = and i32 %add, 7
  %arrayidx = getelementptr inbounds float, ptr %t, i32 %and
  %3 = load float, ptr %arrayidx, align 4
  %shr = ashr i32 %add, 3
  %arrayidx12 = getelementptr inbounds float, ptr %t, i32 %shr
  %4 = load float, ptr %arrayidx12, align 4
  %cmp = fcmp olt float %3, %4
  %conv = zext i1 %cmp to i32
  %cmp13 = fcmp ole float %3, %4
  %shl = select i1 %cmp13, i32 2, i32 0
  %or = or i32 %shl, %conv
  %cmp15 = fcmp oeq float %3, %4
  %shl17 = select i1 %cmp15, i32 4, i32 0
  %or18 = or i32 %or, %shl17
  %cmp19 = fcmp une float %3, %4
  %shl21 = select i1 %cmp19, i32 8, i32 0
  %or22 = or i32 %or18, %shl21
  %cmp23 = fcmp ogt float %3, %4
  %shl25 = select i1 %cmp23, i32 16, i32 0
  %or26 = or i32 %or22, %shl25
  %cmp27 = fcmp oge float %3, %4
  %shl29 = select i1 %cmp27, i32 32, i32 0
  %or30 = or i32 %or26, %shl29
  %shl33 = select i1 %cmp, i32 0, i32 64
  %or34 = or i32 %or30, %shl33
  %add35 = fadd float %3, %4
  %call.i170 = call i32 @__nv_isnanf(float %add35) convergent nounwind
  %tobool.i165.not = icmp eq i32 %call.i170, 0
  %shl38 = select i1 %tobool.i165.not, i32 0, i32 128
  %or39 = or i32 %or34, %shl38
  %mul40 = fmul float %3, %4
  %call.i176 = call i32 @__nv_isinff(float %mul40) convergent nounwind
  %tobool.i167.not = icmp eq i32 %call.i176, 0
  %shl43 = select i1 %tobool.i167.not, i32 0, i32 256
  %or44 = or i32 %or39, %shl43
  %call.i177 = call i32 @__nv_signbitf(float %3) convergent nounwind
  %tobool.i169.not = icmp eq i32 %call.i177, 0
  %shl47 = select i1 %tobool.i169.not, i32 0, i32 512
  %or48 = or i32 %or44, %shl47
  %arrayidx49 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %or48, ptr %arrayidx49, align 4
  %call.i149 = call float @__nv_fminf(float %3, float %4) convergent nounwind
  %call.i171 = call i32 @__nv_isnanf(float %call.i149) convergent nounwind
  %tobool.i163.not = icmp eq i32 %call.i171, 0
  br i1 %tobool.i163.not, label %cond.false, label %cond.end

cond.false:
  %call.i148 = call float @__nv_fminf(float %3, float %4) convergent nounwind
  %call.i147 = call i32 @__nv_float_as_int(float %call.i148) convergent nounwind
  br label %cond.end

cond.end:
  %cond = phi i32 [ %call.i147, %cond.false ], [ 1, %entry ]
  %arrayidx55 = getelementptr i8, ptr %arrayidx49, i32 256
  store i32 %cond, ptr %arrayidx55, align 4
  %call.i151 = call float @__nv_fmaxf(float %3, float %4) convergent nounwind
  %call.i172 = call i32 @__nv_isnanf(float %call.i151) convergent nounwind
  %tobool.i161.not = icmp eq i32 %call.i172, 0
  br i1 %tobool.i161.not, label %cond.false59, label %cond.end62

cond.false59:
  %call.i150 = call float @__nv_fmaxf(float %3, float %4) convergent nounwind
  %call.i146 = call i32 @__nv_float_as_int(float %call.i150) convergent nounwind
  br label %cond.end62

cond.end62:
  %cond63 = phi i32 [ %call.i146, %cond.false59 ], [ 1, %cond.end ]
  %arrayidx65 = getelementptr i8, ptr %arrayidx49, i32 512
  store i32 %cond63, ptr %arrayidx65, align 4
  %call.i173 = call i32 @__nv_isnanf(float %add35) convergent nounwind
  %tobool.i159.not = icmp eq i32 %call.i173, 0
  br i1 %tobool.i159.not, label %cond.false69, label %cond.end72

cond.false69:
  %call.i145 = call i32 @__nv_float_as_int(float %add35) convergent nounwind
  br label %cond.end72

cond.end72:
  %cond73 = phi i32 [ %call.i145, %cond.false69 ], [ 1, %cond.end62 ]
  %arrayidx75 = getelementptr i8, ptr %arrayidx49, i32 768
  store i32 %cond73, ptr %arrayidx75, align 4
  %call.i174 = call i32 @__nv_isnanf(float %mul40) convergent nounwind
  %tobool.i157.not = icmp eq i32 %call.i174, 0
  br i1 %tobool.i157.not, label %cond.false79, label %cond.end82

cond.false79:
  %call.i144 = call i32 @__nv_float_as_int(float %mul40) convergent nounwind
  br label %cond.end82

cond.end82:
  %cond83 = phi i32 [ %call.i144, %cond.false79 ], [ 1, %cond.end72 ]
  %arrayidx85 = getelementptr i8, ptr %arrayidx49, i32 1024
  store i32 %cond83, ptr %arrayidx85, align 4
  %div = fdiv float %3, %4
  %call.i175 = call i32 @__nv_isnanf(float %div) convergent nounwind
  %tobool.i.not = icmp eq i32 %call.i175, 0
  br i1 %tobool.i.not, label %cond.false88, label %cond.end91

cond.false88:
  %call.i = call i32 @__nv_float_as_int(float %div) convergent nounwind
  br label %cond.end91

cond.end91:
  %cond92 = phi i32 [ %call.i, %cond.false88 ], [ 1, %cond.end82 ]
  %arrayidx94 = getelementptr i8, ptr %arrayidx49, i32 1280
  store i32 %cond92, ptr %arrayidx94, align 4
  call void @llvm.lifetime.end.p0(ptr %t) nounwind
  ret void
}

define ptx_kernel void @float_to_int(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %t = alloca [8 x float], align 4
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  call void @llvm.lifetime.start.p0(ptr %t) nounwind
  store float 0x4415AF1D80000000, ptr %t, align 4
  %arrayinit.element = getelementptr inbounds i8, ptr %t, i32 4
  store float 0xC415AF1D80000000, ptr %arrayinit.element, align 4
  %arrayinit.element3 = getelementptr inbounds i8, ptr %t, i32 8
  store float 2.500000e+00, ptr %arrayinit.element3, align 4
  %arrayinit.element4 = getelementptr inbounds i8, ptr %t, i32 12
  store float -2.500000e+00, ptr %arrayinit.element4, align 4
  %arrayinit.element5 = getelementptr inbounds i8, ptr %t, i32 16
  store float 0x41E0000000000000, ptr %arrayinit.element5, align 4
  %arrayinit.element6 = getelementptr inbounds i8, ptr %t, i32 20
  %call.i = call float @__nv_int_as_float(i32 2139095040) convergent nounwind
  store float %call.i, ptr %arrayinit.element6, align 4
  %arrayinit.element8 = getelementptr inbounds i8, ptr %t, i32 24
  store float -7.500000e-01, ptr %arrayinit.element8, align 4
  %arrayinit.element9 = getelementptr inbounds i8, ptr %t, i32 28
  store float 0x41EFFFFFE0000000, ptr %arrayinit.element9, align 4
  %cmp = icmp slt i32 %add, 8
  br i1 %cmp, label %cond.true13, label %cond.false16

cond.true13:
  %arrayidx = getelementptr inbounds float, ptr %t, i32 %add
  %3 = load float, ptr %arrayidx, align 4
  %conv15 = fpext float %3 to double
  br label %cond.end20

cond.false16:
  %arrayidx10 = getelementptr inbounds i32, ptr %in, i32 %add
  %4 = load i32, ptr %arrayidx10, align 4
  %conv = sitofp i32 %4 to float
  %mul11 = fmul float %conv, 0x3FD7AE1480000000
  %conv18 = sitofp i32 %4 to double
  %mul19 = fmul double %conv18, 1.234560e+02
  br label %cond.end20

cond.end20:
  %cond69 = phi float [ %3, %cond.true13 ], [ %mul11, %cond.false16 ]
  %cond21 = phi double [ %conv15, %cond.true13 ], [ %mul19, %cond.false16 ]
  %add.ptr.idx = mul nsw i32 %add, 48
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %conv23 = fptosi float %cond69 to i32
  store i32 %conv23, ptr %add.ptr, align 4
  %conv25 = fptoui float %cond69 to i32
  %arrayidx26 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %conv25, ptr %arrayidx26, align 4
  %call.i65 = call i32 @__nv_float2int_rn(float %cond69) convergent nounwind
  %arrayidx28 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %call.i65, ptr %arrayidx28, align 4
  %call.i66 = call i32 @__nv_float2int_ru(float %cond69) convergent nounwind
  %arrayidx30 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i66, ptr %arrayidx30, align 4
  %call.i67 = call i32 @__nv_float2int_rd(float %cond69) convergent nounwind
  %arrayidx32 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %call.i67, ptr %arrayidx32, align 4
  %conv33 = fptosi double %cond21 to i32
  %arrayidx34 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %conv33, ptr %arrayidx34, align 4
  %conv35 = fptoui double %cond21 to i32
  %arrayidx36 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %conv35, ptr %arrayidx36, align 4
  %conv37 = fptosi float %cond69 to i64
  %add.ptr38 = getelementptr inbounds i8, ptr %add.ptr, i32 32
  store i64 %conv37, ptr %add.ptr38, align 8
  %conv40 = fptoui double %cond21 to i64
  %arrayidx42 = getelementptr inbounds i8, ptr %add.ptr, i32 40
  store i64 %conv40, ptr %arrayidx42, align 8
  call void @llvm.lifetime.end.p0(ptr %t) nounwind
  ret void
}

define ptx_kernel void @int_to_float(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sext i32 %3 to i64
  %shl = shl nsw i64 %conv, 29
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %conv5 = sext i32 %4 to i64
  %add6 = add nsw i64 %shl, %conv5
  %conv8 = zext i32 %3 to i64
  %shl9 = shl nuw i64 %conv8, 32
  %conv12 = zext i32 %4 to i64
  %or = or i64 %shl9, %conv12
  %conv14 = sitofp i32 %3 to float
  %call.i69 = call i32 @__nv_float_as_int(float %conv14) convergent nounwind
  %arrayidx17.idx = shl i32 %add, 5
  %arrayidx17 = getelementptr i8, ptr %out, i32 %arrayidx17.idx
  store i32 %call.i69, ptr %arrayidx17, align 4
  %5 = load i32, ptr %arrayidx, align 4
  %conv19 = uitofp i32 %5 to float
  %call.i68 = call i32 @__nv_float_as_int(float %conv19) convergent nounwind
  %arrayidx23 = getelementptr i8, ptr %arrayidx17, i32 4
  store i32 %call.i68, ptr %arrayidx23, align 4
  %conv24 = sitofp i64 %add6 to float
  %call.i67 = call i32 @__nv_float_as_int(float %conv24) convergent nounwind
  %arrayidx28 = getelementptr i8, ptr %arrayidx17, i32 8
  store i32 %call.i67, ptr %arrayidx28, align 4
  %conv29 = uitofp i64 %or to float
  %call.i = call i32 @__nv_float_as_int(float %conv29) convergent nounwind
  %arrayidx33 = getelementptr i8, ptr %arrayidx17, i32 12
  store i32 %call.i, ptr %arrayidx33, align 4
  %conv34 = sitofp i64 %add6 to double
  %call.i71 = call i64 @__nv_double_as_longlong(double %conv34) convergent nounwind
  %arrayidx38 = getelementptr i8, ptr %arrayidx17, i32 16
  store i64 %call.i71, ptr %arrayidx38, align 8
  %conv39 = uitofp i64 %or to double
  %call.i70 = call i64 @__nv_double_as_longlong(double %conv39) convergent nounwind
  %arrayidx43 = getelementptr i8, ptr %arrayidx17, i32 24
  store i64 %call.i70, ptr %arrayidx43, align 8
  ret void
}

define ptx_kernel void @float_rounding(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %sub = add nsw i32 %add, -32
  %conv = sitofp i32 %sub to float
  %mul3 = fmul float %conv, 2.500000e-01
  %add.ptr.idx = mul nsw i32 %add, 24
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %call.i38 = call float @__nv_floorf(float %mul3) convergent nounwind
  %call.i37 = call i32 @__nv_float_as_int(float %call.i38) convergent nounwind
  store i32 %call.i37, ptr %add.ptr, align 4
  %call.i39 = call float @__nv_ceilf(float %mul3) convergent nounwind
  %call.i36 = call i32 @__nv_float_as_int(float %call.i39) convergent nounwind
  %arrayidx9 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %call.i36, ptr %arrayidx9, align 4
  %call.i40 = call float @__nv_truncf(float %mul3) convergent nounwind
  %call.i35 = call i32 @__nv_float_as_int(float %call.i40) convergent nounwind
  %arrayidx12 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %call.i35, ptr %arrayidx12, align 4
  %3 = call float @llvm.rint.f32(float %mul3)
  %call.i34 = call i32 @__nv_float_as_int(float %3) convergent nounwind
  %arrayidx15 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i34, ptr %arrayidx15, align 4
  %call.i41 = call float @__nv_roundf(float %mul3) convergent nounwind
  %call.i33 = call i32 @__nv_float_as_int(float %call.i41) convergent nounwind
  %arrayidx18 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %call.i33, ptr %arrayidx18, align 4
  %call.i42 = call float @__nv_copysignf(float 3.000000e+00, float %mul3) convergent nounwind
  %call.i = call i32 @__nv_float_as_int(float %call.i42) convergent nounwind
  %arrayidx21 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %call.i, ptr %arrayidx21, align 4
  ret void
}

define ptx_kernel void @directed_rounding(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sitofp i32 %3 to float
  %mul3 = fmul float %conv, 0x3F50624DE0000000
  %arrayidx5 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx5, align 4
  %conv6 = sitofp i32 %4 to float
  %mul7 = fmul float %conv6, 0x3F46F00680000000
  %add.ptr.idx = mul i32 %add, 40
  %add.ptr = getelementptr i8, ptr %out, i32 %add.ptr.idx
  %call.i74 = call float @__nv_fadd_rz(float %mul3, float %mul7) convergent nounwind
  %call.i72 = call i32 @__nv_float_as_int(float %call.i74) convergent nounwind
  store i32 %call.i72, ptr %add.ptr, align 4
  %call.i75 = call float @__nv_fadd_ru(float %mul3, float %mul7) convergent nounwind
  %call.i71 = call i32 @__nv_float_as_int(float %call.i75) convergent nounwind
  %arrayidx14 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %call.i71, ptr %arrayidx14, align 4
  %call.i76 = call float @__nv_fadd_rd(float %mul3, float %mul7) convergent nounwind
  %call.i70 = call i32 @__nv_float_as_int(float %call.i76) convergent nounwind
  %arrayidx17 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %call.i70, ptr %arrayidx17, align 4
  %call.i77 = call float @__nv_fmul_rz(float %mul3, float %mul7) convergent nounwind
  %call.i69 = call i32 @__nv_float_as_int(float %call.i77) convergent nounwind
  %arrayidx20 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i69, ptr %arrayidx20, align 4
  %call.i78 = call float @__nv_fmul_ru(float %mul3, float %mul7) convergent nounwind
  %call.i68 = call i32 @__nv_float_as_int(float %call.i78) convergent nounwind
  %arrayidx23 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %call.i68, ptr %arrayidx23, align 4
  %call.i79 = call float @__nv_fmaf_rd(float %mul3, float %mul7, float 1.000000e+00) convergent nounwind
  %call.i67 = call i32 @__nv_float_as_int(float %call.i79) convergent nounwind
  %arrayidx26 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %call.i67, ptr %arrayidx26, align 4
  %call.i80 = call float @__nv_fdiv_rz(float %mul3, float %mul7) convergent nounwind
  %call.i66 = call i32 @__nv_float_as_int(float %call.i80) convergent nounwind
  %arrayidx29 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %call.i66, ptr %arrayidx29, align 4
  %call.i73 = call float @__nv_fabsf(float %mul3) convergent nounwind
  %call.i81 = call float @__nv_fsqrt_ru(float %call.i73) convergent nounwind
  %call.i = call i32 @__nv_float_as_int(float %call.i81) convergent nounwind
  %arrayidx33 = getelementptr inbounds i8, ptr %add.ptr, i32 28
  store i32 %call.i, ptr %arrayidx33, align 4
  %conv34 = fpext float %mul3 to double
  %mul35 = fmul double %conv34, 1.000000e+10
  %call.i82 = call double @__nv_dadd_rz(double %mul35, double 0x3FD5555555555555) convergent nounwind
  %arrayidx39 = getelementptr i8, ptr %add.ptr, i32 32
  store double %call.i82, ptr %arrayidx39, align 8
  ret void
}

define ptx_kernel void @half_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 65535
  %conv = uitofp nneg i32 %and to float
  %mul3 = fmul float %conv, 0x3F847AE140000000
  %conv.i133 = fptrunc float %mul3 to half
  %arrayidx6 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx6, align 4
  %and7 = and i32 %4, 4095
  %conv8 = uitofp nneg i32 %and7 to float
  %mul9 = fmul float %conv8, 0x3F9EB851E0000000
  %add10 = fadd float %mul9, 1.000000e+00
  %conv.i135 = fptrunc float %add10 to half
  %add.ptr.idx = shl nsw i32 %add, 5
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %add.i = fadd half %conv.i133, %conv.i135
  %5 = bitcast half %add.i to i16
  %conv17 = zext i16 %5 to i32
  store i32 %conv17, ptr %add.ptr, align 4
  %sub.i = fsub half %conv.i133, %conv.i135
  %6 = bitcast half %sub.i to i16
  %conv24 = zext i16 %6 to i32
  %arrayidx25 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %conv24, ptr %arrayidx25, align 4
  %mul.i = fmul half %conv.i133, %conv.i135
  %7 = bitcast half %mul.i to i16
  %conv31 = zext nneg i16 %7 to i32
  %arrayidx32 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %conv31, ptr %arrayidx32, align 4
  %8 = call half @llvm.fma.f16(half %conv.i133, half %conv.i135, half %conv.i133)
  %9 = bitcast half %8 to i16
  %conv39 = zext i16 %9 to i32
  %arrayidx40 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %conv39, ptr %arrayidx40, align 4
  %10 = fneg half %conv.i133
  %11 = bitcast half %10 to i16
  %conv45 = zext i16 %11 to i32
  %arrayidx46 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %conv45, ptr %arrayidx46, align 4
  %conv.i147 = fpext half %conv.i133 to float
  %cmp.i = fcmp olt half %conv.i133, %conv.i135
  %conv50 = zext i1 %cmp.i to i32
  %or = or i32 %conv50, 2
  %arrayidx55 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %or, ptr %arrayidx55, align 4
  %call.i = call i32 @__nv_float_as_int(float %conv.i147) convergent nounwind
  %arrayidx59 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %call.i, ptr %arrayidx59, align 4
  %12 = load i32, ptr %arrayidx, align 4
  %and62 = and i32 %12, 131071
  %conv.i148 = uitofp nneg i32 %and62 to half
  %13 = bitcast half %conv.i148 to i16
  %conv65 = zext nneg i16 %13 to i32
  %arrayidx66 = getelementptr inbounds i8, ptr %add.ptr, i32 28
  store i32 %conv65, ptr %arrayidx66, align 4
  ret void
}

declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)

define ptx_kernel void @half2_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 4095
  %conv = uitofp nneg i32 %and to float
  %mul3 = fmul float %conv, 0x3FB99999A0000000
  %arrayidx5 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx5, align 4
  %and6 = and i32 %4, 255
  %conv7 = uitofp nneg i32 %and6 to float
  %mul8 = fmul float %conv7, 5.000000e-01
  %conv.i148 = fptrunc float %mul3 to half
  %conv.i = fptrunc float %mul8 to half
  %add.i14.i = fadd half %conv.i148, 0xH3E00
  %add.i.i = fadd half %conv.i, 0xHC080
  %5 = call half @llvm.fma.f16(half %conv.i148, half 0xH3E00, half %add.i14.i)
  %6 = call half @llvm.fma.f16(half %conv.i, half 0xHC080, half %add.i.i)
  %mul.i14.i = fmul half %5, 0xH3000
  %7 = bitcast half %mul.i14.i to i16
  %mul.i.i = fmul half %6, 0xH3000
  %8 = bitcast half %mul.i.i to i16
  %conv.i161 = fpext half %mul.i14.i to float
  %conv.i160 = fpext half %mul.i.i to float
  %r.sroa.7.0.insert.ext = zext i16 %8 to i32
  %r.sroa.7.0.insert.shift = shl nuw i32 %r.sroa.7.0.insert.ext, 16
  %r.sroa.0.0.insert.ext = zext i16 %7 to i32
  %r.sroa.0.0.insert.insert = or i32 %r.sroa.7.0.insert.shift, %r.sroa.0.0.insert.ext
  %arrayidx24.idx = mul nsw i32 %add, 12
  %arrayidx24 = getelementptr inbounds i8, ptr %out, i32 %arrayidx24.idx
  store i32 %r.sroa.0.0.insert.insert, ptr %arrayidx24, align 4
  %call.i68 = call i32 @__nv_float_as_int(float %conv.i161) convergent nounwind
  %arrayidx28 = getelementptr i8, ptr %arrayidx24, i32 4
  store i32 %call.i68, ptr %arrayidx28, align 4
  %call.i = call i32 @__nv_float_as_int(float %conv.i160) convergent nounwind
  %arrayidx32 = getelementptr i8, ptr %arrayidx24, i32 8
  store i32 %call.i, ptr %arrayidx32, align 4
  ret void
}

define ptx_kernel void @bf16_arithmetic(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %conv = sitofp i32 %3 to float
  %mul3 = fmul float %conv, 0x3F50624DE0000000
  %conv.i = fptrunc float %mul3 to bfloat
  %arrayidx6 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx6, align 4
  %and = and i32 %4, 4095
  %conv7 = uitofp nneg i32 %and to float
  %mul8 = fmul float %conv7, 0x3F9EB851E0000000
  %add9 = fadd float %mul8, 1.000000e+00
  %conv.i89 = fptrunc float %add9 to bfloat
  %add.ptr.idx = mul nsw i32 %add, 20
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %unpromotion.i = fadd bfloat %conv.i, %conv.i89
  %5 = bitcast bfloat %unpromotion.i to i16
  %conv16 = zext i16 %5 to i32
  store i32 %conv16, ptr %add.ptr, align 4
  %unpromotion.i72 = fmul bfloat %conv.i, %conv.i89
  %6 = bitcast bfloat %unpromotion.i72 to i16
  %conv23 = zext i16 %6 to i32
  %arrayidx24 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %conv23, ptr %arrayidx24, align 4
  %7 = call bfloat @llvm.fma.bf16(bfloat %conv.i, bfloat %conv.i89, bfloat %conv.i)
  %8 = bitcast bfloat %7 to i16
  %conv31 = zext i16 %8 to i32
  %arrayidx32 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %conv31, ptr %arrayidx32, align 4
  %conv.i96 = fpext bfloat %conv.i to float
  %call.i = call i32 @__nv_float_as_int(float %conv.i96) convergent nounwind
  %arrayidx36 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %call.i, ptr %arrayidx36, align 4
  %unpromotion.i86 = fsub bfloat %conv.i, %conv.i89
  %9 = bitcast bfloat %unpromotion.i86 to i16
  %conv42 = zext i16 %9 to i32
  %arrayidx43 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %conv42, ptr %arrayidx43, align 4
  ret void
}

define ptx_kernel void @divergent_if(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 1
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.else8, label %if.then

if.then:
  %and3 = and i32 %3, 2
  %tobool4.not = icmp eq i32 %and3, 0
  br i1 %tobool4.not, label %if.else, label %if.then5

if.then5:
  %mul6 = mul nsw i32 %3, 3
  br label %if.end17

if.else:
  %add7 = add nsw i32 %3, 100
  br label %if.end17

if.else8:
  %and9 = and i32 %3, 4
  %tobool10.not = icmp eq i32 %and9, 0
  br i1 %tobool10.not, label %if.else12, label %if.then11

if.then11:
  %xor = xor i32 %3, 21845
  br label %if.end17

if.else12:
  %sub = sub nsw i32 %3, %add
  %rem = srem i32 %add, 3
  %cmp = icmp eq i32 %rem, 0
  %sub14 = sub nsw i32 0, %sub
  %spec.select = select i1 %cmp, i32 %sub14, i32 %sub
  br label %if.end17

if.end17:
  %v.0 = phi i32 [ %mul6, %if.then5 ], [ %add7, %if.else ], [ %xor, %if.then11 ], [ %spec.select, %if.else12 ]
  %arrayidx18 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %v.0, ptr %arrayidx18, align 4
  ret void
}

define ptx_kernel void @divergent_loop(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 31
  %cmp20.not = icmp eq i32 %and, 0
  br i1 %cmp20.not, label %cleanup, label %for.body

for.body:
  %k.022 = phi i32 [ %inc, %for.inc ], [ 0, %entry ]
  %s.021 = phi i32 [ %s.1, %for.inc ], [ 0, %entry ]
  %xor = xor i32 %k.022, %add
  %and3 = and i32 %xor, 4
  %tobool.not = icmp eq i32 %and3, 0
  br i1 %tobool.not, label %if.end, label %for.inc

if.end:
  %arrayidx4 = getelementptr inbounds i32, ptr %in, i32 %k.022
  %4 = load i32, ptr %arrayidx4, align 4
  %xor5 = xor i32 %4, %k.022
  %add6 = add nsw i32 %xor5, %s.021
  %rem = srem i32 %add6, 37
  %cmp7 = icmp eq i32 %rem, 11
  br i1 %cmp7, label %cleanup, label %for.inc

for.inc:
  %s.1 = phi i32 [ %s.021, %for.body ], [ %add6, %if.end ]
  %inc = add nuw nsw i32 %k.022, 1
  %exitcond.not = icmp eq i32 %inc, %and
  br i1 %exitcond.not, label %cleanup, label %for.body, !llvm.loop !1

cleanup:
  %s.2 = phi i32 [ 0, %entry ], [ %add6, %if.end ], [ %s.1, %for.inc ]
  %arrayidx10 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %s.2, ptr %arrayidx10, align 4
  ret void
}

define ptx_kernel void @nested_loops(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %and = and i32 %add, 7
  %cmp37.not = icmp eq i32 %and, 0
  br i1 %cmp37.not, label %cleanup16, label %for.cond3.preheader.lr.ph

for.cond3.preheader.lr.ph:
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and4 = and i32 %3, 15
  br label %for.cond3.preheader

for.cond3.preheader:
  %a.039 = phi i32 [ 0, %for.cond3.preheader.lr.ph ], [ %inc15, %for.inc14 ]
  %s.038 = phi i32 [ 0, %for.cond3.preheader.lr.ph ], [ %s.1.lcssa, %for.inc14 ]
  %cmp5.not34 = icmp ult i32 %a.039, %and4
  br i1 %cmp5.not34, label %for.body7, label %for.inc14

for.body7:
  %b.036 = phi i32 [ %inc, %if.end ], [ %a.039, %for.cond3.preheader ]
  %s.135 = phi i32 [ %add13, %if.end ], [ %s.038, %for.cond3.preheader ]
  %cmp8 = icmp eq i32 %b.036, 9
  br i1 %cmp8, label %cleanup16, label %if.end

if.end:
  %mul9 = mul nsw i32 %s.135, 31
  %mul10 = mul nuw nsw i32 %b.036, %a.039
  %add11 = add nsw i32 %mul10, %mul9
  %arrayidx12 = getelementptr inbounds i32, ptr %in, i32 %b.036
  %4 = load i32, ptr %arrayidx12, align 4
  %add13 = add nsw i32 %add11, %4
  %inc = add nuw nsw i32 %b.036, 1
  %exitcond.not = icmp eq i32 %inc, %and4
  br i1 %exitcond.not, label %for.inc14, label %for.body7, !llvm.loop !1

for.inc14:
  %s.1.lcssa = phi i32 [ %s.038, %for.cond3.preheader ], [ %add13, %if.end ]
  %inc15 = add nuw nsw i32 %a.039, 1
  %exitcond43.not = icmp eq i32 %inc15, %and
  br i1 %exitcond43.not, label %cleanup16, label %for.cond3.preheader, !llvm.loop !1

cleanup16:
  %s.2 = phi i32 [ %s.135, %for.body7 ], [ 0, %entry ], [ %s.1.lcssa, %for.inc14 ]
  %arrayidx19 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %s.2, ptr %arrayidx19, align 4
  ret void
}

define ptx_kernel void @switches(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 15
  switch i32 %and, label %sw.default [ i32 0, label %sw.epilog i32 1, label %sw.bb3 i32 2, label %sw.bb3 i32 3, label %sw.bb5 i32 7, label %sw.bb7 i32 11, label %sw.bb8 i32 15, label %sw.bb11 ]

sw.bb3:
  %add4 = add nsw i32 %3, 5
  br label %sw.bb5

sw.bb5:
  %v.0 = phi i32 [ %add4, %sw.bb3 ], [ %3, %entry ]
  %mul6 = shl nsw i32 %v.0, 1
  br label %sw.epilog

sw.bb7:
  %not = xor i32 %3, -1
  br label %sw.epilog

sw.bb8:
  %4 = getelementptr i32, ptr %out, i32 %add
  %arrayidx10 = getelementptr i8, ptr %4, i32 512
  store i32 %3, ptr %arrayidx10, align 4
  br label %cleanup

sw.bb11:
  br label %sw.default

sw.default:
  %v.1 = phi i32 [ %3, %entry ], [ 0, %sw.bb11 ]
  %xor = xor i32 %v.1, %add
  br label %sw.epilog

sw.epilog:
  %v.2 = phi i32 [ %xor, %sw.default ], [ %not, %sw.bb7 ], [ %mul6, %sw.bb5 ], [ 1, %entry ]
  %arrayidx12 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %v.2, ptr %arrayidx12, align 4
  br label %cleanup

cleanup:
  ret void
}

define ptx_kernel void @early_exit(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 1
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %for.cond.preheader, label %cleanup13

for.cond.preheader:
  %and4 = and i32 %3, 62
  %4 = or i32 %and4, 1
  br label %if.end7

if.end7:
  %k.026 = phi i32 [ 0, %for.cond.preheader ], [ %inc, %for.inc ]
  %arrayidx8 = getelementptr inbounds i32, ptr %in, i32 %k.026
  %5 = load i32, ptr %arrayidx8, align 4
  %cmp9 = icmp eq i32 %5, %add
  br i1 %cmp9, label %cleanup13.sink.split, label %for.inc

for.inc:
  %inc = add nuw nsw i32 %k.026, 1
  %exitcond.not = icmp eq i32 %k.026, %and4
  br i1 %exitcond.not, label %cleanup13.sink.split, label %if.end7, !llvm.loop !1

cleanup13.sink.split:
  %.sink = phi i32 [ %4, %for.inc ], [ -1, %if.end7 ]
  %arrayidx6 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %.sink, ptr %arrayidx6, align 4
  br label %cleanup13

cleanup13:
  ret void
}

define ptx_kernel void @collatz(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 65535
  %cmp.not14 = icmp eq i32 %and, 0
  br i1 %cmp.not14, label %while.end, label %while.body.preheader

while.body.preheader:
  %add3 = add nuw nsw i32 %and, 1
  br label %while.body

while.body:
  %steps.016 = phi i32 [ %inc, %while.body ], [ 0, %while.body.preheader ]
  %n.015 = phi i32 [ %cond, %while.body ], [ %add3, %while.body.preheader ]
  %and4 = and i32 %n.015, 1
  %tobool.not = icmp eq i32 %and4, 0
  %mul5 = mul i32 %n.015, 3
  %add6 = add i32 %mul5, 1
  %div13 = lshr exact i32 %n.015, 1
  %cond = select i1 %tobool.not, i32 %div13, i32 %add6
  %inc = add nuw nsw i32 %steps.016, 1
  %cmp.not = icmp eq i32 %cond, 1
  br i1 %cmp.not, label %while.end, label %while.body, !llvm.loop !1

while.end:
  %steps.0.lcssa = phi i32 [ 0, %entry ], [ %inc, %while.body ]
  %arrayidx7 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %steps.0.lcssa, ptr %arrayidx7, align 4
  ret void
}

define ptx_kernel void @gcd_do_while(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 65535
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 4
  %4 = load i32, ptr %arrayidx4, align 4
  %and5 = and i32 %4, 65535
  %add6 = add nuw nsw i32 %and5, 1
  br label %do.body

do.body:
  %b.0 = phi i32 [ %add6, %entry ], [ %rem, %do.body ]
  %a.0 = phi i32 [ %and, %entry ], [ %b.0, %do.body ]
  %rem = urem i32 %a.0, %b.0
  %tobool.not = icmp eq i32 %rem, 0
  br i1 %tobool.not, label %do.end, label %do.body, !llvm.loop !1

do.end:
  %arrayidx7 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %b.0, ptr %arrayidx7, align 4
  ret void
}

define ptx_kernel void @indices_1d(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: write) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %mul = mul i32 %0, 1000
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %mul3 = mul i32 %2, 100000
  %add4 = add i32 %add, %mul3
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul6 = mul nuw nsw i32 %3, 1000000
  %add7 = add i32 %add4, %mul6
  %mul10 = mul i32 %0, %3
  %4 = getelementptr i32, ptr %out, i32 %mul10
  %arrayidx = getelementptr i32, ptr %4, i32 %1
  store i32 %add7, ptr %arrayidx, align 4
  ret void
}

define ptx_kernel void @indices_3d(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: write) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %mul = mul nuw i32 %3, %4
  %add = add nuw i32 %mul, %2
  %mul5 = mul i32 %add, %1
  %add6 = add i32 %mul5, %0
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %8 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %9 = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %mul12 = mul nuw nsw i32 %8, %9
  %add13 = add nuw nsw i32 %mul12, %7
  %mul14 = mul nuw nsw i32 %add13, %6
  %shl = shl nuw nsw i32 %7, 4
  %shl19 = shl nuw nsw i32 %9, 8
  %shl22 = shl i32 %0, 12
  %shl25 = shl nuw i32 %2, 16
  %shl28 = shl i32 %4, 20
  %10 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %shl31 = shl nuw nsw i32 %10, 24
  %11 = or i32 %shl19, %shl
  %12 = or i32 %11, %shl22
  %13 = or i32 %12, %shl25
  %14 = or i32 %13, %shl28
  %15 = or i32 %14, %shl31
  %or32 = or i32 %15, %5
  %.idx = mul i32 %add6, 240
  %16 = getelementptr i8, ptr %out, i32 %.idx
  %17 = getelementptr i32, ptr %16, i32 %5
  %arrayidx = getelementptr i32, ptr %17, i32 %mul14
  store i32 %or32, ptr %arrayidx, align 4
  ret void
}

define ptx_kernel void @lanes(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: write) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %mul = shl nuw nsw i32 %1, 3
  %add = add nuw nsw i32 %mul, %0
  %ptx = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %div567 = lshr i32 %add, 5
  %mul2 = mul i32 %ptx, 100
  %add3 = add i32 %mul2, %div567
  %arrayidx = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add3, ptr %arrayidx, align 4
  ret void
}

define ptx_kernel void @byte_access(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %mul3 = mul nsw i32 %add, 3
  %arrayidx = getelementptr inbounds i8, ptr %in, i32 %mul3
  %3 = load i8, ptr %arrayidx, align 1
  %conv = sext i8 %3 to i32
  %arrayidx5.idx = mul nsw i32 %add, 10
  %arrayidx5 = getelementptr inbounds i8, ptr %in, i32 %arrayidx5.idx
  %4 = load i16, ptr %arrayidx5, align 2
  %conv6 = zext i16 %4 to i32
  %add7 = add nsw i32 %conv6, %conv
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add7, ptr %arrayidx8, align 4
  %arrayidx9 = getelementptr inbounds i8, ptr %in, i32 %add
  %5 = load i8, ptr %arrayidx9, align 1
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 256
  %arrayidx10 = getelementptr inbounds i8, ptr %add.ptr, i32 %add
  store i8 %5, ptr %arrayidx10, align 1
  %arrayidx11 = getelementptr inbounds i16, ptr %in, i32 %add
  %6 = load i16, ptr %arrayidx11, align 2
  %add.ptr12 = getelementptr inbounds i8, ptr %out, i32 512
  %xor = xor i32 %add, 1
  %arrayidx13 = getelementptr inbounds i16, ptr %add.ptr12, i32 %xor
  store i16 %6, ptr %arrayidx13, align 2
  ret void
}

define ptx_kernel void @vector_access(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds %struct.int4, ptr %in, i32 %add
  %v.sroa.0.0.copyload = load i32, ptr %arrayidx, align 16
  %v.sroa.6.0.arrayidx.sroa_idx = getelementptr inbounds i8, ptr %arrayidx, i32 4
  %v.sroa.6.0.copyload = load i32, ptr %v.sroa.6.0.arrayidx.sroa_idx, align 4
  %v.sroa.7.0.arrayidx.sroa_idx = getelementptr inbounds i8, ptr %arrayidx, i32 8
  %v.sroa.7.0.copyload = load i32, ptr %v.sroa.7.0.arrayidx.sroa_idx, align 8
  %v.sroa.8.0.arrayidx.sroa_idx = getelementptr inbounds i8, ptr %arrayidx, i32 12
  %v.sroa.8.0.copyload = load i32, ptr %v.sroa.8.0.arrayidx.sroa_idx, align 4
  %f.sroa.0.0.copyload = load float, ptr %in, align 8
  %add4 = add nsw i32 %v.sroa.8.0.copyload, %v.sroa.0.0.copyload
  %arrayidx5 = getelementptr inbounds %struct.int4, ptr %out, i32 %add
  store i32 %add4, ptr %arrayidx5, align 16
  %v.sroa.6.0.arrayidx5.sroa_idx = getelementptr inbounds i8, ptr %arrayidx5, i32 4
  store i32 %v.sroa.6.0.copyload, ptr %v.sroa.6.0.arrayidx5.sroa_idx, align 4
  %v.sroa.7.0.arrayidx5.sroa_idx = getelementptr inbounds i8, ptr %arrayidx5, i32 8
  store i32 %v.sroa.7.0.copyload, ptr %v.sroa.7.0.arrayidx5.sroa_idx, align 8
  %v.sroa.8.0.arrayidx5.sroa_idx = getelementptr inbounds i8, ptr %arrayidx5, i32 12
  store i32 %v.sroa.8.0.copyload, ptr %v.sroa.8.0.arrayidx5.sroa_idx, align 4
  %cmp = fcmp uno float %f.sroa.0.0.copyload, 0.000000e+00
  %conv = zext i1 %cmp to i32
  %xor = xor i32 %v.sroa.7.0.copyload, %conv
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 2048
  %arrayidx9 = getelementptr inbounds %struct.int2, ptr %add.ptr, i32 %add
  store i32 %v.sroa.6.0.copyload, ptr %arrayidx9, align 8
  %ref.tmp.sroa.4.0.arrayidx9.sroa_idx = getelementptr inbounds i8, ptr %arrayidx9, i32 4
  store i32 %xor, ptr %ref.tmp.sroa.4.0.arrayidx9.sroa_idx, align 4
  %conv10 = sitofp i32 %add to double
  %sub = sub nsw i32 0, %add
  %conv11 = sitofp i32 %sub to double
  %add.ptr13 = getelementptr inbounds i8, ptr %out, i32 4096
  %arrayidx14 = getelementptr inbounds %struct.double2, ptr %add.ptr13, i32 %add
  store double %conv10, ptr %arrayidx14, align 16
  %d.sroa.4.0.arrayidx14.sroa_idx = getelementptr inbounds i8, ptr %arrayidx14, i32 8
  store double %conv11, ptr %d.sroa.4.0.arrayidx14.sroa_idx, align 8
  ret void
}

define ptx_kernel void @local_array(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %a = alloca [17 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr %a) nounwind
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %3 = getelementptr i32, ptr %in, i32 %add
  %4 = load i32, ptr %3, align 4
  store i32 %4, ptr %a, align 4
  %arrayidx.1 = getelementptr i8, ptr %3, i32 4
  %5 = load i32, ptr %arrayidx.1, align 4
  %arrayidx4.1 = getelementptr inbounds i8, ptr %a, i32 4
  store i32 %5, ptr %arrayidx4.1, align 4
  %arrayidx.2 = getelementptr i8, ptr %3, i32 8
  %6 = load i32, ptr %arrayidx.2, align 4
  %arrayidx4.2 = getelementptr inbounds i8, ptr %a, i32 8
  store i32 %6, ptr %arrayidx4.2, align 4
  %arrayidx.3 = getelementptr i8, ptr %3, i32 12
  %7 = load i32, ptr %arrayidx.3, align 4
  %arrayidx4.3 = getelementptr inbounds i8, ptr %a, i32 12
  store i32 %7, ptr %arrayidx4.3, align 4
  %arrayidx.4 = getelementptr i8, ptr %3, i32 16
  %8 = load i32, ptr %arrayidx.4, align 4
  %arrayidx4.4 = getelementptr inbounds i8, ptr %a, i32 16
  store i32 %8, ptr %arrayidx4.4, align 4
  %arrayidx.5 = getelementptr i8, ptr %3, i32 20
  %9 = load i32, ptr %arrayidx.5, align 4
  %arrayidx4.5 = getelementptr inbounds i8, ptr %a, i32 20
  store i32 %9, ptr %arrayidx4.5, align 4
  %arrayidx.6 = getelementptr i8, ptr %3, i32 24
  %10 = load i32, ptr %arrayidx.6, align 4
  %arrayidx4.6 = getelementptr inbounds i8, ptr %a, i32 24
  store i32 %10, ptr %arrayidx4.6, align 4
  %arrayidx.7 = getelementptr i8, ptr %3, i32 28
  %11 = load i32, ptr %arrayidx.7, align 4
  %arrayidx4.7 = getelementptr inbounds i8, ptr %a, i32 28
  store i32 %11, ptr %arrayidx4.7, align 4
  %arrayidx.8 = getelementptr i8, ptr %3, i32 32
  %12 = load i32, ptr %arrayidx.8, align 4
  %arrayidx4.8 = getelementptr inbounds i8, ptr %a, i32 32
  store i32 %12, ptr %arrayidx4.8, align 4
  %arrayidx.9 = getelementptr i8, ptr %3, i32 36
  %13 = load i32, ptr %arrayidx.9, align 4
  %arrayidx4.9 = getelementptr inbounds i8, ptr %a, i32 36
  store i32 %13, ptr %arrayidx4.9, align 4
  %arrayidx.10 = getelementptr i8, ptr %3, i32 40
  %14 = load i32, ptr %arrayidx.10, align 4
  %arrayidx4.10 = getelementptr inbounds i8, ptr %a, i32 40
  store i32 %14, ptr %arrayidx4.10, align 4
  %arrayidx.11 = getelementptr i8, ptr %3, i32 44
  %15 = load i32, ptr %arrayidx.11, align 4
  %arrayidx4.11 = getelementptr inbounds i8, ptr %a, i32 44
  store i32 %15, ptr %arrayidx4.11, align 4
  %arrayidx.12 = getelementptr i8, ptr %3, i32 48
  %16 = load i32, ptr %arrayidx.12, align 4
  %arrayidx4.12 = getelementptr inbounds i8, ptr %a, i32 48
  store i32 %16, ptr %arrayidx4.12, align 4
  %arrayidx.13 = getelementptr i8, ptr %3, i32 52
  %17 = load i32, ptr %arrayidx.13, align 4
  %arrayidx4.13 = getelementptr inbounds i8, ptr %a, i32 52
  store i32 %17, ptr %arrayidx4.13, align 4
  %arrayidx.14 = getelementptr i8, ptr %3, i32 56
  %18 = load i32, ptr %arrayidx.14, align 4
  %arrayidx4.14 = getelementptr inbounds i8, ptr %a, i32 56
  store i32 %18, ptr %arrayidx4.14, align 4
  %arrayidx.15 = getelementptr i8, ptr %3, i32 60
  %19 = load i32, ptr %arrayidx.15, align 4
  %arrayidx4.15 = getelementptr inbounds i8, ptr %a, i32 60
  store i32 %19, ptr %arrayidx4.15, align 4
  %arrayidx.16 = getelementptr i8, ptr %3, i32 64
  %20 = load i32, ptr %arrayidx.16, align 4
  %arrayidx4.16 = getelementptr inbounds i8, ptr %a, i32 64
  store i32 %20, ptr %arrayidx4.16, align 4
  br label %for.body9

for.cond.cleanup8:
  %rem19 = urem i32 %4, 17
  %arrayidx20 = getelementptr inbounds i32, ptr %a, i32 %rem19
  %21 = load i32, ptr %arrayidx20, align 4
  %arrayidx21 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %21, ptr %arrayidx21, align 4
  %22 = load i32, ptr %arrayidx4.3, align 4
  %arrayidx24 = getelementptr i8, ptr %arrayidx21, i32 256
  store i32 %22, ptr %arrayidx24, align 4
  call void @llvm.lifetime.end.p0(ptr %a) nounwind
  ret void

for.body9:
  %k5.039 = phi i32 [ %inc16, %for.body9 ], [ 0, %entry ]
  %arrayidx10 = getelementptr inbounds i32, ptr %a, i32 %k5.039
  %23 = load i32, ptr %arrayidx10, align 4
  %rem = urem i32 %23, 17
  %arrayidx11 = getelementptr inbounds i32, ptr %a, i32 %rem
  %24 = load i32, ptr %arrayidx11, align 4
  store i32 %23, ptr %arrayidx11, align 4
  store i32 %24, ptr %arrayidx10, align 4
  %inc16 = add nuw nsw i32 %k5.039, 1
  %exitcond.not = icmp eq i32 %inc16, 17
  br i1 %exitcond.not, label %for.cond.cleanup8, label %for.body9, !llvm.loop !1
}

define ptx_kernel void @local_sort(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %a = alloca [24 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr %a) nounwind
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %.idx50 = mul i32 %add, 96
  %3 = getelementptr i8, ptr %in, i32 %.idx50
  %4 = load i32, ptr %3, align 4
  store i32 %4, ptr %a, align 4
  %arrayidx.1 = getelementptr i8, ptr %3, i32 4
  %5 = load i32, ptr %arrayidx.1, align 4
  %arrayidx5.1 = getelementptr inbounds i8, ptr %a, i32 4
  store i32 %5, ptr %arrayidx5.1, align 4
  %arrayidx.2 = getelementptr i8, ptr %3, i32 8
  %6 = load i32, ptr %arrayidx.2, align 4
  %arrayidx5.2 = getelementptr inbounds i8, ptr %a, i32 8
  store i32 %6, ptr %arrayidx5.2, align 4
  %arrayidx.3 = getelementptr i8, ptr %3, i32 12
  %7 = load i32, ptr %arrayidx.3, align 4
  %arrayidx5.3 = getelementptr inbounds i8, ptr %a, i32 12
  store i32 %7, ptr %arrayidx5.3, align 4
  %arrayidx.4 = getelementptr i8, ptr %3, i32 16
  %8 = load i32, ptr %arrayidx.4, align 4
  %arrayidx5.4 = getelementptr inbounds i8, ptr %a, i32 16
  store i32 %8, ptr %arrayidx5.4, align 4
  %arrayidx.5 = getelementptr i8, ptr %3, i32 20
  %9 = load i32, ptr %arrayidx.5, align 4
  %arrayidx5.5 = getelementptr inbounds i8, ptr %a, i32 20
  store i32 %9, ptr %arrayidx5.5, align 4
  %arrayidx.6 = getelementptr i8, ptr %3, i32 24
  %10 = load i32, ptr %arrayidx.6, align 4
  %arrayidx5.6 = getelementptr inbounds i8, ptr %a, i32 24
  store i32 %10, ptr %arrayidx5.6, align 4
  %arrayidx.7 = getelementptr i8, ptr %3, i32 28
  %11 = load i32, ptr %arrayidx.7, align 4
  %arrayidx5.7 = getelementptr inbounds i8, ptr %a, i32 28
  store i32 %11, ptr %arrayidx5.7, align 4
  %arrayidx.8 = getelementptr i8, ptr %3, i32 32
  %12 = load i32, ptr %arrayidx.8, align 4
  %arrayidx5.8 = getelementptr inbounds i8, ptr %a, i32 32
  store i32 %12, ptr %arrayidx5.8, align 4
  %arrayidx.9 = getelementptr i8, ptr %3, i32 36
  %13 = load i32, ptr %arrayidx.9, align 4
  %arrayidx5.9 = getelementptr inbounds i8, ptr %a, i32 36
  store i32 %13, ptr %arrayidx5.9, align 4
  %arrayidx.10 = getelementptr i8, ptr %3, i32 40
  %14 = load i32, ptr %arrayidx.10, align 4
  %arrayidx5.10 = getelementptr inbounds i8, ptr %a, i32 40
  store i32 %14, ptr %arrayidx5.10, align 4
  %arrayidx.11 = getelementptr i8, ptr %3, i32 44
  %15 = load i32, ptr %arrayidx.11, align 4
  %arrayidx5.11 = getelementptr inbounds i8, ptr %a, i32 44
  store i32 %15, ptr %arrayidx5.11, align 4
  %arrayidx.12 = getelementptr i8, ptr %3, i32 48
  %16 = load i32, ptr %arrayidx.12, align 4
  %arrayidx5.12 = getelementptr inbounds i8, ptr %a, i32 48
  store i32 %16, ptr %arrayidx5.12, align 4
  %arrayidx.13 = getelementptr i8, ptr %3, i32 52
  %17 = load i32, ptr %arrayidx.13, align 4
  %arrayidx5.13 = getelementptr inbounds i8, ptr %a, i32 52
  store i32 %17, ptr %arrayidx5.13, align 4
  %arrayidx.14 = getelementptr i8, ptr %3, i32 56
  %18 = load i32, ptr %arrayidx.14, align 4
  %arrayidx5.14 = getelementptr inbounds i8, ptr %a, i32 56
  store i32 %18, ptr %arrayidx5.14, align 4
  %arrayidx.15 = getelementptr i8, ptr %3, i32 60
  %19 = load i32, ptr %arrayidx.15, align 4
  %arrayidx5.15 = getelementptr inbounds i8, ptr %a, i32 60
  store i32 %19, ptr %arrayidx5.15, align 4
  %arrayidx.16 = getelementptr i8, ptr %3, i32 64
  %20 = load i32, ptr %arrayidx.16, align 4
  %arrayidx5.16 = getelementptr inbounds i8, ptr %a, i32 64
  store i32 %20, ptr %arrayidx5.16, align 4
  %arrayidx.17 = getelementptr i8, ptr %3, i32 68
  %21 = load i32, ptr %arrayidx.17, align 4
  %arrayidx5.17 = getelementptr inbounds i8, ptr %a, i32 68
  store i32 %21, ptr %arrayidx5.17, align 4
  %arrayidx.18 = getelementptr i8, ptr %3, i32 72
  %22 = load i32, ptr %arrayidx.18, align 4
  %arrayidx5.18 = getelementptr inbounds i8, ptr %a, i32 72
  store i32 %22, ptr %arrayidx5.18, align 4
  %arrayidx.19 = getelementptr i8, ptr %3, i32 76
  %23 = load i32, ptr %arrayidx.19, align 4
  %arrayidx5.19 = getelementptr inbounds i8, ptr %a, i32 76
  store i32 %23, ptr %arrayidx5.19, align 4
  %arrayidx.20 = getelementptr i8, ptr %3, i32 80
  %24 = load i32, ptr %arrayidx.20, align 4
  %arrayidx5.20 = getelementptr inbounds i8, ptr %a, i32 80
  store i32 %24, ptr %arrayidx5.20, align 4
  %arrayidx.21 = getelementptr i8, ptr %3, i32 84
  %25 = load i32, ptr %arrayidx.21, align 4
  %arrayidx5.21 = getelementptr inbounds i8, ptr %a, i32 84
  store i32 %25, ptr %arrayidx5.21, align 4
  %arrayidx.22 = getelementptr i8, ptr %3, i32 88
  %26 = load i32, ptr %arrayidx.22, align 4
  %arrayidx5.22 = getelementptr inbounds i8, ptr %a, i32 88
  store i32 %26, ptr %arrayidx5.22, align 4
  %arrayidx.23 = getelementptr i8, ptr %3, i32 92
  %27 = load i32, ptr %arrayidx.23, align 4
  %arrayidx5.23 = getelementptr inbounds i8, ptr %a, i32 92
  store i32 %27, ptr %arrayidx5.23, align 4
  br label %for.body9

for.cond23.preheader:
  %28 = getelementptr i8, ptr %out, i32 %.idx50
  %29 = load i32, ptr %a, align 4
  store i32 %29, ptr %28, align 4
  %30 = load i32, ptr %arrayidx5.1, align 4
  %arrayidx30.1 = getelementptr i8, ptr %28, i32 4
  store i32 %30, ptr %arrayidx30.1, align 4
  %31 = load i32, ptr %arrayidx5.2, align 4
  %arrayidx30.2 = getelementptr i8, ptr %28, i32 8
  store i32 %31, ptr %arrayidx30.2, align 4
  %32 = load i32, ptr %arrayidx5.3, align 4
  %arrayidx30.3 = getelementptr i8, ptr %28, i32 12
  store i32 %32, ptr %arrayidx30.3, align 4
  %33 = load i32, ptr %arrayidx5.4, align 4
  %arrayidx30.4 = getelementptr i8, ptr %28, i32 16
  store i32 %33, ptr %arrayidx30.4, align 4
  %34 = load i32, ptr %arrayidx5.5, align 4
  %arrayidx30.5 = getelementptr i8, ptr %28, i32 20
  store i32 %34, ptr %arrayidx30.5, align 4
  %35 = load i32, ptr %arrayidx5.6, align 4
  %arrayidx30.6 = getelementptr i8, ptr %28, i32 24
  store i32 %35, ptr %arrayidx30.6, align 4
  %36 = load i32, ptr %arrayidx5.7, align 4
  %arrayidx30.7 = getelementptr i8, ptr %28, i32 28
  store i32 %36, ptr %arrayidx30.7, align 4
  %37 = load i32, ptr %arrayidx5.8, align 4
  %arrayidx30.8 = getelementptr i8, ptr %28, i32 32
  store i32 %37, ptr %arrayidx30.8, align 4
  %38 = load i32, ptr %arrayidx5.9, align 4
  %arrayidx30.9 = getelementptr i8, ptr %28, i32 36
  store i32 %38, ptr %arrayidx30.9, align 4
  %39 = load i32, ptr %arrayidx5.10, align 4
  %arrayidx30.10 = getelementptr i8, ptr %28, i32 40
  store i32 %39, ptr %arrayidx30.10, align 4
  %40 = load i32, ptr %arrayidx5.11, align 4
  %arrayidx30.11 = getelementptr i8, ptr %28, i32 44
  store i32 %40, ptr %arrayidx30.11, align 4
  %41 = load i32, ptr %arrayidx5.12, align 4
  %arrayidx30.12 = getelementptr i8, ptr %28, i32 48
  store i32 %41, ptr %arrayidx30.12, align 4
  %42 = load i32, ptr %arrayidx5.13, align 4
  %arrayidx30.13 = getelementptr i8, ptr %28, i32 52
  store i32 %42, ptr %arrayidx30.13, align 4
  %43 = load i32, ptr %arrayidx5.14, align 4
  %arrayidx30.14 = getelementptr i8, ptr %28, i32 56
  store i32 %43, ptr %arrayidx30.14, align 4
  %44 = load i32, ptr %arrayidx5.15, align 4
  %arrayidx30.15 = getelementptr i8, ptr %28, i32 60
  store i32 %44, ptr %arrayidx30.15, align 4
  %45 = load i32, ptr %arrayidx5.16, align 4
  %arrayidx30.16 = getelementptr i8, ptr %28, i32 64
  store i32 %45, ptr %arrayidx30.16, align 4
  %46 = load i32, ptr %arrayidx5.17, align 4
  %arrayidx30.17 = getelementptr i8, ptr %28, i32 68
  store i32 %46, ptr %arrayidx30.17, align 4
  %47 = load i32, ptr %arrayidx5.18, align 4
  %arrayidx30.18 = getelementptr i8, ptr %28, i32 72
  store i32 %47, ptr %arrayidx30.18, align 4
  %48 = load i32, ptr %arrayidx5.19, align 4
  %arrayidx30.19 = getelementptr i8, ptr %28, i32 76
  store i32 %48, ptr %arrayidx30.19, align 4
  %49 = load i32, ptr %arrayidx5.20, align 4
  %arrayidx30.20 = getelementptr i8, ptr %28, i32 80
  store i32 %49, ptr %arrayidx30.20, align 4
  %50 = load i32, ptr %arrayidx5.21, align 4
  %arrayidx30.21 = getelementptr i8, ptr %28, i32 84
  store i32 %50, ptr %arrayidx30.21, align 4
  %51 = load i32, ptr %arrayidx5.22, align 4
  %arrayidx30.22 = getelementptr i8, ptr %28, i32 88
  store i32 %51, ptr %arrayidx30.22, align 4
  %52 = load i32, ptr %arrayidx5.23, align 4
  %arrayidx30.23 = getelementptr i8, ptr %28, i32 92
  store i32 %52, ptr %arrayidx30.23, align 4
  call void @llvm.lifetime.end.p0(ptr %a) nounwind
  ret void

for.body9:
  %p.055 = phi i32 [ %inc20, %while.end ], [ 1, %entry ]
  %arrayidx10 = getelementptr inbounds i32, ptr %a, i32 %p.055
  %53 = load i32, ptr %arrayidx10, align 4
  br label %land.rhs

land.rhs:
  %q.0.in53 = phi i32 [ %p.055, %for.body9 ], [ %q.054, %while.body ]
  %q.054 = add nsw i32 %q.0.in53, -1
  %arrayidx12 = getelementptr inbounds i32, ptr %a, i32 %q.054
  %54 = load i32, ptr %arrayidx12, align 4
  %cmp13 = icmp sgt i32 %54, %53
  br i1 %cmp13, label %while.body, label %while.end

while.body:
  %arrayidx16 = getelementptr inbounds i32, ptr %a, i32 %q.0.in53
  store i32 %54, ptr %arrayidx16, align 4
  %cmp11 = icmp sgt i32 %q.0.in53, 1
  br i1 %cmp11, label %land.rhs, label %while.end, !llvm.loop !1

while.end:
  %q.0.in.lcssa = phi i32 [ 0, %while.body ], [ %q.0.in53, %land.rhs ]
  %arrayidx18 = getelementptr inbounds i32, ptr %a, i32 %q.0.in.lcssa
  store i32 %53, ptr %arrayidx18, align 4
  %inc20 = add nuw nsw i32 %p.055, 1
  %exitcond.not = icmp eq i32 %inc20, 24
  br i1 %exitcond.not, label %for.cond23.preheader, label %for.body9, !llvm.loop !1
}

define ptx_kernel void @structs(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %p = alloca [3 x %struct.Pair], align 8
  %q = alloca %struct.Pair, align 8
  call void @llvm.lifetime.start.p0(ptr %p) nounwind
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %3 = getelementptr i32, ptr %in, i32 %add
  %4 = load i32, ptr %3, align 4
  %conv = trunc i32 %4 to i8
  store i8 %conv, ptr %p, align 8
  %shr = lshr i32 %4, 3
  %conv7 = trunc i32 %shr to i16
  %s = getelementptr inbounds i8, ptr %p, i32 2
  store i16 %conv7, ptr %s, align 2
  %conv11 = sitofp i32 %4 to double
  %mul12 = fmul double %conv11, 5.000000e-01
  %d = getelementptr inbounds i8, ptr %p, i32 16
  store double %mul12, ptr %d, align 8
  %v = getelementptr inbounds i8, ptr %p, i32 4
  store i32 %4, ptr %v, align 4
  %arrayidx19.1 = getelementptr i8, ptr %3, i32 4
  %5 = load i32, ptr %arrayidx19.1, align 4
  %arrayidx21.1 = getelementptr inbounds i8, ptr %p, i32 8
  store i32 %5, ptr %arrayidx21.1, align 8
  %arrayidx19.2 = getelementptr i8, ptr %3, i32 8
  %6 = load i32, ptr %arrayidx19.2, align 4
  %arrayidx21.2 = getelementptr inbounds i8, ptr %p, i32 12
  store i32 %6, ptr %arrayidx21.2, align 4
  %conv.1 = trunc i32 %5 to i8
  %arrayidx4.1 = getelementptr inbounds i8, ptr %p, i32 24
  store i8 %conv.1, ptr %arrayidx4.1, align 8
  %shr.1 = lshr i32 %5, 3
  %conv7.1 = trunc i32 %shr.1 to i16
  %s.1 = getelementptr inbounds i8, ptr %p, i32 26
  store i16 %conv7.1, ptr %s.1, align 2
  %conv11.1 = sitofp i32 %5 to double
  %mul12.1 = fmul double %conv11.1, 5.000000e-01
  %d.1 = getelementptr inbounds i8, ptr %p, i32 40
  store double %mul12.1, ptr %d.1, align 8
  %v.1 = getelementptr inbounds i8, ptr %p, i32 28
  %xor.181 = xor i32 %4, 1
  store i32 %xor.181, ptr %v.1, align 4
  %xor.1.1 = xor i32 %5, 1
  %arrayidx21.1.1 = getelementptr inbounds i8, ptr %p, i32 32
  store i32 %xor.1.1, ptr %arrayidx21.1.1, align 8
  %xor.2.1 = xor i32 %6, 1
  %arrayidx21.2.1 = getelementptr inbounds i8, ptr %p, i32 36
  store i32 %xor.2.1, ptr %arrayidx21.2.1, align 4
  %conv.2 = trunc i32 %6 to i8
  %arrayidx4.2 = getelementptr inbounds i8, ptr %p, i32 48
  store i8 %conv.2, ptr %arrayidx4.2, align 8
  %shr.2 = lshr i32 %6, 3
  %conv7.2 = trunc i32 %shr.2 to i16
  %s.2 = getelementptr inbounds i8, ptr %p, i32 50
  store i16 %conv7.2, ptr %s.2, align 2
  %conv11.2 = sitofp i32 %6 to double
  %mul12.2 = fmul double %conv11.2, 5.000000e-01
  %d.2 = getelementptr inbounds i8, ptr %p, i32 64
  store double %mul12.2, ptr %d.2, align 8
  %v.2 = getelementptr inbounds i8, ptr %p, i32 52
  %xor.282 = xor i32 %4, 2
  store i32 %xor.282, ptr %v.2, align 4
  %xor.1.2 = xor i32 %5, 2
  %arrayidx21.1.2 = getelementptr inbounds i8, ptr %p, i32 56
  store i32 %xor.1.2, ptr %arrayidx21.1.2, align 8
  %xor.2.2 = xor i32 %6, 2
  %arrayidx21.2.2 = getelementptr inbounds i8, ptr %p, i32 60
  store i32 %xor.2.2, ptr %arrayidx21.2.2, align 4
  call void @llvm.lifetime.start.p0(ptr %q) nounwind
  %rem = urem i32 %4, 3
  %arrayidx26 = getelementptr inbounds %struct.Pair, ptr %p, i32 %rem
  call void @llvm.memcpy.p0.p0.i32(ptr %q, ptr %arrayidx26, i32 24, i1 false)
  %7 = load i8, ptr %q, align 8
  %conv28 = sext i8 %7 to i32
  %s29 = getelementptr inbounds i8, ptr %q, i32 2
  %8 = load i16, ptr %s29, align 2
  %conv30 = sext i16 %8 to i32
  %add31 = add nsw i32 %conv30, %conv28
  %arrayidx33.idx = shl nsw i32 %add, 4
  %arrayidx33 = getelementptr inbounds i8, ptr %out, i32 %arrayidx33.idx
  store i32 %add31, ptr %arrayidx33, align 4
  %v34 = getelementptr inbounds i8, ptr %q, i32 4
  %9 = load i32, ptr %arrayidx19.1, align 4
  %rem37 = urem i32 %9, 3
  %arrayidx38 = getelementptr inbounds i32, ptr %v34, i32 %rem37
  %10 = load i32, ptr %arrayidx38, align 4
  %arrayidx41 = getelementptr i8, ptr %arrayidx33, i32 4
  store i32 %10, ptr %arrayidx41, align 4
  %d42 = getelementptr inbounds i8, ptr %q, i32 16
  %11 = load double, ptr %d42, align 8
  %conv43 = fptosi double %11 to i32
  %arrayidx46 = getelementptr i8, ptr %arrayidx33, i32 8
  store i32 %conv43, ptr %arrayidx46, align 4
  %arrayidx49 = getelementptr i8, ptr %arrayidx33, i32 12
  store i32 24, ptr %arrayidx49, align 4
  call void @llvm.lifetime.end.p0(ptr %q) nounwind
  call void @llvm.lifetime.end.p0(ptr %p) nounwind
  ret void
}

define ptx_kernel void @globals(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 15
  %arrayidx3 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i32 %and
  %4 = load i32, ptr %arrayidx3, align 4
  %and4 = and i32 %add, 3
  %arrayidx5 = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(1) @weights to ptr), i32 %and4
  %5 = load float, ptr %arrayidx5, align 4
  %mul6 = fmul float %5, 8.000000e+00
  %conv = fptosi float %mul6 to i32
  %add7 = add nsw i32 %4, %conv
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add7, ptr %arrayidx8, align 4
  %rem = srem i32 %add, 14
  %arrayidx9 = getelementptr inbounds i8, ptr @.str, i32 %rem
  %6 = load i8, ptr %arrayidx9, align 1
  %conv10 = sext i8 %6 to i32
  %arrayidx12 = getelementptr i8, ptr %arrayidx8, i32 256
  store i32 %conv10, ptr %arrayidx12, align 4
  %cmp = icmp eq i32 %add, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %7 = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
  %add13 = add nsw i32 %7, 2
  store i32 %add13, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
  %arrayidx14 = getelementptr inbounds i8, ptr %out, i32 512
  store i32 %add13, ptr %arrayidx14, align 4
  br label %if.end

if.end:
  ret void
}

define ptx_kernel void @memcpy_memset(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %a = alloca [20 x i32], align 4
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  call void @llvm.lifetime.start.p0(ptr %a) nounwind
  %3 = trunc i32 %add to i8
  call void @llvm.memset.p0.i32(ptr %a, i8 %3, i32 80, i1 false)
  %add.ptr = getelementptr inbounds i8, ptr %a, i32 12
  %add.ptr5 = getelementptr inbounds i32, ptr %in, i32 %add
  call void @llvm.memcpy.p0.p0.i32(ptr %add.ptr, ptr %add.ptr5, i32 32, i1 false)
  %and7 = and i32 %add, 1
  %tobool.not = icmp eq i32 %and7, 0
  %add.ptr13 = getelementptr inbounds i8, ptr %out, i32 4096
  %add.ptr15.idx = mul nsw i32 %add, 80
  %add.ptr15 = getelementptr inbounds i8, ptr %add.ptr13, i32 %add.ptr15.idx
  br i1 %tobool.not, label %if.else, label %if.then

if.then:
  call void @llvm.memcpy.p0.p0.i32(ptr %add.ptr15, ptr %a, i32 80, i1 false)
  br label %if.end

if.else:
  call void @llvm.memset.p0.i32(ptr %add.ptr15, i8 90, i32 33, i1 false)
  br label %if.end

if.end:
  %4 = load i32, ptr %add.ptr5, align 4
  %rem = urem i32 %4, 20
  %arrayidx17 = getelementptr inbounds i32, ptr %a, i32 %rem
  %5 = load i32, ptr %arrayidx17, align 4
  %arrayidx18 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %5, ptr %arrayidx18, align 4
  call void @llvm.lifetime.end.p0(ptr %a) nounwind
  ret void
}

define ptx_kernel void @unaligned_loop_copy(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %add.ptr = getelementptr inbounds i8, ptr %in, i32 1
  %add.ptr1 = getelementptr inbounds i8, ptr %out, i32 3
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp7 = icmp ult i32 %0, 1000
  br i1 %cmp7, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.08 = phi i32 [ %0, %for.body.lr.ph ], [ %add, %for.body ]
  %mul = shl nuw nsw i32 %k.08, 1
  %arrayidx = getelementptr inbounds i8, ptr %add.ptr, i32 %mul
  %2 = load i8, ptr %arrayidx, align 1
  %arrayidx2 = getelementptr inbounds i8, ptr %add.ptr1, i32 %k.08
  store i8 %2, ptr %arrayidx2, align 1
  %add = add nuw nsw i32 %k.08, %1
  %cmp = icmp ult i32 %add, 1000
  br i1 %cmp, label %for.body, label %for.cond.cleanup, !llvm.loop !1
}

define i32 @_Z10helper_addii(i32 noundef %a, i32 noundef %b) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %mul = shl nsw i32 %a, 1
  %add = add nsw i32 %mul, %b
  ret i32 %add
}

define i32 @_Z3fibi(i32 noundef %n) mustprogress nofree noinline nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cmp6 = icmp slt i32 %n, 2
  br i1 %cmp6, label %cond.end, label %cond.false

cond.false:
  %n.tr8 = phi i32 [ %sub1, %cond.false ], [ %n, %entry ]
  %accumulator.tr7 = phi i32 [ %add, %cond.false ], [ 0, %entry ]
  %sub = add nsw i32 %n.tr8, -1
  %call = call i32 @_Z3fibi(i32 %sub) nounwind
  %sub1 = add nsw i32 %n.tr8, -2
  %add = add nsw i32 %call, %accumulator.tr7
  %cmp = icmp ult i32 %n.tr8, 4
  br i1 %cmp, label %cond.end, label %cond.false

cond.end:
  %accumulator.tr.lcssa = phi i32 [ 0, %entry ], [ %add, %cond.false ]
  %n.tr.lcssa = phi i32 [ %n, %entry ], [ %sub1, %cond.false ]
  %accumulator.ret.tr = add nsw i32 %n.tr.lcssa, %accumulator.tr.lcssa
  ret i32 %accumulator.ret.tr
}

define i32 @_Z9ackermannii(i32 noundef %m, i32 noundef %n) mustprogress nofree noinline nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cmp15 = icmp eq i32 %m, 0
  br i1 %cmp15, label %cond.true, label %cond.false

cond.true:
  %n.tr.lcssa = phi i32 [ %n, %entry ], [ %n.tr.be, %tailrecurse.backedge ]
  %add = add nsw i32 %n.tr.lcssa, 1
  ret i32 %add

cond.false:
  %n.tr17 = phi i32 [ %n.tr.be, %tailrecurse.backedge ], [ %n, %entry ]
  %m.tr16 = phi i32 [ %m.tr.be, %tailrecurse.backedge ], [ %m, %entry ]
  %cmp1 = icmp eq i32 %n.tr17, 0
  br i1 %cmp1, label %tailrecurse.backedge, label %cond.false3

tailrecurse.backedge:
  %n.tr.be = phi i32 [ %call6, %cond.false3 ], [ 1, %cond.false ]
  %m.tr.be = add nsw i32 %m.tr16, -1
  %cmp = icmp eq i32 %m.tr.be, 0
  br i1 %cmp, label %cond.true, label %cond.false

cond.false3:
  %sub5 = add nsw i32 %n.tr17, -1
  %call6 = call i32 @_Z9ackermannii(i32 %m.tr16, i32 %sub5) nounwind
  br label %tailrecurse.backedge
}

define ptx_kernel void @calls(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and = and i32 %3, 1
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %call6 = call i32 @_Z10helper_addii(i32 1, i32 %add) nounwind
  br label %cond.end

cond.end:
  %cond = phi i32 [ %call6, %cond.true ], [ 0, %entry ]
  %call3 = call i32 @_Z10helper_addii(i32 %add, i32 3) nounwind
  %call4 = call i32 @_Z10helper_addii(i32 %3, i32 %call3) nounwind
  %add7 = add nsw i32 %call4, %cond
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add7, ptr %arrayidx8, align 4
  ret void
}

define ptx_kernel void @recursion(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: write) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %rem = srem i32 %add, 12
  %call3 = call i32 @_Z3fibi(i32 %rem) nounwind
  %arrayidx = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %call3, ptr %arrayidx, align 4
  %and = and i32 %add, 1
  %and4 = and i32 %add, 7
  %call5 = call i32 @_Z9ackermannii(i32 %and, i32 %and4) nounwind
  %arrayidx7 = getelementptr i8, ptr %arrayidx, i32 128
  store i32 %call5, ptr %arrayidx7, align 4
  ret void
}

define i32 @_Z6op_addii(i32 noundef %a, i32 noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %add = add nsw i32 %b, %a
  ret i32 %add
}

define i32 @_Z6op_mulii(i32 noundef %a, i32 noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %mul = mul nsw i32 %b, %a
  ret i32 %mul
}

define i32 @_Z6op_subii(i32 noundef %a, i32 noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %sub = sub nsw i32 %a, %b
  ret i32 %sub
}

define ptx_kernel void @function_pointers(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %rem = urem i32 %3, 3
  %arrayidx3 = getelementptr inbounds ptr, ptr addrspacecast (ptr addrspace(1) @op_table to ptr), i32 %rem
  %4 = load ptr, ptr %arrayidx3, align 4
  %call5 = call i32 %4(i32 %3, i32 %add) convergent nounwind
  %arrayidx6 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %call5, ptr %arrayidx6, align 4
  %arrayidx8 = getelementptr i8, ptr %arrayidx, i32 4
  %5 = load i32, ptr %arrayidx8, align 4
  %and = and i32 %5, 1
  %tobool.not = icmp eq i32 %and, 0
  %_Z6op_addii._Z6op_subii = select i1 %tobool.not, ptr @_Z6op_subii, ptr @_Z6op_addii
  %call9 = call i32 %4(i32 1, i32 2) convergent nounwind
  %call10 = call i32 %_Z6op_addii._Z6op_subii(i32 %call9, i32 %add) convergent nounwind
  %arrayidx12 = getelementptr i8, ptr %arrayidx6, i32 256
  store i32 %call10, ptr %arrayidx12, align 4
  ret void
}

define ptx_kernel void @virtual_calls(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %a = alloca %struct.Shape, align 4
  %b = alloca %struct.Square, align 4
  %c = alloca %struct.Slab, align 4
  %s = alloca [3 x ptr], align 4
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  call void @llvm.lifetime.start.p0(ptr %a) nounwind
  store ptr getelementptr (i8, ptr @_ZTV5Shape, i32 8), ptr %a, align 4
  %k2.i.i = getelementptr inbounds i8, ptr %a, i32 4
  store i32 %add, ptr %k2.i.i, align 4
  call void @llvm.lifetime.start.p0(ptr %b) nounwind
  %k2.i.i.i = getelementptr inbounds i8, ptr %b, i32 4
  store i32 %add, ptr %k2.i.i.i, align 4
  store ptr getelementptr (i8, ptr @_ZTV6Square, i32 8), ptr %b, align 4
  call void @llvm.lifetime.start.p0(ptr %c) nounwind
  %k2.i.i.i.i = getelementptr inbounds i8, ptr %c, i32 4
  store i32 %add, ptr %k2.i.i.i.i, align 4
  store ptr getelementptr (i8, ptr @_ZTV4Slab, i32 8), ptr %c, align 4
  %h2.i.i = getelementptr inbounds i8, ptr %c, i32 8
  store i32 3, ptr %h2.i.i, align 4
  call void @llvm.lifetime.start.p0(ptr %s) nounwind
  store ptr %a, ptr %s, align 4
  %arrayinit.element = getelementptr inbounds i8, ptr %s, i32 4
  store ptr %b, ptr %arrayinit.element, align 4
  %arrayinit.element3 = getelementptr inbounds i8, ptr %s, i32 8
  store ptr %c, ptr %arrayinit.element3, align 4
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %rem = urem i32 %3, 3
  %arrayidx4 = getelementptr inbounds ptr, ptr %s, i32 %rem
  %4 = load ptr, ptr %arrayidx4, align 4
  %vtable = load ptr, ptr %4, align 4
  %5 = load ptr, ptr %vtable, align 4
  %call5 = call i32 %5(ptr %4) convergent nounwind
  %arrayidx6 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %call5, ptr %arrayidx6, align 4
  call void @llvm.lifetime.end.p0(ptr %s) nounwind
  call void @llvm.lifetime.end.p0(ptr %c) nounwind
  call void @llvm.lifetime.end.p0(ptr %b) nounwind
  call void @llvm.lifetime.end.p0(ptr %a) nounwind
  ret void
}

define linkonce_odr void @_ZN4SlabD1Ev(ptr noundef nonnull dereferenceable(12) align 4 %this) inlinehint mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  ret void
}

define linkonce_odr void @_ZN6SquareD1Ev(ptr noundef nonnull dereferenceable(8) align 4 %this) inlinehint mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  ret void
}

define linkonce_odr void @_ZN5ShapeD1Ev(ptr noundef nonnull dereferenceable(8) align 4 %this) mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  ret void
}

define i32 @_Z8by_value3Bigi(ptr noundef byval(%struct.Big) captures(none) align 4 %b, i32 noundef %k) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %rem = srem i32 %k, 12
  %arrayidx = getelementptr inbounds i32, ptr %b, i32 %rem
  %0 = load i32, ptr %arrayidx, align 4
  %add = add nsw i32 %0, 1000
  store i32 %add, ptr %arrayidx, align 4
  %1 = load i32, ptr %b, align 4
  %mul.1 = mul nsw i32 %1, 3
  %arrayidx2.1 = getelementptr inbounds i8, ptr %b, i32 4
  %2 = load i32, ptr %arrayidx2.1, align 4
  %add3.1 = add nsw i32 %2, %mul.1
  %mul.2 = mul nsw i32 %add3.1, 3
  %arrayidx2.2 = getelementptr inbounds i8, ptr %b, i32 8
  %3 = load i32, ptr %arrayidx2.2, align 4
  %add3.2 = add nsw i32 %3, %mul.2
  %mul.3 = mul nsw i32 %add3.2, 3
  %arrayidx2.3 = getelementptr inbounds i8, ptr %b, i32 12
  %4 = load i32, ptr %arrayidx2.3, align 4
  %add3.3 = add nsw i32 %4, %mul.3
  %mul.4 = mul nsw i32 %add3.3, 3
  %arrayidx2.4 = getelementptr inbounds i8, ptr %b, i32 16
  %5 = load i32, ptr %arrayidx2.4, align 4
  %add3.4 = add nsw i32 %5, %mul.4
  %mul.5 = mul nsw i32 %add3.4, 3
  %arrayidx2.5 = getelementptr inbounds i8, ptr %b, i32 20
  %6 = load i32, ptr %arrayidx2.5, align 4
  %add3.5 = add nsw i32 %6, %mul.5
  %mul.6 = mul nsw i32 %add3.5, 3
  %arrayidx2.6 = getelementptr inbounds i8, ptr %b, i32 24
  %7 = load i32, ptr %arrayidx2.6, align 4
  %add3.6 = add nsw i32 %7, %mul.6
  %mul.7 = mul nsw i32 %add3.6, 3
  %arrayidx2.7 = getelementptr inbounds i8, ptr %b, i32 28
  %8 = load i32, ptr %arrayidx2.7, align 4
  %add3.7 = add nsw i32 %8, %mul.7
  %mul.8 = mul nsw i32 %add3.7, 3
  %arrayidx2.8 = getelementptr inbounds i8, ptr %b, i32 32
  %9 = load i32, ptr %arrayidx2.8, align 4
  %add3.8 = add nsw i32 %9, %mul.8
  %mul.9 = mul nsw i32 %add3.8, 3
  %arrayidx2.9 = getelementptr inbounds i8, ptr %b, i32 36
  %10 = load i32, ptr %arrayidx2.9, align 4
  %add3.9 = add nsw i32 %10, %mul.9
  %mul.10 = mul nsw i32 %add3.9, 3
  %arrayidx2.10 = getelementptr inbounds i8, ptr %b, i32 40
  %11 = load i32, ptr %arrayidx2.10, align 4
  %add3.10 = add nsw i32 %11, %mul.10
  %mul.11 = mul nsw i32 %add3.10, 3
  %arrayidx2.11 = getelementptr inbounds i8, ptr %b, i32 44
  %12 = load i32, ptr %arrayidx2.11, align 4
  %add3.11 = add nsw i32 %12, %mul.11
  ret i32 %add3.11
}

define %struct.Big @_Z14returns_structi(i32 noundef %k) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %mul.2 = shl nsw i32 %k, 1
  %mul.3 = mul nsw i32 %k, 3
  %mul.4 = shl nsw i32 %k, 2
  %mul.5 = mul nsw i32 %k, 5
  %mul.6 = mul nsw i32 %k, 6
  %mul.7 = mul nsw i32 %k, 7
  %mul.8 = shl nsw i32 %k, 3
  %mul.9 = mul nsw i32 %k, 9
  %mul.10 = mul nsw i32 %k, 10
  %mul.11 = mul nsw i32 %k, 11
  %.fca.0.1.insert = insertvalue %struct.Big { [12 x i32] [i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison] }, i32 %k, 0, 1
  %.fca.0.2.insert = insertvalue %struct.Big %.fca.0.1.insert, i32 %mul.2, 0, 2
  %.fca.0.3.insert = insertvalue %struct.Big %.fca.0.2.insert, i32 %mul.3, 0, 3
  %.fca.0.4.insert = insertvalue %struct.Big %.fca.0.3.insert, i32 %mul.4, 0, 4
  %.fca.0.5.insert = insertvalue %struct.Big %.fca.0.4.insert, i32 %mul.5, 0, 5
  %.fca.0.6.insert = insertvalue %struct.Big %.fca.0.5.insert, i32 %mul.6, 0, 6
  %.fca.0.7.insert = insertvalue %struct.Big %.fca.0.6.insert, i32 %mul.7, 0, 7
  %.fca.0.8.insert = insertvalue %struct.Big %.fca.0.7.insert, i32 %mul.8, 0, 8
  %.fca.0.9.insert = insertvalue %struct.Big %.fca.0.8.insert, i32 %mul.9, 0, 9
  %.fca.0.10.insert = insertvalue %struct.Big %.fca.0.9.insert, i32 %mul.10, 0, 10
  %.fca.0.11.insert = insertvalue %struct.Big %.fca.0.10.insert, i32 %mul.11, 0, 11
  ret %struct.Big %.fca.0.11.insert
}

define ptx_kernel void @struct_arguments(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %agg.tmp = alloca %struct.Big, align 4
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %call3 = call %struct.Big @_Z14returns_structi(i32 %add) nounwind
  %3 = extractvalue %struct.Big %call3, 0
  %.fca.0.extract = extractvalue [12 x i32] %3, 0
  %.fca.1.extract = extractvalue [12 x i32] %3, 1
  %.fca.2.extract = extractvalue [12 x i32] %3, 2
  %.fca.3.extract = extractvalue [12 x i32] %3, 3
  %.fca.4.extract = extractvalue [12 x i32] %3, 4
  %.fca.5.extract = extractvalue [12 x i32] %3, 5
  %.fca.6.extract = extractvalue [12 x i32] %3, 6
  %.fca.7.extract = extractvalue [12 x i32] %3, 7
  %.fca.8.extract = extractvalue [12 x i32] %3, 8
  %.fca.9.extract = extractvalue [12 x i32] %3, 9
  %.fca.10.extract = extractvalue [12 x i32] %3, 10
  %.fca.11.extract = extractvalue [12 x i32] %3, 11
  store i32 %.fca.0.extract, ptr %agg.tmp, align 4
  %b.sroa.4.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 4
  store i32 %.fca.1.extract, ptr %b.sroa.4.0.agg.tmp.sroa_idx, align 4
  %b.sroa.5.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 8
  store i32 %.fca.2.extract, ptr %b.sroa.5.0.agg.tmp.sroa_idx, align 4
  %b.sroa.6.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 12
  store i32 %.fca.3.extract, ptr %b.sroa.6.0.agg.tmp.sroa_idx, align 4
  %b.sroa.8.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 16
  store i32 %.fca.4.extract, ptr %b.sroa.8.0.agg.tmp.sroa_idx, align 4
  %b.sroa.9.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 20
  store i32 %.fca.5.extract, ptr %b.sroa.9.0.agg.tmp.sroa_idx, align 4
  %b.sroa.10.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 24
  store i32 %.fca.6.extract, ptr %b.sroa.10.0.agg.tmp.sroa_idx, align 4
  %b.sroa.11.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 28
  store i32 %.fca.7.extract, ptr %b.sroa.11.0.agg.tmp.sroa_idx, align 4
  %b.sroa.12.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 32
  store i32 %.fca.8.extract, ptr %b.sroa.12.0.agg.tmp.sroa_idx, align 4
  %b.sroa.13.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 36
  store i32 %.fca.9.extract, ptr %b.sroa.13.0.agg.tmp.sroa_idx, align 4
  %b.sroa.14.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 40
  store i32 %.fca.10.extract, ptr %b.sroa.14.0.agg.tmp.sroa_idx, align 4
  %b.sroa.15.0.agg.tmp.sroa_idx = getelementptr inbounds i8, ptr %agg.tmp, i32 44
  store i32 %.fca.11.extract, ptr %b.sroa.15.0.agg.tmp.sroa_idx, align 4
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %4 = load i32, ptr %arrayidx, align 4
  %and = and i32 %4, 7
  %call4 = call i32 @_Z8by_value3Bigi(ptr byval(%struct.Big) %agg.tmp, i32 %and) nounwind
  %add6 = add nsw i32 %call4, %.fca.3.extract
  %arrayidx7 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add6, ptr %arrayidx7, align 4
  ret void
}

define ptx_kernel void @templates_lambdas(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %mul.1.i.i = mul nsw i32 %add, %add
  %mul.2.i.i = mul nsw i32 %mul.1.i.i, %add
  %arrayidx.i = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx.i, align 4
  %and = and i32 %add, 3
  %4 = mul nuw nsw i32 %and, %and
  %5 = mul nuw nsw i32 %4, %and
  %mul.4.i = mul nuw nsw i32 %5, %4
  %add.i = add i32 %mul.4.i, %mul.2.i.i
  %add5 = add i32 %add.i, %3
  %arrayidx = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %add5, ptr %arrayidx, align 4
  ret void
}

define ptx_kernel void @divergent_calls(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %2
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %add
  %3 = load i32, ptr %arrayidx, align 4
  %and3 = and i32 %add, 3
  %4 = and i32 %3, 1
  %tobool.not = icmp eq i32 %4, 0
  br i1 %tobool.not, label %if.else, label %if.then

if.then:
  %call5 = call i32 @_Z3fibi(i32 %and3) nounwind
  br label %for.inc

if.else:
  %call7 = call i32 @_Z10helper_addii(i32 0, i32 0) nounwind
  br label %for.inc

for.inc:
  %r.1 = phi i32 [ %call5, %if.then ], [ %call7, %if.else ]
  %5 = and i32 %3, 2
  %tobool.not.1 = icmp eq i32 %5, 0
  br i1 %tobool.not.1, label %if.else.1, label %if.then.1

if.then.1:
  %add4.1 = add nuw nsw i32 %and3, 1
  %call5.1 = call i32 @_Z3fibi(i32 %add4.1) nounwind
  %add6.1 = add nsw i32 %call5.1, %r.1
  br label %for.inc.1

if.else.1:
  %call7.1 = call i32 @_Z10helper_addii(i32 %r.1, i32 1) nounwind
  br label %for.inc.1

for.inc.1:
  %r.1.1 = phi i32 [ %add6.1, %if.then.1 ], [ %call7.1, %if.else.1 ]
  %6 = and i32 %3, 4
  %tobool.not.2 = icmp eq i32 %6, 0
  br i1 %tobool.not.2, label %if.else.2, label %if.then.2

if.then.2:
  %add4.2 = add nuw nsw i32 %and3, 2
  %call5.2 = call i32 @_Z3fibi(i32 %add4.2) nounwind
  %add6.2 = add nsw i32 %call5.2, %r.1.1
  br label %for.inc.2

if.else.2:
  %call7.2 = call i32 @_Z10helper_addii(i32 %r.1.1, i32 2) nounwind
  br label %for.inc.2

for.inc.2:
  %r.1.2 = phi i32 [ %add6.2, %if.then.2 ], [ %call7.2, %if.else.2 ]
  %7 = and i32 %3, 8
  %tobool.not.3 = icmp eq i32 %7, 0
  br i1 %tobool.not.3, label %if.else.3, label %if.then.3

if.then.3:
  %add4.3 = add nuw nsw i32 %and3, 3
  %call5.3 = call i32 @_Z3fibi(i32 %add4.3) nounwind
  %add6.3 = add nsw i32 %call5.3, %r.1.2
  br label %for.inc.3

if.else.3:
  %call7.3 = call i32 @_Z10helper_addii(i32 %r.1.2, i32 3) nounwind
  br label %for.inc.3

for.inc.3:
  %r.1.3 = phi i32 [ %add6.3, %if.then.3 ], [ %call7.3, %if.else.3 ]
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %add
  store i32 %r.1.3, ptr %arrayidx8, align 4
  ret void
}

define ptx_kernel void @shared_reverse(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %0
  %4 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14shared_reverseE1s to ptr), i32 %0
  store i32 %4, ptr %arrayidx4, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %sub = sub nsw i32 127, %0
  %arrayidx5 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14shared_reverseE1s to ptr), i32 %sub
  %5 = load i32, ptr %arrayidx5, align 4
  %6 = getelementptr i32, ptr %out, i32 %mul
  %arrayidx11 = getelementptr i32, ptr %6, i32 %0
  store i32 %5, ptr %arrayidx11, align 4
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent nocallback nounwind

define ptx_kernel void @dynamic_shared(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %0
  %4 = load i32, ptr %arrayidx, align 4
  %mul4 = shl nsw i32 %4, 1
  %arrayidx5 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @d to ptr), i32 %0
  store i32 %mul4, ptr %arrayidx5, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %rem20.lhs.trunc = add nuw nsw i32 %0, 1
  %rem2021 = and i32 %rem20.lhs.trunc, 127
  %arrayidx7 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @d to ptr), i32 %rem2021
  %5 = load i32, ptr %arrayidx7, align 4
  %6 = and i32 %0, 127
  %rem92223 = xor i32 %6, 64
  %arrayidx10 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @d to ptr), i32 %rem92223
  %7 = load i32, ptr %arrayidx10, align 4
  %add11 = add nsw i32 %7, %5
  %8 = getelementptr i32, ptr %out, i32 %mul
  %arrayidx17 = getelementptr i32, ptr %8, i32 %0
  store i32 %add11, ptr %arrayidx17, align 4
  ret void
}

define ptx_kernel void @static_and_dynamic(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp = icmp ult i32 %0, 16
  br i1 %cmp, label %if.end, label %if.end5

if.end:
  %conv = uitofp nneg i32 %0 to double
  %mul = fmul double %conv, 5.000000e-01
  %arrayidx = getelementptr inbounds double, ptr addrspacecast (ptr addrspace(3) @_ZZ18static_and_dynamicE1a to ptr), i32 %0
  store double %mul, ptr %arrayidx, align 8
  %cmp1 = icmp ult i32 %0, 5
  br i1 %cmp1, label %if.then2, label %if.end5

if.then2:
  %1 = trunc i32 %0 to i8
  %conv3 = add nuw nsw i8 %1, 65
  %arrayidx4 = getelementptr inbounds i8, ptr addrspacecast (ptr addrspace(3) @_ZZ18static_and_dynamicE1c to ptr), i32 %0
  store i8 %conv3, ptr %arrayidx4, align 1
  br label %if.end5

if.end5:
  %arrayidx6 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @raw to ptr), i32 %0
  store i32 %0, ptr %arrayidx6, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %and = and i32 %0, 15
  %arrayidx7 = getelementptr inbounds double, ptr addrspacecast (ptr addrspace(3) @_ZZ18static_and_dynamicE1a to ptr), i32 %and
  %2 = load double, ptr %arrayidx7, align 8
  %mul8 = fmul double %2, 1.000000e+01
  %conv9 = fptosi double %mul8 to i32
  %rem35.lhs.trunc = trunc i32 %0 to i16
  %rem3536 = urem i16 %rem35.lhs.trunc, 5
  %rem35.zext = zext nneg i16 %rem3536 to i32
  %arrayidx10 = getelementptr inbounds i8, ptr addrspacecast (ptr addrspace(3) @_ZZ18static_and_dynamicE1c to ptr), i32 %rem35.zext
  %3 = load i8, ptr %arrayidx10, align 1
  %conv11 = sext i8 %3 to i32
  %mul12 = mul nsw i32 %conv11, 1000
  %add13 = add nsw i32 %mul12, %conv9
  %sub = sub nsw i32 63, %0
  %arrayidx14 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @raw to ptr), i32 %sub
  %4 = load i32, ptr %arrayidx14, align 4
  %mul15 = mul nsw i32 %4, 1000000
  %add16 = add nsw i32 %add13, %mul15
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul19 = mul i32 %5, %6
  %7 = getelementptr i32, ptr %out, i32 %mul19
  %arrayidx22 = getelementptr i32, ptr %7, i32 %0
  store i32 %add16, ptr %arrayidx22, align 4
  ret void
}

define ptx_kernel void @tree_reduction(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %0
  %4 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14tree_reductionE1s to ptr), i32 %0
  store i32 %4, ptr %arrayidx4, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5 = icmp ult i32 %0, 128
  br i1 %cmp5, label %if.then, label %if.end

if.then:
  %arrayidx7 = getelementptr i8, ptr %arrayidx4, i32 512
  %5 = load i32, ptr %arrayidx7, align 4
  %6 = load i32, ptr %arrayidx4, align 4
  %add9 = add nsw i32 %6, %5
  store i32 %add9, ptr %arrayidx4, align 4
  br label %if.end

if.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.1 = icmp ult i32 %0, 64
  br i1 %cmp5.1, label %if.then.1, label %if.end.1

if.then.1:
  %arrayidx7.1 = getelementptr i8, ptr %arrayidx4, i32 256
  %7 = load i32, ptr %arrayidx7.1, align 4
  %8 = load i32, ptr %arrayidx4, align 4
  %add9.1 = add nsw i32 %8, %7
  store i32 %add9.1, ptr %arrayidx4, align 4
  br label %if.end.1

if.end.1:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.2 = icmp ult i32 %0, 32
  br i1 %cmp5.2, label %if.then.2, label %if.end.2

if.then.2:
  %arrayidx7.2 = getelementptr i8, ptr %arrayidx4, i32 128
  %9 = load i32, ptr %arrayidx7.2, align 4
  %10 = load i32, ptr %arrayidx4, align 4
  %add9.2 = add nsw i32 %10, %9
  store i32 %add9.2, ptr %arrayidx4, align 4
  br label %if.end.2

if.end.2:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.3 = icmp ult i32 %0, 16
  br i1 %cmp5.3, label %if.then.3, label %if.end.3

if.then.3:
  %arrayidx7.3 = getelementptr i8, ptr %arrayidx4, i32 64
  %11 = load i32, ptr %arrayidx7.3, align 4
  %12 = load i32, ptr %arrayidx4, align 4
  %add9.3 = add nsw i32 %12, %11
  store i32 %add9.3, ptr %arrayidx4, align 4
  br label %if.end.3

if.end.3:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.4 = icmp ult i32 %0, 8
  br i1 %cmp5.4, label %if.then.4, label %if.end.4

if.then.4:
  %arrayidx7.4 = getelementptr i8, ptr %arrayidx4, i32 32
  %13 = load i32, ptr %arrayidx7.4, align 4
  %14 = load i32, ptr %arrayidx4, align 4
  %add9.4 = add nsw i32 %14, %13
  store i32 %add9.4, ptr %arrayidx4, align 4
  br label %if.end.4

if.end.4:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.5 = icmp ult i32 %0, 4
  br i1 %cmp5.5, label %if.then.5, label %if.end.5

if.then.5:
  %arrayidx7.5 = getelementptr i8, ptr %arrayidx4, i32 16
  %15 = load i32, ptr %arrayidx7.5, align 4
  %16 = load i32, ptr %arrayidx4, align 4
  %add9.5 = add nsw i32 %16, %15
  store i32 %add9.5, ptr %arrayidx4, align 4
  br label %if.end.5

if.end.5:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.6 = icmp ult i32 %0, 2
  br i1 %cmp5.6, label %if.then.6, label %if.end.6

if.then.6:
  %arrayidx7.6 = getelementptr i8, ptr %arrayidx4, i32 8
  %17 = load i32, ptr %arrayidx7.6, align 4
  %18 = load i32, ptr %arrayidx4, align 4
  %add9.6 = add nsw i32 %18, %17
  store i32 %add9.6, ptr %arrayidx4, align 4
  br label %if.end.6

if.end.6:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp5.7 = icmp eq i32 %0, 0
  br i1 %cmp5.7, label %if.then.7, label %if.end.7

if.then.7:
  %arrayidx7.7 = getelementptr i8, ptr %arrayidx4, i32 4
  %19 = load i32, ptr %arrayidx7.7, align 4
  %20 = load i32, ptr %arrayidx4, align 4
  %add9.7 = add nsw i32 %20, %19
  store i32 %add9.7, ptr %arrayidx4, align 4
  br label %if.end.7

if.end.7:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp10 = icmp eq i32 %0, 0
  br i1 %cmp10, label %if.then11, label %if.end14

if.then11:
  %21 = load i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14tree_reductionE1s to ptr), align 4
  %arrayidx13 = getelementptr inbounds i32, ptr %out, i32 %1
  store i32 %21, ptr %arrayidx13, align 4
  br label %if.end14

if.end14:
  ret void
}

define ptx_kernel void @scan_two_buffers(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 255
  %arrayidx1 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 %0
  store i32 %and, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %2 = load i32, ptr %arrayidx1, align 4
  %cmp4.not = icmp eq i32 %0, 0
  br i1 %cmp4.not, label %cond.end, label %cond.true

cond.true:
  %3 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 %0
  %arrayidx6 = getelementptr i8, ptr %3, i32 -4
  %4 = load i32, ptr %arrayidx6, align 4
  br label %cond.end

cond.end:
  %cond = phi i32 [ %4, %cond.true ], [ 0, %entry ]
  %add = add nsw i32 %cond, %2
  %gep = getelementptr i8, ptr %arrayidx1, i32 1024
  store i32 %add, ptr %gep, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %arrayidx3.1 = getelementptr inbounds i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 1024), i32 %0
  %5 = load i32, ptr %arrayidx3.1, align 4
  %cmp4.not.1 = icmp ult i32 %0, 2
  br i1 %cmp4.not.1, label %cond.end.1, label %cond.true.1

cond.true.1:
  %6 = getelementptr i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 1024), i32 %0
  %arrayidx6.1 = getelementptr i8, ptr %6, i32 -8
  %7 = load i32, ptr %arrayidx6.1, align 4
  br label %cond.end.1

cond.end.1:
  %cond.1 = phi i32 [ %7, %cond.true.1 ], [ 0, %cond.end ]
  %add.1 = add nsw i32 %cond.1, %5
  store i32 %add.1, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = load i32, ptr %arrayidx1, align 4
  %cmp4.not.2 = icmp ult i32 %0, 4
  br i1 %cmp4.not.2, label %cond.end.2, label %cond.true.2

cond.true.2:
  %9 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 %0
  %arrayidx6.2 = getelementptr i8, ptr %9, i32 -16
  %10 = load i32, ptr %arrayidx6.2, align 4
  br label %cond.end.2

cond.end.2:
  %cond.2 = phi i32 [ %10, %cond.true.2 ], [ 0, %cond.end.1 ]
  %add.2 = add nsw i32 %cond.2, %8
  store i32 %add.2, ptr %gep, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %11 = load i32, ptr %arrayidx3.1, align 4
  %cmp4.not.3 = icmp ult i32 %0, 8
  br i1 %cmp4.not.3, label %cond.end.3, label %cond.true.3

cond.true.3:
  %12 = getelementptr i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 1024), i32 %0
  %arrayidx6.3 = getelementptr i8, ptr %12, i32 -32
  %13 = load i32, ptr %arrayidx6.3, align 4
  br label %cond.end.3

cond.end.3:
  %cond.3 = phi i32 [ %13, %cond.true.3 ], [ 0, %cond.end.2 ]
  %add.3 = add nsw i32 %cond.3, %11
  store i32 %add.3, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %14 = load i32, ptr %arrayidx1, align 4
  %cmp4.not.4 = icmp ult i32 %0, 16
  br i1 %cmp4.not.4, label %cond.end.4, label %cond.true.4

cond.true.4:
  %15 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 %0
  %arrayidx6.4 = getelementptr i8, ptr %15, i32 -64
  %16 = load i32, ptr %arrayidx6.4, align 4
  br label %cond.end.4

cond.end.4:
  %cond.4 = phi i32 [ %16, %cond.true.4 ], [ 0, %cond.end.3 ]
  %add.4 = add nsw i32 %cond.4, %14
  store i32 %add.4, ptr %gep, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %17 = load i32, ptr %arrayidx3.1, align 4
  %cmp4.not.5 = icmp ult i32 %0, 32
  br i1 %cmp4.not.5, label %cond.end.5, label %cond.true.5

cond.true.5:
  %18 = getelementptr i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 1024), i32 %0
  %arrayidx6.5 = getelementptr i8, ptr %18, i32 -128
  %19 = load i32, ptr %arrayidx6.5, align 4
  br label %cond.end.5

cond.end.5:
  %cond.5 = phi i32 [ %19, %cond.true.5 ], [ 0, %cond.end.4 ]
  %add.5 = add nsw i32 %cond.5, %17
  store i32 %add.5, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %20 = load i32, ptr %arrayidx1, align 4
  %cmp4.not.6 = icmp ult i32 %0, 64
  br i1 %cmp4.not.6, label %cond.end.6, label %cond.true.6

cond.true.6:
  %21 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 %0
  %arrayidx6.6 = getelementptr i8, ptr %21, i32 -256
  %22 = load i32, ptr %arrayidx6.6, align 4
  br label %cond.end.6

cond.end.6:
  %cond.6 = phi i32 [ %22, %cond.true.6 ], [ 0, %cond.end.5 ]
  %add.6 = add nsw i32 %cond.6, %20
  store i32 %add.6, ptr %gep, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %23 = load i32, ptr %arrayidx3.1, align 4
  %cmp4.not.7 = icmp ult i32 %0, 128
  br i1 %cmp4.not.7, label %cond.end.7, label %cond.true.7

cond.true.7:
  %24 = getelementptr i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ16scan_two_buffersE1s to ptr), i32 1024), i32 %0
  %arrayidx6.7 = getelementptr i8, ptr %24, i32 -512
  %25 = load i32, ptr %arrayidx6.7, align 4
  br label %cond.end.7

cond.end.7:
  %cond.7 = phi i32 [ %25, %cond.true.7 ], [ 0, %cond.end.6 ]
  %add.7 = add nsw i32 %cond.7, %23
  store i32 %add.7, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %26 = load i32, ptr %arrayidx1, align 4
  %arrayidx13 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %26, ptr %arrayidx13, align 4
  ret void
}

define ptx_kernel void @transpose(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %.idx = shl nuw nsw i32 %2, 11
  %4 = getelementptr i8, ptr %in, i32 %.idx
  %.idx27 = shl nuw nsw i32 %3, 7
  %5 = getelementptr i8, ptr %4, i32 %.idx27
  %.idx28 = shl i32 %0, 6
  %6 = getelementptr i8, ptr %5, i32 %.idx28
  %arrayidx = getelementptr i32, ptr %6, i32 %1
  %7 = load i32, ptr %arrayidx, align 4
  %arrayidx9 = getelementptr inbounds [17 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9transposeE4tile to ptr), i32 %3
  %arrayidx11 = getelementptr inbounds i32, ptr %arrayidx9, i32 %1
  store i32 %7, ptr %arrayidx11, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %arrayidx13 = getelementptr inbounds [17 x i32], ptr addrspacecast (ptr addrspace(3) @_ZZ9transposeE4tile to ptr), i32 %1
  %arrayidx15 = getelementptr inbounds i32, ptr %arrayidx13, i32 %3
  %8 = load i32, ptr %arrayidx15, align 4
  %.idx29 = shl i32 %0, 11
  %9 = getelementptr i8, ptr %out, i32 %.idx29
  %10 = getelementptr i8, ptr %9, i32 %.idx27
  %.idx31 = shl nuw nsw i32 %2, 6
  %11 = getelementptr i8, ptr %10, i32 %.idx31
  %arrayidx26 = getelementptr i32, ptr %11, i32 %1
  store i32 %8, ptr %arrayidx26, align 4
  ret void
}

define ptx_kernel void @tiled_matmul(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %mul = shl i32 %0, 3
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add = add i32 %mul, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %4 = shl nuw nsw i32 %2, 9
  %5 = shl nuw nsw i32 %3, 6
  %.idx54 = add nuw nsw i32 %4, %5
  %6 = getelementptr i8, ptr %in, i32 %.idx54
  %invariant.gep58 = getelementptr i32, ptr %6, i32 %1
  %arrayidx11 = getelementptr inbounds [8 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ12tiled_matmulE1A to ptr), i32 %3
  %arrayidx13 = getelementptr inbounds float, ptr %arrayidx11, i32 %1
  %invariant.gep60 = getelementptr i32, ptr %in, i32 %add
  %arrayidx22 = getelementptr inbounds [8 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ12tiled_matmulE1B to ptr), i32 %3
  %arrayidx24 = getelementptr inbounds float, ptr %arrayidx22, i32 %1
  %invariant.gep = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @_ZZ12tiled_matmulE1B to ptr), i32 %1
  %7 = load i32, ptr %invariant.gep58, align 4
  %and = and i32 %7, 15
  %conv = uitofp nneg i32 %and to float
  store float %conv, ptr %arrayidx13, align 4
  %.idx55 = shl nuw nsw i32 %3, 6
  %gep61 = getelementptr i8, ptr %invariant.gep60, i32 %.idx55
  %8 = load i32, ptr %gep61, align 4
  %and19 = and i32 %8, 15
  %conv20 = uitofp nneg i32 %and19 to float
  store float %conv20, ptr %arrayidx24, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %9 = load float, ptr %arrayidx11, align 4
  %10 = load float, ptr %invariant.gep, align 4
  %mul35 = fmul float %9, %10
  %add36 = fadd float %mul35, 0.000000e+00
  %arrayidx31.1 = getelementptr inbounds i8, ptr %arrayidx11, i32 4
  %11 = load float, ptr %arrayidx31.1, align 4
  %gep.1 = getelementptr inbounds i8, ptr %invariant.gep, i32 32
  %12 = load float, ptr %gep.1, align 4
  %mul35.1 = fmul float %11, %12
  %add36.1 = fadd float %add36, %mul35.1
  %arrayidx31.2 = getelementptr inbounds i8, ptr %arrayidx11, i32 8
  %13 = load float, ptr %arrayidx31.2, align 4
  %gep.2 = getelementptr inbounds i8, ptr %invariant.gep, i32 64
  %14 = load float, ptr %gep.2, align 4
  %mul35.2 = fmul float %13, %14
  %add36.2 = fadd float %add36.1, %mul35.2
  %arrayidx31.3 = getelementptr inbounds i8, ptr %arrayidx11, i32 12
  %15 = load float, ptr %arrayidx31.3, align 4
  %gep.3 = getelementptr inbounds i8, ptr %invariant.gep, i32 96
  %16 = load float, ptr %gep.3, align 4
  %mul35.3 = fmul float %15, %16
  %add36.3 = fadd float %add36.2, %mul35.3
  %arrayidx31.4 = getelementptr inbounds i8, ptr %arrayidx11, i32 16
  %17 = load float, ptr %arrayidx31.4, align 4
  %gep.4 = getelementptr inbounds i8, ptr %invariant.gep, i32 128
  %18 = load float, ptr %gep.4, align 4
  %mul35.4 = fmul float %17, %18
  %add36.4 = fadd float %add36.3, %mul35.4
  %arrayidx31.5 = getelementptr inbounds i8, ptr %arrayidx11, i32 20
  %19 = load float, ptr %arrayidx31.5, align 4
  %gep.5 = getelementptr inbounds i8, ptr %invariant.gep, i32 160
  %20 = load float, ptr %gep.5, align 4
  %mul35.5 = fmul float %19, %20
  %add36.5 = fadd float %add36.4, %mul35.5
  %arrayidx31.6 = getelementptr inbounds i8, ptr %arrayidx11, i32 24
  %21 = load float, ptr %arrayidx31.6, align 4
  %gep.6 = getelementptr inbounds i8, ptr %invariant.gep, i32 192
  %22 = load float, ptr %gep.6, align 4
  %mul35.6 = fmul float %21, %22
  %add36.6 = fadd float %add36.5, %mul35.6
  %arrayidx31.7 = getelementptr inbounds i8, ptr %arrayidx11, i32 28
  %23 = load float, ptr %arrayidx31.7, align 4
  %gep.7 = getelementptr inbounds i8, ptr %invariant.gep, i32 224
  %24 = load float, ptr %gep.7, align 4
  %mul35.7 = fmul float %23, %24
  %add36.7 = fadd float %add36.6, %mul35.7
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %gep59.1 = getelementptr i8, ptr %invariant.gep58, i32 32
  %25 = load i32, ptr %gep59.1, align 4
  %and.1 = and i32 %25, 15
  %conv.1 = uitofp nneg i32 %and.1 to float
  store float %conv.1, ptr %arrayidx13, align 4
  %add15.1 = shl nuw nsw i32 %3, 6
  %26 = getelementptr i8, ptr %invariant.gep60, i32 %add15.1
  %gep61.1 = getelementptr i8, ptr %26, i32 512
  %27 = load i32, ptr %gep61.1, align 4
  %and19.1 = and i32 %27, 15
  %conv20.1 = uitofp nneg i32 %and19.1 to float
  store float %conv20.1, ptr %arrayidx24, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %28 = load float, ptr %arrayidx11, align 4
  %29 = load float, ptr %invariant.gep, align 4
  %mul35.164 = fmul float %28, %29
  %add36.165 = fadd float %add36.7, %mul35.164
  %30 = load float, ptr %arrayidx31.1, align 4
  %31 = load float, ptr %gep.1, align 4
  %mul35.1.1 = fmul float %30, %31
  %add36.1.1 = fadd float %add36.165, %mul35.1.1
  %32 = load float, ptr %arrayidx31.2, align 4
  %33 = load float, ptr %gep.2, align 4
  %mul35.2.1 = fmul float %32, %33
  %add36.2.1 = fadd float %add36.1.1, %mul35.2.1
  %34 = load float, ptr %arrayidx31.3, align 4
  %35 = load float, ptr %gep.3, align 4
  %mul35.3.1 = fmul float %34, %35
  %add36.3.1 = fadd float %add36.2.1, %mul35.3.1
  %36 = load float, ptr %arrayidx31.4, align 4
  %37 = load float, ptr %gep.4, align 4
  %mul35.4.1 = fmul float %36, %37
  %add36.4.1 = fadd float %add36.3.1, %mul35.4.1
  %38 = load float, ptr %arrayidx31.5, align 4
  %39 = load float, ptr %gep.5, align 4
  %mul35.5.1 = fmul float %38, %39
  %add36.5.1 = fadd float %add36.4.1, %mul35.5.1
  %40 = load float, ptr %arrayidx31.6, align 4
  %41 = load float, ptr %gep.6, align 4
  %mul35.6.1 = fmul float %40, %41
  %add36.6.1 = fadd float %add36.5.1, %mul35.6.1
  %42 = load float, ptr %arrayidx31.7, align 4
  %43 = load float, ptr %gep.7, align 4
  %mul35.7.1 = fmul float %42, %43
  %add36.7.1 = fadd float %add36.6.1, %mul35.7.1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %conv40 = fptosi float %add36.7.1 to i32
  %44 = getelementptr i8, ptr %out, i32 %.idx54
  %arrayidx43 = getelementptr i32, ptr %44, i32 %add
  store i32 %conv40, ptr %arrayidx43, align 4
  ret void
}

define ptx_kernel void @sync_count(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 1
  %2 = icmp ne i32 %and, 0
  %3 = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %2)
  %4 = load i32, ptr %arrayidx, align 4
  %cmp = icmp ne i32 %4, 12345
  %5 = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %cmp)
  %cmp4 = icmp eq i32 %0, 77
  %6 = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %cmp4)
  %7 = zext i1 %6 to i32
  %mul = mul nsw i32 %3, 10
  %mul9 = select i1 %5, i32 2, i32 0
  %add = add nsw i32 %mul9, %mul
  %add12 = or i32 %add, %7
  %arrayidx13 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %add12, ptr %arrayidx13, align 4
  ret void
}

define ptx_kernel void @barrier_after_exit(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ18barrier_after_exitE1s to ptr), i32 %0
  store i32 %0, ptr %arrayidx, align 4
  %cmp = icmp ugt i32 %0, 95
  br i1 %cmp, label %cleanup, label %if.end

if.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %sub = sub nuw nsw i32 95, %0
  %arrayidx1 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ18barrier_after_exitE1s to ptr), i32 %sub
  %1 = load i32, ptr %arrayidx1, align 4
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %1, ptr %arrayidx2, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %2 = load i32, ptr %arrayidx, align 4
  %arrayidx4 = getelementptr i8, ptr %arrayidx2, i32 512
  store i32 %2, ptr %arrayidx4, align 4
  br label %cleanup

cleanup:
  ret void
}

define ptx_kernel void @barrier_in_divergent_warps(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp = icmp ult i32 %0, 32
  %arrayidx = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ26barrier_in_divergent_warpsE1s to ptr), i32 %0
  br i1 %cmp, label %if.then, label %if.else

if.then:
  %mul = mul nuw nsw i32 %0, 3
  store i32 %mul, ptr %arrayidx, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %if.end

if.else:
  %mul3 = mul nuw nsw i32 %0, 5
  store i32 %mul3, ptr %arrayidx, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %if.end

if.end:
  %.sink16 = phi i32 [ -128, %if.else ], [ 128, %if.then ]
  %arrayidx5 = getelementptr i8, ptr %arrayidx, i32 %.sink16
  %.sink = load i32, ptr %arrayidx5, align 4
  %1 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %.sink, ptr %1, align 4
  ret void
}

define ptx_kernel void @named_barriers(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %arrayidx1 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14named_barriersE1s to ptr), i32 %0
  store i32 %1, ptr %arrayidx1, align 4
  %cmp = icmp ult i32 %0, 64
  br i1 %cmp, label %if.then, label %if.else

if.then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  br label %if.end

if.else:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  br label %if.end

if.end:
  %.pn = phi i32 [ 63, %if.then ], [ 191, %if.else ]
  %sub.pn = sub nsw i32 %.pn, %0
  %.sink.in = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14named_barriersE1s to ptr), i32 %sub.pn
  %.sink = load i32, ptr %.sink.in, align 4
  %2 = getelementptr i32, ptr %out, i32 %0
  store i32 %.sink, ptr %2, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %3 = and i32 %0, 127
  %and = xor i32 %3, 64
  %arrayidx7 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ14named_barriersE1s to ptr), i32 %and
  %4 = load i32, ptr %arrayidx7, align 4
  %arrayidx9 = getelementptr i8, ptr %2, i32 512
  store i32 %4, ptr %arrayidx9, align 4
  ret void
}

define ptx_kernel void @uniform_loop_barrier(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = load i32, ptr %in, align 4
  %and = and i32 %1, 7
  %arrayidx1 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20uniform_loop_barrierE1s to ptr), i32 %0
  store i32 %0, ptr %arrayidx1, align 4
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:
  store i32 0, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ20uniform_loop_barrierE1s to ptr), i32 256), align 4
  br label %if.end

if.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %add3 = add nuw nsw i32 %0, 1
  %and4 = and i32 %add3, 63
  %arrayidx5 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20uniform_loop_barrierE1s to ptr), i32 %and4
  %2 = add nuw nsw i32 %and, 2
  br label %for.body

for.cond.cleanup:
  %3 = load i32, ptr %arrayidx1, align 4
  %arrayidx9 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %3, ptr %arrayidx9, align 4
  ret void

for.body:
  %k.018 = phi i32 [ 0, %if.end ], [ %inc, %for.body ]
  %4 = load i32, ptr %arrayidx5, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %add6 = add nsw i32 %4, %k.018
  store i32 %add6, ptr %arrayidx1, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %inc = add nuw nsw i32 %k.018, 1
  %exitcond.not = icmp eq i32 %k.018, %2
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body, !llvm.loop !1
}

define ptx_kernel void @shuffles(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %mul = mul nuw nsw i32 %0, 7
  %and = and i32 %mul, 31
  %2 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %1, i32 %and, i32 31)
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %2, ptr %arrayidx2, align 4
  %3 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %1, i32 3, i32 0)
  %arrayidx4 = getelementptr i8, ptr %arrayidx2, i32 256
  store i32 %3, ptr %arrayidx4, align 4
  %4 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %1, i32 5, i32 31)
  %arrayidx7 = getelementptr i8, ptr %arrayidx2, i32 512
  store i32 %4, ptr %arrayidx7, align 4
  %5 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %1, i32 9, i32 31)
  %arrayidx10 = getelementptr i8, ptr %arrayidx2, i32 768
  store i32 %5, ptr %arrayidx10, align 4
  ret void
}

define ptx_kernel void @shuffle_widths(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %add = add nuw nsw i32 %0, 3
  %2 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %1, i32 %add, i32 6175)
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %2, ptr %arrayidx2, align 4
  %3 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %1, i32 2, i32 7168)
  %arrayidx5 = getelementptr i8, ptr %arrayidx2, i32 128
  store i32 %3, ptr %arrayidx5, align 4
  %4 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %1, i32 3, i32 4127)
  %arrayidx8 = getelementptr i8, ptr %arrayidx2, i32 256
  store i32 %4, ptr %arrayidx8, align 4
  %5 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %1, i32 5, i32 6175)
  %arrayidx11 = getelementptr i8, ptr %arrayidx2, i32 384
  store i32 %5, ptr %arrayidx11, align 4
  %6 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %1, i32 -1, i32 4127)
  %arrayidx14 = getelementptr i8, ptr %arrayidx2, i32 512
  store i32 %6, ptr %arrayidx14, align 4
  ret void
}

define ptx_kernel void @shuffle_types(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %conv = sitofp i32 %1 to float
  %mul = fmul float %conv, 5.000000e-01
  %conv2 = sitofp i32 %1 to double
  %mul3 = fmul double %conv2, 2.500000e-01
  %conv5 = sext i32 %1 to i64
  %shl = shl nsw i64 %conv5, 20
  %2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %mul, i32 1, i32 31)
  %call.i = call i32 @__nv_float_as_int(float %2) convergent nounwind
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %call.i, ptr %arrayidx8, align 4
  %3 = bitcast double %mul3 to i64
  %__val.addr.sroa.0.0.extract.trunc.i.i = trunc i64 %3 to i32
  %__val.addr.sroa.2.0.extract.shift.i.i = lshr i64 %3, 32
  %__val.addr.sroa.2.0.extract.trunc.i.i = trunc i64 %__val.addr.sroa.2.0.extract.shift.i.i to i32
  %4 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %__val.addr.sroa.0.0.extract.trunc.i.i, i32 4, i32 31)
  %5 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %__val.addr.sroa.2.0.extract.trunc.i.i, i32 4, i32 31)
  %__tmp.sroa.6.0.insert.ext.i.i = zext i32 %5 to i64
  %__tmp.sroa.6.0.insert.shift.i.i = shl nuw i64 %__tmp.sroa.6.0.insert.ext.i.i, 32
  %__tmp.sroa.0.0.insert.ext.i.i = zext i32 %4 to i64
  %__tmp.sroa.0.0.insert.insert.i.i = or i64 %__tmp.sroa.6.0.insert.shift.i.i, %__tmp.sroa.0.0.insert.ext.i.i
  %6 = bitcast i64 %__tmp.sroa.0.0.insert.insert.i.i to double
  %call.i37 = call i64 @__nv_double_as_longlong(double %6) convergent nounwind
  %7 = getelementptr i64, ptr %out, i32 %0
  %arrayidx11 = getelementptr i8, ptr %7, i32 256
  store i64 %call.i37, ptr %arrayidx11, align 8
  %sub = sub nsw i32 31, %0
  %__val.addr.sroa.0.0.extract.trunc.i = trunc i64 %shl to i32
  %__val.addr.sroa.2.0.extract.shift.i = lshr i64 %shl, 32
  %__val.addr.sroa.2.0.extract.trunc.i = trunc i64 %__val.addr.sroa.2.0.extract.shift.i to i32
  %8 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %__val.addr.sroa.0.0.extract.trunc.i, i32 %sub, i32 31)
  %9 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %__val.addr.sroa.2.0.extract.trunc.i, i32 %sub, i32 31)
  %__tmp.sroa.6.0.insert.ext.i = zext i32 %9 to i64
  %__tmp.sroa.6.0.insert.shift.i = shl nuw i64 %__tmp.sroa.6.0.insert.ext.i, 32
  %__tmp.sroa.0.0.insert.ext.i = zext i32 %8 to i64
  %__tmp.sroa.0.0.insert.insert.i = or i64 %__tmp.sroa.6.0.insert.shift.i, %__tmp.sroa.0.0.insert.ext.i
  %arrayidx14 = getelementptr i8, ptr %7, i32 512
  store i64 %__tmp.sroa.0.0.insert.insert.i, ptr %arrayidx14, align 8
  %conv15 = uitofp nneg i32 %0 to float
  %mul16 = fmul float %conv15, 5.000000e-01
  %conv.i42 = fptrunc float %mul16 to half
  %10 = bitcast half %conv.i42 to i16
  %conv.i = zext nneg i16 %10 to i32
  %11 = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %conv.i, i32 1, i32 0)
  %conv21 = and i32 %11, 65535
  %arrayidx23 = getelementptr i8, ptr %arrayidx8, i32 800
  store i32 %conv21, ptr %arrayidx23, align 4
  ret void
}

define ptx_kernel void @warp_reduction(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %2 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %1, i32 16, i32 31)
  %add = add nsw i32 %2, %1
  %3 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %add, i32 8, i32 31)
  %add.1 = add nsw i32 %3, %add
  %4 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %add.1, i32 4, i32 31)
  %add.2 = add nsw i32 %4, %add.1
  %5 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %add.2, i32 2, i32 31)
  %add.3 = add nsw i32 %5, %add.2
  %6 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %add.3, i32 1, i32 31)
  %and = and i32 %0, 31
  %cmp2 = icmp eq i32 %and, 0
  br i1 %cmp2, label %if.then, label %if.end

if.then:
  %add.4 = add nsw i32 %6, %add.3
  %7 = lshr exact i32 %0, 3
  %arrayidx3 = getelementptr inbounds i8, ptr %out, i32 %7
  store i32 %add.4, ptr %arrayidx3, align 4
  br label %if.end

if.end:
  ret void
}

define ptx_kernel void @votes(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 1
  %tobool.i = icmp ne i32 %and, 0
  %2 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %tobool.i)
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %2, ptr %arrayidx2, align 4
  %3 = load i32, ptr %arrayidx, align 4
  %cmp = icmp eq i32 %3, 12
  %4 = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %cmp)
  %conv.i = zext i1 %4 to i32
  %5 = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 true)
  %mul = select i1 %5, i32 2, i32 0
  %add = or i32 %mul, %conv.i
  %cmp9 = icmp eq i32 %0, 40
  %6 = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %cmp9)
  %mul12 = select i1 %6, i32 4, i32 0
  %add13 = or i32 %add, %mul12
  %arrayidx15 = getelementptr i8, ptr %arrayidx2, i32 256
  store i32 %add13, ptr %arrayidx15, align 4
  ret void
}

define ptx_kernel void @matches(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 3
  %2 = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %and)
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %2, ptr %arrayidx2, align 4
  %div343538 = lshr i32 %0, 5
  %3 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %div343538)
  %4 = extractvalue { i32, i1 } %3, 1
  %5 = zext i1 %4 to i32
  %6 = extractvalue { i32, i1 } %3, 0
  %arrayidx4 = getelementptr i8, ptr %arrayidx2, i32 256
  store i32 %6, ptr %arrayidx4, align 4
  %arrayidx6 = getelementptr i8, ptr %arrayidx2, i32 512
  store i32 %5, ptr %arrayidx6, align 4
  %div736.lhs.trunc = trunc i32 %0 to i16
  %div73637 = udiv i16 %div736.lhs.trunc, 40
  %div736.zext = zext nneg i16 %div73637 to i32
  %7 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %div736.zext)
  %8 = extractvalue { i32, i1 } %7, 1
  %9 = zext i1 %8 to i32
  %10 = extractvalue { i32, i1 } %7, 0
  %arrayidx10 = getelementptr i8, ptr %arrayidx2, i32 768
  store i32 %10, ptr %arrayidx10, align 4
  %arrayidx12 = getelementptr i8, ptr %arrayidx2, i32 1024
  store i32 %9, ptr %arrayidx12, align 4
  %11 = load i32, ptr %arrayidx, align 4
  %and14 = and i32 %11, 1
  %conv = zext nneg i32 %and14 to i64
  %shl = shl nuw nsw i64 %conv, 40
  %12 = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %shl)
  %arrayidx17 = getelementptr i8, ptr %arrayidx2, i32 1280
  store i32 %12, ptr %arrayidx17, align 4
  ret void
}

define ptx_kernel void @redux(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %add.ptr.idx = shl nuw nsw i32 %0, 5
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 %add.ptr.idx
  %2 = call i32 @llvm.nvvm.redux.sync.add(i32 %1, i32 -1)
  store i32 %2, ptr %add.ptr, align 4
  %3 = call i32 @llvm.nvvm.redux.sync.min(i32 %1, i32 -1)
  %arrayidx4 = getelementptr inbounds i8, ptr %add.ptr, i32 4
  store i32 %3, ptr %arrayidx4, align 4
  %4 = call i32 @llvm.nvvm.redux.sync.max(i32 %1, i32 -1)
  %arrayidx6 = getelementptr inbounds i8, ptr %add.ptr, i32 8
  store i32 %4, ptr %arrayidx6, align 4
  %5 = call i32 @llvm.nvvm.redux.sync.umin(i32 %1, i32 -1)
  %arrayidx8 = getelementptr inbounds i8, ptr %add.ptr, i32 12
  store i32 %5, ptr %arrayidx8, align 4
  %6 = call i32 @llvm.nvvm.redux.sync.umax(i32 %1, i32 -1)
  %arrayidx10 = getelementptr inbounds i8, ptr %add.ptr, i32 16
  store i32 %6, ptr %arrayidx10, align 4
  %or = or i32 %1, 255
  %7 = call i32 @llvm.nvvm.redux.sync.and(i32 %or, i32 -1)
  %arrayidx12 = getelementptr inbounds i8, ptr %add.ptr, i32 20
  store i32 %7, ptr %arrayidx12, align 4
  %and = and i32 %1, 255
  %8 = call i32 @llvm.nvvm.redux.sync.or(i32 %and, i32 -1)
  %arrayidx14 = getelementptr inbounds i8, ptr %add.ptr, i32 24
  store i32 %8, ptr %arrayidx14, align 4
  %9 = call i32 @llvm.nvvm.redux.sync.xor(i32 %1, i32 -1)
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i32 28
  store i32 %9, ptr %arrayidx16, align 4
  ret void
}

define ptx_kernel void @partial_masks(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %and = and i32 %0, 31
  %cmp = icmp ult i32 %and, 12
  br i1 %cmp, label %if.then, label %if.else

if.then:
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 4095, i32 %1, i32 3, i32 31)
  br label %if.end12

if.else:
  %cmp3 = icmp ult i32 %and, 20
  br i1 %cmp3, label %if.then4, label %if.else9

if.then4:
  %arrayidx5 = getelementptr inbounds i32, ptr %in, i32 %0
  %3 = load i32, ptr %arrayidx5, align 4
  %and6 = and i32 %3, 1
  %tobool.i = icmp ne i32 %and6, 0
  %4 = call i32 @llvm.nvvm.vote.ballot.sync(i32 1044480, i1 %tobool.i)
  br label %if.end12

if.else9:
  call void @llvm.nvvm.bar.warp.sync(i32 -1048576)
  %5 = call i32 @llvm.nvvm.redux.sync.add(i32 %0, i32 -1048576)
  br label %if.end12

if.end12:
  %.sink = phi i32 [ %4, %if.then4 ], [ %5, %if.else9 ], [ %2, %if.then ]
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %.sink, ptr %arrayidx8, align 4
  ret void
}

define ptx_kernel void @partial_warp(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp = icmp ult i32 %0, 32
  %cond = select i1 %cmp, i32 -1, i32 65535
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 2
  %tobool.i = icmp ne i32 %and, 0
  %2 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %cond, i1 %tobool.i)
  %arrayidx2 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %2, ptr %arrayidx2, align 4
  %3 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %cond, i32 %0, i32 1, i32 4127)
  %arrayidx4 = getelementptr i8, ptr %arrayidx2, i32 256
  store i32 %3, ptr %arrayidx4, align 4
  ret void
}

define ptx_kernel void @shuffle_in_loop(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %and = and i32 %1, 255
  br label %while.cond

while.cond:
  %n.0 = phi i32 [ 0, %entry ], [ %inc, %while.body ]
  %v.0 = phi i32 [ %and, %entry ], [ %div, %while.body ]
  %cmp = icmp sgt i32 %v.0, 3
  %2 = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %cmp)
  br i1 %2, label %while.body, label %while.end

while.body:
  %rem = urem i32 %n.0, 5
  %shl = shl nuw nsw i32 1, %rem
  %3 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v.0, i32 %shl, i32 31)
  %add = add nsw i32 %3, %v.0
  %div = sdiv i32 %add, 3
  %inc = add nuw nsw i32 %n.0, 1
  br label %while.cond, !llvm.loop !1

while.end:
  %mul = mul nsw i32 %v.0, 100
  %add3 = add nsw i32 %mul, %n.0
  %arrayidx4 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %add3, ptr %arrayidx4, align 4
  ret void
}

define ptx_kernel void @syncwarp_exchange(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx, align 4
  %arrayidx1 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ17syncwarp_exchangeE1s to ptr), i32 %0
  store i32 %1, ptr %arrayidx1, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %xor = xor i32 %0, 1
  %arrayidx2 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ17syncwarp_exchangeE1s to ptr), i32 %xor
  %2 = load i32, ptr %arrayidx2, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %add = add nsw i32 %2, 1
  store i32 %add, ptr %arrayidx1, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %xor4 = xor i32 %0, 2
  %arrayidx5 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ17syncwarp_exchangeE1s to ptr), i32 %xor4
  %3 = load i32, ptr %arrayidx5, align 4
  %arrayidx6 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %3, ptr %arrayidx6, align 4
  ret void
}

define ptx_kernel void @active_mask(ptr noundef writeonly captures(none) %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.activemask()
  %arrayidx = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %1, ptr %arrayidx, align 4
  %and = and i32 %0, 1
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %2 = call i32 @llvm.nvvm.activemask()
  %call.i = call i32 @__nv_popc(i32 %2) convergent nounwind
  %arrayidx4 = getelementptr i8, ptr %arrayidx, i32 256
  store i32 %call.i, ptr %arrayidx4, align 4
  br label %if.end

if.end:
  ret void
}

define ptx_kernel void @divergent_shuffle(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %and1 = and i32 %0, 1
  %tobool.not = icmp eq i32 %and1, 0
  %arrayidx3 = getelementptr inbounds i32, ptr %in, i32 %0
  %1 = load i32, ptr %arrayidx3, align 4
  br i1 %tobool.not, label %if.else, label %if.then

if.then:
  %2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1431655766, i32 %1, i32 2, i32 31)
  %add = add nsw i32 %2, %1
  %3 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1431655766, i32 %add, i32 4, i32 31)
  %add.1 = add nsw i32 %3, %add
  %4 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1431655766, i32 %add.1, i32 8, i32 31)
  %add.2 = add nsw i32 %4, %add.1
  %5 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1431655766, i32 %add.2, i32 16, i32 31)
  %add.3 = add nsw i32 %5, %add.2
  br label %if.end

if.else:
  %mul = shl nsw i32 %1, 1
  %6 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 1431655765, i32 %mul, i32 2, i32 31)
  %cond.i = call i32 @llvm.smax.i32(i32 %mul, i32 %6)
  %7 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 1431655765, i32 %cond.i, i32 4, i32 31)
  %cond.i.1 = call i32 @llvm.smax.i32(i32 %cond.i, i32 %7)
  %8 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 1431655765, i32 %cond.i.1, i32 8, i32 31)
  %cond.i.2 = call i32 @llvm.smax.i32(i32 %cond.i.1, i32 %8)
  %9 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 1431655765, i32 %cond.i.2, i32 16, i32 31)
  %cond.i.3 = call i32 @llvm.smax.i32(i32 %cond.i.2, i32 %9)
  br label %if.end

if.end:
  %v.2 = phi i32 [ %cond.i.3, %if.else ], [ %add.3, %if.then ]
  %arrayidx14 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %v.2, ptr %arrayidx14, align 4
  ret void
}

define ptx_kernel void @atomic_ints(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %2
  %4 = load i32, ptr %arrayidx, align 4
  %5 = atomicrmw add ptr %out, i32 %4 seq_cst
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 4
  %sub.i = sub i32 0, %4
  %6 = atomicrmw add ptr %add.ptr, i32 %sub.i seq_cst
  %add.ptr5 = getelementptr inbounds i8, ptr %out, i32 8
  %7 = atomicrmw min ptr %add.ptr5, i32 %4 seq_cst
  %add.ptr7 = getelementptr inbounds i8, ptr %out, i32 12
  %8 = atomicrmw max ptr %add.ptr7, i32 %4 seq_cst
  %add.ptr9 = getelementptr inbounds i8, ptr %out, i32 16
  %9 = atomicrmw umin ptr %add.ptr9, i32 %4 seq_cst
  %add.ptr11 = getelementptr inbounds i8, ptr %out, i32 20
  %10 = atomicrmw umax ptr %add.ptr11, i32 %4 seq_cst
  %add.ptr13 = getelementptr inbounds i8, ptr %out, i32 24
  %11 = atomicrmw and ptr %add.ptr13, i32 %4 seq_cst
  %add.ptr15 = getelementptr inbounds i8, ptr %out, i32 28
  %12 = atomicrmw or ptr %add.ptr15, i32 %4 seq_cst
  %add.ptr17 = getelementptr inbounds i8, ptr %out, i32 32
  %13 = atomicrmw xor ptr %add.ptr17, i32 %4 seq_cst
  %add.ptr19 = getelementptr inbounds i8, ptr %out, i32 36
  %14 = atomicrmw uinc_wrap ptr %add.ptr19, i32 100 seq_cst
  %add.ptr21 = getelementptr inbounds i8, ptr %out, i32 40
  %15 = atomicrmw udec_wrap ptr %add.ptr21, i32 77 seq_cst
  %add.ptr23 = getelementptr inbounds i8, ptr %out, i32 44
  %16 = cmpxchg ptr %add.ptr23, i32 0, i32 5 seq_cst seq_cst
  ret void
}

define ptx_kernel void @atomic_64(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %2
  %4 = load i32, ptr %arrayidx, align 4
  %conv = zext i32 %4 to i64
  %mul3 = mul nuw nsw i64 %conv, 77777
  %5 = atomicrmw add ptr %out, i64 %mul3 seq_cst
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 8
  %6 = atomicrmw umax ptr %add.ptr, i64 %mul3 seq_cst
  %add.ptr6 = getelementptr inbounds i8, ptr %out, i32 16
  %7 = atomicrmw xor ptr %add.ptr6, i64 %mul3 seq_cst
  %add.ptr8 = getelementptr inbounds i8, ptr %out, i32 24
  %mul9 = mul nsw i64 %conv, -77777
  %8 = atomicrmw min ptr %add.ptr8, i64 %mul9 seq_cst
  %add.ptr11 = getelementptr inbounds i8, ptr %out, i32 32
  %9 = atomicrmw or ptr %add.ptr11, i64 %mul3 seq_cst
  %add.ptr13 = getelementptr inbounds i8, ptr %out, i32 40
  %10 = cmpxchg ptr %add.ptr13, i64 0, i64 1099511627776 seq_cst seq_cst
  ret void
}

define ptx_kernel void @atomic_floats(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %2
  %4 = load i32, ptr %arrayidx, align 4
  %and = and i32 %4, 255
  %conv = uitofp nneg i32 %and to float
  %5 = atomicrmw fadd ptr %out, float %conv seq_cst
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 8
  %6 = load i32, ptr %arrayidx, align 4
  %and10 = and i32 %6, 255
  %conv11 = uitofp nneg i32 %and10 to double
  %mul12 = fmul double %conv11, 5.000000e-01
  %7 = atomicrmw fadd ptr %add.ptr, double %mul12 seq_cst
  %add.ptr14 = getelementptr inbounds i8, ptr %out, i32 16
  %8 = atomicrmw fadd ptr %add.ptr14, half 0xH3C00 seq_cst
  %add.ptr17 = getelementptr inbounds i8, ptr %out, i32 20
  %9 = atomicrmw fadd ptr %add.ptr17, bfloat 0xR3F80 seq_cst
  ret void
}

define ptx_kernel void @atomic_results(ptr noundef captures(none) %out, ptr noundef readnone captures(none) %in) mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = atomicrmw add ptr %out, i32 1 seq_cst
  %1 = getelementptr i32, ptr %out, i32 %0
  %arrayidx = getelementptr i8, ptr %1, i32 4
  store i32 1, ptr %arrayidx, align 4
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 2000
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %2, %3
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = getelementptr i32, ptr %add.ptr, i32 %mul
  %add.ptr5 = getelementptr i32, ptr %5, i32 %4
  %6 = atomicrmw xchg ptr %add.ptr5, i32 7 seq_cst
  %add.ptr7 = getelementptr inbounds i8, ptr %out, i32 1996
  %add8 = add nsw i32 %6, 1
  %7 = atomicrmw add ptr %add.ptr7, i32 %add8 seq_cst
  call void @llvm.nvvm.membar.gl()
  ret void
}

define ptx_kernel void @histogram(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp = icmp ult i32 %0, 16
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %arrayidx = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE1h to ptr), i32 %0
  store i32 0, ptr %arrayidx, align 4
  br label %if.end

if.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx4 = getelementptr i32, ptr %3, i32 %0
  %4 = load i32, ptr %arrayidx4, align 4
  %and = and i32 %4, 15
  %arrayidx5 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE1h to ptr), i32 %and
  %5 = atomicrmw add ptr %arrayidx5, i32 1 seq_cst
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %cmp, label %if.then8, label %if.end11

if.then8:
  %add.ptr = getelementptr inbounds i32, ptr %out, i32 %0
  %arrayidx9 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @_ZZ9histogramE1h to ptr), i32 %0
  %6 = load i32, ptr %arrayidx9, align 4
  %7 = atomicrmw add ptr %add.ptr, i32 %6 seq_cst
  br label %if.end11

if.end11:
  ret void
}

define ptx_kernel void @cas_loop(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) mustprogress nofree noinline norecurse nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %2
  %4 = load i32, ptr %arrayidx, align 4
  %and = and i32 %4, 4095
  %5 = load i32, ptr %out, align 4
  br label %do.body

do.body:
  %old.0 = phi i32 [ %5, %entry ], [ %7, %do.body ]
  %add4 = add nsw i32 %old.0, %and
  %6 = cmpxchg ptr %out, i32 %old.0, i32 %add4 seq_cst seq_cst
  %7 = extractvalue { i32, i1 } %6, 0
  %cmp.not = extractvalue { i32, i1 } %6, 1
  br i1 %cmp.not, label %do.end, label %do.body, !llvm.loop !1

do.end:
  ret void
}

define ptx_kernel void @spin_lock(ptr noundef %out, ptr noundef readonly captures(none) %in) mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  br label %for.body

for.body:
  %0 = cmpxchg ptr %out, i32 0, i32 1 seq_cst seq_cst
  %cmp = extractvalue { i32, i1 } %0, 1
  br i1 %cmp, label %if.then, label %for.body

if.then:
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %arrayidx = getelementptr i32, ptr %3, i32 %4
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 4
  call void @llvm.nvvm.membar.gl()
  %5 = load volatile i32, ptr %add.ptr, align 4
  %6 = load i32, ptr %arrayidx, align 4
  %and = and i32 %6, 7
  %add4 = add nsw i32 %and, %5
  store volatile i32 %add4, ptr %add.ptr, align 4
  call void @llvm.nvvm.membar.gl()
  %7 = atomicrmw xchg ptr %out, i32 0 seq_cst
  ret void
}

define ptx_kernel void @last_block(ptr noundef %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %add.ptr = getelementptr inbounds i8, ptr %out, i32 4
  %add.ptr1 = getelementptr inbounds i32, ptr %add.ptr, i32 %0
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %1, %2
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %0
  %4 = load i32, ptr %arrayidx, align 4
  %and = and i32 %4, 63
  %5 = atomicrmw add ptr %add.ptr1, i32 %and seq_cst
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %6 = atomicrmw add ptr %out, i32 1 seq_cst
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %sub = add nsw i32 %7, -1
  %cmp8 = icmp eq i32 %6, %sub
  %storedv = zext i1 %cmp8 to i8
  store i8 %storedv, ptr addrspacecast (ptr addrspace(3) @_ZZ10last_blockE4last to ptr), align 1
  br label %if.end

if.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = load i8, ptr addrspacecast (ptr addrspace(3) @_ZZ10last_blockE4last to ptr), align 1
  %loadedv = trunc i8 %8 to i1
  br i1 %loadedv, label %if.then9, label %if.end15

if.then9:
  %9 = getelementptr i32, ptr %out, i32 %0
  %arrayidx11 = getelementptr i8, ptr %9, i32 4
  %10 = load volatile i32, ptr %arrayidx11, align 4
  %mul12 = shl nsw i32 %10, 1
  %arrayidx14 = getelementptr i8, ptr %9, i32 400
  store i32 %mul12, ptr %arrayidx14, align 4
  br label %if.end15

if.end15:
  ret void
}

define ptx_kernel void @block_chain(ptr noundef %out, ptr noundef readnone captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cmp = icmp eq i32 %0, 0
  br i1 %cmp, label %while.cond.preheader, label %if.end

while.cond.preheader:
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %2 = load volatile i32, ptr %out, align 4
  %cmp2.not15 = icmp eq i32 %2, %1
  br i1 %cmp2.not15, label %while.end, label %while.body

while.body:
  call void @llvm.nvvm.nanosleep(i32 20)
  %3 = load volatile i32, ptr %out, align 4
  %cmp2.not = icmp eq i32 %3, %1
  br i1 %cmp2.not, label %while.end, label %while.body, !llvm.loop !1

while.end:
  %mul5 = mul i32 %1, 3
  %add6 = add i32 %mul5, 1
  %4 = getelementptr i32, ptr %out, i32 %1
  %arrayidx9 = getelementptr i8, ptr %4, i32 4
  store i32 %add6, ptr %arrayidx9, align 4
  call void @llvm.nvvm.membar.gl()
  %add11 = add nuw nsw i32 %1, 1
  store volatile i32 %add11, ptr %out, align 4
  br label %if.end

if.end:
  ret void
}

define ptx_kernel void @grid_sync(ptr noundef captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %mul = mul i32 %0, %1
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %in, i32 %mul
  %arrayidx = getelementptr i32, ptr %3, i32 %2
  %4 = load i32, ptr %arrayidx, align 4
  %and = and i32 %4, 255
  %5 = getelementptr i32, ptr %out, i32 %mul
  %arrayidx9 = getelementptr i32, ptr %5, i32 %2
  store i32 %and, ptr %arrayidx9, align 4
  call void @__heddle_grid_sync() convergent nounwind
  %add14 = add nuw nsw i32 %2, 64
  %add15 = add i32 %add14, %mul
  %rem = and i32 %add15, 255
  %arrayidx16 = getelementptr inbounds i32, ptr %out, i32 %rem
  %6 = load i32, ptr %arrayidx16, align 4
  call void @__heddle_grid_sync() convergent nounwind
  %add17 = add nsw i32 %6, 1
  %arrayidx24 = getelementptr i8, ptr %arrayidx9, i32 1024
  store i32 %add17, ptr %arrayidx24, align 4
  ret void
}

define ptx_kernel void @cg_tiles(ptr noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %in) convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" "uniform-work-group-size"="true" {
entry:
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %and.i76 = and i32 %1, 24
  %shl.i = shl nuw i32 255, %and.i76
  %arrayidx = getelementptr inbounds i32, ptr %in, i32 %0
  %2 = load i32, ptr %arrayidx, align 4
  %and = and i32 %2, 255
  %3 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %shl.i, i32 %and, i32 4, i32 6175)
  %add = add nsw i32 %3, %and
  %4 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %shl.i, i32 %add, i32 2, i32 6175)
  %add.1 = add nsw i32 %4, %add
  %5 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %shl.i, i32 %add.1, i32 1, i32 6175)
  %add.2 = add nsw i32 %5, %add.1
  %6 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %shl.i, i32 %add.2, i32 0, i32 6175)
  %mul = mul nsw i32 %6, 10
  %and.i = and i32 %1, 7
  %add6 = add i32 %mul, %and.i
  %arrayidx8 = getelementptr inbounds i32, ptr %out, i32 %0
  store i32 %add6, ptr %arrayidx8, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %7 = load i32, ptr %arrayidx, align 4
  %and12 = and i32 %7, 16
  %tobool.i = icmp ne i32 %and12, 0
  %8 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %shl.i, i1 %tobool.i)
  %and.i63 = and i32 %8, %shl.i
  %cmp.i = icmp ne i32 %and.i63, 0
  %conv.i = zext i1 %cmp.i to i32
  %cmp = icmp ne i32 %7, 0
  %9 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %shl.i, i1 %cmp)
  %and.i67 = and i32 %9, %shl.i
  %cmp.i68 = icmp eq i32 %and.i67, %shl.i
  %mul17 = select i1 %cmp.i68, i32 2, i32 0
  %add18 = or i32 %mul17, %conv.i
  %arrayidx21 = getelementptr i8, ptr %arrayidx8, i32 256
  store i32 %add18, ptr %arrayidx21, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.fshl.i32(i32, i32, i32) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.fshr.i32(i32, i32, i32) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.rint.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare half @llvm.fma.f16(half, half, half) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.z() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare void @llvm.memset.p0.i32(ptr writeonly captures(none), i8, i32, i1 immarg) mustprogress nocallback nofree nounwind willreturn memory(argmem: write)

define linkonce_odr i32 @_ZNK5Shape4areaEv(ptr noundef nonnull dereferenceable(8) align 4 %this) mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %k = getelementptr inbounds i8, ptr %this, i32 4
  %0 = load i32, ptr %k, align 4
  ret i32 %0
}

define linkonce_odr void @_ZN5ShapeD0Ev(ptr noundef nonnull dereferenceable(8) align 4 %this) convergent mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  call void @free(ptr %this) convergent nounwind
  ret void
}

define linkonce_odr i32 @_ZNK6Square4areaEv(ptr noundef nonnull dereferenceable(8) align 4 %this) mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %k = getelementptr inbounds i8, ptr %this, i32 4
  %0 = load i32, ptr %k, align 4
  %mul = mul nsw i32 %0, %0
  ret i32 %mul
}

define linkonce_odr void @_ZN6SquareD0Ev(ptr noundef nonnull dereferenceable(8) align 4 %this) convergent inlinehint mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  call void @free(ptr %this) convergent nounwind
  ret void
}

define linkonce_odr i32 @_ZNK4Slab4areaEv(ptr noundef nonnull dereferenceable(12) align 4 %this) mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %k.i = getelementptr inbounds i8, ptr %this, i32 4
  %0 = load i32, ptr %k.i, align 4
  %mul.i = mul nsw i32 %0, %0
  %h = getelementptr inbounds i8, ptr %this, i32 8
  %1 = load i32, ptr %h, align 4
  %mul = mul nsw i32 %mul.i, %1
  ret i32 %mul
}

define linkonce_odr void @_ZN4SlabD0Ev(ptr noundef nonnull dereferenceable(12) align 4 %this) convergent inlinehint mustprogress nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  call void @free(ptr %this) convergent nounwind
  ret void
}

declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1) convergent nocallback nounwind

declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32, i1) convergent nocallback nounwind

declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1) convergent nocallback nounwind

declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i1 @llvm.nvvm.vote.any.sync(i32, i1) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i1 @llvm.nvvm.vote.all.sync(i32, i1) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.add(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.min(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.max(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.umin(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.umax(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.and(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.or(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare i32 @llvm.nvvm.redux.sync.xor(i32, i32) convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare void @llvm.nvvm.bar.warp.sync(i32) convergent nocallback nounwind

declare i32 @llvm.nvvm.activemask() convergent nocallback nounwind memory(inaccessiblemem: readwrite)

declare void @llvm.nvvm.membar.gl() nocallback nounwind

declare void @llvm.nvvm.nanosleep(i32) convergent mustprogress nocallback nofree nosync nounwind willreturn

declare void @__heddle_grid_sync() convergent nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80"

declare i32 @llvm.nvvm.read.ptx.sreg.laneid() mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.smin.i32(i32, i32) nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.smax.i32(i32, i32) nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.umin.i32(i32, i32) nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.umax.i32(i32, i32) nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

define i32 @__nv_popc(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call i32 @llvm.ctpop.i32(i32 %a)
  ret i32 %0
}

define i32 @__nv_clz(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  ret i32 %0
}

define i32 @__nv_ffs(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %tobool.not = icmp eq i32 %a, 0
  %0 = call i32 @llvm.cttz.i32(i32 %a, i1 true)
  %add = add nuw nsw i32 %0, 1
  %cond = select i1 %tobool.not, i32 0, i32 %add
  ret i32 %cond
}

define i32 @__nv_brev(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call i32 @llvm.bitreverse.i32(i32 %a)
  ret i32 %0
}

define i32 @__nv_popcll(i64 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call i64 @llvm.ctpop.i64(i64 %a)
  %cast = trunc i64 %0 to i32
  ret i32 %cast
}

define i32 @__nv_clzll(i64 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call i64 @llvm.ctlz.i64(i64 %a, i1 false)
  %cast = trunc i64 %0 to i32
  ret i32 %cast
}

define i32 @__nv_ffsll(i64 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %tobool.not = icmp eq i64 %a, 0
  %0 = call i64 @llvm.cttz.i64(i64 %a, i1 true)
  %cast = trunc i64 %0 to i32
  %add = add nuw nsw i32 %cast, 1
  %cond = select i1 %tobool.not, i32 0, i32 %add
  ret i32 %cond
}

define i32 @__nv_byte_perm(i32 noundef %a, i32 noundef %b, i32 noundef %s) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = zext i32 %b to i64
  %shl = shl nuw i64 %conv, 32
  %conv1 = zext i32 %a to i64
  %or = or i64 %shl, %conv1
  %and = shl i32 %s, 3
  %mul = and i32 %and, 56
  %sh_prom = zext nneg i32 %mul to i64
  %shr = lshr i64 %or, %sh_prom
  %conv2 = trunc i64 %shr to i32
  %and3 = and i32 %conv2, 255
  %0 = lshr i32 %s, 1
  %mul6 = and i32 %0, 56
  %sh_prom7 = zext nneg i32 %mul6 to i64
  %shr8 = lshr i64 %or, %sh_prom7
  %conv9 = trunc i64 %shr8 to i32
  %and10 = shl i32 %conv9, 8
  %shl11 = and i32 %and10, 65280
  %1 = lshr i32 %s, 5
  %mul15 = and i32 %1, 56
  %sh_prom16 = zext nneg i32 %mul15 to i64
  %shr17 = lshr i64 %or, %sh_prom16
  %conv18 = trunc i64 %shr17 to i32
  %and19 = shl i32 %conv18, 16
  %shl20 = and i32 %and19, 16711680
  %2 = lshr i32 %s, 9
  %mul24 = and i32 %2, 56
  %sh_prom25 = zext nneg i32 %mul24 to i64
  %shr26 = lshr i64 %or, %sh_prom25
  %conv27 = trunc i64 %shr26 to i32
  %and28 = shl i32 %conv27, 24
  %or21 = or i32 %and28, %and3
  %or12 = or i32 %or21, %shl11
  %or30 = or i32 %or12, %shl20
  ret i32 %or30
}

define i32 @__nv_mulhi(i32 noundef %a, i32 noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = sext i32 %a to i64
  %conv1 = sext i32 %b to i64
  %mul = mul nsw i64 %conv1, %conv
  %shr = lshr i64 %mul, 32
  %conv2 = trunc i64 %shr to i32
  ret i32 %conv2
}

define i32 @__nv_umulhi(i32 noundef %a, i32 noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = zext i32 %a to i64
  %conv1 = zext i32 %b to i64
  %mul = mul nuw i64 %conv1, %conv
  %shr = lshr i64 %mul, 32
  %conv2 = trunc i64 %shr to i32
  ret i32 %conv2
}

define i32 @__nv_sad(i32 noundef %a, i32 noundef %b, i32 noundef %c) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cmp = icmp sgt i32 %a, %b
  %sub = sub i32 %a, %b
  %sub1 = sub i32 %b, %a
  %cond = select i1 %cmp, i32 %sub, i32 %sub1
  %add = add i32 %cond, %c
  ret i32 %add
}

define i32 @__nv_abs(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cond = call i32 @llvm.abs.i32(i32 %a, i1 false)
  ret i32 %cond
}

define i32 @__nv_float_as_int(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = bitcast float %x to i32
  ret i32 %0
}

define float @__nv_fmul_rn(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %mul = fmul float %a, %b
  ret float %mul
}

define float @__nv_sqrtf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.sqrt.f32(float %x)
  ret float %0
}

define float @__nv_fabsf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.fabs.f32(float %x)
  ret float %0
}

define float @__nv_fmaf(float noundef %a, float noundef %b, float noundef %c) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %0
}

define float @__nv_fminf(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.minnum.f32(float %a, float %b)
  ret float %0
}

define float @__nv_fmaxf(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.maxnum.f32(float %a, float %b)
  ret float %0
}

define i64 @__nv_double_as_longlong(double noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = bitcast double %x to i64
  ret i64 %0
}

define double @__nv_dmul_rn(double noundef %a, double noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %mul = fmul double %a, %b
  ret double %mul
}

define double @__nv_sqrt(double noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.sqrt.f64(double %x)
  ret double %0
}

define double @__nv_fabs(double noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.fabs.f64(double %x)
  ret double %0
}

define double @__nv_fma(double noundef %a, double noundef %b, double noundef %c) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.fma.f64(double %a, double %b, double %c)
  ret double %0
}

define double @__nv_fmin(double noundef %a, double noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.minnum.f64(double %a, double %b)
  ret double %0
}

define double @__nv_fmax(double noundef %a, double noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.maxnum.f64(double %a, double %b)
  ret double %0
}

define float @__nv_int_as_float(i32 noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = bitcast i32 %a to float
  ret float %0
}

define i32 @__nv_isnanf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cmp.i = fcmp uno float %x, 0.000000e+00
  %conv = zext i1 %cmp.i to i32
  ret i32 %conv
}

define i32 @__nv_isinff(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.fabs.f32(float %x)
  %cmp = fcmp oeq float %0, 0x7FF0000000000000
  %conv = zext i1 %cmp to i32
  ret i32 %conv
}

define i32 @__nv_signbitf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = bitcast float %x to i32
  %.lobit = lshr i32 %0, 31
  ret i32 %.lobit
}

define i32 @__nv_float2int_rn(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.rint.f32(float %x)
  %conv.i = fptosi float %0 to i32
  %cmp.i = fcmp uno float %x, 0.000000e+00
  %cond = select i1 %cmp.i, i32 0, i32 %conv.i
  ret i32 %cond
}

define i32 @__nv_float2int_ru(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %fneg = fneg float %x
  %0 = call float @llvm.floor.f32(float %fneg)
  %fneg1 = fneg float %0
  %conv.i = fptosi float %fneg1 to i32
  %cmp.i = fcmp uno float %x, 0.000000e+00
  %cond = select i1 %cmp.i, i32 0, i32 %conv.i
  ret i32 %cond
}

define i32 @__nv_float2int_rd(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.floor.f32(float %x)
  %conv.i = fptosi float %0 to i32
  %cmp.i = fcmp uno float %x, 0.000000e+00
  %cond = select i1 %cmp.i, i32 0, i32 %conv.i
  ret i32 %cond
}

define float @__nv_floorf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.floor.f32(float %x)
  ret float %0
}

define float @__nv_ceilf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.ceil.f32(float %x)
  ret float %0
}

define float @__nv_truncf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.trunc.f32(float %x)
  ret float %0
}

define float @__nv_roundf(float noundef %x) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.trunc.f32(float %x)
  %sub.i = fsub float %x, %0
  %1 = call float @llvm.fabs.f32(float %sub.i)
  %cmp.i = fcmp ult float %1, 5.000000e-01
  %2 = call float @llvm.fabs.f32(float %0)
  %add.i = fadd float %2, 1.000000e+00
  %cond.i = select i1 %cmp.i, float %2, float %add.i
  %3 = call float @llvm.copysign.f32(float %cond.i, float %x)
  ret float %3
}

define float @__nv_copysignf(float noundef %x, float noundef %s) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call float @llvm.copysign.f32(float %x, float %s)
  ret float %0
}

define float @__nv_fadd_rz(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %add.i13 = fadd double %conv, %conv1
  %sub.i14 = fsub double %add.i13, %conv
  %sub1.i = fsub double %add.i13, %sub.i14
  %sub2.i = fsub double %conv, %sub1.i
  %sub3.i = fsub double %conv1, %sub.i14
  %add4.i = fadd double %sub3.i, %sub2.i
  %0 = bitcast double %add.i13 to i64
  %and.i = and i64 %0, 1
  %tobool.not.i = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end8.i

cond.false.i:
  %cmp.i4 = fcmp ogt double %add4.i, 0.000000e+00
  %1 = fcmp ule double %add.i13, 0.000000e+00
  %cmp5.i = xor i1 %1, %cmp.i4
  %add.i = or i64 %0, 1
  %sub.i = add i64 %0, -1
  %cond.i5 = select i1 %cmp5.i, i64 %add.i, i64 %sub.i
  %2 = bitcast i64 %cond.i5 to double
  br label %cond.end8.i

cond.end8.i:
  %cond9.i = phi double [ %2, %cond.false.i ], [ %add.i13, %entry ]
  %cmp12.i = fcmp une double %add4.i, 0.000000e+00
  %3 = call double @llvm.fabs.f64(double %add.i13)
  %cmp16.i = fcmp one double %3, 0x7FF0000000000000
  %or.cond = and i1 %cmp16.i, %cmp12.i
  %cond21.i = select i1 %or.cond, double %cond9.i, double %add.i13
  %conv.i = fptrunc double %cond21.i to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %cond21.i, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond15 = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond15, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %4 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %4, -2147483648
  %cmp.inv.i = icmp sgt i32 %4, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i11 = add i32 %cond.v.i, %4
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i11
  %5 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %cond.end8.i ], [ %5, %cond.true8.i ]
  %cmp3.i = fcmp olt double %cond21.i, %conv1.i
  br i1 %cmp3.i, label %cond.true4.i, label %_ZL6to_f32di.exit

cond.true4.i:
  %fneg.i = fneg float %conv.i
  %cmp7.i.i = fcmp ueq float %conv.i, 0xFFF0000000000000
  br i1 %cmp7.i.i, label %_ZL9step_downf.exit, label %cond.true8.i.i

cond.true8.i.i:
  %6 = bitcast float %fneg.i to i32
  %cmp1.i.i = icmp eq i32 %6, -2147483648
  %cmp.inv.i.i = icmp sgt i32 %6, -1
  %cond.v.i.i = select i1 %cmp.inv.i.i, i32 1, i32 -1
  %cond.i.i = add i32 %cond.v.i.i, %6
  %cond5.i.i = select i1 %cmp1.i.i, i32 1, i32 %cond.i.i
  %7 = bitcast i32 %cond5.i.i to float
  br label %_ZL9step_downf.exit

_ZL9step_downf.exit:
  %cond12.i.i = phi float [ %7, %cond.true8.i.i ], [ %fneg.i, %cond.true4.i ]
  %fneg1.i = fneg float %cond12.i.i
  br label %_ZL6to_f32di.exit

_ZL6to_f32di.exit:
  %cond8.i = phi float [ %fneg1.i, %_ZL9step_downf.exit ], [ %conv.i, %cond.end.i ]
  %cmp15.i = fcmp olt double %cond21.i, 0.000000e+00
  %cond19.i = select i1 %cmp15.i, float %cond.i, float %cond8.i
  ret float %cond19.i
}

define float @__nv_fadd_ru(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %add.i13 = fadd double %conv, %conv1
  %sub.i14 = fsub double %add.i13, %conv
  %sub1.i = fsub double %add.i13, %sub.i14
  %sub2.i = fsub double %conv, %sub1.i
  %sub3.i = fsub double %conv1, %sub.i14
  %add4.i = fadd double %sub3.i, %sub2.i
  %0 = bitcast double %add.i13 to i64
  %and.i = and i64 %0, 1
  %tobool.not.i = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end8.i

cond.false.i:
  %cmp.i4 = fcmp ogt double %add4.i, 0.000000e+00
  %1 = fcmp ule double %add.i13, 0.000000e+00
  %cmp5.i = xor i1 %1, %cmp.i4
  %add.i = or i64 %0, 1
  %sub.i = add i64 %0, -1
  %cond.i5 = select i1 %cmp5.i, i64 %add.i, i64 %sub.i
  %2 = bitcast i64 %cond.i5 to double
  br label %cond.end8.i

cond.end8.i:
  %cond9.i = phi double [ %2, %cond.false.i ], [ %add.i13, %entry ]
  %cmp12.i = fcmp une double %add4.i, 0.000000e+00
  %3 = call double @llvm.fabs.f64(double %add.i13)
  %cmp16.i = fcmp one double %3, 0x7FF0000000000000
  %or.cond = and i1 %cmp16.i, %cmp12.i
  %cond21.i = select i1 %or.cond, double %cond9.i, double %add.i13
  %conv.i = fptrunc double %cond21.i to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %cond21.i, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond15 = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond15, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %4 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %4, -2147483648
  %cmp.inv.i = icmp sgt i32 %4, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i11 = add i32 %cond.v.i, %4
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i11
  %5 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %cond.end8.i ], [ %5, %cond.true8.i ]
  ret float %cond.i
}

define float @__nv_fadd_rd(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %add.i13 = fadd double %conv, %conv1
  %sub.i14 = fsub double %add.i13, %conv
  %sub1.i = fsub double %add.i13, %sub.i14
  %sub2.i = fsub double %conv, %sub1.i
  %sub3.i = fsub double %conv1, %sub.i14
  %add4.i = fadd double %sub3.i, %sub2.i
  %0 = bitcast double %add.i13 to i64
  %and.i = and i64 %0, 1
  %tobool.not.i = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end8.i

cond.false.i:
  %cmp.i4 = fcmp ogt double %add4.i, 0.000000e+00
  %1 = fcmp ule double %add.i13, 0.000000e+00
  %cmp5.i = xor i1 %1, %cmp.i4
  %add.i = or i64 %0, 1
  %sub.i = add i64 %0, -1
  %cond.i5 = select i1 %cmp5.i, i64 %add.i, i64 %sub.i
  %2 = bitcast i64 %cond.i5 to double
  br label %cond.end8.i

cond.end8.i:
  %cond9.i = phi double [ %2, %cond.false.i ], [ %add.i13, %entry ]
  %cmp12.i = fcmp une double %add4.i, 0.000000e+00
  %3 = call double @llvm.fabs.f64(double %add.i13)
  %cmp16.i = fcmp one double %3, 0x7FF0000000000000
  %or.cond = and i1 %cmp16.i, %cmp12.i
  %cond21.i = select i1 %or.cond, double %cond9.i, double %add.i13
  %4 = bitcast float %a to i32
  %5 = bitcast float %b to i32
  %6 = xor i32 %5, %4
  %cmp26.i = icmp slt i32 %6, 0
  %cmp28.i = fcmp oeq double %cond21.i, 0.000000e+00
  %or.cond.i = and i1 %cmp26.i, %cmp28.i
  %cond36.i = select i1 %or.cond.i, double -0.000000e+00, double %cond21.i
  %conv.i = fptrunc double %cond36.i to float
  %conv1.i = fpext float %conv.i to double
  %cmp3.i = fcmp olt double %cond36.i, %conv1.i
  br i1 %cmp3.i, label %cond.true4.i, label %_ZL6to_f32di.exit

cond.true4.i:
  %fneg.i = fneg float %conv.i
  %cmp7.i.i = fcmp ueq float %conv.i, 0xFFF0000000000000
  br i1 %cmp7.i.i, label %_ZL9step_downf.exit, label %cond.true8.i.i

cond.true8.i.i:
  %7 = bitcast float %fneg.i to i32
  %cmp1.i.i = icmp eq i32 %7, -2147483648
  %cmp.inv.i.i = icmp sgt i32 %7, -1
  %cond.v.i.i = select i1 %cmp.inv.i.i, i32 1, i32 -1
  %cond.i.i = add i32 %cond.v.i.i, %7
  %cond5.i.i = select i1 %cmp1.i.i, i32 1, i32 %cond.i.i
  %8 = bitcast i32 %cond5.i.i to float
  br label %_ZL9step_downf.exit

_ZL9step_downf.exit:
  %cond12.i.i = phi float [ %8, %cond.true8.i.i ], [ %fneg.i, %cond.true4.i ]
  %fneg1.i = fneg float %cond12.i.i
  br label %_ZL6to_f32di.exit

_ZL6to_f32di.exit:
  %cond8.i = phi float [ %fneg1.i, %_ZL9step_downf.exit ], [ %conv.i, %cond.end8.i ]
  ret float %cond8.i
}

define float @__nv_fmul_rz(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %mul = fmul double %conv, %conv1
  %conv.i = fptrunc double %mul to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %mul, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %0 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %0, -2147483648
  %cmp.inv.i = icmp sgt i32 %0, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i3 = add i32 %cond.v.i, %0
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i3
  %1 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %entry ], [ %1, %cond.true8.i ]
  %cmp3.i = fcmp olt double %mul, %conv1.i
  br i1 %cmp3.i, label %cond.true4.i, label %_ZL6to_f32di.exit

cond.true4.i:
  %fneg.i = fneg float %conv.i
  %cmp7.i.i = fcmp ueq float %conv.i, 0xFFF0000000000000
  br i1 %cmp7.i.i, label %_ZL9step_downf.exit, label %cond.true8.i.i

cond.true8.i.i:
  %2 = bitcast float %fneg.i to i32
  %cmp1.i.i = icmp eq i32 %2, -2147483648
  %cmp.inv.i.i = icmp sgt i32 %2, -1
  %cond.v.i.i = select i1 %cmp.inv.i.i, i32 1, i32 -1
  %cond.i.i = add i32 %cond.v.i.i, %2
  %cond5.i.i = select i1 %cmp1.i.i, i32 1, i32 %cond.i.i
  %3 = bitcast i32 %cond5.i.i to float
  br label %_ZL9step_downf.exit

_ZL9step_downf.exit:
  %cond12.i.i = phi float [ %3, %cond.true8.i.i ], [ %fneg.i, %cond.true4.i ]
  %fneg1.i = fneg float %cond12.i.i
  br label %_ZL6to_f32di.exit

_ZL6to_f32di.exit:
  %cond8.i = phi float [ %fneg1.i, %_ZL9step_downf.exit ], [ %conv.i, %cond.end.i ]
  %cmp15.i = fcmp olt double %mul, 0.000000e+00
  %cond19.i = select i1 %cmp15.i, float %cond.i, float %cond8.i
  ret float %cond19.i
}

define float @__nv_fmul_ru(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %mul = fmul double %conv, %conv1
  %conv.i = fptrunc double %mul to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %mul, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %0 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %0, -2147483648
  %cmp.inv.i = icmp sgt i32 %0, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i3 = add i32 %cond.v.i, %0
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i3
  %1 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %entry ], [ %1, %cond.true8.i ]
  ret float %cond.i
}

define float @__nv_fmaf_rd(float noundef %a, float noundef %b, float noundef %c) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %mul = fmul double %conv, %conv1
  %conv2 = fpext float %c to double
  %add.i14 = fadd double %mul, %conv2
  %sub.i15 = fsub double %add.i14, %mul
  %sub1.i = fsub double %add.i14, %sub.i15
  %sub2.i = fsub double %mul, %sub1.i
  %sub3.i = fsub double %conv2, %sub.i15
  %add4.i = fadd double %sub3.i, %sub2.i
  %0 = bitcast double %add.i14 to i64
  %and.i = and i64 %0, 1
  %tobool.not.i = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end8.i

cond.false.i:
  %cmp.i5 = fcmp ogt double %add4.i, 0.000000e+00
  %1 = fcmp ule double %add.i14, 0.000000e+00
  %cmp5.i = xor i1 %1, %cmp.i5
  %add.i = or i64 %0, 1
  %sub.i = add i64 %0, -1
  %cond.i6 = select i1 %cmp5.i, i64 %add.i, i64 %sub.i
  %2 = bitcast i64 %cond.i6 to double
  br label %cond.end8.i

cond.end8.i:
  %cond9.i = phi double [ %2, %cond.false.i ], [ %add.i14, %entry ]
  %cmp12.i = fcmp une double %add4.i, 0.000000e+00
  %3 = call double @llvm.fabs.f64(double %add.i14)
  %cmp16.i = fcmp one double %3, 0x7FF0000000000000
  %or.cond = and i1 %cmp16.i, %cmp12.i
  %cond21.i = select i1 %or.cond, double %cond9.i, double %add.i14
  %4 = bitcast double %mul to i64
  %cmp.i10 = icmp slt i64 %4, 0
  %5 = bitcast float %c to i32
  %cmp.i8 = icmp slt i32 %5, 0
  %cmp26.i = xor i1 %cmp.i8, %cmp.i10
  %cmp28.i = fcmp oeq double %cond21.i, 0.000000e+00
  %or.cond.i = and i1 %cmp26.i, %cmp28.i
  %cond36.i = select i1 %or.cond.i, double -0.000000e+00, double %cond21.i
  %conv.i = fptrunc double %cond36.i to float
  %conv1.i = fpext float %conv.i to double
  %cmp3.i = fcmp olt double %cond36.i, %conv1.i
  br i1 %cmp3.i, label %cond.true4.i, label %_ZL6to_f32di.exit

cond.true4.i:
  %fneg.i = fneg float %conv.i
  %cmp7.i.i = fcmp ueq float %conv.i, 0xFFF0000000000000
  br i1 %cmp7.i.i, label %_ZL9step_downf.exit, label %cond.true8.i.i

cond.true8.i.i:
  %6 = bitcast float %fneg.i to i32
  %cmp1.i.i = icmp eq i32 %6, -2147483648
  %cmp.inv.i.i = icmp sgt i32 %6, -1
  %cond.v.i.i = select i1 %cmp.inv.i.i, i32 1, i32 -1
  %cond.i.i = add i32 %cond.v.i.i, %6
  %cond5.i.i = select i1 %cmp1.i.i, i32 1, i32 %cond.i.i
  %7 = bitcast i32 %cond5.i.i to float
  br label %_ZL9step_downf.exit

_ZL9step_downf.exit:
  %cond12.i.i = phi float [ %7, %cond.true8.i.i ], [ %fneg.i, %cond.true4.i ]
  %fneg1.i = fneg float %cond12.i.i
  br label %_ZL6to_f32di.exit

_ZL6to_f32di.exit:
  %cond8.i = phi float [ %fneg1.i, %_ZL9step_downf.exit ], [ %conv.i, %cond.end8.i ]
  ret float %cond8.i
}

define float @__nv_fdiv_rz(float noundef %a, float noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %conv1 = fpext float %b to double
  %div = fdiv double %conv, %conv1
  %conv.i = fptrunc double %div to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %div, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %0 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %0, -2147483648
  %cmp.inv.i = icmp sgt i32 %0, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i3 = add i32 %cond.v.i, %0
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i3
  %1 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %entry ], [ %1, %cond.true8.i ]
  %cmp3.i = fcmp olt double %div, %conv1.i
  br i1 %cmp3.i, label %cond.true4.i, label %_ZL6to_f32di.exit

cond.true4.i:
  %fneg.i = fneg float %conv.i
  %cmp7.i.i = fcmp ueq float %conv.i, 0xFFF0000000000000
  br i1 %cmp7.i.i, label %_ZL9step_downf.exit, label %cond.true8.i.i

cond.true8.i.i:
  %2 = bitcast float %fneg.i to i32
  %cmp1.i.i = icmp eq i32 %2, -2147483648
  %cmp.inv.i.i = icmp sgt i32 %2, -1
  %cond.v.i.i = select i1 %cmp.inv.i.i, i32 1, i32 -1
  %cond.i.i = add i32 %cond.v.i.i, %2
  %cond5.i.i = select i1 %cmp1.i.i, i32 1, i32 %cond.i.i
  %3 = bitcast i32 %cond5.i.i to float
  br label %_ZL9step_downf.exit

_ZL9step_downf.exit:
  %cond12.i.i = phi float [ %3, %cond.true8.i.i ], [ %fneg.i, %cond.true4.i ]
  %fneg1.i = fneg float %cond12.i.i
  br label %_ZL6to_f32di.exit

_ZL6to_f32di.exit:
  %cond8.i = phi float [ %fneg1.i, %_ZL9step_downf.exit ], [ %conv.i, %cond.end.i ]
  %cmp15.i = fcmp olt double %div, 0.000000e+00
  %cond19.i = select i1 %cmp15.i, float %cond.i, float %cond8.i
  ret float %cond19.i
}

define float @__nv_fsqrt_ru(float noundef %a) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %conv = fpext float %a to double
  %0 = call double @llvm.sqrt.f64(double %conv)
  %conv.i = fptrunc double %0 to float
  %conv1.i = fpext float %conv.i to double
  %cmp.i = fcmp ule double %0, %conv1.i
  %cmp7.i = fcmp ueq float %conv.i, 0x7FF0000000000000
  %or.cond = or i1 %cmp7.i, %cmp.i
  br i1 %or.cond, label %cond.end.i, label %cond.true8.i

cond.true8.i:
  %1 = bitcast float %conv.i to i32
  %cmp1.i = icmp eq i32 %1, -2147483648
  %cmp.inv.i = icmp sgt i32 %1, -1
  %cond.v.i = select i1 %cmp.inv.i, i32 1, i32 -1
  %cond.i3 = add i32 %cond.v.i, %1
  %cond5.i = select i1 %cmp1.i, i32 1, i32 %cond.i3
  %2 = bitcast i32 %cond5.i to float
  br label %cond.end.i

cond.end.i:
  %cond.i = phi float [ %conv.i, %entry ], [ %2, %cond.true8.i ]
  ret float %cond.i
}

define double @__nv_dadd_rz(double noundef %a, double noundef %b) mustprogress nofree norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %call = call double @_ZL12fma_directeddddi(double %a, double 1.000000e+00, double %b, i32 0) nounwind
  ret double %call
}

define void @free(ptr noundef %pointer) mustprogress noinline nounwind memory(readwrite, inaccessiblemem: write, target_mem0: none, target_mem1: none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = ptrtoint ptr %pointer to i32
  %cmp = icmp eq ptr %pointer, null
  br i1 %cmp, label %cleanup21, label %if.end

if.end:
  %1 = load i32, ptr addrspacecast (ptr addrspace(1) @__heddle_heap_base to ptr), align 4
  %2 = load i32, ptr addrspacecast (ptr addrspace(1) @__heddle_heap_bytes to ptr), align 4
  %3 = lshr i32 %2, 15
  %add.i = and i32 %3, 131068
  %add3.i = add i32 %1, 4275
  %sub.i = add i32 %add3.i, %add.i
  %and.i = and i32 %sub.i, -4096
  %4 = inttoptr i32 %1 to ptr
  %and = and i32 %0, -4096
  %cmp1 = icmp ugt i32 %and.i, %0
  br i1 %cmp1, label %if.then4, label %lor.lhs.false

lor.lhs.false:
  %cmp.i = icmp ne i32 %1, 0
  %add5.i = add i32 %2, %1
  %cmp8.i = icmp uge i32 %add5.i, %and.i
  %or.cond.i.not = and i1 %cmp.i, %cmp8.i
  %sub9.i = sub nuw i32 %add5.i, %and.i
  %div1020.i = lshr i32 %sub9.i, 12
  %sub = sub nuw i32 %0, %and.i
  %div36 = lshr i32 %sub, 12
  %cmp3.not38 = icmp ugt i32 %div1020.i, %div36
  %cmp3.not = select i1 %or.cond.i.not, i1 %cmp3.not38, i1 false
  br i1 %cmp3.not, label %if.end5, label %if.then4

if.then4:
  call void @llvm.trap()
  unreachable

if.end5:
  %5 = inttoptr i32 %and to ptr
  %p.sroa.0.0.copyload = load i32, ptr %5, align 4096
  %cmp7.not = icmp eq i32 %p.sroa.0.0.copyload, 0
  br i1 %cmp7.not, label %for.cond.preheader, label %if.then8

for.cond.preheader:
  %p.sroa.4.0.call6.sroa_idx = getelementptr inbounds i8, ptr %5, i32 4
  %p.sroa.4.0.copyload = load i32, ptr %p.sroa.4.0.call6.sroa_idx, align 4
  %add = add i32 %p.sroa.4.0.copyload, %div36
  %cmp1540 = icmp ult i32 %div36, %add
  br i1 %cmp1540, label %for.body.lr.ph, label %cleanup21

for.body.lr.ph:
  %used = getelementptr inbounds i8, ptr %4, i32 168
  br label %for.body

if.then8:
  %p.sroa.5.0.call6.sroa_idx = getelementptr inbounds i8, ptr %5, i32 8
  %p.sroa.5.0.copyload = load i32, ptr %p.sroa.5.0.call6.sroa_idx, align 8
  %arrayidx = getelementptr inbounds i64, ptr %4, i32 %p.sroa.5.0.copyload
  %conv2.i = zext i32 %0 to i64
  %invariant.op = or i64 %conv2.i, 4294967296
  br label %for.cond.i

for.cond.i:
  %6 = load atomic i64, ptr %arrayidx monotonic, align 8
  %conv.i = trunc i64 %6 to i32
  store atomic i32 %conv.i, ptr %pointer monotonic, align 4
  %shr.i = and i64 %6, -4294967296
  %or.i.reass = add i64 %shr.i, %invariant.op
  %7 = cmpxchg ptr %arrayidx, i64 %6, i64 %or.i.reass seq_cst seq_cst
  %8 = extractvalue { i64, i1 } %7, 1
  br i1 %8, label %cleanup21, label %for.cond.i

for.body:
  %i.041 = phi i32 [ %div36, %for.body.lr.ph ], [ %inc, %for.body ]
  %shr = lshr i32 %i.041, 5
  %arrayidx17 = getelementptr inbounds i32, ptr %used, i32 %shr
  %and18 = and i32 %i.041, 31
  %shl = shl nuw i32 1, %and18
  %not = xor i32 %shl, -1
  %9 = atomicrmw and ptr %arrayidx17, i32 %not seq_cst
  %inc = add nuw i32 %i.041, 1
  %exitcond.not = icmp eq i32 %inc, %add
  br i1 %exitcond.not, label %cleanup21, label %for.body, !llvm.loop !1

cleanup21:
  ret void
}

declare void @llvm.trap() cold noreturn nounwind memory(inaccessiblemem: write)

define internal double @_ZL12fma_directeddddi(double noundef %a, double noundef %b, double noundef %c, i32 noundef range(i32 0, 3) %mode) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %0 = call double @llvm.fma.f64(double %a, double %b, double %c)
  %1 = bitcast double %c to i64
  %2 = and i64 %1, 9218868437227405312
  %cmp = icmp ne i64 %2, 9218868437227405312
  %3 = bitcast double %a to i64
  %4 = bitcast double %b to i64
  %cmp6 = icmp eq i32 %mode, 1
  br i1 %cmp6, label %land.lhs.true, label %cond.false

land.lhs.true:
  %5 = xor i64 %4, %3
  %6 = xor i64 %5, %1
  %7 = icmp slt i64 %6, 0
  br i1 %7, label %cond.end, label %cond.false

cond.false:
  br label %cond.end

cond.end:
  %cond = phi double [ %0, %cond.false ], [ -0.000000e+00, %land.lhs.true ]
  %8 = and i64 %3, 9218868437227405312
  %cmp.i156 = icmp ne i64 %8, 9218868437227405312
  %cmp1.i157 = fcmp une double %a, 0.000000e+00
  %9 = and i1 %cmp1.i157, %cmp.i156
  br i1 %9, label %lor.lhs.false, label %if.then

lor.lhs.false:
  %10 = and i64 %4, 9218868437227405312
  %cmp.i155 = icmp ne i64 %10, 9218868437227405312
  %cmp1.i = fcmp une double %b, 0.000000e+00
  %11 = and i1 %cmp1.i, %cmp.i155
  %or.cond = and i1 %11, %cmp
  br i1 %or.cond, label %if.end, label %if.then

if.then:
  %cmp15 = fcmp oeq double %0, 0.000000e+00
  %cond19 = select i1 %cmp15, double %cond, double %0
  br label %cleanup

if.end:
  %12 = call double @llvm.fabs.f64(double %a)
  %cmp.i176 = fcmp olt double %12, 0x0010000000000000
  %mul.i177 = fmul double %a, 0x4350000000000000
  %cond.i178 = select i1 %cmp.i176, double %mul.i177, double %a
  %13 = bitcast double %cond.i178 to i64
  %and.i179 = and i64 %13, -9218868437227405313
  %or.i180 = or i64 %and.i179, 4607182418800017408
  %14 = bitcast i64 %or.i180 to double
  %shr.i181 = lshr i64 %13, 52
  %15 = trunc i64 %shr.i181 to i32
  %conv.i182 = and i32 %15, 2047
  %16 = call double @llvm.fabs.f64(double %b)
  %cmp.i164 = fcmp olt double %16, 0x0010000000000000
  %mul.i165 = fmul double %b, 0x4350000000000000
  %cond.i166 = select i1 %cmp.i164, double %mul.i165, double %b
  %17 = bitcast double %cond.i166 to i64
  %and.i167 = and i64 %17, -9218868437227405313
  %or.i168 = or i64 %and.i167, 4607182418800017408
  %18 = bitcast i64 %or.i168 to double
  %shr.i169 = lshr i64 %17, 52
  %19 = trunc i64 %shr.i169 to i32
  %conv.i170 = and i32 %19, 2047
  %cond5.neg.i172 = select i1 %cmp.i164, i32 -54, i32 0
  %cmp22 = fcmp oeq double %c, 0.000000e+00
  %cond26 = select i1 %cmp22, double 1.000000e+00, double %c
  %20 = call double @llvm.fabs.f64(double %cond26)
  %cmp.i158 = fcmp olt double %20, 0x0010000000000000
  %mul.i = fmul double %cond26, 0x4350000000000000
  %cond.i159 = select i1 %cmp.i158, double %mul.i, double %cond26
  %21 = bitcast double %cond.i159 to i64
  %shr.i = lshr i64 %21, 52
  %22 = trunc i64 %shr.i to i32
  %conv.i = and i32 %22, 2047
  %sub.i161 = select i1 %cmp.i158, i32 -1077, i32 -1023
  %sub6.i = add nsw i32 %sub.i161, %conv.i
  %sub6.i173 = select i1 %cmp.i176, i32 -2100, i32 -2046
  %sub.i183 = add nsw i32 %sub6.i173, %cond5.neg.i172
  %sub6.i185 = add nsw i32 %sub.i183, %conv.i182
  %add = add nsw i32 %sub6.i185, %conv.i170
  %sub = sub nsw i32 %sub6.i, %add
  %cmp30 = icmp sgt i32 %sub, 240
  %sub45 = add nsw i32 %sub6.i, -240
  %cond48 = select i1 %cmp30, i32 %sub45, i32 %add
  %cond56 = select i1 %cmp22, i32 %add, i32 %cond48
  br i1 %cmp22, label %cond.end61, label %cond.false59

cond.false59:
  %cond37 = call i32 @llvm.smax.i32(i32 %sub, i32 -240)
  %cond39 = call i32 @llvm.smin.i32(i32 %cond37, i32 240)
  %and.i160 = and i64 %21, -9218868437227405313
  %or.i = or i64 %and.i160, 4607182418800017408
  %23 = bitcast i64 %or.i to double
  %add.i188 = add nsw i32 %cond39, 1023
  %conv.i189 = zext nneg i32 %add.i188 to i64
  %shl.i = shl nuw nsw i64 %conv.i189, 52
  %24 = bitcast i64 %shl.i to double
  %mul = fmul double %23, %24
  br label %cond.end61

cond.end61:
  %cond62 = phi double [ %mul, %cond.false59 ], [ 0.000000e+00, %if.end ]
  %mul65 = fmul double %14, %18
  %fneg = fneg double %mul65
  %25 = call double @llvm.fma.f64(double %14, double %18, double %fneg)
  %add.i147 = fadd double %25, %cond62
  %sub.i148 = fsub double %add.i147, %cond62
  %sub1.i149 = fsub double %add.i147, %sub.i148
  %sub2.i150 = fsub double %cond62, %sub1.i149
  %sub3.i151 = fsub double %25, %sub.i148
  %add4.i152 = fadd double %sub3.i151, %sub2.i150
  %add.i139 = fadd double %mul65, %add.i147
  %sub.i140 = fsub double %add.i139, %mul65
  %sub1.i141 = fsub double %add.i139, %sub.i140
  %sub2.i142 = fsub double %mul65, %sub1.i141
  %sub3.i143 = fsub double %add.i147, %sub.i140
  %add4.i144 = fadd double %sub3.i143, %sub2.i142
  %add.i129 = fadd double %add4.i152, %add4.i144
  %sub.i130 = fsub double %add.i129, %add4.i152
  %sub1.i = fsub double %add.i129, %sub.i130
  %sub2.i = fsub double %add4.i152, %sub1.i
  %sub3.i = fsub double %add4.i144, %sub.i130
  %add4.i = fadd double %sub3.i, %sub2.i
  %26 = bitcast double %add.i129 to i64
  %and.i = and i64 %26, 1
  %tobool.not.i = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end8.i

cond.false.i:
  %cmp.i = fcmp ogt double %add4.i, 0.000000e+00
  %27 = fcmp ule double %add.i129, 0.000000e+00
  %cmp5.i = xor i1 %27, %cmp.i
  %add.i = or i64 %26, 1
  %sub.i = add i64 %26, -1
  %cond.i = select i1 %cmp5.i, i64 %add.i, i64 %sub.i
  %28 = bitcast i64 %cond.i to double
  br label %cond.end8.i

cond.end8.i:
  %cond9.i = phi double [ %28, %cond.false.i ], [ %add.i129, %cond.end61 ]
  %cmp12.i = fcmp une double %add4.i, 0.000000e+00
  %29 = call double @llvm.fabs.f64(double %add.i129)
  %cmp16.i = fcmp one double %29, 0x7FF0000000000000
  %or.cond190 = and i1 %cmp16.i, %cmp12.i
  %cond21.i = select i1 %or.cond190, double %cond9.i, double %add.i129
  %add.i131 = fadd double %add.i139, %cond21.i
  %cmp75 = fcmp oeq double %add.i131, 0.000000e+00
  br i1 %cmp75, label %cond.true76, label %cond.false79

cond.true76:
  %cond78 = select i1 %cmp6, double -0.000000e+00, double 0.000000e+00
  br label %cleanup

cond.false79:
  %sub.i132 = fsub double %add.i131, %add.i139
  %sub1.i133 = fsub double %add.i131, %sub.i132
  %sub2.i134 = fsub double %add.i139, %sub1.i133
  %sub3.i135 = fsub double %cond21.i, %sub.i132
  %add4.i136 = fadd double %sub3.i135, %sub2.i134
  %call82 = call double @_ZL4packddii(double %add.i131, double %add4.i136, i32 %cond56, i32 %mode) nounwind
  br label %cleanup

cleanup:
  %retval.0 = phi double [ %cond19, %if.then ], [ %cond78, %cond.true76 ], [ %call82, %cond.false79 ]
  ret double %retval.0
}

declare double @llvm.fma.f64(double, double, double) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare double @llvm.fabs.f64(double) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

define internal double @_ZL4packddii(double noundef %v, double noundef %z, i32 noundef range(i32 -2154, 2102) %k, i32 noundef range(i32 0, 3) %mode) mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" {
entry:
  %cmp = fcmp olt double %v, 0.000000e+00
  %0 = call double @llvm.fabs.f64(double %v)
  %cmp.i = fcmp olt double %0, 0x0010000000000000
  %mul.i = fmul double %0, 0x4350000000000000
  %cond.i = select i1 %cmp.i, double %mul.i, double %0
  %1 = bitcast double %cond.i to i64
  %shr.i = lshr i64 %1, 52
  %2 = trunc i64 %shr.i to i32
  %conv.i = and i32 %2, 2047
  %cond5.neg.i = select i1 %cmp.i, i32 -54, i32 0
  %or.i = shl i64 %1, 10
  %or = and i64 %or.i, 4611686018427386880
  %cmp4 = fcmp oeq double %z, 0.000000e+00
  br i1 %cmp4, label %cond.true, label %cond.false

cond.true:
  %shl = or i64 %or, 4611686018427387904
  br label %cond.end10

cond.false:
  %3 = fcmp uge double %z, 0.000000e+00
  %cmp7 = xor i1 %cmp, %3
  %add = or i64 %or, 4611686018427387905
  %sub = add nuw nsw i64 %or, 4611686018427387903
  %cond = select i1 %cmp7, i64 %add, i64 %sub
  br label %cond.end10

cond.end10:
  %cond11 = phi i64 [ %shl, %cond.true ], [ %cond, %cond.false ]
  %cmp14 = icmp ult i64 %cond11, 4611686018427387904
  %shl18 = zext i1 %cmp14 to i64
  %cond21 = shl nuw i64 %cond11, %shl18
  %sub24 = sext i1 %cmp14 to i32
  %sub.i = add nsw i32 %k, -1023
  %sub6.i = add nsw i32 %sub.i, %cond5.neg.i
  %add13 = add nsw i32 %sub6.i, %conv.i
  %cond27 = add nsw i32 %add13, %sub24
  %cmp28 = icmp slt i32 %cond27, -1022
  %add31 = sub nsw i32 -1012, %cond27
  %4 = call i32 @llvm.smin.i32(i32 %add31, i32 63)
  %cond39 = select i1 %cmp28, i32 %4, i32 10
  %sh_prom = zext i32 %cond39 to i64
  %shr = lshr i64 %cond21, %sh_prom
  %notmask = shl nsw i64 -1, %sh_prom
  %sub42 = xor i64 %notmask, -1
  %and43 = and i64 %cond21, %sub42
  %cmp44.not = icmp eq i64 %and43, 0
  br i1 %cmp44.not, label %land.end, label %land.rhs

land.rhs:
  %cmp.i101 = icmp eq i32 %mode, 2
  br i1 %cmp.i101, label %cond.true.i106, label %cond.false.i102

cond.true.i106:
  %lnot.i107 = xor i1 %cmp, true
  br label %_ZL11rounds_awayib.exit108

cond.false.i102:
  %cmp1.i103 = icmp eq i32 %mode, 1
  %cond.i104 = and i1 %cmp, %cmp1.i103
  br label %_ZL11rounds_awayib.exit108

_ZL11rounds_awayib.exit108:
  %cond6.i105 = phi i1 [ %lnot.i107, %cond.true.i106 ], [ %cond.i104, %cond.false.i102 ]
  %5 = zext i1 %cond6.i105 to i64
  br label %land.end

land.end:
  %cond47 = phi i64 [ 0, %cond.end10 ], [ %5, %_ZL11rounds_awayib.exit108 ]
  %add53 = add nsw i32 %cond27, 1022
  %conv54 = zext nneg i32 %add53 to i64
  %shl55 = shl i64 %conv54, 52
  %add56 = select i1 %cmp28, i64 0, i64 %shl55
  %add49 = add i64 %shr, %add56
  %cond58 = add i64 %add49, %cond47
  %cmp59 = icmp sgt i32 %cond27, 1023
  br i1 %cmp59, label %cond.true62, label %cond.end67

cond.true62:
  %cmp.i99 = icmp eq i32 %mode, 2
  br i1 %cmp.i99, label %cond.true.i, label %cond.false.i

cond.true.i:
  %lnot.i = xor i1 %cmp, true
  br label %_ZL11rounds_awayib.exit

cond.false.i:
  %cmp1.i = icmp eq i32 %mode, 1
  %cond.i100 = and i1 %cmp, %cmp1.i
  br label %_ZL11rounds_awayib.exit

_ZL11rounds_awayib.exit:
  %cond6.i = phi i1 [ %lnot.i, %cond.true.i ], [ %cond.i100, %cond.false.i ]
  %cond65 = select i1 %cond6.i, i64 9218868437227405312, i64 9218868437227405311
  br label %cond.end67

cond.end67:
  %cond68 = phi i64 [ %cond65, %_ZL11rounds_awayib.exit ], [ %cond58, %land.end ]
  %cond70 = select i1 %cmp, i64 -9223372036854775808, i64 0
  %or71 = or i64 %cond68, %cond70
  %6 = bitcast i64 %or71 to double
  ret double %6
}

declare double @llvm.sqrt.f64(double) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.copysign.f32(float, float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.trunc.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.fabs.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.ceil.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.floor.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare double @llvm.maxnum.f64(double, double) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare double @llvm.minnum.f64(double, double) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.maxnum.f32(float, float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.minnum.f32(float, float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.fma.f32(float, float, float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare float @llvm.sqrt.f32(float) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.abs.i32(i32, i1 immarg) nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i64 @llvm.cttz.i64(i64, i1 immarg) mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i64 @llvm.ctlz.i64(i64, i1 immarg) mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i64 @llvm.ctpop.i64(i64) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.bitreverse.i32(i32) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.cttz.i32(i32, i1 immarg) mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.ctlz.i32(i32, i1 immarg) mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)

declare i32 @llvm.ctpop.i32(i32) mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)

declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)

!0 = !{!"llvm.loop.mustprogress"}
!1 = distinct !{!1, !0}
