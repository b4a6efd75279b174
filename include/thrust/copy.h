/* In detail/scans.h, with copy_if. */
#pragma once
#include "detail/scans.h"
