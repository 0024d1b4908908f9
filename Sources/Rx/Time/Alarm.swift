/// The one timer of an operator.
///
/// Setting it anew takes the earlier time back; a timer that was taken back and fires all the same is not heard.
final class Alarm: Teardown {
    private let scheduler: any SchedulerType
    private let timer = SerialDisposable()
    // Touched inside the gate of the operator only, or before the operator has subscribed to anything.
    private var round = 0

    init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }

    /// Rings once after the interval, inside the gate.
    func set(after interval: RxTimeInterval, in gate: Gate, _ ring: @escaping () -> Void) {
        round += 1
        let armed = round
        let parcel = Ferry((gate, ring))
        let alarm = Ferry(self)
        let slot = SingleAssignmentDisposable()
        timer.disposable = slot
        slot.setDisposable(
            scheduler.run(after: interval) {
                parcel.value.0.pass(alarm.value) { alarm in
                    if alarm.round == armed { parcel.value.1() }
                }
            })
    }

    /// Never rings again.
    override func dispose() { timer.dispose() }
}
