import BluetoothValues

/// The name and the value of an event in messages.
struct EventProperty: Hashable {
    /// The kinds of events that have a property of their own.
    enum Kind: Hashable { case button, dimmer, other }

    let kind: Kind
    let key: String
    /// The type of the event, for example `double_press` or `rotate_left`.
    let type: String
    /// A number that belongs to the event: the steps of a dimmer, or a vendor's code; nil if there is none.
    let number: (key: String, value: Int)?

    /// Makes the property of an event.
    init(_ event: SensorEvent) {
        switch event {
        case .button(let index, let press):
            kind = .button
            key = "button" + (index == 1 ? "" : String(index))
            type = press.rawValue.snakeCase
            number = nil
        case .dimmer(let index, let steps):
            kind = .dimmer
            let name = "dimmer" + (index == 1 ? "" : String(index))
            key = name
            type = steps < 0 ? "rotate_left" : "rotate_right"
            number = (name + "_steps", abs(steps))
        case .motion:
            kind = .other
            key = "event"
            type = "motion"
            number = nil
        case .other(let name, let code):
            kind = .other
            key = "event"
            type = name.snakeCase
            number = ("event_code", code)
        }
    }

    static func == (one: EventProperty, other: EventProperty) -> Bool {
        one.key == other.key && one.type == other.type && one.number?.value == other.number?.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(type)
    }
}
