internal import CDBus

/// Subscriptions and what reaches them.
extension Core {
    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        do throws(DBusError) { _ = try rule.text() } catch { preconditionFailure(error.message) }
        let subscription = SignalSubscription(rule, handler)
        enter {
            if case .closed = self.state { return }
            guard !subscription.isEnded else { return }
            self.subscriptions.append(subscription)
            if case .open = self.state { self.register(subscription) }
        }
        return BusTask {
            guard subscription.end() else { return }
            self.enter { self.unsubscribe(subscription) }
        }
    }

    /// Tells the bus of a rule. Nothing waits for its answer: the order in the pipe is the guarantee (Q18).
    func register(_ subscription: SignalSubscription) {
        guard !subscription.isRegistered else { return }
        subscription.isRegistered = true
        if !subscription.namesSender {
            // Asked before the rule is sent, so the answer is here before the first signal of the rule.
            subscription.owner = learnOwner(of: subscription.rule.sender)
        }
        addRule(subscription.rule)
    }

    private func unsubscribe(_ subscription: SignalSubscription) {
        let handler = subscription.handler
        subscription.handler = nil
        guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        subscriptions.remove(at: index)
        guard subscription.isRegistered, case .open = state else { return }
        removeRule(subscription.rule)
        if !subscription.namesSender { forgetOwner(of: subscription.rule.sender) }
        withExtendedLifetime(handler) {}
    }

    /// Hands a signal to those who want it. One who cancels or subscribes meanwhile does not disturb the others.
    func deliver(_ signal: Message) {
        if !owners.isEmpty { noteOwner(signal) }
        let subscriptions = subscriptions
        for subscription in subscriptions where !subscription.isEnded && subscription.wants(signal) {
            subscription.handler?(signal)
        }
    }

    func addRule(_ rule: MatchRule) {
        let count = rules[rule, default: 0]
        rules[rule] = count + 1
        if count == 0 { tellBus("AddMatch", rule) }
    }

    func removeRule(_ rule: MatchRule) {
        guard let count = rules[rule] else { return }
        rules[rule] = count == 1 ? nil : count - 1
        if count == 1 { tellBus("RemoveMatch", rule) }
    }

    private func tellBus(_ member: String, _ rule: MatchRule) {
        guard let text = try? rule.text(),
            let message = try? Message.toBus(member, { (body) throws(DBusError) in try body.string(text) })
        else { return }
        message.suppressReply()
        _ = transmit(message)
    }
}
