/// The single timer of an operator.
///
/// Setting the timer cancels its previous setting. If a cancelled timer fires nevertheless, its handler is not called.
final class OperatorTimer: Teardown {
    private let scheduler: any SchedulerType
    private let scheduled = SerialDisposable()
    // Used inside the drain of the operator only, or before the operator subscribes to anything.
    private var generation = 0

    init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }

    /// Calls the handler once after the interval, inside the drain.
    func set(after interval: RxTimeInterval, in drain: SerialDrain, _ handler: @escaping () -> Void) {
        generation += 1
        let generationWhenSet = generation
        let transfer = UncheckedTransfer((drain, self))
        let action = UncheckedTransfer(handler)
        let slot = SingleAssignmentDisposable()
        scheduled.disposable = slot
        slot.setDisposable(
            scheduler.run(after: interval) {
                let (drain, timer) = transfer.value
                drain.perform(on: timer) { timer in
                    if timer.generation == generationWhenSet { action.value() }
                }
            })
    }

    /// Cancels the timer.
    override func dispose() { scheduled.dispose() }
}
