/* See heddle/torch.h. */
#pragma once
#include <heddle/torch.h>
