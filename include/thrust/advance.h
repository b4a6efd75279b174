/* thrust::advance, distance … */
#pragma once
#include "detail/config.h"
