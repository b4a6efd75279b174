# The steps of a round, on the machine with the GPU. A folder .gpu-NAME has this file and a run.sh that names the steps.
#
#   OUT                    where rounds.tar.gz.00 … are written after each step (.gpu-out beside .gpu-NAME)
#   HEDDLE_ROUNDS          where everything is unpacked, built and kept between calls (/tmp/heddle-rounds)
#   HEDDLE_ROUNDS_DEVICE   cuda; "emulated" tries a round on a machine without a GPU
#   HEDDLE_ROUNDS_TREE     the repository's files (the folder that has .gpu-NAME)
#
# A step has a time limit, goes on after a failure, and is not repeated if it was right. Exit codes of a round: 0 all
# steps were right, 1 some were not or had no time left, 77 there is no GPU.

HERE=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
TOP=$(dirname "$HERE")
export WORK=${HEDDLE_ROUNDS:-/tmp/heddle-rounds}
export OUT=${OUT:-$TOP/.gpu-out}
export DEVICE=${HEDDLE_ROUNDS_DEVICE:-cuda}
export TREE=${HEDDLE_ROUNDS_TREE:-$TOP}
# What a step that cannot run here ends with, and what timeout ends with.
readonly NOT_HERE=77 TIMED_OUT=124

# begin NAME JOBS [SECONDS]: JOBS steps at a time; no step begins, or goes on, after SECONDS.
begin() {
  local name
  ROUND=$1 JOBS=$2 TOTAL=${3:-560}
  export BUILT=$WORK/built/$ROUND FILES=$WORK/files/$ROUND
  RESULTS=$WORK/results/$ROUND
  STARTED=$SECONDS OK=0 BAD=0 LEFT=0 AWAY=0
  GPUS=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | grep -c .)
  if [ "$DEVICE" = cuda ] && [ "$GPUS" = 0 ]; then
    echo "!!! $ROUND: NO GPU on this machine (nvidia-smi names none). Nothing was run and nothing was written."
    exit $NOT_HERE
  fi
  mkdir -p "$RESULTS" "$BUILT" "$OUT" || exit 1
  # Rounds that begin at the same time unpack one after the other: a program that is replaced while it runs dies.
  exec 9>"$WORK/setup.lock" && flock 9 || exit 1
  find_node
  unpack "$TOP/.gpu-base" "$WORK/heddle" && unpack "$HERE" "$FILES" || exit 1
  # Each time: the tree may have changed since the last call on this machine. What has not is left as it is, since
  # rounds of one call may run beside one another.
  for name in package.json include hostlib libdevice libraries python kernels examples scripts bench; do
    flock "$WORK/tree" cp -ru "$TREE/$name" "$WORK/heddle/" || exit 1
  done
  export HEDDLE_MAIN=$WORK/heddle/dist/bin/main.js HEDDLE_CACHE_DIR=$WORK/heddle/cache HEDDLE=$WORK/heddle NO_COLOR=1
  find_libraries
  machine >"$WORK/results/machine.json"
  exec 9>&-
  echo "== $ROUND on $DEVICE: $GPUS GPUs, $TOTAL s at most"
}

# Node.js of this machine, else what was brought along: .gpu-node (prepare.mjs --node), or .gpu/enter.sh.
find_node() {
  if ! command -v node >/dev/null && [ -f "$TOP/.gpu-node/node.xz" ]; then
    mkdir -p "$WORK/node"
    [ -x "$WORK/node/node" ] || python3 -c "import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], 'wb'))" "$TOP/.gpu-node/node.xz" "$WORK/node/node"
    chmod +x "$WORK/node/node"
    export PATH=$WORK/node:$PATH
  fi
  command -v node >/dev/null || { [ -f "$TOP/.gpu/enter.sh" ] && cd "$TOP" && . "$TOP/.gpu/enter.sh"; }
  command -v node >/dev/null && return
  echo "!!! $ROUND: there is no Node.js here, and neither .gpu-node nor .gpu/enter.sh brings it. Nothing was run."
  exit 1
}

# unpack FROM TO: once for each content.
unpack() {
  local id
  id=$(cat "$1/id") || { echo "!!! $1 is not there: node scripts/gpu-rounds/prepare.mjs makes it"; return 1; }
  [ "$(cat "$2/.id" 2>/dev/null)" = "$id" ] && return 0
  rm -rf "$2" && mkdir -p "$2" || return 1
  tar xf "$1/files.tar.xz" -C "$2" 2>/dev/null ||
    python3 -c "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])" "$1/files.tar.xz" "$2" ||
    return 1
  # A cache removes what nobody used for a month, and the archive's times are old.
  find "$2" -type f -exec touch {} +
  echo "$id" >"$2/.id"
}

# cuDNN and NCCL may be in Python's packages, which have libX.so.9 and no libX.so.
find_libraries() {
  local lists
  lists=$(python3 - "$WORK/links" 2>/dev/null <<'PY'
import glob, os, re, sys
links, includes, folders = sys.argv[1], [], []
os.makedirs(links, exist_ok=True)
for path in sys.path:
    for part in sorted(glob.glob(os.path.join(path, "nvidia", "*"))):
        if re.search(r"/(cudnn|nccl)$", part):
            includes.append(os.path.join(part, "include"))
            folders.append(os.path.join(part, "lib"))
for folder in folders:
    for file in glob.glob(os.path.join(folder, "lib*.so.*")):
        link = os.path.join(links, re.sub(r"\.so\..*", ".so", os.path.basename(file)))
        if not os.path.exists(link):
            os.symlink(file, link)
print(":".join(includes) + "\n" + ":".join(folders))
PY
  )
  NATIVE_INCLUDE=$(sed -n 1p <<<"$lists")
  NATIVE_LIBRARIES=$(sed -n 2p <<<"$lists")
  local cuda=${CUDA_HOME:-/usr/local/cuda} folder name
  [ -d "$cuda/extras/CUPTI/include" ] && NATIVE_INCLUDE=$NATIVE_INCLUDE:$cuda/extras/CUPTI/include
  # Both programs of a comparison load the same libraries.
  for folder in "$cuda/lib64" "$cuda/extras/CUPTI/lib64"; do
    [ -d "$folder" ] && NATIVE_LIBRARIES=$NATIVE_LIBRARIES:$folder
  done
  # The driver's own, which may have no name to link by.
  for folder in /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu /usr/lib/wsl/lib; do
    for name in libcuda libnvidia-ml; do
      [ -e "$folder/$name.so.1" ] && mkdir -p "$WORK/links" && ln -sf "$folder/$name.so.1" "$WORK/links/$name.so"
    done
  done
  NATIVE_INCLUDE=${NATIVE_INCLUDE#:} NATIVE_LIBRARIES=${NATIVE_LIBRARIES#:}
  export NATIVE_INCLUDE NATIVE_LIBRARIES
  export HEDDLE_CUDA_LIBRARIES=${HEDDLE_CUDA_LIBRARIES:-$NATIVE_LIBRARIES}
}

machine() {
  local gpu driver nvcc
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
  nvcc=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  printf '{"device": "%s", "gpu": "%s", "gpus": %d, "driver": "%s", "nvcc": "%s", "node": "%s", "date": "%s"}\n' \
    "$DEVICE" "$gpu" "$GPUS" "$driver" "$nvcc" "$(node --version)" "$(date -u +%Y-%m-%d)"
}

# heddle ARGUMENTS: the command line. program NAME ARGUMENTS: a program of the pack, on the device.
heddle() { node "$HEDDLE_MAIN" "$@"; }
program() {
  local name=$1
  shift
  HEDDLE_OPTIONS="--device $DEVICE --exit-code program ${PROGRAM_OPTIONS:-}" \
    node "$HEDDLE_MAIN" exec "$FILES/programs/$name" "$@"
}
# native NAME SOURCE FLAGS: nvcc's build of a source of the pack, once: $BUILT/NAME. NATIVE_ARCH: for which chip.
native() {
  local name=$1 source=$2 include=() library=() folder
  shift 2
  [ -x "$BUILT/$name" ] && return 0
  if [ "$GPUS" = 0 ] || ! command -v nvcc >/dev/null; then
    echo "NO GPU or no nvcc here: $name is not built" >&2
    return $NOT_HERE
  fi
  for folder in ${NATIVE_INCLUDE//:/ }; do include+=("-I$folder"); done
  for folder in ${NATIVE_LIBRARIES//:/ }; do library+=("-L$folder" -Xlinker "-rpath=$folder"); done
  nvcc -std=c++17 -O2 "${NATIVE_ARCH:--arch=sm_90}" -w -o "$BUILT/$name" "${include[@]}" "-I$FILES/sources" \
    "-L$WORK/links" "-L${CUDA_HOME:-/usr/local/cuda}/lib64/stubs" "${library[@]}" "$FILES/sources/$source" "$@"
}
export -f heddle program native
export NOT_HERE

# step NAME SECONDS NEEDS KEY COMMAND: NEEDS is any, gpu, gpus (two of them), or try: only where there is none. KEY
# changes with what the step runs.
step() {
  local name=$1 limit=$2 needs=$3 key=$4 left
  local folder=$RESULTS/$name
  if [ "$needs" = try ]; then
    [ "$DEVICE" = cuda ] && return
    needs=any
  fi
  if [ "$(cat "$folder/status" 2>/dev/null)" = 0 ] && [ "$(cat "$folder/key")" = "$key" ]; then
    say done "$name" 0 "was right before"
    return
  fi
  if { [ "$needs" != any ] && [ "$GPUS" = 0 ]; } || { [ "$needs" = gpus ] && [ "$GPUS" -lt 2 ]; }; then
    AWAY=$((AWAY + 1))
    say 'NO GPU' "$name" 0 "it needs $([ "$needs" = gpus ] && echo 'two GPUs' || echo 'a GPU'): not run"
    return
  fi
  left=$((TOTAL - (SECONDS - STARTED)))
  if [ "$left" -lt 8 ]; then
    LEFT=$((LEFT + 1))
    say left "$name" 0 "no time: run the round again"
    return
  fi
  [ "$limit" -gt "$left" ] && limit=$left
  if [ "$JOBS" -gt 1 ]; then
    while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do wait -n; done
    run_step "$name" "$limit" "$key" "$5" &
  else
    run_step "$name" "$limit" "$key" "$5"
  fi
}

run_step() {
  local name=$1 limit=$2 key=$3 command=$4 status from=$SECONDS what=ok
  export RESULT=$RESULTS/$name GPUS
  rm -rf "$RESULT" && mkdir -p "$RESULT"
  (cd "$HEDDLE" && timeout -k 5 "$limit" bash -c "set -o pipefail; $command") >"$RESULT/out" 2>"$RESULT/err" </dev/null
  status=$?
  echo "$key" >"$RESULT/key"
  echo $((SECONDS - from)) >"$RESULT/seconds"
  echo $status >"$RESULT/status"
  [ $status = 0 ] || what="exit $status"
  [ $status = $TIMED_OUT ] || [ $status = 137 ] && what=TIME
  [ $status = $NOT_HERE ] && what='NO GPU'
  say "$what" "$name" $((SECONDS - from)) "$(tail -qn 1 "$RESULT/out" "$RESULT/err" | grep . | tail -1 | cut -c 1-100)"
  keep
}

say() { printf '%-8s %-36s %4d s  %s\n' "$@"; }

# What there is so far, in parts that each go through a limit of 16 MB. Steps that run beside one another take turns,
# and a step whose results another one has kept meanwhile has nothing to do.
keep() {
  local began=$EPOCHSECONDS
  (
    flock 9
    [ "$(cat "$WORK/kept" 2>/dev/null || echo 0)" -gt "$began" ] && exit
    echo "$EPOCHSECONDS" >"$WORK/kept"
    rm -f "$OUT"/rounds.tar.gz.*
    # A file that grows meanwhile is that of a step which still runs: tar says so.
    tar czf - -C "$WORK" results 2>/dev/null | split -b 15000000 -d - "$OUT/rounds.tar.gz."
  ) 9>"$WORK/lock"
}

finish() {
  wait
  keep
  local folder
  for folder in "$RESULTS"/*/; do
    [ -f "$folder/status" ] || continue
    if [ "$(cat "$folder/status")" = 0 ]; then OK=$((OK + 1)); else BAD=$((BAD + 1)); fi
  done
  echo "== $ROUND: $OK right, $BAD not right, $LEFT had no time, $AWAY need a GPU; $((SECONDS - STARTED)) s"
  [ "$BAD" = 0 ] && [ "$LEFT" = 0 ]
}
