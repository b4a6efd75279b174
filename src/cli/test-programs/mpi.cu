// MPI and NCCL over several processes: random collectives beside loops, messages, types, device memory, splits; then
// wrong calls. The argument names a way in which a rank ends.
#include <mpi-ext.h>
#include <mpi.h>
#include <nccl.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static int failures = 0, rank, size;
static unsigned state = 1;
static unsigned below(unsigned n) {
  state = state * 1664525u + 1013904223u;
  return (unsigned)(((unsigned long long)(state >> 4) * n) >> 28);
}
static void expect(bool holds, const char *what, int number) {
  if (holds) return;
  printf("rank %d: %s (%d)\n", rank, what, number);
  failures++;
}
static long long value(int of, int i) { return (of + 1) * 1000 + i * 7 % 311; }

static long long combined(MPI_Op op, int i, int ranks) {
  long long result = value(0, i);
  for (int r = 1; r < ranks; r++) {
    long long x = value(r, i);
    if (op == MPI_SUM) result += x;
    else if (op == MPI_MAX) result = std::max(result, x);
    else if (op == MPI_MIN) result = std::min(result, x);
    else if (op == MPI_BXOR) result ^= x;
    else result = result && x;
  }
  return result;
}

/// @param onDevice whether buffers lie there
static void collective(int number, bool onDevice) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_LAND};
  int kind = below(10), n = 1 + below(below(6) ? 300 : 30000), root = below(size);
  MPI_Op op = ops[below(5)];
  bool isWide = kind == 5 || kind == 7, isGather = kind == 3 || kind == 4 || kind == 7;
  int sends = n * (isWide ? size : 1), receives = n * (isGather ? size : 1);
  std::vector<long long> send(sends), receive(receives, -1);
  for (int i = 0; i < sends; i++) send[i] = value(rank, i);
  long long *s = send.data(), *r = receive.data();
  if (onDevice) {
    cudaMalloc(&s, sends * sizeof *s);
    cudaMalloc(&r, receives * sizeof *r);
    cudaMemcpy(s, send.data(), sends * sizeof *s, cudaMemcpyHostToDevice);
    cudaMemcpy(r, receive.data(), receives * sizeof *r, cudaMemcpyHostToDevice);
  }
  const MPI_Datatype t = MPI_LONG_LONG;
  MPI_Comm w = MPI_COMM_WORLD;
  if (kind == 0) MPI_Bcast(s, n, t, root, w);
  else if (kind == 1) MPI_Reduce(s, r, n, t, op, root, w);
  else if (kind == 2) MPI_Allreduce(s, r, n, t, op, w);
  else if (kind == 3) MPI_Gather(s, n, t, r, n, t, root, w);
  else if (kind == 4) MPI_Allgather(s, n, t, r, n, t, w);
  else if (kind == 5) MPI_Scatter(s, n, t, r, n, t, root, w);
  else if (kind == 6) MPI_Sendrecv(s, n, t, (rank + 1) % size, 3, r, n, t, (rank + size - 1) % size, 3, w, nullptr);
  else if (kind == 7) MPI_Alltoall(s, n, t, r, n, t, w);
  else if (kind == 8) MPI_Scan(s, r, n, t, op, w);
  else MPI_Exscan(s, r, n, t, op, w);
  if (onDevice) {
    cudaMemcpy(send.data(), s, sends * sizeof *s, cudaMemcpyDeviceToHost);
    cudaMemcpy(receive.data(), r, receives * sizeof *r, cudaMemcpyDeviceToHost);
    cudaFree(s);
    cudaFree(r);
  }
  bool isRoot = rank == root;
  for (int i = 0; i < receives && failures < 5; i++) {
    long long got = receive[i], wanted = -1;
    if (kind == 0) got = send[i], wanted = value(root, i);
    else if (kind == 1) wanted = isRoot ? combined(op, i, size) : -1;
    else if (kind == 2) wanted = combined(op, i, size);
    else if (kind == 3) wanted = isRoot ? value(i / n, i % n) : -1;
    else if (kind == 4) wanted = value(i / n, i % n);
    else if (kind == 5) wanted = value(root, rank * n + i);
    else if (kind == 6) wanted = value((rank + size - 1) % size, i);
    else if (kind == 7) wanted = value(i / n, rank * n + i % n);
    else if (kind == 8) wanted = combined(op, i, rank + 1);
    else if (rank > 0) wanted = combined(op, i, rank);
    if (got != wanted) printf("kind %d op %d n %d root %d element %d is %lld, not %lld\n", kind, op, n, root, i, got,
        wanted);
    expect(got == wanted, "a collective", number);
  }
}

static void messages() {
  // In order for each tag; a wildcard takes any.
  std::vector<MPI_Request> requests(2 * size);
  std::vector<int> got(size, -1), own(size);
  for (int r = 0; r < size; r++) {
    own[r] = 100 * rank + r;
    MPI_Irecv(&got[r], 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[2 * r]);
    MPI_Isend(&own[r], 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[2 * r + 1]);
  }
  MPI_Waitall(2 * size, requests.data(), MPI_STATUSES_IGNORE);
  for (int r = 0; r < size; r++) expect(got[r] == 100 * r + rank, "a message", r);
  MPI_Status status;
  int first = -1, second = -1, count = 0;
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
  for (int r = 1; rank == 0 && r < size; r++) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&first, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    expect(first == status.MPI_SOURCE && first == status.MPI_TAG && count == 1, "any source", first);
  }
  MPI_Barrier(MPI_COMM_WORLD); // what follows has tags, too
  if (size > 1 && rank < 2) {
    int a = 1, b = 2;
    if (rank == 0) MPI_Send(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD), MPI_Send(&b, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else {
      MPI_Recv(&second, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(first == 1 && second == 2, "tags", first);
    }
  }
  // A column of a matrix, on the device.
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 4, MPI_FLOAT, &column);
  MPI_Type_commit(&column);
  float matrix[16], *onDevice;
  for (int i = 0; i < 16; i++) matrix[i] = (float)(16 * rank + i);
  cudaMalloc(&onDevice, sizeof matrix);
  cudaMemcpy(onDevice, matrix, sizeof matrix, cudaMemcpyHostToDevice);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Sendrecv(onDevice + 3, 1, column, right, 7, onDevice, 1, column, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  cudaMemcpy(matrix, onDevice, sizeof matrix, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4; i++) expect(matrix[4 * i] == 16 * left + 4 * i + 3, "a column", i);
  cudaFree(onDevice);
  MPI_Type_free(&column);
}

struct Gap { double a; int b; };
/// As a function of the program sees them: elements with gaps.
static void add_gaps(void *left, void *right, int *count, MPI_Datatype *) {
  Gap *a = (Gap *)left, *b = (Gap *)right;
  for (int i = 0; i < *count; i++) b[i].a += a[i].a, b[i].b += a[i].b;
}
static void types() {
  MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT}, gap, two, far, resized, pair, block;
  int ones[] = {1, 1}, five[] = {5};
  MPI_Aint at[] = {0, sizeof(double)}, lower, extent;
  auto spans = [&](MPI_Datatype type, MPI_Aint low, MPI_Aint wide, const char *what) {
    MPI_Type_get_extent(type, &lower, &extent);
    expect(lower == low && extent == wide, what, (int)extent);
  };
  MPI_Type_create_struct(2, ones, at, members, &gap);
  MPI_Type_contiguous(2, gap, &two);
  MPI_Type_indexed(1, ones, five, MPI_INT, &far);
  MPI_Type_create_resized(MPI_INT, -4, 24, &resized);
  MPI_Type_contiguous(3, resized, &pair);
  MPI_Type_vector(2, 1, 3, resized, &block);
  spans(gap, 0, 16, "a struct");
  spans(two, 0, 32, "two structs");
  spans(far, 20, 4, "an int far away");
  spans(pair, -4, 72, "three of a resized type");
  spans(block, -4, 96, "a vector of a resized type");
  // Parts of an array of 4 by 6, in both orders; and rows at places in bytes.
  MPI_Datatype piece, turned, rows, blocks;
  int sizes[] = {4, 6}, lengths[] = {2, 3}, starts[] = {1, 2}, twice[] = {2, 2}, places[] = {20, 2};
  MPI_Aint far_apart[] = {72, 8};
  MPI_Type_create_subarray(2, sizes, lengths, starts, MPI_ORDER_C, MPI_INT, &piece);
  MPI_Type_create_subarray(2, sizes, lengths, starts, MPI_ORDER_FORTRAN, MPI_INT, &turned);
  MPI_Type_create_hindexed(2, twice, far_apart, MPI_INT, &rows);
  MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &blocks);
  spans(piece, 0, 96, "a part of an array");
  spans(turned, 0, 96, "a part of an array of Fortran");
  spans(rows, 8, 72, "rows at places in bytes");
  auto sent = [&](MPI_Datatype type, std::vector<int> wanted, const char *what) {
    int from[24], to[6] = {};
    for (int i = 0; i < 24; i++) from[i] = i;
    MPI_Type_commit(&type);
    MPI_Sendrecv(from, 1, type, rank, 11, to, 6, MPI_INT, rank, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(std::equal(wanted.begin(), wanted.end(), to), what, to[1]);
  };
  sent(piece, {8, 9, 10, 14, 15, 16}, "a part of an array");
  sent(turned, {9, 10, 13, 14, 17, 18}, "a part of an array of Fortran");
  sent(rows, {18, 19, 2, 3}, "rows at places in bytes");
  sent(blocks, {20, 21, 2, 3}, "blocks of one length");
  expect(MPIX_CUDA_AWARE_SUPPORT && MPIX_Query_cuda_support() == 1, "buffers on the device", 0);
  MPI_Op add;
  MPI_Op_create(add_gaps, 1, &add);
  std::vector<Gap> own(2 * size), sum(2 * size);
  for (int i = 0; i < 2 * size; i++) own[i] = {rank + i + 0.5, 10 * rank + i};
  auto fits = [&](const Gap &got, int i, const char *what) {
    int ranks = size * (size - 1) / 2;
    expect(got.a == ranks + size * (i + 0.5) && got.b == 10 * ranks + size * i, what, i);
  };
  MPI_Allreduce(own.data(), sum.data(), 2 * size, gap, add, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * size; i++) fits(sum[i], i, "a sum of structs");
  Gap part[2];
  MPI_Reduce_scatter_block(own.data(), part, 2, gap, add, MPI_COMM_WORLD);
  for (int i = 0; i < 2; i++) fits(part[i], 2 * rank + i, "parts of a sum of structs");
  // A part outside of its array; buffers on the device that are too small.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  starts[1] = 4;
  int outside = MPI_Type_create_subarray(2, sizes, lengths, starts, MPI_ORDER_C, MPI_INT, &piece);
  expect(outside == MPI_ERR_ARG, "a part outside of its array", outside);
  int *small, many[1000] = {};
  cudaMalloc(&small, 4);
  int got = MPI_Sendrecv(many, 1000, MPI_INT, rank, 9, small, 1000, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(got == MPI_ERR_BUFFER, "a receive into a small buffer", got);
  got = MPI_Send(small, 1000, MPI_INT, rank, 9, MPI_COMM_WORLD);
  expect(got == MPI_ERR_BUFFER, "a send of a small buffer", got);
  cudaFree(small);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Waits in which another thread of the process must run: it sends what this one waits for.
static void waits() {
  int x = 0, flag = 0, index = -1, from = 5;
  auto later = [&](int tag) {
    return std::thread([tag] { MPI_Send(&rank, 1, MPI_INT, rank, tag, MPI_COMM_WORLD); });
  };
  MPI_Request request;
  std::thread first = later(20);
  MPI_Probe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  first.join();
  MPI_Recv(&from, 1, MPI_INT, rank, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&x, 1, MPI_INT, rank, 21, MPI_COMM_WORLD, &request);
  std::thread second = later(21);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  second.join();
  MPI_Irecv(&x, 1, MPI_INT, rank, 22, MPI_COMM_WORLD, &request);
  std::thread third = later(22);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  third.join();
  expect(index == 0 && x == rank && from == rank, "waits beside another thread", x);
}

static void communicators() {
  MPI_Comm half, grid, shared;
  int own, members, sum = 0, at[2], dims[] = {0, 0}, periods[] = {1, 0}, back, next;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &members);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  int wanted = 0;
  for (int r = rank % 2; r < size; r += 2) wanted += r;
  expect(sum == wanted && own == members - 1 - rank / 2, "a split", sum);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &members);
  expect(members == size, "processes of the machine", members);
  MPI_Dims_create(size, 2, dims);
  expect(dims[0] * dims[1] == size && dims[0] >= dims[1], "dims", dims[0]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_shift(grid, 0, 1, &back, &next);
  expect(next == (at[0] + 1) % dims[0] * dims[1] + at[1], "a shift", next);
  MPI_Cart_shift(grid, 1, 1, &back, &next);
  expect(at[1] > 0 || back == MPI_PROC_NULL, "an edge", back);
  MPI_Comm_free(&half);
}

/// NCCL over the processes: one rank each.
static ncclComm_t open_nccl() {
  ncclUniqueId id;
  ncclComm_t comm = nullptr;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  cudaSetDevice(rank);
  expect(ncclCommInitRank(&comm, size, id, rank) == ncclSuccess, "ncclCommInitRank", 0);
  return comm;
}
static void nccl_statuses(ncclComm_t comm) {
  float *x;
  cudaMalloc(&x, 1000 * sizeof(float));
  cudaMemset(x, 0, 1000 * sizeof(float));
  int got = ncclAllReduce(x, x, rank == 1 ? 999 : 1000, ncclFloat, ncclSum, comm, 0);
  expect(got == ncclInvalidUsage, "ranks that disagree", got);
  got = rank == 1 ? ncclBroadcast(x, x, 10, ncclFloat, 0, comm, 0) : ncclAllReduce(x, x, 10, ncclFloat, ncclSum, comm, 0);
  expect(got == ncclInvalidUsage, "other collectives", got);
  if (rank == 0) got = ncclSend(x, 10, ncclFloat, 1, comm, 0);
  if (rank == 1) got = ncclRecv(x, 9, ncclFloat, 0, comm, 0);
  expect(got == (rank == 0 ? ncclSuccess : ncclInvalidUsage), "a receive of another size", got);
  got = ncclAllReduce(x, x, 10, ncclFloat, ncclSum, comm, 0);
  expect(got == ncclSuccess, "a right call after wrong ones", got);
  ncclComm_t half;
  int members = 0, own = -1;
  expect(ncclCommSplit(comm, rank % 2, -rank, &half, nullptr) == ncclSuccess, "ncclCommSplit", 0);
  ncclCommCount(half, &members);
  ncclCommUserRank(half, &own);
  expect(members == (size + 1 - rank % 2) / 2 && own == members - 1 - rank / 2, "a split of NCCL", own);
  expect(ncclAllReduce(x, x, 1000, ncclFloat, ncclSum, half, 0) == ncclSuccess, "a sum of a half", 0);
  ncclCommDestroy(half);
  // Two names of one rank, and two sizes.
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t other;
  got = ncclCommInitRank(&other, size + (rank == 0), id, rank);
  expect(got != ncclSuccess, "ranks that name two sizes", got);
  cudaFree(x);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *way = argc > 1 ? argv[1] : "";
  ncclComm_t comm = open_nccl();
  if (!strcmp(way, "dies")) {
    float *x;
    cudaMalloc(&x, 4);
    if (rank == 1) _Exit(3);
    int got = ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, 0);
    ncclResult_t error = ncclSuccess;
    ncclCommGetAsyncError(comm, &error);
    expect(got == ncclRemoteError && error == ncclRemoteError, "a rank that dies", got);
    ncclCommAbort(comm);
    printf(failures ? "FAILED\n" : "rank %d saw it\n", rank);
    return failures != 0;
  }
  if (!strcmp(way, "splits")) {
    // Rank 1 asks for the split, and has ended when rank 2 does: a receive from it fails then.
    if (rank == 1) std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)), _Exit(3); }).detach();
    if (rank == 2) {
      int nothing;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      int got = MPI_Recv(&nothing, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(got != MPI_SUCCESS, "a receive from a rank that has ended", got);
    }
    ncclComm_t part = nullptr;
    int got = ncclCommSplit(comm, 0, rank, &part, nullptr);
    printf("rank %d: %s\n", rank, ncclGetErrorString((ncclResult_t)got));
    return 0;
  }
  if (!strcmp(way, "receives")) {
    int x;
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
  }
  if (!strcmp(way, "sends")) {
    if (rank == 0) MPI_Recv(&failures, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(&failures, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (rank == 0) MPI_Send(&failures, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return 0;
  }
  if (!strcmp(way, "disagrees")) {
    int x = 0, y;
    if (rank == 0) MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
  }
  if (!strcmp(way, "waits")) {
    if (rank == 0) MPI_Recv(&failures, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  for (int i = 0; i < 150; i++) collective(i, i % 3 == 0);
  messages();
  types();
  waits();
  communicators();
  nccl_statuses(comm);
  ncclCommDestroy(comm);
  int all = 0;
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "FAILED\n" : "PASSED\n");
  MPI_Finalize();
  return failures != 0;
}
