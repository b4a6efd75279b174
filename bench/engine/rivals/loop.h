// What a kernel's C loop defines: one call does the work of all launches of the case.
#pragma once
#include "plan.h"

void loop(const union argument *args);
