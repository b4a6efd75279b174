/**
 * WebAssembly's instructions as tables: name in the text format → code (WebAssembly 2.0 core specification, §5.4; threads,
 * relaxed SIMD proposals). A prefixed code is written prefix_number: 0xfd_0ae is i32x4.add, prefix 0xfd, number 0xae.
 *
 * Instructions with control flow, indices or constants as immediates are methods of FunctionBuilder and listed in
 * IMMEDIATE_CODES for the disassembler.
 */

/** No immediates. */
export const PLAIN_CODES = {
  "unreachable": 0x00, "nop": 0x01, "return": 0x0f, "drop": 0x1a, "select": 0x1b, "i32.eqz": 0x45, "i32.eq": 0x46, "i32.ne": 0x47,
  "i32.lt_s": 0x48, "i32.lt_u": 0x49, "i32.gt_s": 0x4a, "i32.gt_u": 0x4b, "i32.le_s": 0x4c, "i32.le_u": 0x4d, "i32.ge_s": 0x4e,
  "i32.ge_u": 0x4f, "i64.eqz": 0x50, "i64.eq": 0x51, "i64.ne": 0x52, "i64.lt_s": 0x53, "i64.lt_u": 0x54, "i64.gt_s": 0x55,
  "i64.gt_u": 0x56, "i64.le_s": 0x57, "i64.le_u": 0x58, "i64.ge_s": 0x59, "i64.ge_u": 0x5a, "f32.eq": 0x5b, "f32.ne": 0x5c,
  "f32.lt": 0x5d, "f32.gt": 0x5e, "f32.le": 0x5f, "f32.ge": 0x60, "f64.eq": 0x61, "f64.ne": 0x62, "f64.lt": 0x63, "f64.gt": 0x64,
  "f64.le": 0x65, "f64.ge": 0x66, "i32.clz": 0x67, "i32.ctz": 0x68, "i32.popcnt": 0x69, "i32.add": 0x6a, "i32.sub": 0x6b, "i32.mul": 0x6c,
  "i32.div_s": 0x6d, "i32.div_u": 0x6e, "i32.rem_s": 0x6f, "i32.rem_u": 0x70, "i32.and": 0x71, "i32.or": 0x72, "i32.xor": 0x73,
  "i32.shl": 0x74, "i32.shr_s": 0x75, "i32.shr_u": 0x76, "i32.rotl": 0x77, "i32.rotr": 0x78, "i64.clz": 0x79, "i64.ctz": 0x7a,
  "i64.popcnt": 0x7b, "i64.add": 0x7c, "i64.sub": 0x7d, "i64.mul": 0x7e, "i64.div_s": 0x7f, "i64.div_u": 0x80, "i64.rem_s": 0x81,
  "i64.rem_u": 0x82, "i64.and": 0x83, "i64.or": 0x84, "i64.xor": 0x85, "i64.shl": 0x86, "i64.shr_s": 0x87, "i64.shr_u": 0x88,
  "i64.rotl": 0x89, "i64.rotr": 0x8a, "f32.abs": 0x8b, "f32.neg": 0x8c, "f32.ceil": 0x8d, "f32.floor": 0x8e, "f32.trunc": 0x8f,
  "f32.nearest": 0x90, "f32.sqrt": 0x91, "f32.add": 0x92, "f32.sub": 0x93, "f32.mul": 0x94, "f32.div": 0x95, "f32.min": 0x96,
  "f32.max": 0x97, "f32.copysign": 0x98, "f64.abs": 0x99, "f64.neg": 0x9a, "f64.ceil": 0x9b, "f64.floor": 0x9c, "f64.trunc": 0x9d,
  "f64.nearest": 0x9e, "f64.sqrt": 0x9f, "f64.add": 0xa0, "f64.sub": 0xa1, "f64.mul": 0xa2, "f64.div": 0xa3, "f64.min": 0xa4,
  "f64.max": 0xa5, "f64.copysign": 0xa6, "i32.wrap_i64": 0xa7, "i32.trunc_f32_s": 0xa8, "i32.trunc_f32_u": 0xa9, "i32.trunc_f64_s": 0xaa,
  "i32.trunc_f64_u": 0xab, "i64.extend_i32_s": 0xac, "i64.extend_i32_u": 0xad, "i64.trunc_f32_s": 0xae, "i64.trunc_f32_u": 0xaf,
  "i64.trunc_f64_s": 0xb0, "i64.trunc_f64_u": 0xb1, "f32.convert_i32_s": 0xb2, "f32.convert_i32_u": 0xb3, "f32.convert_i64_s": 0xb4,
  "f32.convert_i64_u": 0xb5, "f32.demote_f64": 0xb6, "f64.convert_i32_s": 0xb7, "f64.convert_i32_u": 0xb8, "f64.convert_i64_s": 0xb9,
  "f64.convert_i64_u": 0xba, "f64.promote_f32": 0xbb, "i32.reinterpret_f32": 0xbc, "i64.reinterpret_f64": 0xbd,
  "f32.reinterpret_i32": 0xbe, "f64.reinterpret_i64": 0xbf, "i32.extend8_s": 0xc0, "i32.extend16_s": 0xc1, "i64.extend8_s": 0xc2,
  "i64.extend16_s": 0xc3, "i64.extend32_s": 0xc4, "i32.trunc_sat_f32_s": 0xfc_000, "i32.trunc_sat_f32_u": 0xfc_001,
  "i32.trunc_sat_f64_s": 0xfc_002, "i32.trunc_sat_f64_u": 0xfc_003, "i64.trunc_sat_f32_s": 0xfc_004, "i64.trunc_sat_f32_u": 0xfc_005,
  "i64.trunc_sat_f64_s": 0xfc_006, "i64.trunc_sat_f64_u": 0xfc_007, "i8x16.swizzle": 0xfd_00e, "i8x16.splat": 0xfd_00f,
  "i16x8.splat": 0xfd_010, "i32x4.splat": 0xfd_011, "i64x2.splat": 0xfd_012, "f32x4.splat": 0xfd_013, "f64x2.splat": 0xfd_014,
  "i8x16.eq": 0xfd_023, "i8x16.ne": 0xfd_024, "i8x16.lt_s": 0xfd_025, "i8x16.lt_u": 0xfd_026, "i8x16.gt_s": 0xfd_027,
  "i8x16.gt_u": 0xfd_028, "i8x16.le_s": 0xfd_029, "i8x16.le_u": 0xfd_02a, "i8x16.ge_s": 0xfd_02b, "i8x16.ge_u": 0xfd_02c,
  "i16x8.eq": 0xfd_02d, "i16x8.ne": 0xfd_02e, "i16x8.lt_s": 0xfd_02f, "i16x8.lt_u": 0xfd_030, "i16x8.gt_s": 0xfd_031,
  "i16x8.gt_u": 0xfd_032, "i16x8.le_s": 0xfd_033, "i16x8.le_u": 0xfd_034, "i16x8.ge_s": 0xfd_035, "i16x8.ge_u": 0xfd_036,
  "i32x4.eq": 0xfd_037, "i32x4.ne": 0xfd_038, "i32x4.lt_s": 0xfd_039, "i32x4.lt_u": 0xfd_03a, "i32x4.gt_s": 0xfd_03b,
  "i32x4.gt_u": 0xfd_03c, "i32x4.le_s": 0xfd_03d, "i32x4.le_u": 0xfd_03e, "i32x4.ge_s": 0xfd_03f, "i32x4.ge_u": 0xfd_040,
  "f32x4.eq": 0xfd_041, "f32x4.ne": 0xfd_042, "f32x4.lt": 0xfd_043, "f32x4.gt": 0xfd_044, "f32x4.le": 0xfd_045, "f32x4.ge": 0xfd_046,
  "f64x2.eq": 0xfd_047, "f64x2.ne": 0xfd_048, "f64x2.lt": 0xfd_049, "f64x2.gt": 0xfd_04a, "f64x2.le": 0xfd_04b, "f64x2.ge": 0xfd_04c,
  "v128.not": 0xfd_04d, "v128.and": 0xfd_04e, "v128.andnot": 0xfd_04f, "v128.or": 0xfd_050, "v128.xor": 0xfd_051,
  "v128.bitselect": 0xfd_052, "v128.any_true": 0xfd_053, "f32x4.demote_f64x2_zero": 0xfd_05e, "f64x2.promote_low_f32x4": 0xfd_05f,
  "i8x16.abs": 0xfd_060, "i8x16.neg": 0xfd_061, "i8x16.popcnt": 0xfd_062, "i8x16.all_true": 0xfd_063, "i8x16.bitmask": 0xfd_064,
  "i8x16.narrow_i16x8_s": 0xfd_065, "i8x16.narrow_i16x8_u": 0xfd_066, "f32x4.ceil": 0xfd_067, "f32x4.floor": 0xfd_068,
  "f32x4.trunc": 0xfd_069, "f32x4.nearest": 0xfd_06a, "i8x16.shl": 0xfd_06b, "i8x16.shr_s": 0xfd_06c, "i8x16.shr_u": 0xfd_06d,
  "i8x16.add": 0xfd_06e, "i8x16.add_sat_s": 0xfd_06f, "i8x16.add_sat_u": 0xfd_070, "i8x16.sub": 0xfd_071, "i8x16.sub_sat_s": 0xfd_072,
  "i8x16.sub_sat_u": 0xfd_073, "f64x2.ceil": 0xfd_074, "f64x2.floor": 0xfd_075, "i8x16.min_s": 0xfd_076, "i8x16.min_u": 0xfd_077,
  "i8x16.max_s": 0xfd_078, "i8x16.max_u": 0xfd_079, "f64x2.trunc": 0xfd_07a, "i8x16.avgr_u": 0xfd_07b,
  "i16x8.extadd_pairwise_i8x16_s": 0xfd_07c, "i16x8.extadd_pairwise_i8x16_u": 0xfd_07d, "i32x4.extadd_pairwise_i16x8_s": 0xfd_07e,
  "i32x4.extadd_pairwise_i16x8_u": 0xfd_07f, "i16x8.abs": 0xfd_080, "i16x8.neg": 0xfd_081, "i16x8.q15mulr_sat_s": 0xfd_082,
  "i16x8.all_true": 0xfd_083, "i16x8.bitmask": 0xfd_084, "i16x8.narrow_i32x4_s": 0xfd_085, "i16x8.narrow_i32x4_u": 0xfd_086,
  "i16x8.extend_low_i8x16_s": 0xfd_087, "i16x8.extend_high_i8x16_s": 0xfd_088, "i16x8.extend_low_i8x16_u": 0xfd_089,
  "i16x8.extend_high_i8x16_u": 0xfd_08a, "i16x8.shl": 0xfd_08b, "i16x8.shr_s": 0xfd_08c, "i16x8.shr_u": 0xfd_08d, "i16x8.add": 0xfd_08e,
  "i16x8.add_sat_s": 0xfd_08f, "i16x8.add_sat_u": 0xfd_090, "i16x8.sub": 0xfd_091, "i16x8.sub_sat_s": 0xfd_092,
  "i16x8.sub_sat_u": 0xfd_093, "f64x2.nearest": 0xfd_094, "i16x8.mul": 0xfd_095, "i16x8.min_s": 0xfd_096, "i16x8.min_u": 0xfd_097,
  "i16x8.max_s": 0xfd_098, "i16x8.max_u": 0xfd_099, "i16x8.avgr_u": 0xfd_09b, "i16x8.extmul_low_i8x16_s": 0xfd_09c,
  "i16x8.extmul_high_i8x16_s": 0xfd_09d, "i16x8.extmul_low_i8x16_u": 0xfd_09e, "i16x8.extmul_high_i8x16_u": 0xfd_09f,
  "i32x4.abs": 0xfd_0a0, "i32x4.neg": 0xfd_0a1, "i32x4.all_true": 0xfd_0a3, "i32x4.bitmask": 0xfd_0a4,
  "i32x4.extend_low_i16x8_s": 0xfd_0a7, "i32x4.extend_high_i16x8_s": 0xfd_0a8, "i32x4.extend_low_i16x8_u": 0xfd_0a9,
  "i32x4.extend_high_i16x8_u": 0xfd_0aa, "i32x4.shl": 0xfd_0ab, "i32x4.shr_s": 0xfd_0ac, "i32x4.shr_u": 0xfd_0ad, "i32x4.add": 0xfd_0ae,
  "i32x4.sub": 0xfd_0b1, "i32x4.mul": 0xfd_0b5, "i32x4.min_s": 0xfd_0b6, "i32x4.min_u": 0xfd_0b7, "i32x4.max_s": 0xfd_0b8,
  "i32x4.max_u": 0xfd_0b9, "i32x4.dot_i16x8_s": 0xfd_0ba, "i32x4.extmul_low_i16x8_s": 0xfd_0bc, "i32x4.extmul_high_i16x8_s": 0xfd_0bd,
  "i32x4.extmul_low_i16x8_u": 0xfd_0be, "i32x4.extmul_high_i16x8_u": 0xfd_0bf, "i64x2.abs": 0xfd_0c0, "i64x2.neg": 0xfd_0c1,
  "i64x2.all_true": 0xfd_0c3, "i64x2.bitmask": 0xfd_0c4, "i64x2.extend_low_i32x4_s": 0xfd_0c7, "i64x2.extend_high_i32x4_s": 0xfd_0c8,
  "i64x2.extend_low_i32x4_u": 0xfd_0c9, "i64x2.extend_high_i32x4_u": 0xfd_0ca, "i64x2.shl": 0xfd_0cb, "i64x2.shr_s": 0xfd_0cc,
  "i64x2.shr_u": 0xfd_0cd, "i64x2.add": 0xfd_0ce, "i64x2.sub": 0xfd_0d1, "i64x2.mul": 0xfd_0d5, "i64x2.eq": 0xfd_0d6,
  "i64x2.ne": 0xfd_0d7, "i64x2.lt_s": 0xfd_0d8, "i64x2.gt_s": 0xfd_0d9, "i64x2.le_s": 0xfd_0da, "i64x2.ge_s": 0xfd_0db,
  "i64x2.extmul_low_i32x4_s": 0xfd_0dc, "i64x2.extmul_high_i32x4_s": 0xfd_0dd, "i64x2.extmul_low_i32x4_u": 0xfd_0de,
  "i64x2.extmul_high_i32x4_u": 0xfd_0df, "f32x4.abs": 0xfd_0e0, "f32x4.neg": 0xfd_0e1, "f32x4.sqrt": 0xfd_0e3, "f32x4.add": 0xfd_0e4,
  "f32x4.sub": 0xfd_0e5, "f32x4.mul": 0xfd_0e6, "f32x4.div": 0xfd_0e7, "f32x4.min": 0xfd_0e8, "f32x4.max": 0xfd_0e9,
  "f32x4.pmin": 0xfd_0ea, "f32x4.pmax": 0xfd_0eb, "f64x2.abs": 0xfd_0ec, "f64x2.neg": 0xfd_0ed, "f64x2.sqrt": 0xfd_0ef,
  "f64x2.add": 0xfd_0f0, "f64x2.sub": 0xfd_0f1, "f64x2.mul": 0xfd_0f2, "f64x2.div": 0xfd_0f3, "f64x2.min": 0xfd_0f4,
  "f64x2.max": 0xfd_0f5, "f64x2.pmin": 0xfd_0f6, "f64x2.pmax": 0xfd_0f7, "i32x4.trunc_sat_f32x4_s": 0xfd_0f8,
  "i32x4.trunc_sat_f32x4_u": 0xfd_0f9, "f32x4.convert_i32x4_s": 0xfd_0fa, "f32x4.convert_i32x4_u": 0xfd_0fb,
  "i32x4.trunc_sat_f64x2_s_zero": 0xfd_0fc, "i32x4.trunc_sat_f64x2_u_zero": 0xfd_0fd, "f64x2.convert_low_i32x4_s": 0xfd_0fe,
  "f64x2.convert_low_i32x4_u": 0xfd_0ff, "i8x16.relaxed_swizzle": 0xfd_100, "i32x4.relaxed_trunc_f32x4_s": 0xfd_101,
  "i32x4.relaxed_trunc_f32x4_u": 0xfd_102, "i32x4.relaxed_trunc_f64x2_s_zero": 0xfd_103, "i32x4.relaxed_trunc_f64x2_u_zero": 0xfd_104,
  "f32x4.relaxed_madd": 0xfd_105, "f32x4.relaxed_nmadd": 0xfd_106, "f64x2.relaxed_madd": 0xfd_107, "f64x2.relaxed_nmadd": 0xfd_108,
  "i8x16.relaxed_laneselect": 0xfd_109, "i16x8.relaxed_laneselect": 0xfd_10a, "i32x4.relaxed_laneselect": 0xfd_10b,
  "i64x2.relaxed_laneselect": 0xfd_10c, "f32x4.relaxed_min": 0xfd_10d, "f32x4.relaxed_max": 0xfd_10e, "f64x2.relaxed_min": 0xfd_10f,
  "f64x2.relaxed_max": 0xfd_110, "i16x8.relaxed_q15mulr_s": 0xfd_111, "i16x8.relaxed_dot_i8x16_i7x16_s": 0xfd_112,
  "i32x4.relaxed_dot_i8x16_i7x16_add_s": 0xfd_113,
} as const;

/** One immediate: the lane. */
export const LANE_CODES = {
  "i8x16.extract_lane_s": 0xfd_015, "i8x16.extract_lane_u": 0xfd_016, "i8x16.replace_lane": 0xfd_017, "i16x8.extract_lane_s": 0xfd_018,
  "i16x8.extract_lane_u": 0xfd_019, "i16x8.replace_lane": 0xfd_01a, "i32x4.extract_lane": 0xfd_01b, "i32x4.replace_lane": 0xfd_01c,
  "i64x2.extract_lane": 0xfd_01d, "i64x2.replace_lane": 0xfd_01e, "f32x4.extract_lane": 0xfd_01f, "f32x4.replace_lane": 0xfd_020,
  "f64x2.extract_lane": 0xfd_021, "f64x2.replace_lane": 0xfd_022,
} as const;

/** Memory instructions: [code, bytes accessed]; immediates are alignment and offset. */
export const MEMORY_CODES = {
  "i32.load": [0x28, 4], "i64.load": [0x29, 8], "f32.load": [0x2a, 4], "f64.load": [0x2b, 8], "i32.load8_s": [0x2c, 1],
  "i32.load8_u": [0x2d, 1], "i32.load16_s": [0x2e, 2], "i32.load16_u": [0x2f, 2], "i64.load8_s": [0x30, 1], "i64.load8_u": [0x31, 1],
  "i64.load16_s": [0x32, 2], "i64.load16_u": [0x33, 2], "i64.load32_s": [0x34, 4], "i64.load32_u": [0x35, 4], "i32.store": [0x36, 4],
  "i64.store": [0x37, 8], "f32.store": [0x38, 4], "f64.store": [0x39, 8], "i32.store8": [0x3a, 1], "i32.store16": [0x3b, 2],
  "i64.store8": [0x3c, 1], "i64.store16": [0x3d, 2], "i64.store32": [0x3e, 4], "v128.load": [0xfd_000, 16],
  "v128.load8x8_s": [0xfd_001, 8], "v128.load8x8_u": [0xfd_002, 8], "v128.load16x4_s": [0xfd_003, 8], "v128.load16x4_u": [0xfd_004, 8],
  "v128.load32x2_s": [0xfd_005, 8], "v128.load32x2_u": [0xfd_006, 8], "v128.load8_splat": [0xfd_007, 1],
  "v128.load16_splat": [0xfd_008, 2], "v128.load32_splat": [0xfd_009, 4], "v128.load64_splat": [0xfd_00a, 8],
  "v128.store": [0xfd_00b, 16], "v128.load32_zero": [0xfd_05c, 4], "v128.load64_zero": [0xfd_05d, 8],
  "memory.atomic.notify": [0xfe_000, 4], "memory.atomic.wait32": [0xfe_001, 4], "memory.atomic.wait64": [0xfe_002, 8],
  "i32.atomic.load": [0xfe_010, 4], "i64.atomic.load": [0xfe_011, 8], "i32.atomic.load8_u": [0xfe_012, 1],
  "i32.atomic.load16_u": [0xfe_013, 2], "i64.atomic.load8_u": [0xfe_014, 1], "i64.atomic.load16_u": [0xfe_015, 2],
  "i64.atomic.load32_u": [0xfe_016, 4], "i32.atomic.store": [0xfe_017, 4], "i64.atomic.store": [0xfe_018, 8],
  "i32.atomic.store8": [0xfe_019, 1], "i32.atomic.store16": [0xfe_01a, 2], "i64.atomic.store8": [0xfe_01b, 1],
  "i64.atomic.store16": [0xfe_01c, 2], "i64.atomic.store32": [0xfe_01d, 4], "i32.atomic.rmw.add": [0xfe_01e, 4],
  "i64.atomic.rmw.add": [0xfe_01f, 8], "i32.atomic.rmw8.add_u": [0xfe_020, 1], "i32.atomic.rmw16.add_u": [0xfe_021, 2],
  "i64.atomic.rmw8.add_u": [0xfe_022, 1], "i64.atomic.rmw16.add_u": [0xfe_023, 2], "i64.atomic.rmw32.add_u": [0xfe_024, 4],
  "i32.atomic.rmw.sub": [0xfe_025, 4], "i64.atomic.rmw.sub": [0xfe_026, 8], "i32.atomic.rmw8.sub_u": [0xfe_027, 1],
  "i32.atomic.rmw16.sub_u": [0xfe_028, 2], "i64.atomic.rmw8.sub_u": [0xfe_029, 1], "i64.atomic.rmw16.sub_u": [0xfe_02a, 2],
  "i64.atomic.rmw32.sub_u": [0xfe_02b, 4], "i32.atomic.rmw.and": [0xfe_02c, 4], "i64.atomic.rmw.and": [0xfe_02d, 8],
  "i32.atomic.rmw8.and_u": [0xfe_02e, 1], "i32.atomic.rmw16.and_u": [0xfe_02f, 2], "i64.atomic.rmw8.and_u": [0xfe_030, 1],
  "i64.atomic.rmw16.and_u": [0xfe_031, 2], "i64.atomic.rmw32.and_u": [0xfe_032, 4], "i32.atomic.rmw.or": [0xfe_033, 4],
  "i64.atomic.rmw.or": [0xfe_034, 8], "i32.atomic.rmw8.or_u": [0xfe_035, 1], "i32.atomic.rmw16.or_u": [0xfe_036, 2],
  "i64.atomic.rmw8.or_u": [0xfe_037, 1], "i64.atomic.rmw16.or_u": [0xfe_038, 2], "i64.atomic.rmw32.or_u": [0xfe_039, 4],
  "i32.atomic.rmw.xor": [0xfe_03a, 4], "i64.atomic.rmw.xor": [0xfe_03b, 8], "i32.atomic.rmw8.xor_u": [0xfe_03c, 1],
  "i32.atomic.rmw16.xor_u": [0xfe_03d, 2], "i64.atomic.rmw8.xor_u": [0xfe_03e, 1], "i64.atomic.rmw16.xor_u": [0xfe_03f, 2],
  "i64.atomic.rmw32.xor_u": [0xfe_040, 4], "i32.atomic.rmw.xchg": [0xfe_041, 4], "i64.atomic.rmw.xchg": [0xfe_042, 8],
  "i32.atomic.rmw8.xchg_u": [0xfe_043, 1], "i32.atomic.rmw16.xchg_u": [0xfe_044, 2], "i64.atomic.rmw8.xchg_u": [0xfe_045, 1],
  "i64.atomic.rmw16.xchg_u": [0xfe_046, 2], "i64.atomic.rmw32.xchg_u": [0xfe_047, 4], "i32.atomic.rmw.cmpxchg": [0xfe_048, 4],
  "i64.atomic.rmw.cmpxchg": [0xfe_049, 8], "i32.atomic.rmw8.cmpxchg_u": [0xfe_04a, 1], "i32.atomic.rmw16.cmpxchg_u": [0xfe_04b, 2],
  "i64.atomic.rmw8.cmpxchg_u": [0xfe_04c, 1], "i64.atomic.rmw16.cmpxchg_u": [0xfe_04d, 2], "i64.atomic.rmw32.cmpxchg_u": [0xfe_04e, 4],
} as const;

/** Memory instructions with a lane. */
export const MEMORY_LANE_CODES = {
  "v128.load8_lane": [0xfd_054, 1], "v128.load16_lane": [0xfd_055, 2], "v128.load32_lane": [0xfd_056, 4],
  "v128.load64_lane": [0xfd_057, 8], "v128.store8_lane": [0xfd_058, 1], "v128.store16_lane": [0xfd_059, 2],
  "v128.store32_lane": [0xfd_05a, 4], "v128.store64_lane": [0xfd_05b, 8],
} as const;

/** Control, index and constant instructions, with the kind of their immediates. */
export const IMMEDIATE_CODES = {
  block: [0x02, "block"], loop: [0x03, "block"], if: [0x04, "block"], else: [0x05, ""], end: [0x0b, ""],
  br: [0x0c, "u"], br_if: [0x0d, "u"], br_table: [0x0e, "table"], call: [0x10, "u"], call_indirect: [0x11, "uu"],
  "local.get": [0x20, "u"], "local.set": [0x21, "u"], "local.tee": [0x22, "u"], "global.get": [0x23, "u"], "global.set": [0x24, "u"],
  "memory.size": [0x3f, "u"], "memory.grow": [0x40, "u"], "i32.const": [0x41, "s"], "i64.const": [0x42, "s"], "f32.const": [0x43, "f32"], "f64.const": [0x44, "f64"],
  "memory.init": [0xfc_008, "uu"], "data.drop": [0xfc_009, "u"], "memory.copy": [0xfc_00a, "uu"], "memory.fill": [0xfc_00b, "u"],
  "v128.const": [0xfd_00c, "v128"], "i8x16.shuffle": [0xfd_00d, "v128"], "atomic.fence": [0xfe_003, "u"],
} as const;

export type PlainName = keyof typeof PLAIN_CODES;
export type LaneName = keyof typeof LANE_CODES;
export type MemoryName = keyof typeof MEMORY_CODES;
export type MemoryLaneName = keyof typeof MEMORY_LANE_CODES;

type JoinWords<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<JoinWords<B>>}` : S;
/** "i32.trunc_sat_f32_s" → "i32TruncSatF32S" */
export type MethodName<S extends string> = S extends `${infer A}.${infer B}` ? `${JoinWords<A>}${Capitalize<MethodName<B>>}` : JoinWords<S>;

export function methodName(name: string): string {
  return name.replace(/[._](.)/g, (_, c: string) => c.toUpperCase());
}
