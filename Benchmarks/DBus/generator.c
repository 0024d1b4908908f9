// Owns org.bluez on a bus, replies to the calls that a client needs, and sends signals or packets on command.
//
//     generator DEVICES [SOCKET]
//
// Commands on standard input, one per line; each prints a line on standard output:
//     advertise COUNT RATE   PropertiesChanged with RSSI and 24 bytes of manufacturer data, device after device
//     ruuvi COUNT RATE       the same with values of a RuuviTag, format 5; the sequence numbers continue in the next command
//     notify COUNT RATE      PropertiesChanged with a Value of 20 bytes
//     packet COUNT RATE      a packet of 20 bytes into the socket of AcquireNotify
//     management COUNT RATE  the kernel's event Device Found with the data of `advertise`, into the management socket
//     wait MEMBER            waits until a client has called MEMBER (StartDiscovery, StartNotify, AcquireNotify)
//     forget                 forgets which members were called, and closes the socket
// While no client scans, `ruuvi` counts advertisements without sending them, because bluetoothd sends none either.
// SOCKET is the descriptor of the management socket. RATE is in signals per second; 0 is as fast as possible. A command ends
// when every client that called one of these members has replied to a ping or has emptied its socket, so it has read everything.

#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "values.h"

#define ADAPTER "/org/bluez/hci0"
#define DEVICE ADAPTER "/dev_C0_00_00_00_%02X_%02X"
#define SERVICE "/service0001"
#define CHARACTERISTIC SERVICE "/char0002"

static DBusConnection *bus;
static int devices = 100;
static int notify_socket = -1;
static int management_socket = -1;
static char client[64];
static int scanning_clients;
static char called[8][32];
static int called_count;

static void die(const char *what) {
  fprintf(stderr, "generator: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void device_path(char *path, size_t size, int number) { snprintf(path, size, DEVICE, number >> 8, number & 255); }

// MARK: Objects

static void put_adapter(DBusMessageIter *properties) {
  put_text(properties, "Address", DBUS_TYPE_STRING, "00:AA:01:00:00:01");
  put_text(properties, "AddressType", DBUS_TYPE_STRING, "public");
  put_text(properties, "Name", DBUS_TYPE_STRING, "generator");
  put_text(properties, "Alias", DBUS_TYPE_STRING, "generator");
  put_flag(properties, "Powered", true);
  put_flag(properties, "Discovering", true);
  put_texts(properties, "Roles", "central");
  put_texts(properties, "UUIDs", NULL);
}

static void put_device(DBusMessageIter *properties, int number) {
  char address[32];
  snprintf(address, sizeof address, "C0:00:00:00:%02X:%02X", number >> 8, number & 255);
  put_text(properties, "Address", DBUS_TYPE_STRING, address);
  put_text(properties, "AddressType", DBUS_TYPE_STRING, "random");
  put_text(properties, "Name", DBUS_TYPE_STRING, "generated");
  put_text(properties, "Alias", DBUS_TYPE_STRING, "generated");
  put_text(properties, "Adapter", DBUS_TYPE_OBJECT_PATH, ADAPTER);
  put_flag(properties, "Paired", false);
  put_flag(properties, "Bonded", false);
  put_flag(properties, "Trusted", false);
  put_flag(properties, "Blocked", false);
  put_flag(properties, "LegacyPairing", false);
  put_flag(properties, "Connected", number == 0);
  put_flag(properties, "ServicesResolved", number == 0);
  put_texts(properties, "UUIDs", number == 0 ? "0000ffe0-0000-1000-8000-00805f9b34fb" : NULL);
}

static void put_service(DBusMessageIter *properties, int number) {
  char path[128];
  device_path(path, sizeof path, number);
  put_text(properties, "UUID", DBUS_TYPE_STRING, "0000ffe0-0000-1000-8000-00805f9b34fb");
  put_text(properties, "Device", DBUS_TYPE_OBJECT_PATH, path);
  put_flag(properties, "Primary", true);
}

static void put_characteristic(DBusMessageIter *properties, int number) {
  char path[128];
  device_path(path, sizeof path, number);
  strcat(path, SERVICE);
  put_text(properties, "UUID", DBUS_TYPE_STRING, "0000ffe1-0000-1000-8000-00805f9b34fb");
  put_text(properties, "Service", DBUS_TYPE_OBJECT_PATH, path);
  put_flag(properties, "Notifying", false);
  put_flag(properties, "NotifyAcquired", false);
  put_texts(properties, "Flags", "notify");
}

static void put_object(
    DBusMessageIter *objects, const char *path, const char *interface, void (*put)(DBusMessageIter *, int), int number) {
  DBusMessageIter object, interfaces, entry, properties;
  dbus_message_iter_open_container(objects, DBUS_TYPE_DICT_ENTRY, NULL, &object);
  dbus_message_iter_append_basic(&object, DBUS_TYPE_OBJECT_PATH, &path);
  dbus_message_iter_open_container(&object, DBUS_TYPE_ARRAY, "{sa{sv}}", &interfaces);
  dbus_message_iter_open_container(&interfaces, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_ARRAY, "{sv}", &properties);
  if (put) put(&properties, number);
  else put_adapter(&properties);
  dbus_message_iter_close_container(&entry, &properties);
  dbus_message_iter_close_container(&interfaces, &entry);
  dbus_message_iter_close_container(&object, &interfaces);
  dbus_message_iter_close_container(objects, &object);
}

static void put_objects(DBusMessage *reply) {
  DBusMessageIter body, objects;
  char path[160];
  dbus_message_iter_init_append(reply, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &objects);
  put_object(&objects, ADAPTER, "org.bluez.Adapter1", NULL, 0);
  for (int number = 0; number < devices; number++) {
    device_path(path, sizeof path, number);
    put_object(&objects, path, "org.bluez.Device1", put_device, number);
    if (number) continue;
    strcat(path, SERVICE);
    put_object(&objects, path, "org.bluez.GattService1", put_service, number);
    device_path(path, sizeof path, number);
    strcat(path, CHARACTERISTIC);
    put_object(&objects, path, "org.bluez.GattCharacteristic1", put_characteristic, number);
  }
  dbus_message_iter_close_container(&body, &objects);
}

// MARK: Calls

static void acquire_notify(DBusMessage *reply) {
  int ends[2];
  uint16_t mtu = 247;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) die("no socket pair");
  int size = 8 << 20;
  setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  notify_socket = ends[0];
  dbus_message_append_args(reply, DBUS_TYPE_UNIX_FD, &ends[1], DBUS_TYPE_UINT16, &mtu, DBUS_TYPE_INVALID);
  close(ends[1]);
}

static void put_flag_value(DBusMessage *call, DBusMessage *reply) {
  const char *interface = "", *name = "";
  DBusMessageIter body, value;
  dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
  dbus_bool_t flag = strcmp(name, "Powered") == 0 || strcmp(name, "Connected") == 0;
  dbus_message_iter_init_append(reply, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_VARIANT, "b", &value);
  dbus_message_iter_append_basic(&value, DBUS_TYPE_BOOLEAN, &flag);
  dbus_message_iter_close_container(&body, &value);
}

static DBusHandlerResult receive(DBusConnection *connection, DBusMessage *message, void *data) {
  (void)data;
  if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  const char *member = dbus_message_get_member(message);
  if (dbus_message_has_interface(message, DBUS_INTERFACE_PEER)) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessage *reply = dbus_message_new_method_return(message);
  if (strcmp(member, "GetManagedObjects") == 0) put_objects(reply);
  if (strcmp(member, "AcquireNotify") == 0) acquire_notify(reply);
  if (strcmp(member, "Get") == 0) put_flag_value(message, reply);
  if (strcmp(member, "StartDiscovery") == 0) scanning_clients++;
  if (strcmp(member, "StopDiscovery") == 0 && scanning_clients > 0) scanning_clients--;
  if (strcmp(member, "StartDiscovery") == 0 || strcmp(member, "StartNotify") == 0 || strcmp(member, "AcquireNotify") == 0) {
    snprintf(client, sizeof client, "%s", dbus_message_get_sender(message));
    if (called_count < 8) snprintf(called[called_count++], sizeof called[0], "%s", member);
  }
  dbus_connection_send(connection, reply, NULL);
  dbus_message_unref(reply);
  return DBUS_HANDLER_RESULT_HANDLED;
}

// MARK: Signals

static DBusMessage *changed(const char *path, const char *interface, DBusMessageIter *body, DBusMessageIter *properties) {
  DBusMessage *signal = dbus_message_new_signal(path, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
  dbus_message_iter_init_append(signal, body);
  dbus_message_iter_append_basic(body, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(body, DBUS_TYPE_ARRAY, "{sv}", properties);
  return signal;
}

static void send_changed(DBusMessage *signal, DBusMessageIter *body, DBusMessageIter *properties) {
  DBusMessageIter invalidated;
  dbus_message_iter_close_container(body, properties);
  dbus_message_iter_open_container(body, DBUS_TYPE_ARRAY, "s", &invalidated);
  dbus_message_iter_close_container(body, &invalidated);
  dbus_connection_send(bus, signal, NULL);
  dbus_message_unref(signal);
}

static void send_advertisement(int device, int16_t rssi, uint16_t company, const uint8_t *bytes, int count) {
  char path[160];
  DBusMessageIter body, properties, entry, value, companies, one, data;
  device_path(path, sizeof path, device);
  DBusMessage *signal = changed(path, "org.bluez.Device1", &body, &properties);
  open_variant(&properties, "RSSI", "n", &entry, &value);
  dbus_message_iter_append_basic(&value, DBUS_TYPE_INT16, &rssi);
  close_variant(&properties, &entry, &value);
  open_variant(&properties, "ManufacturerData", "a{qv}", &entry, &value);
  dbus_message_iter_open_container(&value, DBUS_TYPE_ARRAY, "{qv}", &companies);
  dbus_message_iter_open_container(&companies, DBUS_TYPE_DICT_ENTRY, NULL, &one);
  dbus_message_iter_append_basic(&one, DBUS_TYPE_UINT16, &company);
  dbus_message_iter_open_container(&one, DBUS_TYPE_VARIANT, "ay", &data);
  put_bytes(&data, bytes, count);
  dbus_message_iter_close_container(&one, &data);
  dbus_message_iter_close_container(&companies, &one);
  dbus_message_iter_close_container(&value, &companies);
  close_variant(&properties, &entry, &value);
  send_changed(signal, &body, &properties);
}

static void advertise(int number) {
  uint8_t bytes[24] = {0};
  memcpy(bytes, &number, sizeof number);
  send_advertisement(number % devices, -40 - number % 50, 0x0059, bytes, sizeof bytes);
}

static void put_big_endian(uint8_t *bytes, int value) {
  bytes[0] = (uint8_t)(value >> 8);
  bytes[1] = (uint8_t)value;
}

static void ruuvi(int number) {
  static int total;
  (void)number;
  int device = total % devices, sequence = total / devices % 0xFFFF;
  total++;
  if (!scanning_clients) return;
  uint8_t bytes[24] = {5, [18] = 0xC0, [22] = (uint8_t)(device >> 8), (uint8_t)device};
  put_big_endian(bytes + 1, 4000 + sequence % 400);       // temperature in 0.005 °C
  put_big_endian(bytes + 3, 16000 + sequence % 800);      // humidity in 0.0025 %
  put_big_endian(bytes + 5, 51325 + sequence % 100);      // pressure in Pa above 50,000
  put_big_endian(bytes + 7, 1 + sequence % 40);           // acceleration in mg
  put_big_endian(bytes + 9, 1 + sequence % 30);
  put_big_endian(bytes + 11, 1000 - sequence % 20);
  put_big_endian(bytes + 13, (1400 << 5) + 22);           // battery in mV above 1,600, transmission power
  bytes[15] = (uint8_t)(sequence / 50);                   // movements
  put_big_endian(bytes + 16, sequence);
  send_advertisement(device, -50 - device % 40 - sequence % 3, 0x0499, bytes, sizeof bytes);
}

static void notify(int number) {
  char path[160];
  uint8_t bytes[20] = {0};
  DBusMessageIter body, properties, entry, value;
  device_path(path, sizeof path, 0);
  strcat(path, CHARACTERISTIC);
  memcpy(bytes, &number, sizeof number);
  DBusMessage *signal = changed(path, "org.bluez.GattCharacteristic1", &body, &properties);
  open_variant(&properties, "Value", "ay", &entry, &value);
  put_bytes(&value, bytes, sizeof bytes);
  close_variant(&properties, &entry, &value);
  send_changed(signal, &body, &properties);
}

static void packet(int number) {
  uint8_t bytes[20] = {0};
  memcpy(bytes, &number, sizeof number);
  // Blocks when the socket is full, unlike bluetoothd: the benchmark measures the cost, not the loss.
  if (send(notify_socket, bytes, sizeof bytes, MSG_NOSIGNAL) < 0) die("the client closed its socket");
}

static void management(int number) {
  int device = number % devices;
  uint8_t event[48] = {0x12, 0, 0, 0, 42, 0, (uint8_t)device, (uint8_t)(device >> 8), 0, 0, 0, 0xC0, 2, (uint8_t)(-40 - number % 50),
                       0, 0, 0, 0, 28, 0, 27, 0xFF, 0x59, 0x00};
  memcpy(event + 24, &number, sizeof number);
  if (send(management_socket, event, sizeof event, MSG_NOSIGNAL) < 0) die("the client closed its socket");
}

// MARK: Commands

static void ping(void) {
  DBusMessage *call = dbus_message_new_method_call(client, "/", DBUS_INTERFACE_PEER, "Ping");
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 600000, NULL);
  dbus_message_unref(call);
  if (!reply) die("the client did not answer a ping");
  dbus_message_unref(reply);
}

// Waits until the client has received all packets.
static void drain(int sender) {
  int waiting = 1;
  while (ioctl(sender, SIOCOUTQ, &waiting) == 0 && waiting > 0) usleep(2000);
}

// A client may start and stop scanning while a command runs.
static void reply_to_calls(void) {
  dbus_connection_read_write(bus, 0);
  while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS) {}
}

static void run(const char *what, int count, int rate) {
  void (*send_one)(int) =
      strcmp(what, "advertise") == 0 ? advertise : strcmp(what, "ruuvi") == 0 ? ruuvi : strcmp(what, "notify") == 0 ? notify
      : strcmp(what, "packet") == 0 ? packet : strcmp(what, "management") == 0 ? management : NULL;
  if (!send_one) die("unknown command");
  double start = now();
  for (int number = 0; number < count; number++) {
    if (rate) {
      double wait = start + (double)number / rate - now();
      if (wait > 0) {
        dbus_connection_flush(bus);
        struct timespec pause = {(time_t)wait, (long)((wait - (time_t)wait) * 1e9)};
        nanosleep(&pause, NULL);
        if (send_one == ruuvi) reply_to_calls();
      }
    }
    send_one(number);
    if (!rate && number % 64 == 63) dbus_connection_flush(bus);
    if (!rate && send_one != packet && send_one != management && number % 20000 == 19999) ping();
  }
  dbus_connection_flush(bus);
  double sent = now();
  if (send_one == packet) drain(notify_socket);
  else if (send_one == management) drain(management_socket);
  else ping();
  printf("%d %.6f\n", count, sent - start);
}

static bool was_called(const char *member) {
  for (int i = 0; i < called_count; i++)
    if (strcmp(called[i], member) == 0) return true;
  return false;
}

static void obey(char *line) {
  char what[32] = "", argument[32] = "";
  int rate = 0;
  sscanf(line, "%31s %31s %d", what, argument, &rate);
  if (strcmp(what, "wait") == 0) {
    double limit = now() + 120;
    while (!was_called(argument)) {
      if (now() > limit) die("no client called the method in time");
      dbus_connection_read_write_dispatch(bus, 20);
    }
    printf("called\n");
  } else if (strcmp(what, "forget") == 0) {
    called_count = 0;
    if (notify_socket >= 0) close(notify_socket);
    notify_socket = -1;
    printf("forgotten\n");
  } else run(what, atoi(argument), rate);
  fflush(stdout);
}

int main(int count, char **arguments) {
  if (count > 1) devices = atoi(arguments[1]);
  if (count > 2) management_socket = atoi(arguments[2]);
  int size = 8 << 20;
  setsockopt(management_socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  DBusError error = DBUS_ERROR_INIT;
  bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
  if (!bus) die(error.message);
  dbus_connection_add_filter(bus, receive, NULL, NULL);
  if (dbus_bus_request_name(bus, "org.bluez", DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
    die("org.bluez has an owner");
  printf("ready\n");
  fflush(stdout);
  int wire = -1;
  dbus_connection_get_unix_fd(bus, &wire);
  char line[128];
  while (true) {
    while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS) {}
    dbus_connection_flush(bus);
    struct pollfd sources[2] = {{.fd = 0, .events = POLLIN}, {.fd = wire, .events = POLLIN}};
    poll(sources, 2, -1);
    if (sources[1].revents) dbus_connection_read_write(bus, 0);
    if (sources[0].revents) {
      // The caller sends one command and waits for its line of output, so a read contains one line.
      ssize_t length = read(0, line, sizeof line - 1);
      if (length <= 0) return 0;
      line[length] = 0;
      obey(line);
    }
  }
}
