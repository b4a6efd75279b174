/* thrust::cuda_category */
#pragma once
#include "../../detail/config.h"
