// What cufft.cu knows of a plan's callbacks: callbacks.cu has them, in programs that set some.
#pragma once
#include <cufft.h>
#include "layout.h"

namespace heddle_fft {

/// The callbacks of a plan, around its transform.
struct Callbacks {
  virtual ~Callbacks() {}
  /// Whether a callback is set: without one the transform is as any other.
  virtual bool has_any() const = 0;
  /// Where the transform reads: memory with what the load callback made, else `in`. Null: there is no memory.
  virtual const void *loaded(const Description& plan, const void* in, cudaStream_t stream) = 0;
  /// Where the transform writes: memory of its own if there is a store callback, else `out`. Null: there is no memory.
  virtual void *target(const Description& plan, void* out) = 0;
  /// Hands what the transform wrote there to the store callback.
  virtual cudaError_t stored(const Description& plan, void* out, cudaStream_t stream) = 0;
};

/// A plan that is made and works on one device, or null.
struct CallbackPlan {
  bool isDouble;
  Kind kind;
  Callbacks **callbacks;
};
cufftResult find_callback_plan(cufftHandle handle, CallbackPlan& found);

} // namespace heddle_fft
