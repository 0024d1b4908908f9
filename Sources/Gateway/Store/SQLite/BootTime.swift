import Glibc

/// A time on the clock of the running kernel, which counts while the computer sleeps and ignores the wall clock.
///
/// It can be compared only with times of the same start of the computer.
struct BootTime: Equatable {
    /// Identifies the start of the computer.
    var boot: String
    var seconds: Int64

    /// The present time; nil if the kernel does not report it.
    static var now: BootTime? {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_BOOTTIME, &time) == 0, let boot = identifier else { return nil }
        return BootTime(boot: boot, seconds: Int64(time.tv_sec))
    }

    /// The time since another one; nil if the computer was started in between.
    func since(_ other: BootTime) -> Duration? {
        boot == other.boot && seconds >= other.seconds ? .seconds(seconds - other.seconds) : nil
    }

    // Source: Linux, Documentation/admin-guide/sysctl/kernel.rst, random.
    private static var identifier: String? {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 36)
        guard unsafe read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
