#include <dbus/dbus.h>
// Swift's Glibc module leaves these two out, and the bus's thread waits by them.
#include <sys/epoll.h>
#include <sys/eventfd.h>
