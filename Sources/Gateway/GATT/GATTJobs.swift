import Rx
import RxBluetooth

/// The jobs of one device: its notifications and periodic reads, over one link after another. It belongs to the loop.
final class GATTJobs {
    /// What the jobs found out.
    enum Output {
        case value(GATTValue)
        case failure(GATTFailure)
        /// No job needs a link before this time; nil if one needs it now.
        case idle(until: Duration?)
        /// The link executes no operations any more.
        case stalled
    }

    private let jobs: [GATTJob]
    private let reads: [GATTJob]
    private let loop: GatewayLoop
    private let output: (Output) -> Void
    private var schedule: ReadSchedule
    private var readsInProgress: Set<Int> = []
    private var busyCounts: [GATTJob: Int] = [:]
    private var link: CompositeDisposable?
    private var peripheral: Peripheral?
    private let timer = SerialDisposable()

    /// The pause before notifications are turned on again after a failure. It doubles up to the maximum.
    private static let initialRetry = Duration.seconds(2)
    private static let maximumRetry = Duration.seconds(120)
    /// How many times in a row bluetoothd must be busy before this is reported.
    private static let reportedBusyCount = 5

    /// Creates jobs that have no link.
    init(_ jobs: [GATTJob], loop: GatewayLoop, output: @escaping (Output) -> Void) {
        self.jobs = jobs
        self.loop = loop
        self.output = output
        var reads: [GATTJob] = []
        var intervals: [Duration] = []
        for job in jobs {
            guard case .read(let interval) = job.kind else { continue }
            reads.append(job)
            intervals.append(interval)
        }
        self.reads = reads
        schedule = ReadSchedule(intervals: intervals)
    }

    private var hasNotifications: Bool { jobs.contains { $0.kind == .notify } }

    private func bound() -> LoopBound<WeakReference<GATTJobs>> { loop.bound(WeakReference(self)) }

    /// Starts the jobs on a new link.
    func begin(on peripheral: Peripheral) {
        end()
        self.peripheral = peripheral
        link = CompositeDisposable()
        for job in jobs where job.kind == .notify { observe(job, retryAfter: Self.initialRetry) }
        readDue()
    }

    /// Stops the jobs when the link has ended.
    func end() {
        link?.dispose()
        link = nil
        peripheral = nil
        timer.disposable = Disposables.create()
        readsInProgress = []
    }

    // MARK: - Notifications

    private func observe(_ job: GATTJob, retryAfter pause: Duration) {
        guard let link, let peripheral else { return }
        let jobs = bound()
        let values = AttributeAccess.find(job.attribute, of: peripheral)
            .flatMap { $0.observe(nil, OperationOptions()) }
        _ = link.insert(
            values.subscribe { event in
                guard let jobs = jobs.value.object else { return }
                switch event {
                case .next(let bytes): jobs.output(.value(GATTValue(job, bytes)))
                case .error(let error): jobs.failed(BluetoothError.of(error), job, retryAfter: pause)
                case .completed: break
                }
            })
    }

    private func failed(_ error: BluetoothError, _ job: GATTJob, retryAfter pause: Duration) {
        guard report(error, job), !error.isPermanentForLink, let link else { return }
        let jobs = bound()
        _ = link.insert(
            loop.schedule(after: pause) {
                jobs.value.object?.observe(job, retryAfter: min(pause * 2, Self.maximumRetry))
            })
    }

    /// Reports an error of an operation. Returns false if it belongs to the end of the link.
    private func report(_ error: BluetoothError, _ job: GATTJob) -> Bool {
        guard link != nil, !error.isLinkEnd else { return false }
        // Another program may use the same characteristic for a moment.
        busyCounts[job] = error.kind == .busy ? busyCounts[job, default: 0] + 1 : 0
        if error.kind == .busy, busyCounts[job, default: 0] < Self.reportedBusyCount { return true }
        output(
            .failure(GATTFailure(kind: error.code, text: error.description, characteristic: job.characteristic)))
        guard error.kind != .connectionStalled else {
            output(.stalled)
            return false
        }
        return true
    }

    // MARK: - Reads

    /// Starts the reads that are due, and sets the timer for the next one.
    private func readDue() {
        guard peripheral != nil else { return }
        let now = loop.monotonicTime
        for index in schedule.due(now: now) {
            schedule.begin(index, now: now)
            // A read that is still in progress replaces the one that is due.
            if readsInProgress.insert(index).inserted { read(index) }
        }
        reportIdle()
        guard let next = schedule.nextDue(now: now) else { return }
        let jobs = bound()
        timer.disposable = loop.schedule(after: max(.milliseconds(1), next - now)) { jobs.value.object?.readDue() }
    }

    private func reportIdle() {
        let isIdle = !hasNotifications && readsInProgress.isEmpty
        output(.idle(until: isIdle ? schedule.nextDue(now: loop.monotonicTime) : nil))
    }

    private func read(_ index: Int) {
        guard let link, let peripheral else { return }
        let job = reads[index]
        let jobs = bound()
        let value = AttributeAccess.find(job.attribute, of: peripheral).take(1)
            .flatMap { $0.read(nil, OperationOptions()).asObservable() }
        _ = link.insert(
            value.subscribe { event in
                guard let jobs = jobs.value.object else { return }
                switch event {
                case .next(let bytes): jobs.output(.value(GATTValue(job, bytes)))
                case .error(let error): jobs.readEnded(index, BluetoothError.of(error))
                case .completed: jobs.readEnded(index, nil)
                }
            })
    }

    private func readEnded(_ index: Int, _ error: BluetoothError?) {
        guard link != nil else { return }
        readsInProgress.remove(index)
        if error == nil { busyCounts[reads[index]] = nil }
        if let error {
            // A read that the end of the link has interrupted is due on the next link.
            guard report(error, reads[index]) else { return schedule.retry(index, at: loop.monotonicTime) }
            if error.isTransient { schedule.retry(index, at: loop.monotonicTime + Self.initialRetry) }
        }
        readDue()
    }
}
