/* All of cub that is here. */
#pragma once

#include "block/block_load.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "device/device_reduce.cuh"
#include "util.cuh"
#include "warp/warp_reduce.cuh"
