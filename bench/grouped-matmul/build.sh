#!/bin/bash
# build.sh CUTLASS PROGRAM: grouped-matmul's kernels and six of CUTLASS's grouped kernel in one program, by nvcc 12.3 or
# newer. CUTLASS: a checkout. The program needs a GPU of compute capability 9.0; it prints the median of 22 launches.
set -e
cutlass=$(realpath "$1") program=$(realpath "$2")
cd "$(dirname "$0")"
ladder=$(realpath ../../kernels/grouped-matmul)
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
# Without NDEBUG ptxas serialises CUTLASS's products (C7510).
flags="-std=c++17 -O3 -DNDEBUG -gencode arch=compute_90a,code=sm_90a --expt-relaxed-constexpr -w -I."
list=""
cutlass() { # NAME PING TM TN CM CN
  echo '#include "cutlass.cuh"' > $objects/$1.cu
  nvcc $flags -I$cutlass/include -I$cutlass/tools/util/include -DNAME=$1 -DPING=$2 -DTM=$3 -DTN=$4 -DCM=$5 -DCN=$6 \
    -c $objects/$1.cu -o $objects/$1.o
  list="$list X($1)"
}
ours() { # NAME VERSION -D...
  local name=$1 version=$2
  shift 2
  nvcc $flags -DNAME=$name -DKERNEL=kernel_$name -DSOURCE="\"$ladder/$version.cu\"" "$@" -DGROUP=8 \
    -c ours.cu -o $objects/$name.o
  list="$list X($name)"
}
ours ping_pong_64x256 3-ping-pong -DTILE_N=256 -DROWS=64 -DSTAGES=5 -DOUT_N=64
ours ping_pong_128x128 3-ping-pong -DTILE_N=128 -DROWS=128 -DSTAGES=5 -DOUT_N=128
ours together_128x256 4-together -DTILE_N=256 -DROWS=64 -DSTAGES=4 -DOUT_N=128
cutlass cutlass_cooperative_128x256_1x1 0 128 256 1 1
cutlass cutlass_cooperative_128x256_2x1 0 128 256 2 1
cutlass cutlass_cooperative_256x128_1x2 0 256 128 1 2
cutlass cutlass_cooperative_256x128_2x1 0 256 128 2 1
cutlass cutlass_pingpong_64x256_1x1 1 64 256 1 1
cutlass cutlass_pingpong_128x128_2x1 1 128 128 2 1
nvcc $flags "-DCONTENDERS(X)=$list" main.cu $objects/*.o -o "$program"
