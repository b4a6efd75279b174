// Random collectives of NCCL beside loops in double precision. Arguments: the seed, the number of cases. Ranks are the
// devices of one thread. With -DPROCESSES they are the devices of several processes, in turn, and a third argument says
// how many.
#include <nccl.h>
#ifdef PROCESSES
#include <mpi.h>
#endif
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static unsigned state;
static unsigned below(unsigned n) {
  state = state * 1664525u + 1013904223u;
  return (unsigned)(((unsigned long long)(state >> 4) * n) >> 28);
}

static int bytesOf(int type) {
  static const int bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return bytes[type];
}
static void put(void *at, int type, size_t i, double v) {
  switch (type) {
    case ncclInt8: ((signed char *)at)[i] = (signed char)(long long)v; break;
    case ncclUint8: ((unsigned char *)at)[i] = (unsigned char)(long long)v; break;
    case ncclInt32: ((int *)at)[i] = (int)(long long)v; break;
    case ncclUint32: ((unsigned *)at)[i] = (unsigned)(long long)v; break;
    case ncclInt64: ((long long *)at)[i] = (long long)v; break;
    case ncclUint64: ((unsigned long long *)at)[i] = (unsigned long long)(long long)v; break;
    case ncclFloat16: ((__half *)at)[i] = __half((float)v); break;
    case ncclFloat32: ((float *)at)[i] = (float)v; break;
    case ncclFloat64: ((double *)at)[i] = v; break;
    case ncclBfloat16: ((__nv_bfloat16 *)at)[i] = __nv_bfloat16((float)v); break;
    case ncclFloat8e4m3: ((__nv_fp8_e4m3 *)at)[i] = __nv_fp8_e4m3((float)v); break;
    default: ((__nv_fp8_e5m2 *)at)[i] = __nv_fp8_e5m2((float)v); break;
  }
}
static double get(const void *at, int type, size_t i) {
  switch (type) {
    case ncclInt8: return ((signed char *)at)[i];
    case ncclUint8: return ((unsigned char *)at)[i];
    case ncclInt32: return ((int *)at)[i];
    case ncclUint32: return ((unsigned *)at)[i];
    case ncclInt64: return (double)((long long *)at)[i];
    case ncclUint64: return (double)((unsigned long long *)at)[i];
    case ncclFloat16: return (float)((__half *)at)[i];
    case ncclFloat32: return ((float *)at)[i];
    case ncclFloat64: return ((double *)at)[i];
    case ncclBfloat16: return (float)((__nv_bfloat16 *)at)[i];
    case ncclFloat8e4m3: return (float)((__nv_fp8_e4m3 *)at)[i];
    default: return (float)((__nv_fp8_e5m2 *)at)[i];
  }
}
static bool isInteger(int type) { return type <= ncclUint64; }
// Of one rounding, relative.
static double rounding(int type) {
  static const double bits[] = {0, 0, 0, 0, 0, 0, 11, 24, 53, 8, 4, 3};
  return isInteger(type) ? 0 : std::pow(2.0, -bits[type]);
}

enum Kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, EXCHANGE, KINDS };
static const char *names[] = {"AllReduce", "Reduce", "ReduceScatter", "Broadcast", "AllGather", "AlltoAll", "Gather",
                              "Scatter", "Send and Recv"};

struct Case {
  int kind, type, op, ranks, root;
  bool inPlace;
  size_t count;
};
static int failures = 0;
static int process = 0, processes = 1;
static bool isHere(int rank) { return rank % processes == process; }
static int deviceOf(int rank) { return rank / processes; }

#define OK(call) ok(call, #call)
static void ok(int status, const char *call) {
  if (status) printf("%s: status %d, %s\n", call, status, ncclGetLastError(nullptr)), failures++;
}

static void run(const Case &c, const std::vector<ncclComm_t> &comms, const std::vector<cudaStream_t> &streams) {
  const int n = c.ranks, size = bytesOf(c.type);
  const bool wideSend = c.kind == REDUCE_SCATTER || c.kind == ALL_TO_ALL || c.kind == SCATTER;
  const bool wideReceive = c.kind == ALL_GATHER || c.kind == ALL_TO_ALL || c.kind == GATHER;
  const size_t sends = c.count * (wideSend ? n : 1), receives = c.count * (wideReceive ? n : 1);
  const size_t room = std::max(sends, receives);
  std::vector<std::vector<double>> data(n);
  std::vector<char *> send(n), receive(n), memory(n);
  std::vector<ncclRedOp_t> ops(n, (ncclRedOp_t)c.op);
  std::vector<double> factors(n, 1);
  std::vector<char> host(room * size + 1);
  for (int r = 0; r < n; r++) {
    if (isHere(r)) {
      OK(cudaSetDevice(deviceOf(r)));
      OK(cudaMalloc(&memory[r], 2 * room * size + 256));
      OK(cudaMemset(memory[r], 0x11, 2 * room * size));
    }
    send[r] = memory[r], receive[r] = memory[r] + room * size;
    if (c.inPlace) {
      if (c.kind == REDUCE_SCATTER) receive[r] = send[r] + r * c.count * size;
      else if (c.kind == ALL_GATHER) receive[r] = memory[r], send[r] = receive[r] + r * c.count * size;
      else if (c.kind == ALL_REDUCE || c.kind == REDUCE || c.kind == BROADCAST) receive[r] = send[r];
    }
    data[r].resize(sends);
    for (size_t i = 0; i < sends; i++) {
      double v = isInteger(c.type) ? (double)below(100) - (c.type & 1 ? 0 : 50) : (below(4001) - 2000.0) / 1024;
      put(host.data(), c.type, i, v);
      data[r][i] = get(host.data(), c.type, i);
    }
    if (isHere(r)) OK(cudaMemcpyAsync(send[r], host.data(), sends * size, cudaMemcpyHostToDevice, streams[r]));
    if (c.op == ncclNumOps) {
      char scalar[8];
      put(scalar, c.type, 0, isInteger(c.type) ? 1 + below(3) : 0.25 * (1 + below(7)));
      factors[r] = get(scalar, c.type, 0);
      if (isHere(r)) OK(ncclRedOpCreatePreMulSum(&ops[r], scalar, (ncclDataType_t)c.type, ncclScalarHostImmediate, comms[r]));
    }
  }
  const ncclDataType_t type = (ncclDataType_t)c.type;
  if (n > 1 || below(2)) OK(ncclGroupStart());
  else OK(ncclGroupStart()), OK(ncclGroupStart()), OK(ncclGroupEnd()); // nested
  for (int r = 0; r < n; r++) {
    cudaStream_t s = streams[r];
    if (!isHere(r)) continue;
    switch (c.kind) {
      case ALL_REDUCE: OK(ncclAllReduce(send[r], receive[r], c.count, type, ops[r], comms[r], s)); break;
      case REDUCE: OK(ncclReduce(send[r], receive[r], c.count, type, ops[r], c.root, comms[r], s)); break;
      case REDUCE_SCATTER: OK(ncclReduceScatter(send[r], receive[r], c.count, type, ops[r], comms[r], s)); break;
      case BROADCAST: OK(ncclBroadcast(send[r], receive[r], c.count, type, c.root, comms[r], s)); break;
      case ALL_GATHER: OK(ncclAllGather(send[r], receive[r], c.count, type, comms[r], s)); break;
      case ALL_TO_ALL: OK(ncclAlltoAll(send[r], receive[r], c.count, type, comms[r], s)); break;
      case GATHER: OK(ncclGather(send[r], receive[r], c.count, type, c.root, comms[r], s)); break;
      case SCATTER: OK(ncclScatter(send[r], receive[r], c.count, type, c.root, comms[r], s)); break;
      default: // a ring
        OK(ncclSend(send[r], c.count, type, (r + 1) % n, comms[r], s));
        OK(ncclRecv(receive[r], c.count, type, (r + n - 1) % n, comms[r], s));
    }
  }
  OK(ncclGroupEnd());
  for (int r = 0; r < n; r++) {
    if (!isHere(r)) continue;
    OK(cudaSetDevice(deviceOf(r)));
    bool isRoot = r == c.root;
    if ((c.kind == REDUCE || c.kind == GATHER) && !isRoot) {
      OK(cudaFree(memory[r]));
      continue;
    }
    OK(cudaStreamSynchronize(streams[r]));
    OK(cudaMemcpy(host.data(), receive[r], receives * size, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < receives; i++) {
      double expected = 0, magnitude = 0;
      size_t block = i / c.count, at = i % c.count;
      if (c.kind <= REDUCE_SCATTER) {
        size_t from = c.kind == REDUCE_SCATTER ? r * c.count + i : i;
        for (int rank = 0; rank < n; rank++) {
          double x = data[rank][from] * (c.op == ncclNumOps ? factors[rank] : 1);
          magnitude += std::fabs(x);
          if (rank == 0) expected = x;
          else if (c.op == ncclProd) expected *= x, magnitude = std::fabs(expected);
          else if (c.op == ncclMax) expected = std::max(expected, x);
          else if (c.op == ncclMin) expected = std::min(expected, x);
          else expected += x;
        }
        if (c.op == ncclAvg) expected = isInteger(c.type) ? std::trunc(expected / n) : expected / n;
        char rounded[8]; // as integers wrap around, and floats end
        put(rounded, c.type, 0, expected);
        if (c.op != ncclProd || !isInteger(c.type) || std::fabs(expected) < 9e15) expected = get(rounded, c.type, 0);
        else continue;
      } else if (c.kind == BROADCAST) expected = data[c.root][i];
      else if (c.kind == ALL_GATHER || c.kind == GATHER) expected = data[block][at];
      else if (c.kind == ALL_TO_ALL) expected = data[block][r * c.count + at];
      else if (c.kind == SCATTER) expected = data[c.root][r * c.count + i];
      else expected = data[(r + n - 1) % n][i];
      double got = get(host.data(), c.type, i);
      double allowed = c.kind <= REDUCE_SCATTER
                           ? 2 * rounding(c.type) * std::fabs(expected) + n * std::pow(2.0, c.type == 8 ? -52 : -23)
                               * magnitude
                           : 0;
      // NVIDIA's library rounds each product with a factor to the elements' type before it is summed.
      if (c.op == ncclNumOps) allowed += rounding(c.type) * magnitude;
      if (isInteger(c.type)) allowed = 0;
      if (!(std::fabs(got - expected) <= allowed) && !(got == expected)) {
        printf("%s type %d op %d ranks %d root %d count %zu%s: rank %d element %zu is %g, not %g\n", names[c.kind],
            c.type,
               c.op, n, c.root, c.count, c.inPlace ? " in place" : "", r, i, got, expected);
        failures++;
        break;
      }
    }
    OK(cudaFree(memory[r]));
  }
  if (c.op == ncclNumOps)
    for (int r = 0; r < n; r++)
      if (isHere(r)) OK(ncclRedOpDestroy(ops[r], comms[r]));
}

int main(int argc, char **argv) {
  state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  int cases = argc > 2 ? atoi(argv[2]) : 100, devices = 0;
  OK(cudaGetDeviceCount(&devices));
#ifdef PROCESSES
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  devices = atoi(argv[3]);
#endif
  std::vector<cudaStream_t> streams(devices);
  std::vector<std::vector<ncclComm_t>> comms(devices + 1);
  for (int i = 0; i < devices; i++)
    if (isHere(i)) OK(cudaSetDevice(deviceOf(i))), OK(cudaStreamCreate(&streams[i]));
  for (int n = 1; n <= devices; n++) {
    comms[n].resize(n);
    if (n % 2 && processes == 1) {
      OK(ncclCommInitAll(comms[n].data(), n, nullptr));
      continue;
    }
    ncclUniqueId id;
    if (process == 0) OK(ncclGetUniqueId(&id));
#ifdef PROCESSES
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
#endif
    OK(ncclGroupStart());
    for (int i = 0; i < n; i++)
      if (isHere(i)) OK(cudaSetDevice(deviceOf(i))), OK(ncclCommInitRank(&comms[n][i], n, id, i));
    OK(ncclGroupEnd());
  }
  for (int i = 0; i < cases && failures < 10; i++) {
    Case c;
    c.kind = below(KINDS), c.type = below(ncclNumTypes), c.op = below(ncclNumOps + 1), c.ranks = 1 + below(devices);
    c.root = below(c.ranks), c.inPlace = below(3) == 0, c.count = below(8) ? 1 + below(700) : 1 + below(20000);
    if (c.kind > REDUCE_SCATTER) c.op = ncclSum;
    run(c, comms[c.ranks], streams);
  }
  for (auto &clique : comms)
    for (ncclComm_t comm : clique)
      if (comm) OK(ncclCommDestroy(comm));
#ifdef PROCESSES
  MPI_Finalize();
#endif
  printf(failures ? "FAILED\n" : "%d cases PASSED\n", cases);
  return failures != 0;
}
