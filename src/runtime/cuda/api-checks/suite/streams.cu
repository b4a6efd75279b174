// Pairs for racecheck between streams, as in api.cu: NAME_wrong leaves two pieces of work unordered, in the line marked "// ! KIND"; NAME_right orders them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Case {
  const char *name;
  void (*run)();
  Case *next;
  static Case *first;
  Case(const char *name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};
Case *Case::first = nullptr;

#define PAIR(name) \
  static void name(); \
  static Case case_##name(#name, name); \
  static void name()

#define OK(call) \
  do { \
    cudaError_t status = (call); \
    if (status != cudaSuccess) { \
      fprintf(stderr, "%s\n", cudaGetErrorString(status)); \
      exit(3); \
    } \
  } while (0)

static const int N = 1024, BYTES = N * sizeof(int);

__global__ void set(int *out, int first, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[first + i] = value;
}
__global__ void scale(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i]; // ! read-after-write in producer_wrong
}
__global__ void copy_all(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i]; // ! read-after-write in default_kernel_wrong
}
__global__ void scale_each(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}
__global__ void set_part(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3; // ! write-after-write in managed_wrong
}
__global__ void set_bytes(unsigned char *out, int first, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[first + i] = value; // ! write-after-write in bytes_wrong
}
__global__ void set_again(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 7; // ! write-after-write in repeated_wrong
}
__global__ void increase(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 5; // ! write-after-read in in_place_wrong
}
__global__ void read_in_graph(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i]; // ! read-after-write in graph_by_hand_wrong
}
__global__ void take_from(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += in[i]; // ! read-after-write in graph_captured_wrong
}
__global__ void count(int *counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(counter, 1);
}

// Each thread writes an element of its own, which the code alone does not tell; a block for each.
__global__ void scatter(int *out, int n) { out[3 * blockIdx.x % n] = blockIdx.x; }

struct Streams {
  cudaStream_t a, b;
  int *x, *y;
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    OK(cudaStreamCreateWithFlags(&a, flags));
    OK(cudaStreamCreateWithFlags(&b, flags));
    OK(cudaMalloc(&x, BYTES));
    OK(cudaMalloc(&y, BYTES));
    OK(cudaMemset(x, 0, BYTES));
    OK(cudaMemset(y, 0, BYTES));
    OK(cudaDeviceSynchronize());
  }
  ~Streams() {
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(x));
    OK(cudaFree(y));
  }
};

// A consumer on another stream.
PAIR(producer_wrong) {
  Streams s;
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  scale<<<4, 256, 0, s.b>>>(s.y, s.x, N);
  OK(cudaGetLastError());
}
PAIR(producer_right) {
  Streams s;
  cudaEvent_t ready;
  OK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaEventRecord(ready, s.a));
  OK(cudaStreamWaitEvent(s.b, ready, 0));
  scale<<<4, 256, 0, s.b>>>(s.y, s.x, N);
  OK(cudaGetLastError());
  OK(cudaStreamSynchronize(s.b));
  OK(cudaEventDestroy(ready));
}

// The event is recorded before the work that it should cover.
PAIR(early_event_wrong) {
  Streams s;
  cudaEvent_t ready;
  OK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  OK(cudaEventRecord(ready, s.a));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaStreamWaitEvent(s.b, ready, 0));
  set<<<4, 256, 0, s.b>>>(s.y, 0, N, 1);
  OK(cudaMemcpyAsync(s.y, s.x, BYTES, cudaMemcpyDeviceToDevice, s.b)); // ! read-after-write
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(ready));
}
PAIR(early_event_right) {
  Streams s;
  cudaEvent_t ready;
  OK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaEventRecord(ready, s.a));
  OK(cudaStreamWaitEvent(s.b, ready, 0));
  set<<<4, 256, 0, s.b>>>(s.y, 0, N, 1);
  OK(cudaMemcpyAsync(s.y, s.x, BYTES, cudaMemcpyDeviceToDevice, s.b));
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(ready));
}

// Halves of an array, each its stream's own; one is an element too long.
PAIR(halves_wrong) {
  Streams s;
  scale_each<<<4, 256, 0, s.a>>>(s.x, N / 2 + 1);
  OK(cudaMemsetAsync(s.x + N / 2, 0, BYTES / 2, s.b)); // ! write-after-write
  OK(cudaGetLastError());
}
PAIR(halves_right) {
  Streams s;
  scale_each<<<4, 256, 0, s.a>>>(s.x, N / 2);
  OK(cudaMemsetAsync(s.x + N / 2, 0, BYTES / 2, s.b));
  OK(cudaGetLastError());
}

// The next input is copied in while a kernel still reads the last.
PAIR(refill_wrong) {
  Streams s;
  int *host;
  OK(cudaMallocHost(&host, BYTES));
  memset(host, 0, BYTES);
  OK(cudaMemcpyAsync(s.x, host, BYTES, cudaMemcpyHostToDevice, s.a));
  OK(cudaStreamSynchronize(s.a));
  scale<<<4, 256, 0, s.b>>>(s.y, s.x, N);
  OK(cudaMemcpyAsync(s.x, host, BYTES, cudaMemcpyHostToDevice, s.a)); // ! write-after-read
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFreeHost(host));
}
PAIR(refill_right) {
  Streams s;
  int *host;
  OK(cudaMallocHost(&host, BYTES));
  memset(host, 0, BYTES);
  OK(cudaMemcpyAsync(s.x, host, BYTES, cudaMemcpyHostToDevice, s.a));
  OK(cudaStreamSynchronize(s.a));
  scale<<<4, 256, 0, s.b>>>(s.y, s.x, N);
  OK(cudaStreamSynchronize(s.b));
  OK(cudaMemcpyAsync(s.x, host, BYTES, cudaMemcpyHostToDevice, s.a));
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFreeHost(host));
}

// A kernel, then a kernel that it should have waited for, on the default stream.
PAIR(default_kernel_wrong) {
  Streams s(cudaStreamNonBlocking);
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  copy_all<<<4, 256>>>(s.y, s.x, N);
  OK(cudaGetLastError());
}
PAIR(default_kernel_right) {
  Streams s(cudaStreamNonBlocking);
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaStreamSynchronize(s.a));
  copy_all<<<4, 256>>>(s.y, s.x, N);
  OK(cudaGetLastError());
}

// The default stream waits for blocking streams, and for no other.
PAIR(default_stream_wrong) {
  Streams s(cudaStreamNonBlocking);
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  int host[N];
  OK(cudaMemcpy(host, s.x, BYTES, cudaMemcpyDeviceToHost)); // ! read-after-write
  OK(cudaGetLastError());
}
PAIR(default_stream_right) {
  Streams s(cudaStreamDefault);
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  int host[N];
  OK(cudaMemcpy(host, s.x, BYTES, cudaMemcpyDeviceToHost));
  OK(cudaGetLastError());
}

// Bytes: the last word is half the one's, half the other's; then two bytes are both's.
PAIR(bytes_wrong) {
  Streams s;
  set_bytes<<<1, 64, 0, s.a>>>((unsigned char *)s.x, 0, 23, 1);
  set_bytes<<<1, 64, 0, s.b>>>((unsigned char *)s.x, 21, 20, 2);
  OK(cudaGetLastError());
}
PAIR(bytes_right) {
  Streams s;
  set_bytes<<<1, 64, 0, s.a>>>((unsigned char *)s.x, 0, 21, 1);
  set_bytes<<<1, 64, 0, s.b>>>((unsigned char *)s.x, 21, 20, 2);
  OK(cudaGetLastError());
}

// Atomic operations of two streams may meet; reading the sum waits.
PAIR(counter_wrong) {
  Streams s;
  count<<<4, 256, 0, s.a>>>(s.x, N);
  count<<<4, 256, 0, s.b>>>(s.x, N);
  OK(cudaStreamSynchronize(s.a));
  OK(cudaMemcpyAsync(s.y, s.x, sizeof(int), cudaMemcpyDeviceToDevice, s.a)); // ! read-after-write
  OK(cudaGetLastError());
}
PAIR(counter_right) {
  Streams s;
  count<<<4, 256, 0, s.a>>>(s.x, N);
  count<<<4, 256, 0, s.b>>>(s.x, N);
  OK(cudaStreamSynchronize(s.b));
  OK(cudaMemcpyAsync(s.y, s.x, sizeof(int), cudaMemcpyDeviceToDevice, s.a));
  OK(cudaGetLastError());
}

// An order that goes by way of a third stream.
PAIR(chain_wrong) {
  Streams s;
  cudaStream_t c;
  cudaEvent_t first, second;
  OK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
  OK(cudaEventCreate(&first));
  OK(cudaEventCreate(&second));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaEventRecord(first, s.a));
  OK(cudaEventRecord(second, c));
  OK(cudaStreamWaitEvent(c, first, 0));
  OK(cudaStreamWaitEvent(s.b, second, 0));
  OK(cudaMemsetAsync(s.x, 0, BYTES, s.b)); // ! write-after-write
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaStreamDestroy(c));
  OK(cudaEventDestroy(first));
  OK(cudaEventDestroy(second));
}
PAIR(chain_right) {
  Streams s;
  cudaStream_t c;
  cudaEvent_t first, second;
  OK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
  OK(cudaEventCreate(&first));
  OK(cudaEventCreate(&second));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaEventRecord(first, s.a));
  OK(cudaStreamWaitEvent(c, first, 0));
  OK(cudaEventRecord(second, c));
  OK(cudaStreamWaitEvent(s.b, second, 0));
  OK(cudaMemsetAsync(s.x, 0, BYTES, s.b));
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaStreamDestroy(c));
  OK(cudaEventDestroy(first));
  OK(cudaEventDestroy(second));
}

// Managed memory: a part for each stream, and one element for both.
static void two_parts(int of_the_first) {
  Streams s;
  int *managed;
  OK(cudaMallocManaged(&managed, BYTES));
  scale_each<<<4, 256, 0, s.a>>>(managed, of_the_first);
  set_part<<<2, 256, 0, s.b>>>(managed + N / 2, N / 2);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFree(managed));
}
PAIR(managed_wrong) { two_parts(N / 2 + 1); }
PAIR(managed_right) { two_parts(N / 2); }

// Two streams, several times: the buffer goes back and forth, and once nobody waits.
static void alternate(bool waits) {
  Streams s;
  cudaEvent_t done[2];
  OK(cudaEventCreateWithFlags(&done[0], cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&done[1], cudaEventDisableTiming));
  for (int turn = 0; turn < 6; turn++) {
    cudaStream_t stream = turn % 2 == 0 ? s.a : s.b;
    if (turn > 0 && (waits || turn != 4)) OK(cudaStreamWaitEvent(stream, done[(turn - 1) % 2], 0));
    OK(cudaMemsetAsync(s.x, turn, BYTES, stream)); // ! write-after-write in alternate_wrong
    OK(cudaEventRecord(done[turn % 2], stream));
  }
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(done[0]));
  OK(cudaEventDestroy(done[1]));
}
PAIR(alternate_wrong) { alternate(false); }
PAIR(alternate_right) { alternate(true); }

// Managed memory is copied while a kernel on another stream writes it; and filled.
static void copy_managed(bool waits, bool fills) {
  Streams s;
  int *managed;
  OK(cudaMallocManaged(&managed, BYTES));
  set<<<4, 256, 0, s.a>>>(managed, 0, N, 1);
  if (waits) OK(cudaStreamSynchronize(s.a));
  if (fills) OK(cudaMemsetAsync(managed + 4, 0, 8, s.b)); // ! write-after-write in managed_fill_wrong
  else OK(cudaMemcpyAsync(s.x, managed, BYTES, cudaMemcpyDefault, s.b)); // ! read-after-write in managed_copy_wrong
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFree(managed));
}
PAIR(managed_copy_wrong) { copy_managed(false, false); }
PAIR(managed_copy_right) { copy_managed(true, false); }
PAIR(managed_fill_wrong) { copy_managed(false, true); }
PAIR(managed_fill_right) { copy_managed(true, true); }

// An array is changed in place while another stream still reads it.
static void in_place(bool waits) {
  Streams s;
  set_again<<<4, 256, 0, s.a>>>(s.x, N);
  OK(cudaDeviceSynchronize());
  copy_all<<<4, 256, 0, s.a>>>(s.y, s.x, N);
  if (waits) OK(cudaStreamSynchronize(s.a));
  increase<<<4, 256, 0, s.b>>>(s.x, N);
  OK(cudaGetLastError());
}
PAIR(in_place_wrong) { in_place(false); }
PAIR(in_place_right) { in_place(true); }

// The same launch again, whose result is there already; on another stream it may overlap with the first.
static void repeated(bool waits) {
  Streams s;
  for (int turn = 0; turn < 2; turn++) set_again<<<4, 256, 0, s.a>>>(s.x, N);
  if (waits) OK(cudaStreamSynchronize(s.a));
  for (int turn = 0; turn < 2; turn++) set_again<<<4, 256, 0, s.b>>>(s.x, N);
  OK(cudaGetLastError());
}
PAIR(repeated_wrong) { repeated(false); }
PAIR(repeated_right) { repeated(true); }

// A graph that is made by hand: the second kernel needs what the first one writes.
static void by_hand(bool depends) {
  Streams s;
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  int from = 0, n = N, value = 1;
  void *set_args[] = {&s.x, &from, &n, &value}, *read_args[] = {&s.y, &s.x, &n};
  cudaKernelNodeParams params = {};
  params.func = (void *)set;
  params.gridDim = dim3(4);
  params.blockDim = dim3(256);
  params.kernelParams = set_args;
  OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  params.func = (void *)read_in_graph;
  params.kernelParams = read_args;
  OK(cudaGraphAddKernelNode(&second, graph, &first, depends ? 1 : 0, &params));
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int turn = 0; turn < 2; turn++) OK(cudaGraphLaunch(exec, s.a));
  OK(cudaDeviceSynchronize());
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}
PAIR(graph_by_hand_wrong) { by_hand(false); }
PAIR(graph_by_hand_right) { by_hand(true); }

// A captured graph with two branches; the first goes on with what the second has filled.
static void captured(bool joins) {
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaEvent_t fork, join;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaEventRecord(fork, s.a));
  OK(cudaStreamWaitEvent(s.b, fork, 0));
  set<<<4, 256, 0, s.b>>>(s.y, 0, N, 2);
  OK(cudaEventRecord(join, s.b));
  if (joins) OK(cudaStreamWaitEvent(s.a, join, 0));
  take_from<<<4, 256, 0, s.a>>>(s.x, s.y, N);
  if (!joins) OK(cudaStreamWaitEvent(s.a, join, 0));
  OK(cudaStreamEndCapture(s.a, &graph));
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(exec, s.a));
  OK(cudaStreamSynchronize(s.a));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaEventDestroy(fork));
  OK(cudaEventDestroy(join));
}
PAIR(graph_captured_wrong) { captured(false); }
PAIR(graph_captured_right) { captured(true); }

// What comes behind a graph on another stream, and on its own.
static void behind(bool own) {
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  OK(cudaStreamEndCapture(s.a, &graph));
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(exec, s.a));
  OK(cudaMemcpyAsync(s.y, s.x, BYTES, cudaMemcpyDeviceToDevice, own ? s.a : s.b)); // ! read-after-write in behind_graph_wrong
  OK(cudaDeviceSynchronize());
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}
PAIR(behind_graph_wrong) { behind(false); }
PAIR(behind_graph_right) { behind(true); }

// More intervals than there are numbers for, between the two.
static void much_between(bool waits) {
  Streams s;
  const int many = 140000;
  int *out;
  OK(cudaMalloc(&out, many * sizeof(int)));
  OK(cudaDeviceSynchronize());
  set<<<4, 256, 0, s.a>>>(s.x, 0, N, 1);
  scatter<<<many, 1, 0, s.b>>>(out, many);
  OK(cudaMemsetAsync(out, 0, many * sizeof(int), s.b));
  scatter<<<N, 1, 0, s.b>>>(s.y, N);
  if (waits) OK(cudaStreamSynchronize(s.a));
  OK(cudaMemcpyAsync(s.y, s.x, BYTES, cudaMemcpyDeviceToDevice, s.b)); // ! read-after-write in renumbered_wrong
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFree(out));
}
PAIR(renumbered_wrong) { much_between(false); }
PAIR(renumbered_right) { much_between(true); }

// Runs the pairs that its arguments name, one after the other. What error one left is not the next one's.
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    Case *c = Case::first;
    while (c && strcmp(c->name, argv[i])) c = c->next;
    if (!c) return 2;
    c->run();
    if (i + 1 < argc) cudaGetLastError();
  }
  return 0;
}
