#include <dbus/dbus.h>
// The event loop uses these two, which Swift's Glibc module does not contain.
#include <sys/epoll.h>
#include <sys/eventfd.h>
