// Functions of glibc 2.38 that Debian's static Swift libraries call, for programs that run with the glibc 2.36 of Debian 12.
// scripts/roots compiles this file with the headers of Debian 12.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Those of C23 also accept the prefix 0b, which no caller uses.
HIDDEN long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

HIDDEN long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

HIDDEN int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

HIDDEN size_t strlcpy(char *target, const char *source, size_t size) {
  size_t length = strlen(source);
  if (size > 0) {
    size_t count = length < size ? length : size - 1;
    memcpy(target, source, count);
    target[count] = 0;
  }
  return length;
}
