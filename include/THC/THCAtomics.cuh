/* See ATen/cuda/Atomic.cuh. */
#pragma once
#include <ATen/cuda/Atomic.cuh>
