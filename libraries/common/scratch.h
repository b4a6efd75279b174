// Device memory that a handle lends to its functions, one after the other on a stream.
#pragma once
#include <cuda_runtime.h>

/// Memory of the graph that a stream records, the same for all calls with one `key`. Null: the stream is not captured.
extern "C" cudaError_t __heddle_graph_memory(void **memory, size_t bytes, cudaStream_t stream, const void *key);
/// 1: the stream has been made and not destroyed, or is one that always exists.
extern "C" int __heddle_is_stream(cudaStream_t stream);

namespace heddle_scratch {

/// Allocations of this thread that captures do not mind: what they make is a handle's, and no part of a graph.
struct OutsideOfCaptures {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OutsideOfCaptures() { cudaThreadExchangeStreamCaptureMode(&mode); }
  OutsideOfCaptures(const OutsideOfCaptures &) = delete;
  ~OutsideOfCaptures() { cudaThreadExchangeStreamCaptureMode(&mode); }
};

/// Memory that grows. Each stream has its own, and each capture has memory that belongs to its graph: what runs at the
/// same time shares none.
class Scratch {
  struct Piece { cudaStream_t stream; void *memory; size_t bytes; Piece *next; } *pieces = nullptr;

  /// Gives back what streams had that do not exist any more. Their last work may still run: cudaFree waits for it.
  void drop_old() {
    OutsideOfCaptures frees;
    for (Piece **at = &pieces; *at;) {
      Piece *piece = *at;
      if (__heddle_is_stream(piece->stream)) {
        at = &piece->next;
        continue;
      }
      *at = piece->next;
      cudaFree(piece->memory);
      delete piece;
    }
  }

public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    for (Piece *piece = pieces; piece;) {
      Piece *next = piece->next;
      cudaFree(piece->memory);
      delete piece;
      piece = next;
    }
  }
  /// Null: there is not so much.
  void *operator()(size_t bytes, cudaStream_t stream) {
    void *memory = nullptr;
    if (__heddle_graph_memory(&memory, bytes, stream, this) != cudaSuccess) return nullptr;
    if (memory) return memory;
    Piece *piece = pieces;
    while (piece && piece->stream != stream) piece = piece->next;
    if (!piece) {
      drop_old();
      pieces = piece = new Piece{stream, nullptr, 0, pieces};
    }
    if (piece->bytes >= bytes) return piece->memory;
    OutsideOfCaptures allocation;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    cudaFree(piece->memory);
    piece->memory = memory;
    piece->bytes = bytes;
    return memory;
  }
};

} // namespace heddle_scratch
