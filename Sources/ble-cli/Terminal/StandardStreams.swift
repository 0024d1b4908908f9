import Glibc

/// Standard input, output and error.
enum StandardStreams {
    /// Opens those that the caller has closed, on nothing. Otherwise the next file to be opened, such as the socket to the
    /// bus, would get the number of standard output, and what is printed would go there. To be called first of all.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
