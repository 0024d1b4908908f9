import Dispatch
import Rx

#if canImport(XCTest) && canImport(CoreFoundation)
    // This import adds no dependency: CoreFoundation is part of the Foundation library, which XCTest links anyway.
    import CoreFoundation
    import XCTest

    /// The main thread's run loop, which also runs the work of the main queue.
    enum MainRunLoop {
        /// The number of nested calls of `run`.
        private static let depth = Guarded<Int>(0)

        /// Whether the caller is on the main thread. After `dispatchMain`, no thread is the main thread.
        static var isCurrent: Bool { CFRunLoopGetCurrent() === CFRunLoopGetMain() }

        /// Runs the loop while the condition is true, at most until the deadline. Call it on the main thread.
        ///
        /// The function returns at once if the loop has no work, for example inside work of the main queue.
        static func run(until deadline: DispatchTime, while condition: () -> Bool) {
            depth.withLock { $0 += 1 }
            defer {
                // Wakes the outer call, because a wake-up for the outer call may have ended this inner call.
                if depth.withLock({ depth in leave(&depth) }) { wake() }
            }
            while condition() {
                let now = DispatchTime.now()
                guard now < deadline else { return }
                let left =
                    deadline == .distantFuture ? 1e9 : Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9
                if CFRunLoopRunInMode(kCFRunLoopDefaultMode, left, true) == .finished { return }
            }
        }

        /// Makes `run` check its condition. Call it from any thread.
        static func wake() {
            CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) {
                // Stops the loop only while `run` is active, because a late block must not stop a loop of other code.
                if depth.withLock({ $0 > 0 }) { CFRunLoopStop(CFRunLoopGetMain()) }
            }
            CFRunLoopWakeUp(CFRunLoopGetMain())
        }

        private static func leave(_ depth: inout Int) -> Bool {
            depth -= 1
            return depth > 0
        }
    }
#else
    /// A replacement without CoreFoundation: the main thread waits like any other thread.
    enum MainRunLoop {
        static var isCurrent: Bool { false }
        static func run(until deadline: DispatchTime, while condition: () -> Bool) {}
        static func wake() {}
    }
#endif
