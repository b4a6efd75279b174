/* In block_load.cuh. */
#pragma once
#include "../block/block_load.cuh"
