#include "CArguments.h"
#include <features.h>

static int count;
static char *const *list;

// Swift reads the arguments of a process from /proc/self/cmdline, which is missing in a chroot without /proc.
// glibc passes them to every constructor.
#ifdef __GLIBC__
__attribute__((constructor)) static void store(int argc, char **argv) {
  count = argc;
  list = argv;
}
#endif

int arguments_count(void) { return count; }
char *const *arguments_list(void) { return list; }
