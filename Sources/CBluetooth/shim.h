#include <stdlib.h>
#include <bluetooth/bluetooth.h>
