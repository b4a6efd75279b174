/* In warp_reduce.cuh. */
#pragma once
#include "warp_reduce.cuh"
