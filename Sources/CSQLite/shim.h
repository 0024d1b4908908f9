#include <sqlite3.h>

/// Leaves the log as it is when the connection is closed. Swift does not import `sqlite3_db_config`, which is variadic.
static inline int sqlite3_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
