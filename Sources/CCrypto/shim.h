// OpenSSL 3 marks the block functions as deprecated in favour of EVP, which allocates and loads a provider.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
