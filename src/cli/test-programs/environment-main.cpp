// main with the environment as its third parameter.
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv, char **envp) {
  for (; *envp; envp++)
    if (!strncmp(*envp, "GREETING=", 9)) printf("%d %s\n", argc, *envp + 9);
}
