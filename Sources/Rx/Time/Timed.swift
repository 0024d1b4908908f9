/// A stream, a length of time and the scheduler that measures it: the head of every operator that waits.
class TimedSource<Input, Output>: Source<Output> {
    final let upstream: Source<Input>
    final let dueTime: RxTimeInterval
    final let scheduler: any SchedulerType

    init(_ upstream: Source<Input>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.upstream = upstream
        self.dueTime = dueTime
        self.scheduler = scheduler
    }
}
