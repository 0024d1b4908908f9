#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Limits how many tests run at once to four per core. Swift Testing would start all tests at once, so deadlines on the
// real clock would expire and too many buses would be open. A value that the user has set is not replaced.
__attribute__((constructor)) static void limitParallelTests(void) {
  char width[16];
  snprintf(width, sizeof width, "%ld", 4 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
