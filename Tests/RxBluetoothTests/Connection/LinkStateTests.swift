import Testing

@testable import RxBluetooth

/// The transitions of `LinkState`, tested as tables and without a bus.
struct LinkStateTests {
    typealias Facts = LinkState.Facts

    private static let requested = BluetoothError(.disconnected(.requested))
    private static let failed = BluetoothError(.connectFailed("Host is down"))
    private static let aborted = BluetoothError(
        .connectFailed("le-connection-abort-by-local"), dbusMessage: "le-connection-abort-by-local")
    private static let cancelled = BluetoothError(
        .connectFailed("br-connection-canceled"), dbusMessage: "br-connection-canceled")
    private static let inProgress = BluetoothError(.busy, dbusName: "org.bluez.Error.InProgress")
    private static let late = BluetoothError(.timedOut)
    private static let pause = LinkState.pause
    private static let shown = Facts(isConnected: true)
    private static let none = Facts()
    private static let bonded = Facts(isConnected: false, isBonded: true)

    /// Returns the state after `.start` and these events.
    private static func state(
        _ events: (LinkState.Event, Facts)..., maker: LinkState.Maker = .thisManager, takesOver: Bool = false,
        awaitsServices: Bool = false
    ) -> LinkState {
        var state = LinkState(maker: maker, takesOver: takesOver, awaitsServices: awaitsServices, target: "target")
        for (event, facts) in [(.start, none)] + events { _ = state.handle(event, facts) }
        return state
    }

    /// Returns the state of a link that is up.
    private static func up(_ maker: LinkState.Maker = .thisManager, awaitsServices: Bool = false) -> LinkState {
        state((.connectAnswered(nil), shown), maker: maker, awaitsServices: awaitsServices)
    }

    private static func closing(_ cause: BluetoothError) -> [LinkState.Action] {
        [.cancelDeadline, .stopRediscovery, .beginClosing(cause), .disconnect, .failSubscriber(cause)]
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let state: LinkState
        let event: LinkState.Event
        let facts: Facts
        let step: LinkState.Step
        let actions: [LinkState.Action]

        init(
            _ name: String, _ state: LinkState, _ event: LinkState.Event, _ facts: Facts, _ step: LinkState.Step,
            _ actions: [LinkState.Action] = []
        ) {
            (self.name, self.state, self.event) = (name, state, event)
            (self.facts, self.step, self.actions) = (facts, step, actions)
        }

        var testDescription: String { name }
    }

    // MARK: A device that bluetoothd does not have

    /// Returns the state of a connection by address after `.start` and these events.
    private static func reaching(_ events: (LinkState.Event, Facts)...) -> LinkState {
        var state = LinkState(reaching: "target", takesOver: false, awaitsServices: false)
        for (event, facts) in [(.start, none)] + events { _ = state.handle(event, facts) }
        return state
    }

    static let reached: [Row] = [
        Row(
            "ConnectDevice is called first", LinkState(reaching: "target", takesOver: false, awaitsServices: false),
            .start, none, .connecting, [.startDeadline, .connectDevice]),
        Row(
            "ConnectDevice succeeds", reaching(), .connectDeviceAnswered(.connected), shown, .connected,
            [.stopRediscovery, .cancelDeadline, .open, .becomeReady]),
        Row(
            "ConnectDevice succeeds, and no link is shown", reaching(), .connectDeviceAnswered(.connected), none,
            .connecting, [.confirmLink]),
        Row(
            "ConnectDevice is not offered", reaching(), .connectDeviceAnswered(.notOffered), none, .connecting,
            [.startRediscovery]),
        Row(
            "ConnectDevice fails without a reason", reaching(),
            .connectDeviceAnswered(.failed(BluetoothError(.connectFailed("")))), none, .connecting,
            [.startRediscovery]),
        Row(
            "The device exists by now", reaching(),
            .connectDeviceAnswered(.failed(BluetoothError(.alreadyDone))), none, .connecting, [.connect]),
        Row(
            "ConnectDevice is not offered, and the device is shown by now", reaching(),
            .connectDeviceAnswered(.notOffered), Facts(isShown: true), .connecting, [.connect]),
        Row(
            "ConnectDevice is not allowed", reaching(),
            .connectDeviceAnswered(.failed(BluetoothError(.unauthorized))), none, .ended,
            [.end(BluetoothError(.unauthorized))]),
        Row(
            "The scan finds the device", reaching((.connectDeviceAnswered(.notOffered), none)), .deviceFound, none,
            .connecting, [.cancelAttempt, .pause(pause)]),
        Row(
            "The device is found, and the scan ends",
            reaching((.connectDeviceAnswered(.notOffered), none), (.deviceFound, none)), .pauseEnded, none,
            .connecting, [.connect, .stopRediscovery]),
        Row(
            "A device that appears with the link is not removed", reaching(), .deviceRemoved, none, .connecting),
        Row(
            "It is disposed of before the answer", reaching(), .close(requested, isForced: false), none, .closing,
            [.cancelDeadline, .beginClosing(requested), .failSubscriber(requested), .startDisconnectDeadline]),
        Row(
            "It is disposed of when the link is shown", reaching(), .close(requested, isForced: false), shown,
            .closing, closing(requested)),
        Row(
            "It is disposed of during the scan", reaching((.connectDeviceAnswered(.notOffered), none)),
            .close(requested, isForced: false), none, .ended, [.end(requested)]),
        Row(
            "The link comes up while it is closed", reaching((.close(requested, isForced: false), none)),
            .connectDeviceAnswered(.connected), shown, .closing, [.cancelDisconnect, .disconnect]),
        Row(
            "No link comes up while it is closed", reaching((.close(requested, isForced: false), none)),
            .connectDeviceAnswered(.failed(failed)), none, .ended, [.finishClosing(requested, failure: nil)]),
        Row(
            "There is no answer while it is closed", reaching((.close(requested, isForced: false), none)),
            .disconnectDeadline, none, .ended, [.finishClosing(requested, failure: nil)]),
    ]

    // MARK: Connecting

    static let connecting: [Row] = [
        Row(
            "Connect succeeds", state(), .connectAnswered(nil), shown, .connected,
            [.stopRediscovery, .cancelDeadline, .open, .becomeReady]),
        Row(
            "Connect succeeds, and the services are not yet resolved",
            state(awaitsServices: true), .connectAnswered(nil), shown,
            .connected, [.stopRediscovery, .cancelDeadline, .open]),
        Row(
            "Connect succeeds, and no link is shown",
            state(), .connectAnswered(nil), none, .connecting, [.confirmLink]),
        Row(
            "The link is confirmed", state((.connectAnswered(nil), none)), .linkConfirmed(true), none, .connected,
            [.stopRediscovery, .cancelDeadline, .open, .becomeReady]),
        Row(
            "The link is not confirmed, and bluetoothd has announced why", state((.connectAnswered(nil), none)),
            .linkConfirmed(false), Facts(announcedReason: .timeout), .ended, [.endLost(.timeout, isShared: false)]),
        Row(
            "The query for the link fails", state((.connectAnswered(nil), none)), .confirmationFailed(late), none,
            .closing, [.cancelAttempt] + closing(late)),
        Row(
            "Connect reports an existing link", state(), .connectAnswered(BluetoothError(.alreadyConnected)), shown,
            .connected, [.stopRediscovery, .cancelDeadline, .open, .becomeReady]),
        Row(
            "Connect is refused, and another program's link is up", state(maker: .otherProgram),
            .connectAnswered(failed), shown, .connected, [.stopRediscovery, .cancelDeadline, .open, .becomeReady]),
        Row("Connect fails", state(), .connectAnswered(failed), none, .ended, [.end(failed)]),
        Row(
            "Connect fails, and a link of ours is up", state(), .connectAnswered(failed), shown, .closing,
            [.cancelAttempt] + closing(failed)),
        Row(
            "Connect has no answer in time", state(), .connectAnswered(late), none, .closing,
            [.cancelAttempt] + closing(late)),
        Row(
            "The controller aborts", state(), .connectAnswered(aborted), none, .connecting,
            [.logRepeat(aborts: 1), .pause(pause)]),
        Row(
            "The pause ends", state((.connectAnswered(aborted), none)), .pauseEnded, none, .connecting, [.connect]),
        Row(
            "The pause ends while the device looks connected", state((.connectAnswered(aborted), none)), .pauseEnded,
            shown, .connecting, [.logRepeat(aborts: 2), .pause(pause)]),
        Row(
            "Another program's link comes up in the pause", state((.connectAnswered(aborted), none)),
            .shown(isConnected: true), shown, .connecting, [.cancelAttempt, .connect, .stopRediscovery]),
        Row(
            "Another program's attempt is under way", state(), .connectAnswered(inProgress), none, .connecting,
            [.pause(pause)]),
        Row(
            "Another program's attempt is still under way",
            state(
                (.connectAnswered(inProgress), none), (.pauseEnded, none),
                (.otherAttemptAnswered(isConnected: false), none)),
            .connectAnswered(inProgress), none, .connecting, [.pause(pause * 2)]),
        Row(
            "The pause for another program's attempt ends", state((.connectAnswered(inProgress), none)), .pauseEnded,
            none, .connecting, [.readOtherAttemptResult]),
        Row(
            "The query reports another program's link",
            state((.connectAnswered(inProgress), none), (.pauseEnded, none)),
            .otherAttemptAnswered(isConnected: true), none, .connecting, [.connect]),
        Row(
            "A cancelled Connect of a bonded device is a lost bond", state((.shown(isConnected: true), shown)),
            .connectAnswered(cancelled), bonded, .ended, [.end(BluetoothError(.bondLost, after: cancelled))]),
        Row(
            "A first abort of a bonded device is repeated", state((.shown(isConnected: true), shown)),
            .connectAnswered(aborted), bonded, .connecting, [.recordAbort, .logRepeat(aborts: 1), .pause(pause)]),
        Row(
            "A second abort of a bonded device is a lost bond", state((.shown(isConnected: true), shown)),
            .connectAnswered(aborted), Facts(isBonded: true, wasAborted: true), .ended,
            [.recordAbort, .end(BluetoothError(.bondLost, after: aborted))]),
        Row(
            "The device is removed", state(), .deviceRemoved, none, .connecting, [.keepConnect, .pause(pause)]),
        Row(
            "A scan is started for a removed device", state((.deviceRemoved, none)), .pauseEnded, none, .connecting,
            [.startRediscovery]),
        Row("A second removal is ignored", state((.deviceRemoved, none)), .deviceRemoved, none, .connecting),
        Row(
            "A removed device is found", state((.deviceRemoved, none), (.pauseEnded, none)), .deviceFound, none,
            .connecting, [.cancelAttempt, .pause(pause)]),
        Row(
            "The pause after a removed device was found ends",
            state((.deviceRemoved, none), (.deviceFound, none)), .pauseEnded,
            none, .connecting, [.connect, .stopRediscovery]),
        Row("A device is found that was not removed", state(), .deviceFound, none, .connecting),
        Row("Connected turns false before the reply", state(), .shown(isConnected: false), none, .connecting),
        Row(
            "The services are resolved", up(awaitsServices: true), .servicesAwaited(nil), shown, .connected,
            [.becomeReady]),
        Row("The services are resolved twice", up(), .servicesAwaited(nil), shown, .connected),
        Row("A late reply to Connect is ignored", up(), .connectAnswered(failed), shown, .connected),
        Row("A late end of a pause is ignored", up(), .pauseEnded, shown, .connected),
        Row("A late deadline is ignored", up(), .connectDeadline, shown, .connected),
    ]

    // MARK: Closing and losing

    private static func closing(_ events: (LinkState.Event, Facts)..., from state: LinkState? = nil) -> LinkState {
        var state = state ?? up()
        _ = state.handle(.close(requested, isForced: false), shown)
        for (event, facts) in events { _ = state.handle(event, facts) }
        return state
    }

    private static let finished = LinkState.Action.finishClosing(requested, failure: nil)
    private static let unclosed = BluetoothError(.timedOut, operation: .disconnect, target: "target")

    static let ending: [Row] = [
        Row(
            "A link is closed", up(), .close(requested, isForced: false), shown, .closing,
            [.cancelAttempt] + closing(requested)),
        Row(
            "A shared link is left", up(.otherProgram), .close(requested, isForced: false), shown, .ended,
            [.end(requested)]),
        Row(
            "A shared link is closed by force", up(.otherProgram), .close(requested, isForced: true), shown, .closing,
            [.cancelAttempt] + closing(requested)),
        Row(
            "An adopted link is closed by force", LinkState(adopting: "target"), .close(requested, isForced: true),
            shown, .closing, [.cancelAttempt] + closing(requested)),
        Row(
            "An attempt is closed before the reply to Connect", state(), .close(requested, isForced: false),
            none, .closing, closing(requested)),
        Row(
            "An attempt is closed in a pause",
            state((.connectAnswered(aborted), none)), .close(requested, isForced: false), none,
            .ended, [.end(requested)]),
        Row("A second close is ignored", closing(), .close(requested, isForced: true), shown, .closing),
        Row(
            "Disconnect succeeds, and the link is still shown", closing(), .disconnectAnswered(nil), shown, .closing,
            [.startDisconnectDeadline]),
        Row("Disconnect succeeds, and the link is down", closing(), .disconnectAnswered(nil), none, .ended, [finished]),
        Row(
            "Disconnect fails, and the link is down", closing(), .disconnectAnswered(failed), none, .ended, [finished]),
        Row(
            "Disconnect fails, and the link is still shown", closing(), .disconnectAnswered(failed), shown, .ended,
            [.finishClosing(requested, failure: failed)]),
        Row(
            "The link goes down after Disconnect was answered", closing((.disconnectAnswered(nil), shown)),
            .shown(isConnected: false), none, .ended, [finished]),
        Row(
            "The link stays up after Disconnect was answered", closing((.disconnectAnswered(nil), shown)),
            .disconnectDeadline, shown, .ended, [.finishClosing(requested, failure: unclosed)]),
        Row("The link goes down first", closing(), .shown(isConnected: false), none, .closing),
        Row(
            "Disconnect is answered last", closing((.shown(isConnected: false), none)), .disconnectAnswered(nil), shown,
            .ended, [finished]),
        Row(
            "Disconnect of an attempt is answered before Connect", closing(from: state()), .disconnectAnswered(nil),
            none, .closing, [.startDisconnectDeadline]),
        Row(
            "Connect is not answered before the deadline of closing",
            closing((.disconnectAnswered(nil), none), from: state()),
            .disconnectDeadline, none, .ended, [finished]),
        Row(
            "Connect succeeds after Disconnect", closing((.disconnectAnswered(nil), none), from: state()),
            .connectAnswered(nil), shown, .closing, [.cancelDisconnect, .disconnect]),
        Row(
            "Connect fails after Disconnect", closing((.disconnectAnswered(nil), none), from: state()),
            .connectAnswered(failed), none, .ended, [finished]),
        Row(
            "Changes of Connected while an attempt is closed are ignored",
            closing((.shown(isConnected: true), shown), (.shown(isConnected: false), none), from: state()),
            .disconnectAnswered(nil), shown, .closing, [.startDisconnectDeadline]),
        Row("The device is removed while it is closed", closing(), .deviceRemoved, none, .ended, [finished]),
        Row("bluetoothd leaves while it is closed", closing(), .lost(failed), none, .ended, [finished]),
        Row(
            "A link is lost", up(), .shown(isConnected: false), none, .losing, [.suspendOperations, .delayLoss]),
        Row(
            "A link is lost, and bluetoothd reports another reason than the adapter", up(), .shown(isConnected: false),
            Facts(announcedReason: .timeout), .losing, [.suspendOperations, .readAdapterPower(.timeout)]),
        Row(
            "A link is lost with the adapter", up(), .shown(isConnected: false), Facts(isAdapterOn: false), .ended,
            [.end(BluetoothError(.disconnected(.adapter)))]),
        Row(
            "The grace time for the adapter ends", lost, .lossDelayEnded, none, .losing, [.readAdapterPower(.unknown)]),
        Row(
            "The query reports an adapter", lost, .adapterAnswered(isGone: false), none, .ended,
            [.endLost(.unknown, isShared: false)]),
        Row(
            "The query reports no adapter", lost, .adapterAnswered(isGone: true), none, .ended,
            [.end(BluetoothError(.disconnected(.adapter)))]),
        Row("A lost link is closed", lost, .close(requested, isForced: false), none, .ended, [.end(requested)]),
        Row("A removal after the loss is ignored", lost, .deviceRemoved, none, .losing),
        Row("bluetoothd leaves", up(), .lost(failed), shown, .ended, [.end(failed)]),
        Row("The device is removed", up(), .deviceRemoved, none, .losing, [.suspendOperations, .delayLoss]),
        Row(
            "The services are not resolved in time", up(awaitsServices: true), .servicesAwaited(late), shown, .closing,
            [.cancelAttempt] + closing(late.during(.connect, "target"))),
    ]

    private static var lost: LinkState {
        var state = up()
        _ = state.handle(.shown(isConnected: false), none)
        return state
    }

    @Test(arguments: reached + connecting + ending) func `Each event leads to the next phase and its actions`(row: Row)
    {
        var state = row.state
        #expect(state.handle(row.event, row.facts) == row.actions)
        #expect(state.step == row.step)
    }

    @Test func `An ended link ignores every event`() {
        var state = Self.state((.connectAnswered(Self.failed), Self.none))
        let events: [LinkState.Event] = [
            .connectAnswered(nil), .earlierConnectAnswered(isSuccess: true), .linkConfirmed(true),
            .confirmationFailed(Self.late), .pauseEnded,
            .otherAttemptAnswered(isConnected: true), .connectDeadline, .servicesAwaited(nil),
            .shown(isConnected: true), .shown(isConnected: false), .deviceRemoved, .deviceFound,
            .close(Self.requested, isForced: true), .disconnectAnswered(nil), .disconnectDeadline, .lossDelayEnded,
            .adapterAnswered(isGone: true), .lost(Self.failed),
        ]
        for event in events {
            #expect(state.handle(event, Self.shown) == [])
            #expect(state.step == .ended)
        }
    }

    @Test(arguments: [true, false])
    func `A link that a call before a removal has made is closed`(isAnsweredFirst: Bool) {
        var state = Self.state(
            (.deviceRemoved, Self.none), (.deviceFound, Self.none), (.pauseEnded, Self.none),
            (.connectAnswered(Self.inProgress), Self.none), (.shown(isConnected: true), Self.shown))
        let answers: [LinkState.Event] = [.earlierConnectAnswered(isSuccess: true), .connectAnswered(nil)]
        for answer in isAnsweredFirst ? answers : answers.reversed() { _ = state.handle(answer, Self.shown) }
        #expect(state.phase == .connected(.thisManager, isReady: true))
        #expect(state.handle(.close(Self.requested, isForced: false), Self.shown).contains(.disconnect))
    }

    @Test func `A link of another program stays if the call before a removal fails`() {
        let state = Self.state(
            (.deviceRemoved, Self.none), (.deviceFound, Self.none), (.pauseEnded, Self.none),
            (.connectAnswered(Self.inProgress), Self.none), (.earlierConnectAnswered(isSuccess: false), Self.none),
            (.shown(isConnected: true), Self.shown), (.connectAnswered(nil), Self.shown))
        #expect(state.phase == .connected(.otherProgram, isReady: true))
    }

    @Test func `The ninth abort ends the attempt`() {
        var state = Self.state()
        for count in 1...8 {
            #expect(state.handle(.connectAnswered(Self.aborted), Self.none).first == .logRepeat(aborts: count))
            #expect(state.handle(.pauseEnded, Self.none) == [.connect])
        }
        #expect(state.handle(.connectAnswered(Self.aborted), Self.none) == [.end(Self.aborted)])
    }

    @Test(arguments: [false, true])
    func `A link that another program makes is ours only if it is taken over`(takesOver: Bool) {
        var state = Self.state(
            (.connectAnswered(Self.inProgress), Self.none), (.shown(isConnected: true), Self.shown),
            (.connectAnswered(nil), Self.shown), takesOver: takesOver)
        #expect(state.isConnected)
        #expect(state.isMadeByOtherProgram == !takesOver)
        let actions = state.handle(.close(Self.requested, isForced: false), Self.shown)
        #expect(actions.contains(.disconnect) == takesOver)
    }

    @Test func `The next link is ours after another program's link has ended`() {
        let state = Self.state(
            (.shown(isConnected: false), Self.none), (.connectAnswered(nil), Self.shown), maker: .otherProgram)
        #expect(!state.isMadeByOtherProgram)
    }

    @Test func `The time-out error names another attempt, possibly of another program`() {
        var state = Self.state((.connectAnswered(Self.inProgress), Self.none))
        guard case .end(let error) = state.handle(.connectDeadline, Self.none).first else {
            return #expect(Bool(false))
        }
        #expect(error.kind == .timedOut)
        #expect(error.detail == "Another attempt to connect is still under way, possibly of another program")
    }
}
