// A minimal client with libdbus only: it receives signals or packets and reads their values.
//
//     receiver advertise|notify|packet [COUNT]
//
// It exits after COUNT signals or packets, or runs until it is terminated.

#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CHARACTERISTIC "/org/bluez/hci0/dev_C0_00_00_00_00_00/service0001/char0002"

static long wanted = -1, taken;
static volatile long sum;

static void take_bytes(DBusMessageIter *value) {
  DBusMessageIter array;
  const uint8_t *bytes = NULL;
  int count = 0;
  dbus_message_iter_recurse(value, &array);
  dbus_message_iter_get_fixed_array(&array, &bytes, &count);
  for (int i = 0; i < count; i++) sum += bytes[i];
}

static void take_property(const char *name, DBusMessageIter *value) {
  if (strcmp(name, "RSSI") == 0) {
    int16_t rssi = 0;
    dbus_message_iter_get_basic(value, &rssi);
    sum += rssi;
  } else if (strcmp(name, "Value") == 0) {
    take_bytes(value);
  } else if (strcmp(name, "ManufacturerData") == 0) {
    DBusMessageIter companies, one, data;
    dbus_message_iter_recurse(value, &companies);
    for (; dbus_message_iter_get_arg_type(&companies) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&companies)) {
      uint16_t company = 0;
      dbus_message_iter_recurse(&companies, &one);
      dbus_message_iter_get_basic(&one, &company);
      dbus_message_iter_next(&one);
      dbus_message_iter_recurse(&one, &data);
      sum += company;
      take_bytes(&data);
    }
  }
}

static DBusHandlerResult receive(DBusConnection *bus, DBusMessage *message, void *data) {
  (void)bus;
  (void)data;
  if (!dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged"))
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessageIter body, properties, entry, value;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_next(&body);
  dbus_message_iter_recurse(&body, &properties);
  for (; dbus_message_iter_get_arg_type(&properties) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&properties)) {
    const char *name = "";
    dbus_message_iter_recurse(&properties, &entry);
    dbus_message_iter_get_basic(&entry, &name);
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    take_property(name, &value);
  }
  if (++taken == wanted) exit(0);
  return DBUS_HANDLER_RESULT_HANDLED;
}

static DBusMessage *ask(DBusConnection *bus, const char *path, const char *interface, const char *member) {
  DBusMessage *call = dbus_message_new_method_call("org.bluez", path, interface, member);
  if (strcmp(member, "AcquireNotify") == 0) {
    DBusMessageIter body, options;
    dbus_message_iter_init_append(call, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &options);
    dbus_message_iter_close_container(&body, &options);
  }
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 60000, NULL);
  dbus_message_unref(call);
  if (!reply) exit(1);
  return reply;
}

static void take_packets(DBusConnection *bus, int socket) {
  uint8_t packet[512];
  ssize_t length;
  // Only the socket is read: libdbus replies to the ping of the generator when the bus is closed.
  (void)bus;
  while ((length = recv(socket, packet, sizeof packet, 0)) > 0) {
    for (ssize_t i = 0; i < length; i++) sum += packet[i];
    if (++taken == wanted) exit(0);
  }
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "advertise";
  if (count > 2) wanted = atol(arguments[2]);
  DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
  if (!bus) return 1;
  dbus_bus_add_match(
      bus, "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
           "path_namespace='/org/bluez'", NULL);
  dbus_connection_add_filter(bus, receive, NULL, NULL);
  if (strcmp(what, "packet") == 0) {
    int socket = -1;
    DBusMessage *reply = ask(bus, CHARACTERISTIC, "org.bluez.GattCharacteristic1", "AcquireNotify");
    dbus_message_get_args(reply, NULL, DBUS_TYPE_UNIX_FD, &socket, DBUS_TYPE_INVALID);
    dbus_message_unref(reply);
    take_packets(bus, socket);
    return 0;
  }
  if (strcmp(what, "notify") == 0) dbus_message_unref(ask(bus, CHARACTERISTIC, "org.bluez.GattCharacteristic1", "StartNotify"));
  else dbus_message_unref(ask(bus, "/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery"));
  while (dbus_connection_read_write_dispatch(bus, -1)) {}
  return 0;
}
