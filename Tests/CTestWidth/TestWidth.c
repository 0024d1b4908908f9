#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing starts every test at once, and then each step of a test waits behind a thousand others: real clocks run out,
// and as many buses are open as there are tests. Four a core keep the processors busy, though many tests wait for a bus or a
// program. Whoever sets the variable keeps the own number.
__attribute__((constructor)) static void limitParallelTests(void) {
  char width[16];
  snprintf(width, sizeof width, "%ld", 4 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
