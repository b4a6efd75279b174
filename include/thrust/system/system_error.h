/* thrust::system_error and thrust::cuda_category */
#pragma once
#include "../detail/config.h"
