/* In counting_iterator.h. */
#pragma once
#include "counting_iterator.h"
