#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// OpenSSL is loaded when a broker needs TLS, so gateways without TLS do not map it. Linking the shared libcrypto would mix
// it with the static one of CCrypto.
#define TLS_FUNCTIONS(USE) \
  USE(TLS_client_method) \
  USE(SSL_CTX_new) \
  USE(SSL_CTX_free) \
  USE(SSL_CTX_ctrl) \
  USE(SSL_CTX_set_options) \
  USE(SSL_CTX_set_verify) \
  USE(SSL_CTX_load_verify_locations) \
  USE(SSL_CTX_set_default_passwd_cb) \
  USE(SSL_CTX_use_certificate_chain_file) \
  USE(SSL_CTX_use_PrivateKey_file) \
  USE(SSL_CTX_check_private_key) \
  USE(SSL_new) \
  USE(SSL_free) \
  USE(SSL_set_bio) \
  USE(SSL_set_connect_state) \
  USE(SSL_set1_host) \
  USE(SSL_ctrl) \
  USE(SSL_do_handshake) \
  USE(SSL_read) \
  USE(SSL_write) \
  USE(SSL_shutdown) \
  USE(SSL_get_error) \
  USE(SSL_get_verify_result) \
  USE(BIO_new) \
  USE(BIO_free) \
  USE(BIO_s_mem) \
  USE(BIO_read) \
  USE(BIO_write) \
  USE(BIO_ctrl_pending) \
  USE(ERR_get_error) \
  USE(ERR_clear_error) \
  USE(ERR_reason_error_string) \
  USE(X509_verify_cert_error_string)

/// The functions of OpenSSL under their names.
struct tls_functions {
#define TLS_FIELD(name) __typeof__(&name) name;
  TLS_FUNCTIONS(TLS_FIELD)
#undef TLS_FIELD
};

/// Loads OpenSSL once. Returns null if it is not installed or lacks a function.
const struct tls_functions *tls_functions_load(void);
