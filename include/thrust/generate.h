/* In detail/elementwise.h. */
#pragma once
#include "detail/elementwise.h"
