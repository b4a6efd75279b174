/* In block_radix_sort.cuh. */
#pragma once
#include "block_radix_sort.cuh"
