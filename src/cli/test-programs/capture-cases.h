// What a library's call does while a stream is captured: one line for each call and mode. A set is what the call
// needs; it is new for each line, so that no call spoils the next.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#ifndef __wasm__
#include <unistd.h>
#endif

/// Ends nvcc's program if a line takes longer: what waits for a capture may wait forever.
static void limit_line(unsigned seconds) {
#ifndef __wasm__
  alarm(seconds);
#endif
}

struct CaptureMode {
  const char *name;
  cudaStreamCaptureMode mode;
  unsigned flags;
};
static const CaptureMode CAPTURE_MODES[] = {
    {"global", cudaStreamCaptureModeGlobal, cudaStreamNonBlocking},
    {"thread-local", cudaStreamCaptureModeThreadLocal, cudaStreamNonBlocking},
    {"relaxed", cudaStreamCaptureModeRelaxed, cudaStreamNonBlocking},
    {"global, blocking stream", cudaStreamCaptureModeGlobal, cudaStreamDefault},
};

static const unsigned SECONDS = 15;
/// Lines that an earlier process has printed.
static int lines_to_skip = 0;

struct Unprepared {
  std::string call;
};
/// What a set needs before the capture.
static void need(int status, const char *call) {
  if (status != 0) throw Unprepared{std::string(call) + " returned " + std::to_string(status)};
}
#define NEED(CALL) need((int)(CALL), #CALL)

/// Streams and memory of a set.
struct Memory {
  cudaStream_t stream, other = nullptr;
  std::vector<void *> owned;
  explicit Memory(cudaStream_t stream) : stream(stream) {
    NEED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  }
  Memory(const Memory &) = delete;
  ~Memory() {
    for (void *memory : owned) cudaFree(memory);
    if (other) cudaStreamDestroy(other);
  }
  void *bytes(size_t count) {
    void *memory;
    NEED(cudaMalloc(&memory, count == 0 ? 1 : count));
    owned.push_back(memory);
    NEED(cudaMemset(memory, 0, count));
    return memory;
  }
  template <class T> T *of(const std::vector<T> &values) {
    T *memory = (T *)bytes(values.size() * sizeof(T));
    NEED(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
  }
};

/// Twice the unit matrix and a little of everything else.
template <class T> static std::vector<T> matrix_of(int n) {
  std::vector<T> values;
  for (int i = 0; i < n * n; i++) values.push_back(T(i % (n + 1) == 0 ? 2 : 0.01 * (i / n + i % n)));
  return values;
}

static const char *capture_status(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) return "unknown";
  if (status == cudaStreamCaptureStatusNone) return "none";
  return status == cudaStreamCaptureStatusActive ? "active" : "invalidated";
}

/// Ends the capture and prints the rest of its line. False: something was refused.
static bool report(const std::string &status, cudaStream_t stream) {
  const char *during = capture_status(stream);
  cudaGraph_t graph = nullptr;
  cudaError_t end = cudaStreamEndCapture(stream, &graph);
  size_t nodes = 0;
  if (end == cudaSuccess && graph) {
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphDestroy(graph);
  }
  const char *has_nodes = nodes > 0 ? "yes" : "no";
  printf("%s, capture %s, end %s, nodes %s\n", status.c_str(), during, cudaGetErrorName(end), has_nodes);
  fflush(stdout);
  return end == cudaSuccess;
}

/// NVIDIA's libraries keep the error of a refused call, and a call of another handle returns it.
template <class Set, class Call, class Before> static void recover(Call call, Before before) {
  for (int i = 0; i < 2; i++) {
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    try {
      Set set(stream);
      before(set);
      call(set);
    } catch (const Unprepared &) {
    }
    cudaStreamDestroy(stream);
    cudaDeviceSynchronize();
    cudaGetLastError();
  }
}

/**
 * Lines of one call, in each mode.
 * @param before what else comes before the capture
 */
template <class Set, class Call, class Before>
static void captured(const char *name, Call call, Before before) {
  for (const CaptureMode &mode : CAPTURE_MODES) {
    if (lines_to_skip > 0) {
      lines_to_skip--;
      continue;
    }
    // In parts: the name stands there if the call ends the process.
    printf("%s %s %s: ", Set::LIBRARY, name, mode.name);
    fflush(stdout);
    limit_line(SECONDS);
    cudaStream_t stream;
    bool is_fine = false;
    try {
      NEED(cudaStreamCreateWithFlags(&stream, mode.flags));
      Set set(stream);
      before(set);
      NEED(cudaDeviceSynchronize());
      NEED(cudaStreamBeginCapture(stream, mode.mode));
      int status = call(set);
      is_fine = report(Set::name_of(status), stream);
    } catch (const Unprepared &unprepared) {
      printf("not prepared, %s\n", unprepared.call.c_str());
    }
    cudaStreamDestroy(stream);
    cudaDeviceSynchronize();
    cudaGetLastError();
    if (!is_fine) recover<Set>(call, before);
    limit_line(0);
  }
}
/// The first call of its handle.
template <class Set, class Call> static void first(const char *name, Call call) {
  captured<Set>(name, call, [](Set &) {});
}
/// The same call was made before the capture.
template <class Set, class Call> static void again(const char *name, Call call) {
  captured<Set>(name, call, [&](Set &set) { NEED(call(set)); });
}

#define NAMED(STATUS) if (status == STATUS) return #STATUS
static std::string unnamed(int status) { return "status " + std::to_string(status); }
