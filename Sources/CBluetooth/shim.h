#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

// Swift imports neither a macro with a call nor a structure that ends in an array of unknown length. The kernel's
// `hci_conn_info_req` is the request for one connection and, with the data behind it, also the reply.
static const unsigned long connection_info_request = HCIGETCONNINFO;
struct connection_info {
    bdaddr_t bdaddr;
    uint8_t type;
    struct hci_conn_info info;
};
_Static_assert(offsetof(struct connection_info, info) == sizeof(struct hci_conn_info_req), "the kernel's layout");
