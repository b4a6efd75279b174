/* In block_reduce.cuh. */
#pragma once
#include "block_reduce.cuh"
