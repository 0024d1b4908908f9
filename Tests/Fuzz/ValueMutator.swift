import DBus

/// Changes values of a message. libdbus still accepts the message; readers find unexpected values.
struct ValueMutator {
    var dice: Dice

    /// Makes one to three changes anywhere in a body, and returns the changed body.
    mutating func mutate(_ body: [Value]) -> [Value] {
        var body = body
        for _ in 0...dice.roll(3) {
            if body.isEmpty || dice.chance(4) {
                switch dice.roll(3) {
                case 0: body.append(arbitrary(depth: dice.roll(4)))
                case 1: body = Array(body.dropLast())
                default: body = body.reversed()
                }
            } else {
                let index = pick(body.map(\.weight))
                body[index] = change(body[index], isFree: true)
            }
        }
        return body
    }

    /// Changes one value within a value; each inner value has the same probability.
    ///
    /// - Parameter isFree: Whether the type may change. It is false in an array, because all elements have one type.
    private mutating func change(_ value: Value, isFree: Bool) -> Value {
        guard dice.roll(value.weight) > 0 else { return alter(value, isFree: isFree) }
        switch value {
        case .variant(let content): return .variant(change(content, isFree: true))
        case .array(let element, var elements):
            let index = pick(elements.map(\.weight))
            elements[index] = change(elements[index], isFree: false)
            return .array(of: element, elements)
        case .structure(var members):
            let index = pick(members.map(\.weight))
            members[index] = change(members[index], isFree: isFree)
            return .structure(members)
        case .dictionary(let key, let content, var entries):
            let index = pick(entries.map(\.weight))
            let entry = entries[index]
            entries[index] =
                dice.roll(entry.weight) == 0
                ? Value.Entry(change(entry.key, isFree: false), entry.value)
                : Value.Entry(entry.key, change(entry.value, isFree: false))
            return .dictionary(key: key, value: content, entries)
        default: return alter(value, isFree: isFree)
        }
    }

    /// Returns a random index, with probabilities in proportion to the weights.
    private mutating func pick(_ weights: [Int]) -> Int {
        var left = dice.roll(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if left < weight { return index }
            left -= weight
        }
        return 0
    }

    private mutating func alter(_ value: Value, isFree: Bool) -> Value {
        if isFree, dice.chance(50) { return arbitrary(depth: dice.roll(4)) }
        switch value {
        case .bool(let old): return .bool(!old)
        case .byte(let old): return .byte(dice.pick([0, 1, 127, 128, 255, old ^ bit()]))
        case .int16(let old): return .int16(dice.pick([0, 1, -1, 127, -127, -128, .min, .max, old ^ bit()]))
        case .uint16(let old): return .uint16(dice.pick([0, 1, 0x4C, 0x8000, .max, old ^ bit()]))
        case .int32(let old): return .int32(dice.pick([0, -1, .min, .max, old ^ bit()]))
        case .uint32(let old): return .uint32(dice.pick([0, 1, 0x8000_0000, .max, old ^ bit()]))
        case .int64(let old): return .int64(dice.pick([0, -1, .min, .max, old ^ bit()]))
        case .uint64(let old): return .uint64(dice.pick([0, 1, .max, old ^ bit()]))
        case .double: return .double(dice.pick([0, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]))
        case .string(let old): return .string(altered(old))
        case .objectPath: return .objectPath(ObjectPath(dice.pick(Vocabulary.paths)) ?? .root)
        case .signature: return .signature(dice.pick(["", "s", "a{sv}", "(((y)))"]))
        case .bytes(let old): return .bytes(altered(old))
        case .array(let element, let elements): return .array(of: element, altered(elements: elements))
        case .dictionary(let key, let content, let entries):
            return .dictionary(key: key, value: content, altered(entries))
        case .structure(let members): return .structure(members.reversed())
        case .variant(let content):
            return .variant(dice.chance(50) ? nested(content, dice.pick([1, 2, 10, 40])) : arbitrary(depth: 2))
        }
    }

    /// Returns a number with one random bit set.
    private mutating func bit<Number: FixedWidthInteger>() -> Number { 1 << Number(dice.roll(Number.bitWidth)) }

    private func nested(_ value: Value, _ times: Int) -> Value {
        (0..<times).reduce(value) { inner, _ in .variant(inner) }
    }

    private mutating func altered(_ bytes: [UInt8]) -> [UInt8] {
        switch dice.roll(6) {
        case 0: return []
        case 1: return Array(bytes.dropLast())
        case 2: return bytes + [dice.pick([0, 0x1B, 0x80, 0xFF])]
        case 3: return Array(repeating: UInt8(dice.roll(256)), count: dice.pick([1, 31, 255, 512, 513, 5_000]))
        default:
            guard !bytes.isEmpty else { return [0] }
            var bytes = bytes
            bytes[dice.roll(bytes.count)] ^= bit()
            return bytes
        }
    }

    private mutating func altered(_ text: String) -> String {
        switch dice.roll(5) {
        case 0, 1: return dice.pick(Vocabulary.texts)
        case 2: return String(text.dropLast())
        case 3: return text + dice.pick(Vocabulary.texts)
        default:
            var scalars = Array(text.unicodeScalars)
            guard !scalars.isEmpty else { return dice.pick(Vocabulary.texts) }
            scalars[dice.roll(scalars.count)] = dice.pick([
                "0", "f", "g", "-", "_", "/", "ä", "\u{202E}", " ", "\u{7F}",
            ])
            return String(String.UnicodeScalarView(scalars))
        }
    }

    private mutating func altered<Element>(elements: [Element]) -> [Element] {
        guard let first = elements.first else { return elements }
        switch dice.roll(5) {
        case 0: return []
        case 1: return elements.reversed()
        case 2: return elements + Array(repeating: dice.pick(elements), count: dice.pick([1, 2, 70]))
        case 3: return [first]
        default:
            var elements = elements
            elements.remove(at: dice.roll(elements.count))
            return elements
        }
    }

    /// Changes entries, or swaps two values, so that well-formed values have the wrong keys.
    private mutating func altered(_ entries: [Value.Entry]) -> [Value.Entry] {
        guard entries.count > 1, dice.chance(50) else { return altered(elements: entries) }
        var entries = entries
        let (one, other) = (dice.roll(entries.count), dice.roll(entries.count))
        let (first, second) = (entries[one], entries[other])
        entries[one] = Value.Entry(first.key, second.value)
        entries[other] = Value.Entry(second.key, first.value)
        return entries
    }
}

extension Value {
    /// The number of values: this value, and all values inside.
    fileprivate var weight: Int {
        switch self {
        case .variant(let content): 1 + content.weight
        case .array(_, let elements): elements.reduce(1) { $0 + $1.weight }
        case .structure(let members): members.reduce(1) { $0 + $1.weight }
        case .dictionary(_, _, let entries): entries.reduce(1) { $0 + $1.weight }
        default: 1
        }
    }
}

extension Value.Entry {
    /// The number of values: the key, and all values inside the value.
    fileprivate var weight: Int { 1 + value.weight }
}
