/* In detail/sorting.h, with the searches. */
#pragma once
#include "detail/sorting.h"
