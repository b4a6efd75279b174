/* In detail/reductions.h. */
#pragma once
#include "detail/reductions.h"
