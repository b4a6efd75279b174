// Where the program's managed variables lie (docs/host-abi.md): the linker knows the ends of their section.
extern "C" {
extern char __start_heddle_managed[] __attribute__((weak));
extern char __stop_heddle_managed[] __attribute__((weak));
__attribute__((export_name("__heddle_managed_start"))) char *__heddle_managed_start() { return __start_heddle_managed; }
__attribute__((export_name("__heddle_managed_end"))) char *__heddle_managed_end() { return __stop_heddle_managed; }
}
