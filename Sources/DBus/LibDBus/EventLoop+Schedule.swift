/// Work at a moment.
extension EventLoop {
    private final class Scheduled: Deadline, @unchecked Sendable {
        // Guard: `work` is touched in the context only, once it is scheduled.
        var work: Work?

        init(_ work: @escaping Work) { self.work = work }

        override func expire() {
            let work = work
            self.work = nil
            if end() { work?() }
        }
    }

    @discardableResult
    final func schedule(after delay: Duration, _ work: @escaping Work) -> BusTask {
        let entry = Scheduled(work)
        let due = MonotonicClock.moment(after: delay)
        enter { if !entry.isEnded { self.start(entry, due: due) } }
        return BusTask {
            guard entry.end() else { return }
            self.enter {
                self.stop(entry)
                entry.work = nil
            }
        }
    }
}
