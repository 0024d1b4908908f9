import Dispatch
import Rx

#if canImport(XCTest) && canImport(CoreFoundation)
    // The code of CoreFoundation is in Foundation's library. XCTest links that library, so this adds nothing to a program.
    import CoreFoundation
    import XCTest

    /// The main thread's run loop, which also does the work of the main queue.
    enum MainRunLoop {
        /// How many calls of `run` are under way, one inside another.
        private static let depth = Guarded<Int>(0)

        /// Whether the caller is on the main thread. No thread is, once `dispatchMain` was called.
        static var isCurrent: Bool { CFRunLoopGetCurrent() === CFRunLoopGetMain() }

        /// Runs the loop while the condition holds, at most until the deadline. To be called on the main thread.
        ///
        /// It returns at once when the loop has nothing to do, as inside work of the main queue.
        static func run(until deadline: DispatchTime, while condition: () -> Bool) {
            depth.withLock { $0 += 1 }
            defer {
                // A wake-up for an outer call may have ended this one.
                if depth.withLock({ depth in outer(&depth) }) { wake() }
            }
            while condition() {
                let now = DispatchTime.now()
                guard now < deadline else { return }
                let left =
                    deadline == .distantFuture ? 1e9 : Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9
                if CFRunLoopRunInMode(kCFRunLoopDefaultMode, left, true) == .finished { return }
            }
        }

        /// Makes `run` look at its condition. From any thread.
        static func wake() {
            CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) {
                // A block that comes too late must not stop a loop that is not ours.
                if depth.withLock({ $0 > 0 }) { CFRunLoopStop(CFRunLoopGetMain()) }
            }
            CFRunLoopWakeUp(CFRunLoopGetMain())
        }

        private static func outer(_ depth: inout Int) -> Bool {
            depth -= 1
            return depth > 0
        }
    }
#else
    /// Without CoreFoundation the main thread waits as any other.
    enum MainRunLoop {
        static var isCurrent: Bool { false }
        static func run(until deadline: DispatchTime, while condition: () -> Bool) {}
        static func wake() {}
    }
#endif
