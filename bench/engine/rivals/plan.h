// A case of the bench as a rival's program sees it: buffers with their initial content in files, launches with their
// arguments. Written by ../plan.mjs; see there for the text format.
#pragma once
#include <stddef.h>

enum { MAX_NAME = 64, MAX_ARGUMENTS = 16, MAX_BUFFERS = 16, MAX_LAUNCHES = 256 };

struct buffer {
  char name[MAX_NAME];
  size_t bytes;
  // Whether it must have its initial content before every run.
  int restored;
  char file[4096];
  void *initial;
};

union argument {
  int i;
  float f;
  void *data;
};

struct parameter {
  // 'i': int, 'f': float, 'b': the buffer of index `buffer`.
  char kind;
  union argument value;
  int buffer;
};

struct launch {
  char kernel[MAX_NAME];
  size_t global[3];
  size_t local[3];
  int parameter_count;
  struct parameter parameters[MAX_ARGUMENTS];
};

struct plan {
  int buffer_count;
  struct buffer buffers[MAX_BUFFERS];
  int launch_count;
  struct launch launches[MAX_LAUNCHES];
};

// What runs a plan.
struct contestant {
  // Sets the content of a buffer to what `initial` has.
  void (*restore)(const struct plan *plan, int buffer);
  // The content of a buffer.
  void (*read)(const struct plan *plan, int buffer, void *into);
  // All launches, in order; returns the milliseconds that they took.
  double (*run)(const struct plan *plan);
};

// Ends the program with a message.
_Noreturn void fail(const char *format, ...);
// The content of a file, with a 0 behind it.
char *read_file(const char *path, size_t *bytes);
void read_plan(const char *path, struct plan *plan);
// Says "ready DESCRIPTION" and obeys commands from standard input until it ends (see ../contestant.mjs).
void serve(const struct plan *plan, const struct contestant *contestant, const char *description);
// Monotonic milliseconds.
double now_ms(void);
