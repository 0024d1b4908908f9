#include "CArguments.h"
#include <features.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

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

// Symbols of the linker: the start of the program in memory, and the end of its code. The pages between are never written.
extern const char __executable_start, etext;

void release_program_pages(void) {
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t)&__executable_start / size * size, end = (uintptr_t)&etext / size * size;
  if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

int arguments_count(void) { return count; }
char *const *arguments_list(void) { return list; }
