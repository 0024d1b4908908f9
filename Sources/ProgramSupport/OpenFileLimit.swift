import Glibc

/// The largest number of files and sockets that this process may have open.
package enum OpenFileLimit {
    /// Raises the limit to what is needed, as far as this process may. Returns an error text if it is too low.
    ///
    /// Without descriptors, libdispatch ends the process with a signal, or it waits for ever.
    package static func raise(to needed: Int) -> String? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return nil }
        limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return nil }
        return "At most \(limit.rlim_cur) files may be open, and \(needed) are needed. Raise the limit with ulimit -n."
    }
}
