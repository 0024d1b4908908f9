#define _GNU_SOURCE
#include "CTLS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#define TEXT(value) #value
#define LIBRARY(name, version) name ".so." TEXT(version)

static struct tls_functions functions;
static const struct tls_functions *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // libssl brings libcrypto, whose functions are looked up through it. Both stay loaded.
  void *library = dlopen(LIBRARY("libssl", OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define LOOK_UP(name) \
  functions.name = (__typeof__(functions.name))dlsym(library, #name); \
  if (functions.name == NULL) return;
  TLS_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  loaded = &functions;
}

const struct tls_functions *tls_functions_load(void) {
  pthread_once(&once, load);
  return loaded;
}
