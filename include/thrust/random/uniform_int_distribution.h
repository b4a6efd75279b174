/* In random.h. */
#pragma once
#include "../random.h"
