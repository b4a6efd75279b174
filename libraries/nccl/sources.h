// What a reduction reads: the data of all ranks, and each rank's factor.
#pragma once
#include "communicator.h"

namespace heddle_nccl {

/// As NVIDIA's library numbers them; from FACTOR_SUM on: sums of products with each rank's factor.
enum Reduction { SUM = ncclSum, PRODUCT = ncclProd, MAXIMUM = ncclMax, MINIMUM = ncclMin, MEAN = ncclAvg,
    FACTOR_SUM };

struct Sources {
  const void *data[MOST_RANKS];
  /// Of FACTOR_SUM: where the factor lies on the device, or null for the value.
  const void *factors[MOST_RANKS];
  unsigned long long values[MOST_RANKS];
  int count;
};

/// Reduces `count` elements of each source on the current device, in the order of the ranks.
cudaError_t reduce_sources(ncclDataType_t type, int reduction, const Sources &sources, void *result, size_t count,
                           cudaStream_t stream);
/// The work of parts by NVIDIA's library, inside of a group. Negative: it has no such function, or cannot now.
int run_nvidia(const std::vector<Operation *> &parts);

} // namespace heddle_nccl
