/// What the broker refuses for now. `RefusalRules` decides when it is sent again.
extension OutboxState {
    mutating func refused(_ number: Int64, _ refusal: BrokerRefusal, _ now: Duration) -> [Action] {
        guard removeFromFlight(number, now) else { return [] }
        let response = refusals.refused(refusal, at: now)
        return actions(of: response) + takeBack(number, now) + fill(now)
    }

    mutating func accepted(_ now: Duration) -> [Action] { actions(of: refusals.accepted(at: now)) }

    mutating func pauseEnded(_ now: Duration) -> [Action] {
        refusals.pauseEnded()
        return fill(now)
    }

    mutating func retryRefused(_ now: Duration) -> [Action] {
        refusals.retried()
        rewind()
        takeBackRefused()
        return fill(now)
    }

    private func actions(of response: RefusalRules.Response) -> [Action] {
        var actions: [Action] = []
        if let pause = response.pause { actions.append(.pauseAfterRefusal(pause)) }
        if let retry = response.retry { actions.append(.retryRefused(after: retry)) }
        return actions
    }
}
