/* thrust::iterator_traits */
#pragma once
#include "../detail/config.h"
