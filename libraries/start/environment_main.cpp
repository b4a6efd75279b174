// main(argc, argv, envp), which systems offer beside C's two forms. libc's __main_void knows only those two.
#include <stdlib.h>
#include <wasi/api.h>

extern "C" {
extern char **environ;
int main_with_environment(int argc, char **argv, char **envp) __asm__("main");
int __main_void(void) {
  __wasi_size_t count = 0, bytes = 0;
  if (__wasi_args_sizes_get(&count, &bytes) != 0) return EXIT_FAILURE;
  char **argv = (char **)calloc(count + 1, sizeof *argv), *text = (char *)malloc(bytes + 1);
  if (!argv || !text || __wasi_args_get((uint8_t **)argv, (uint8_t *)text) != 0) return EXIT_FAILURE;
  return main_with_environment((int)count, argv, environ);
}
}
