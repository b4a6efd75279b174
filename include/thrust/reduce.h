/* In detail/scans.h, with reduce_by_key. */
#pragma once
#include "detail/scans.h"
