/* In detail/scans.h. */
#pragma once
#include "detail/scans.h"
