// Runs a kernel's C loop: `loop-main PLAN DESCRIPTION`. The plan's one launch has the loop's arguments.
#include "loop.h"
#include <stdlib.h>
#include <string.h>

static void *contents[MAX_BUFFERS];

static void restore(const struct plan *plan, int buffer) {
  memcpy(contents[buffer], plan->buffers[buffer].initial, plan->buffers[buffer].bytes);
}

static void read_back(const struct plan *plan, int buffer, void *into) {
  memcpy(into, contents[buffer], plan->buffers[buffer].bytes);
}

static double run(const struct plan *plan) {
  const struct launch *launch = &plan->launches[0];
  union argument arguments[MAX_ARGUMENTS];
  for (int i = 0; i < launch->parameter_count; i++) {
    const struct parameter *parameter = &launch->parameters[i];
    if (parameter->kind == 'b') arguments[i].data = contents[parameter->buffer];
    else arguments[i] = parameter->value;
  }
  double start = now_ms();
  loop(arguments);
  return now_ms() - start;
}

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: loop-main PLAN DESCRIPTION");
  static struct plan plan;
  read_plan(argv[1], &plan);
  if (plan.launch_count != 1) fail("a loop is one call, not %d launches", plan.launch_count);
  for (int i = 0; i < plan.buffer_count; i++) {
    // The alignment that a device's allocator gives, too.
    size_t bytes = (plan.buffers[i].bytes + 255) / 256 * 256;
    contents[i] = aligned_alloc(256, bytes);
    if (contents[i] == NULL) fail("out of memory");
    restore(&plan, i);
  }
  const struct contestant contestant = {restore, read_back, run};
  serve(&plan, &contestant, argv[2]);
}
