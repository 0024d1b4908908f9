import CoreFoundation
import Glibc

/// Compares the work for two sizes by the CPU time of the thread, in which other processes and threads do not count.
enum WorkRatio {
    /// Linear work for four times the input has a ratio of about 4, quadratic work one of about 16.
    ///
    /// Larger inputs leave the caches of the processor, so that also linear work may exceed 4.
    static let linear = 10.0

    /// Returns the ratio of the work for 4n to that for n, each the shortest of three tries.
    ///
    /// - Parameter size: n, for which the work needs at least 20 ms, so that its start and the clock do not matter.
    static func ofFourTimes<Input>(
        _ size: Int, input: (Int) throws -> Input, _ work: (Input) throws -> Void
    ) throws -> Double {
        let inputs = (small: try input(size), large: try input(4 * size))
        var small = Duration.seconds(86_400)
        var large = small
        for _ in 0..<3 {
            small = min(small, try time(of: work, inputs.small))
            large = min(large, try time(of: work, inputs.large))
        }
        return large / max(small, .nanoseconds(1))
    }

    private static func time<Input>(of work: (Input) throws -> Void, _ input: Input) throws -> Duration {
        let start = cpuTime()
        try work(input)
        return cpuTime() - start
    }

    private static func cpuTime() -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
