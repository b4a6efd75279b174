; grid 3 1 block 16 3 n -2100405129
; seed 2738: interpreter and thread tier: atomic max i64 cell 3: 6dfc1afb3fa3a4c7 and 6847c1b0868cfd89
@sh = external addrspace(3) global [0 x i64], align 8
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
  %v35 = and i32 %v14, 7
  %v36 = getelementptr i32, ptr %loc, i32 %v35
  %v37 = load i32, ptr %v36, align 4
  %v38 = and i32 %v37, 255
  %v39 = getelementptr float, ptr %in, i32 %v38
  %v40 = load float, ptr %v39, align 4
  %v41 = call float @llvm.fma.f32(float 0x0000000000000000, float 0x3FF0000000000000, float %v40)
  %v42 = and i32 %v13, 255
  %v43 = getelementptr float, ptr %in, i32 %v42
  %v44 = load float, ptr %v43, align 4
  %v45 = fadd float %v41, %v44
  %v46 = mul i32 %v14, %v13
  %v47 = getelementptr i64, ptr %own, i32 0
  %v48 = load i32, ptr %v47, align 4
  %v49 = call i32 @llvm.abs.i32(i32 %v48, i1 false)
  %v50 = and i32 %v49, 31
  %v51 = ashr i32 %v46, %v50
  %v52 = and i32 %v11, 1023
  %v53 = getelementptr i8, ptr %in, i32 %v52
  %v54 = load i8, ptr %v53, align 1
  %v55 = getelementptr i64, ptr %own, i32 2
  %v56 = load i8, ptr %v55, align 1
  %v57 = select i1 true, i8 %v54, i8 %v56
  %v58 = and i32 %v11, 1023
  %v59 = getelementptr i8, ptr %in, i32 %v58
  %v60 = load i8, ptr %v59, align 1
  %v61 = sub i8 %v57, %v60
  %v62 = fcmp uno float 0x3FF0000000000000, 0x0000000000000000
  %v63 = select i1 %v62, float 0x0000000000000000, float 0x3FF0000000000000
  %v64 = bitcast float %v63 to i32
  %v65 = sitofp i32 %v64 to half
  %v66 = and i32 %v51, 511
  %v67 = getelementptr bfloat, ptr %in, i32 %v66
  %v68 = load bfloat, ptr %v67, align 2
  %v69 = fptoui bfloat %v68 to i8
  %v70 = sitofp i8 %v69 to half
  %v71 = and i32 %v51, 7
  %v72 = add i32 %v71, 1
  br label %head73
head73:
  %v75 = phi i32 [ %v51, %entry ], [ %v83, %exit82 ]
  %v76 = phi i32 [ 0, %entry ], [ %v96, %exit82 ]
  %v77 = fcmp uno float %v45, 0x0000000000000000
  %v78 = select i1 %v77, float 0x0000000000000000, float %v45
  %v79 = bitcast float %v78 to i32
  %v80 = and i32 %v79, 7
  br label %head81
head81:
  %v83 = phi i32 [ %v75, %head73 ], [ %v92, %body86 ]
  %v84 = phi i32 [ 0, %head73 ], [ %v94, %body86 ]
  %v85 = icmp ult i32 %v84, %v80
  br i1 %v85, label %body86, label %exit82
body86:
  %v87 = trunc i64 -2 to i32
  %v88 = lshr i32 %v9, 20
  %v89 = add i32 %v88, 0
  %v90 = getelementptr ptr, ptr @ftab, i32 %v89
  %v91 = load ptr, ptr %v90, align 4
  %v92 = call i32 %v91(i32 1, i32 %v87, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 0, i32 %n)
  %v94 = add i32 %v84, 1
  br label %head81
exit82:
  %v96 = add i32 %v76, 1
  %v97 = icmp ult i32 %v96, %v72
  br i1 %v97, label %head73, label %exit74
exit74:
  %v98 = icmp eq i32 %v15, 1
  br i1 %v98, label %then99, label %else100
then99:
  %v102 = and i32 %v11, 255
  %v103 = getelementptr i32, ptr %in, i32 %v102
  %v104 = load i32, ptr %v103, align 4
  br label %join101
else100:
  %v105 = and i32 %v8, 1023
  %v106 = getelementptr i8, ptr %in, i32 %v105
  %v107 = load i8, ptr %v106, align 1
  %v108 = sitofp i8 %v107 to half
  %v109 = sub i16 32, 127
  %v110 = zext i16 %v109 to i32
  %v111 = trunc i32 %v110 to i8
  %v112 = icmp ult i32 %v15, 14
  br i1 %v112, label %then113, label %else114
then113:
  %v116 = and i32 %v14, 127
  %v117 = getelementptr i64, ptr %in, i32 %v116
  %v118 = load i64, ptr %v117, align 8
  %v119 = select i1 false, i64 0, i64 %v118
  %v120 = and i32 %v13, 127
  %v121 = getelementptr i64, ptr %in, i32 %v120
  %v122 = load i64, ptr %v121, align 8
  %v123 = call { i64, i1 } @llvm.ssub.with.overflow.i64(i64 0, i64 %v122)
  %v124 = extractvalue { i64, i1 } %v123, 0
  %v125 = add i64 %v119, %v124
  %v126 = trunc i64 7 to i32
  %v127 = and i32 %v126, 3
  %v128 = add i32 %v127, 48
  %v129 = getelementptr i64, ptr %acc, i32 %v128
  %v130 = atomicrmw max ptr %v129, i64 %v125 monotonic, align 8
  br label %join115
else114:
  %v131 = getelementptr i64, ptr %own, i32 4
  %v132 = load i8, ptr %v131, align 1
  %v133 = select i1 true, i8 %v132, i8 %v111
  %v134 = and i32 %v11, 127
  %v135 = getelementptr i64, ptr %in, i32 %v134
  %v136 = load i64, ptr %v135, align 8
  %v137 = trunc i64 %v136 to i8
  %v138 = xor i8 %v133, %v137
  %v139 = and i32 %v14, 1023
  %v140 = getelementptr i8, ptr %in, i32 %v139
  %v141 = load i8, ptr %v140, align 1
  %v142 = select i1 true, i8 %v111, i8 %v141
  %v143 = call i8 @llvm.ctpop.i8(i8 %v142)
  %v144 = srem i8 %v138, %v143
  %v145 = xor i32 %v83, %v83
  %v146 = and i32 %v8, 255
  %v147 = getelementptr i32, ptr %in, i32 %v146
  %v148 = load i32, ptr %v147, align 4
  %v149 = mul i32 3, %v148
  %v150 = and i32 %v83, 255
  %v151 = getelementptr float, ptr %in, i32 %v150
  %v152 = load float, ptr %v151, align 4
  %v153 = fptosi float %v152 to i32
  %v154 = call i32 @llvm.nvvm.prmt(i32 %v145, i32 %v149, i32 %v153)
  %v155 = getelementptr i64, ptr %own, i32 6
  %v156 = atomicrmw max ptr %v155, i32 %v154 monotonic, align 4
  %v157 = urem i32 %v156, %v156
  %v158 = and i32 %v13, %v157
  %v159 = select i1 false, i32 %v156, i32 %v156
  %v160 = and i32 %v159, 7
  %v161 = getelementptr i32, ptr %loc, i32 %v160
  store i32 %v158, ptr %v161, align 4
  br label %join115
join115:
  %v162 = phi i32 [ %v83, %then113 ], [ %v156, %else114 ]
  %v163 = phi i8 [ %v111, %then113 ], [ %v144, %else114 ]
  br label %join101
join101:
  %v164 = phi i32 [ %v104, %then99 ], [ %v162, %join115 ]
  %v165 = phi i8 [ %v61, %then99 ], [ %v163, %join115 ]
  %v166 = phi half [ %v70, %then99 ], [ %v108, %join115 ]
  %v167 = and i32 %v8, 255
  %v168 = getelementptr i32, ptr %in, i32 %v167
  %v169 = load i32, ptr %v168, align 4
  %v170 = and i32 %v14, 255
  %v171 = getelementptr i32, ptr %in, i32 %v170
  %v172 = load i32, ptr %v171, align 4
  %v173 = call i32 @llvm.nvvm.prmt(i32 %v169, i32 %v164, i32 %v172)
  %v174 = xor i32 %v173, %v164
  %v175 = and i32 %v174, 7
  %v176 = add i32 %v175, 1
  br label %head177
head177:
  %v179 = phi i32 [ %v164, %join101 ], [ %v314, %latch313 ]
  %v180 = phi i8 [ %v165, %join101 ], [ %v315, %latch313 ]
  %v181 = phi half [ %v166, %join101 ], [ %v317, %latch313 ]
  %v182 = phi half [ %v65, %join101 ], [ %v316, %latch313 ]
  %v183 = phi i32 [ 0, %join101 ], [ %v318, %latch313 ]
  %v184 = getelementptr i64, ptr %own, i32 0
  %v185 = load i64, ptr %v184, align 8
  %v186 = and i32 %v11, 127
  %v187 = getelementptr i64, ptr %in, i32 %v186
  %v188 = load i64, ptr %v187, align 8
  %v189 = call i64 @llvm.sadd.sat.i64(i64 -100, i64 %v188)
  %v190 = icmp ugt i64 %v185, %v189
  br i1 %v190, label %way191, label %on192
way191:
  %v193 = icmp eq i32 %v8, 12
  br i1 %v193, label %then194, label %else195
then194:
  %v197 = getelementptr i64, ptr %own, i32 7
  %v198 = load i64, ptr %v197, align 8
  %v199 = getelementptr i64, ptr %own, i32 4
  %v200 = load i64, ptr %v199, align 8
  %v201 = and i64 %v200, 63
  %v202 = ashr i64 %v198, %v201
  %v203 = trunc i64 %v202 to i32
  %v204 = getelementptr i64, ptr %own, i32 4
  %v205 = atomicrmw and ptr %v204, i32 %v203 monotonic, align 4
  %v206 = and i32 %v14, 255
  %v207 = getelementptr i32, ptr %in, i32 %v206
  %v208 = load i32, ptr %v207, align 4
  %v209 = and i32 %v14, 7
  %v210 = getelementptr i32, ptr %loc, i32 %v209
  %v211 = load i32, ptr %v210, align 4
  %v212 = select i1 true, i32 %v205, i32 %v211
  %v213 = udiv i32 %v208, %v212
  %v214 = getelementptr i64, ptr %own, i32 1
  %v215 = atomicrmw xchg ptr %v214, i32 %v213 monotonic, align 4
  %v216 = and i32 %v14, 255
  %v217 = getelementptr i32, ptr %in, i32 %v216
  %v218 = load i32, ptr %v217, align 4
  %v219 = select i1 true, i32 %v15, i32 %v218
  %v220 = and i32 %v219, 7
  %v221 = getelementptr i32, ptr %loc, i32 %v220
  store i32 %v215, ptr %v221, align 4
  br label %join196
else195:
  br label %join196
join196:
  %v222 = phi i32 [ %v215, %then194 ], [ %v179, %else195 ]
  %v223 = and i32 %v13, 511
  %v224 = getelementptr i16, ptr %in, i32 %v223
  %v225 = load i16, ptr %v224, align 2
  %v226 = and i32 %v13, 511
  %v227 = getelementptr i16, ptr %in, i32 %v226
  %v228 = load i16, ptr %v227, align 2
  %v229 = call { i16, i1 } @llvm.usub.with.overflow.i16(i16 %v225, i16 %v228)
  %v230 = extractvalue { i16, i1 } %v229, 0
  %v231 = zext i16 %v230 to i64
  %v232 = fptoui float %v45 to i32
  %v233 = and i32 %v232, 3
  %v234 = add i32 %v233, 44
  %v235 = getelementptr i64, ptr %acc, i32 %v234
  %v236 = atomicrmw xor ptr %v235, i64 %v231 monotonic, align 8
  br label %latch313
on192:
  %v237 = and i32 %v11, 511
  %v238 = getelementptr i16, ptr %in, i32 %v237
  %v239 = load i16, ptr %v238, align 2
  %v240 = trunc i16 %v239 to i8
  %v241 = and i8 %v240, 7
  %v242 = shl i8 %v180, %v241
  %v243 = sitofp i8 %v242 to half
  %v244 = fsub half %v181, %v243
  %v245 = fadd half %v182, %v181
  %v246 = call half @llvm.minnum.f16(half %v181, half %v182)
  %v247 = fadd half %v245, %v246
  %v248 = fdiv half %v244, %v247
  %v249 = and i32 %v13, 511
  %v250 = getelementptr i16, ptr %in, i32 %v249
  %v251 = load i16, ptr %v250, align 2
  %v252 = add i16 %v251, 7
  %v253 = zext i16 %v252 to i32
  %v254 = and i32 %v253, 3
  br label %head255
head255:
  %v257 = phi i8 [ %v242, %on192 ], [ %v295, %join277 ]
  %v258 = phi half [ %v182, %on192 ], [ %v296, %join277 ]
  %v259 = phi half [ %v248, %on192 ], [ %v297, %join277 ]
  %v260 = phi i32 [ 0, %on192 ], [ %v312, %join277 ]
  %v261 = icmp ult i32 %v260, %v254
  br i1 %v261, label %body262, label %exit256
body262:
  %v263 = and i32 %v13, 127
  %v264 = getelementptr i64, ptr %in, i32 %v263
  %v265 = load i64, ptr %v264, align 8
  %v266 = and i32 %v8, 127
  %v267 = getelementptr i64, ptr %in, i32 %v266
  %v268 = load i64, ptr %v267, align 8
  %v269 = add i64 %v265, %v268
  %v270 = call i64 @llvm.bitreverse.i64(i64 %v269)
  %v271 = trunc i64 %v270 to i8
  %v272 = icmp ugt i32 %v15, 2
  %v273 = fcmp oeq float %v45, 0x3FF0000000000000
  %v274 = xor i1 %v272, %v273
  br i1 %v274, label %then275, label %else276
then275:
  %v278 = select i1 false, i32 %v179, i32 %v179
  %v279 = icmp ugt i32 %v278, %v260
  %v280 = and i32 %v13, 127
  %v281 = getelementptr double, ptr %in, i32 %v280
  %v282 = load double, ptr %v281, align 8
  %v283 = fcmp uno double %v282, 0x0000000000000000
  %v284 = select i1 %v283, double 0x0000000000000000, double %v282
  %v285 = call double @llvm.copysign.f64(double 0xC008000000000000, double %v284)
  %v286 = fptoui double %v285 to i8
  %v287 = select i1 %v279, i8 %v286, i8 %v271
  br label %join277
else276:
  %v288 = uitofp i16 1 to half
  %v289 = icmp eq i32 %v8, 11
  %v290 = fptrunc float 0x3FE0000000000000 to half
  %v291 = fneg half %v290
  %v292 = call half @llvm.trunc.f16(half %v259)
  %v293 = fneg half %v292
  %v294 = select i1 %v289, half %v291, half %v293
  br label %join277
join277:
  %v295 = phi i8 [ %v287, %then275 ], [ %v271, %else276 ]
  %v296 = phi half [ %v258, %then275 ], [ %v288, %else276 ]
  %v297 = phi half [ %v259, %then275 ], [ %v294, %else276 ]
  %v298 = sext i16 3 to i32
  %v299 = select i1 true, i32 %v179, i32 %v14
  %v300 = insertelement <2 x i32> poison, i32 %v298, i32 0
  %v301 = insertelement <2 x i32> %v300, i32 %v299, i32 1
  %v302 = insertelement <2 x i32> poison, i32 %v299, i32 0
  %v303 = insertelement <2 x i32> %v302, i32 %v298, i32 1
  %v304 = add <2 x i32> %v301, %v303
  %v305 = extractelement <2 x i32> %v304, i32 0
  %v306 = add i32 100, %v183
  %v307 = and i32 %v306, 3
  %v308 = add i32 %v307, 24
  %v309 = getelementptr i64, ptr %acc, i32 %v308
  %v310 = atomicrmw min ptr %v309, i32 %v305 monotonic, align 4
  %v312 = add i32 %v260, 1
  br label %head255
exit256:
  br label %latch313
latch313:
  %v314 = phi i32 [ %v179, %exit256 ], [ %v222, %join196 ]
  %v315 = phi i8 [ %v257, %exit256 ], [ %v180, %join196 ]
  %v316 = phi half [ %v258, %exit256 ], [ %v182, %join196 ]
  %v317 = phi half [ %v259, %exit256 ], [ %v181, %join196 ]
  %v318 = add i32 %v183, 1
  %v319 = icmp ult i32 %v318, %v176
  br i1 %v319, label %head177, label %exit178
exit178:
  %v320 = sitofp i8 %v315 to half
  %v321 = fptoui half %v320 to i32
  %v322 = getelementptr i64, ptr addrspace(3) @sh, i32 %v8
  store i32 %v321, ptr addrspace(3) %v322, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v323 = and i32 %v13, 255
  %v324 = getelementptr i32, ptr %in, i32 %v323
  %v325 = load i32, ptr %v324, align 4
  %v326 = mul i32 %v325, %v314
  %v327 = urem i32 %v326, %v9
  %v328 = getelementptr i64, ptr addrspace(3) @sh, i32 %v327
  %v329 = load i32, ptr addrspace(3) %v328, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

define internal i32 @f0(i32 %p0, i32 %p1, ptr %own, ptr %in, ptr %acc, ptr %loc, i32 %mask, i32 %n) noinline {
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
  %v16 = and i32 %p0, 511
  %v17 = getelementptr half, ptr %in, i32 %v16
  %v18 = load half, ptr %v17, align 2
  %v19 = getelementptr i64, ptr %own, i32 5
  %v20 = load i8, ptr %v19, align 1
  %v21 = icmp eq i8 -128, %v20
  %v22 = and i32 %p1, 127
  %v23 = getelementptr double, ptr %in, i32 %v22
  %v24 = load double, ptr %v23, align 8
  %v25 = call double @llvm.minnum.f64(double %v24, double 0x3FE0000000000000)
  %v26 = and i32 %p1, 127
  %v27 = getelementptr double, ptr %in, i32 %v26
  %v28 = load double, ptr %v27, align 8
  %v29 = fmul double %v28, 0x0000000000000000
  %v30 = select i1 %v21, double %v25, double %v29
  %v31 = xor i16 -100, 100
  %v32 = call i16 @llvm.fshl.i16(i16 100, i16 32, i16 100)
  %v33 = icmp sge i16 %v31, %v32
  br i1 %v33, label %then34, label %else35
then34:
  %v37 = and i32 %v8, 1023
  %v38 = getelementptr i8, ptr %in, i32 %v37
  %v39 = load i8, ptr %v38, align 1
  %v40 = or i8 %v39, 1
  %v41 = sitofp i8 %v40 to half
  %v42 = uitofp i32 %p1 to half
  %v43 = fptrunc double %v30 to half
  %v44 = fsub half %v42, %v43
  %v45 = insertelement <2 x half> poison, half %v41, i32 0
  %v46 = insertelement <2 x half> %v45, half %v44, i32 1
  %v47 = insertelement <2 x half> poison, half %v44, i32 0
  %v48 = insertelement <2 x half> %v47, half %v41, i32 1
  %v49 = fmul <2 x half> %v46, %v48
  %v50 = extractelement <2 x half> %v49, i32 0
  br label %join36
else35:
  %v51 = and i32 %v11, 255
  %v52 = getelementptr i32, ptr %in, i32 %v51
  %v53 = load i32, ptr %v52, align 4
  %v54 = and i32 %v53, 511
  %v55 = getelementptr half, ptr %in, i32 %v54
  %v56 = load half, ptr %v55, align 2
  %v57 = insertelement <2 x half> poison, half %v56, i32 0
  %v58 = insertelement <2 x half> %v57, half 0xH0000, i32 1
  %v59 = insertelement <2 x half> poison, half 0xH0000, i32 0
  %v60 = insertelement <2 x half> %v59, half %v56, i32 1
  %v61 = fmul <2 x half> %v58, %v60
  %v62 = extractelement <2 x half> %v61, i32 0
  %v63 = and i32 %v14, 7
  %v64 = getelementptr i32, ptr %loc, i32 %v63
  %v65 = load i32, ptr %v64, align 4
  %v66 = and i32 %v65, 511
  %v67 = getelementptr half, ptr %in, i32 %v66
  %v68 = load half, ptr %v67, align 2
  %v69 = select i1 false, half %v18, half %v68
  %v70 = fsub half %v62, %v69
  %v71 = and i32 %p0, 511
  %v72 = getelementptr half, ptr %in, i32 %v71
  %v73 = load half, ptr %v72, align 2
  %v74 = fdiv half %v70, %v73
  br label %join36
join36:
  %v75 = phi half [ %v50, %then34 ], [ %v18, %else35 ]
  %v76 = phi half [ %v18, %then34 ], [ %v74, %else35 ]
  %v77 = mul i32 %p1, %p0
  %v78 = add i32 %p1, -2
  %v79 = mul i32 %v77, %v78
  %v80 = and i32 %v79, 7
  br label %head81
head81:
  %v83 = phi half [ %v75, %join36 ], [ %v105, %body88 ]
  %v84 = phi double [ %v30, %join36 ], [ %v121, %body88 ]
  %v85 = phi half [ %v76, %join36 ], [ %v124, %body88 ]
  %v86 = phi i32 [ 0, %join36 ], [ %v126, %body88 ]
  %v87 = icmp ult i32 %v86, %v80
  br i1 %v87, label %body88, label %exit82
body88:
  %v89 = and i32 %v86, 511
  %v90 = getelementptr bfloat, ptr %in, i32 %v89
  %v91 = load bfloat, ptr %v90, align 2
  %v92 = fcmp ult bfloat 0xR42C8, %v91
  %v93 = and i32 %v11, 127
  %v94 = getelementptr i64, ptr %in, i32 %v93
  %v95 = load i64, ptr %v94, align 8
  %v96 = icmp ne i64 100, %v95
  %v97 = or i1 %v92, %v96
  %v98 = and i32 %v86, 255
  %v99 = getelementptr float, ptr %in, i32 %v98
  %v100 = load float, ptr %v99, align 4
  %v101 = fptrunc float %v100 to half
  %v102 = select i1 false, half %v83, half 0xH3C00
  %v103 = fmul half %v101, %v102
  %v104 = fptrunc double %v84 to half
  %v105 = select i1 %v97, half %v103, half %v104
  %v106 = and i32 %v8, 127
  %v107 = getelementptr i64, ptr %in, i32 %v106
  %v108 = load i64, ptr %v107, align 8
  %v109 = and i32 %v11, 127
  %v110 = getelementptr i64, ptr %in, i32 %v109
  %v111 = load i64, ptr %v110, align 8
  %v112 = icmp ne i64 %v108, %v111
  %v113 = and i32 %v86, 127
  %v114 = getelementptr double, ptr %in, i32 %v113
  %v115 = load double, ptr %v114, align 8
  %v116 = call double @llvm.fabs.f64(double %v84)
  %v117 = call double @llvm.sqrt.f64(double %v116)
  %v118 = fmul double %v115, %v117
  %v119 = fmul double 0xBFF0000000000000, %v84
  %v120 = fmul double %v119, %v84
  %v121 = select i1 %v112, double %v118, double %v120
  %v122 = fptrunc double 0x3FE0000000000000 to half
  %v123 = fmul half %v105, %v85
  %v124 = fsub half %v122, %v123
  %v126 = add i32 %v86, 1
  br label %head81
exit82:
  %v127 = and i32 %p1, 511
  %v128 = getelementptr half, ptr %in, i32 %v127
  %v129 = load half, ptr %v128, align 2
  %v130 = call half @llvm.fma.f16(half %v83, half %v129, half %v83)
  %v131 = fptoui half %v130 to i32
  %v132 = and i32 %v14, 7
  %v133 = getelementptr i32, ptr %loc, i32 %v132
  %v134 = load i32, ptr %v133, align 4
  %v135 = sub i32 %v134, %p1
  %v136 = and i32 %v135, 3
  %v137 = add i32 %v136, 20
  %v138 = getelementptr i64, ptr %acc, i32 %v137
  %v139 = atomicrmw max ptr %v138, i32 %v131 monotonic, align 4
  %v140 = and i32 %v11, 255
  %v141 = getelementptr i32, ptr %in, i32 %v140
  %v142 = load i32, ptr %v141, align 4
  %v143 = or i32 %p1, %v142
  %v144 = call i32 @llvm.abs.i32(i32 %p1, i1 false)
  %v145 = xor i32 %v143, %v144
  ret i32 %v145
}

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.sqrt.f64(double)
declare float @llvm.fma.f32(float, float, float)
declare half @llvm.fma.f16(half, half, half)
declare half @llvm.minnum.f16(half, half)
declare half @llvm.trunc.f16(half)
declare i16 @llvm.fshl.i16(i16, i16, i16)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i64 @llvm.bitreverse.i64(i64)
declare i64 @llvm.sadd.sat.i64(i64, i64)
declare i8 @llvm.ctpop.i8(i8)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare { i16, i1 } @llvm.usub.with.overflow.i16(i16, i16)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
