/// The one scheduled of an operator.
///
/// Setting it anew takes the earlier time back; a scheduled that was taken back and fires all the same is not heard.
final class OperatorTimer: Teardown {
    private let scheduler: any SchedulerType
    private let scheduled = SerialDisposable()
    // Touched inside the drain of the operator only, or before the operator has subscribed to anything.
    private var generation = 0

    init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }

    /// Rings once after the interval, inside the drain.
    func set(after interval: RxTimeInterval, in drain: SerialDrain, _ handler: @escaping () -> Void) {
        generation += 1
        let generationWhenSet = generation
        let transfer = UncheckedTransfer((drain, handler))
        let timer = UncheckedTransfer(self)
        let slot = SingleAssignmentDisposable()
        scheduled.disposable = slot
        slot.setDisposable(
            scheduler.run(after: interval) {
                transfer.value.0.perform(on: timer.value) { timer in
                    if timer.generation == generationWhenSet { transfer.value.1() }
                }
            })
    }

    /// Never rings again.
    override func dispose() { scheduled.dispose() }
}
