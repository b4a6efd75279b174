/* thrust::device, thrust::host, thrust::seq */
#pragma once
#include "detail/config.h"
