// Writes the values of D-Bus messages. Included by generator.c.

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>

static void open_variant(DBusMessageIter *dictionary, const char *key, const char *type, DBusMessageIter *entry, DBusMessageIter *value) {
  dbus_message_iter_open_container(dictionary, DBUS_TYPE_DICT_ENTRY, NULL, entry);
  dbus_message_iter_append_basic(entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(entry, DBUS_TYPE_VARIANT, type, value);
}

static void close_variant(DBusMessageIter *dictionary, DBusMessageIter *entry, DBusMessageIter *value) {
  dbus_message_iter_close_container(entry, value);
  dbus_message_iter_close_container(dictionary, entry);
}

static void put_text(DBusMessageIter *dictionary, const char *key, int type, const char *text) {
  DBusMessageIter entry, value;
  char signature[2] = {(char)type, 0};
  open_variant(dictionary, key, signature, &entry, &value);
  dbus_message_iter_append_basic(&value, type, &text);
  close_variant(dictionary, &entry, &value);
}

static void put_flag(DBusMessageIter *dictionary, const char *key, bool flag) {
  DBusMessageIter entry, value;
  dbus_bool_t number = flag;
  open_variant(dictionary, key, "b", &entry, &value);
  dbus_message_iter_append_basic(&value, DBUS_TYPE_BOOLEAN, &number);
  close_variant(dictionary, &entry, &value);
}

static void put_texts(DBusMessageIter *dictionary, const char *key, const char *text) {
  DBusMessageIter entry, value, array;
  open_variant(dictionary, key, "as", &entry, &value);
  dbus_message_iter_open_container(&value, DBUS_TYPE_ARRAY, "s", &array);
  if (text) dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING, &text);
  dbus_message_iter_close_container(&value, &array);
  close_variant(dictionary, &entry, &value);
}

static void put_bytes(DBusMessageIter *value, const uint8_t *bytes, int count) {
  DBusMessageIter array;
  dbus_message_iter_open_container(value, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, count);
  dbus_message_iter_close_container(value, &array);
}
