// Device memory that a handle lends to its functions, one after the other.
#pragma once
#include <cuda_runtime.h>

namespace heddle_scratch {

/// Memory that grows. Old pieces are not freed before the end, since a captured graph may use them.
class Scratch {
  struct Piece { void *memory; size_t bytes; Piece *next; } *pieces = nullptr;

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
  void *operator()(size_t bytes) {
    if (pieces && pieces->bytes >= bytes) return pieces->memory;
    void *memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    pieces = new Piece{memory, bytes, pieces};
    return memory;
  }
};

} // namespace heddle_scratch
