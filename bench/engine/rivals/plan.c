#define _POSIX_C_SOURCE 200809L
#include "plan.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("cannot read %s", path);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*bytes + 1);
  if (text == NULL || fread(text, 1, *bytes, file) != *bytes) fail("cannot read %s", path);
  text[*bytes] = 0;
  fclose(file);
  return text;
}

static void read_buffer(FILE *file, struct plan *plan) {
  if (plan->buffer_count == MAX_BUFFERS) fail("more than %d buffers", MAX_BUFFERS);
  struct buffer *buffer = &plan->buffers[plan->buffer_count++];
  if (fscanf(file, "%63s %d %4095[^\n]", buffer->name, &buffer->restored, buffer->file) != 3) fail("bad buffer line");
  buffer->initial = read_file(buffer->file, &buffer->bytes);
}

static void read_parameter(FILE *file, char kind, struct plan *plan) {
  if (plan->launch_count == 0) fail("an argument before any launch");
  struct launch *launch = &plan->launches[plan->launch_count - 1];
  if (launch->parameter_count == MAX_ARGUMENTS) fail("more than %d arguments", MAX_ARGUMENTS);
  struct parameter *parameter = &launch->parameters[launch->parameter_count++];
  parameter->kind = kind;
  int *number = kind == 'b' ? &parameter->buffer : &parameter->value.i;
  if (kind == 'f' ? fscanf(file, "%f", &parameter->value.f) != 1 : fscanf(file, "%d", number) != 1)
    fail("bad argument of %s", launch->kernel);
}

static void read_launch(FILE *file, struct plan *plan) {
  if (plan->launch_count == MAX_LAUNCHES) fail("more than %d launches", MAX_LAUNCHES);
  struct launch *launch = &plan->launches[plan->launch_count++];
  size_t *g = launch->global, *l = launch->local;
  if (fscanf(file, "%63s %zu %zu %zu %zu %zu %zu", launch->kernel, &g[0], &g[1], &g[2], &l[0], &l[1], &l[2]) != 7)
    fail("bad launch line");
}

void read_plan(const char *path, struct plan *plan) {
  memset(plan, 0, sizeof *plan);
  FILE *file = fopen(path, "r");
  if (file == NULL) fail("cannot read %s", path);
  char word[16];
  while (fscanf(file, "%15s", word) == 1) {
    if (strcmp(word, "buffer") == 0) read_buffer(file, plan);
    else if (strcmp(word, "launch") == 0) read_launch(file, plan);
    else if (strcmp(word, "int") == 0) read_parameter(file, 'i', plan);
    else if (strcmp(word, "float") == 0) read_parameter(file, 'f', plan);
    else if (strcmp(word, "at") == 0) read_parameter(file, 'b', plan);
    else fail("%s: unknown word %s", path, word);
  }
  fclose(file);
}

static void write_buffers(const struct plan *plan, const struct contestant *contestant, const char *folder) {
  for (int i = 0; i < plan->buffer_count; i++) {
    const struct buffer *buffer = &plan->buffers[i];
    void *content = malloc(buffer->bytes);
    if (content == NULL) fail("out of memory");
    contestant->read(plan, i, content);
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, buffer->name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, buffer->bytes, file) != buffer->bytes) fail("cannot write %s", path);
    fclose(file);
    free(content);
  }
}

static double run(const struct plan *plan, const struct contestant *contestant) {
  for (int i = 0; i < plan->buffer_count; i++) {
    if (plan->buffers[i].restored) contestant->restore(plan, i);
  }
  return contestant->run(plan);
}

void serve(const struct plan *plan, const struct contestant *contestant, const char *description) {
  printf("ready %s\n", description);
  fflush(stdout);
  char line[4200];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "check ", 6) == 0) {
      for (int i = 0; i < plan->buffer_count; i++) contestant->restore(plan, i);
      contestant->run(plan);
      write_buffers(plan, contestant, line + 6);
      printf("checked");
    } else if (strncmp(line, "run ", 4) == 0) {
      printf("times");
      for (int left = atoi(line + 4); left > 0; left--) printf(" %.6f", run(plan, contestant));
    } else fail("unknown command %s", line);
    printf("\n");
    fflush(stdout);
  }
}
