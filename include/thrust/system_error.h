/* thrust::system_error */
#pragma once
#include "detail/config.h"
