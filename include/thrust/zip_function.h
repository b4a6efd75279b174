/* In functional.h. */
#pragma once
#include "functional.h"
