/// A reference to one stored element, which can be replaced. It is not safe for concurrent use.
///
/// In a generic class, each access to a field of type `Element?` looks up run-time metadata, which costs some 400
/// instructions an event. Each access to a field of type `Element` checks for exclusive access, some 80 instructions.
/// The pointer of a box needs neither.
///
/// Memory safety: `isEmpty` is false exactly while the pointer has an initialized element.
@safe
final class Box<Element> {
    private let place: UnsafeMutablePointer<Element>
    /// Whether no element has been stored.
    private(set) final var isEmpty = true

    /// Creates an empty box.
    init() { unsafe place = .allocate(capacity: 1) }

    convenience init(_ value: Element) {
        self.init()
        store(value)
    }

    /// The stored element. Reading it from an empty box traps.
    @inline(__always)
    var value: Element {
        precondition(!isEmpty, "Box.value: the box is empty.")
        return unsafe place.pointee
    }

    /// Stores the new element before it releases the old one.
    ///
    /// The deinitializer of the old element may send the next element.
    @inline(__always)
    func store(_ new: consuming Element) { exchange(&new) }

    // A separate function, so that `exchange` reserves no memory for the copy.
    @inline(never)
    private func storeFirst(_ new: Element) {
        unsafe place.initialize(to: new)
        isEmpty = false
    }

    /// Swaps the stored element and the argument. The caller decides when to release the old element.
    ///
    /// An empty box stores a copy of the argument.
    @inline(__always)
    func exchange(_ new: inout Element) {
        if isEmpty { return storeFirst(new) }
        let old = unsafe place.move()
        unsafe place.initialize(to: new)
        new = old
    }

    /// Calls `exchange` on the box if there is one, without retaining the box; returns false if there is none.
    ///
    /// Memory safety: the caller retains the box during the call.
    @inline(__always)
    static func exchange(_ new: inout Element, in box: Box<Element>?) -> Bool {
        guard let unretained = unsafe unretained(box) else { return false }
        unsafe unretained._withUnsafeGuaranteedRef { $0.exchange(&new) }
        return true
    }

    @inline(__always)
    private static func unretained(_ box: Box<Element>?) -> Unmanaged<Box<Element>>? {
        guard let box else { return nil }
        return unsafe .passUnretained(box)
    }

    /// Changes the stored element in place. The closure must not use the box.
    @inline(__always)
    func update(_ change: (inout Element) throws -> Void) rethrows {
        precondition(!isEmpty, "Box.update: the box is empty.")
        try unsafe change(&place.pointee)
    }

    deinit {
        if !isEmpty { unsafe place.deinitialize(count: 1) }
        unsafe place.deallocate()
    }
}

/// A queue of elements in order of arrival. It is not safe for concurrent use.
///
/// The elements are in a linked list of chunks. A queue that is often empty uses one chunk again and again. An array
/// of a generic element type would cost five times the instructions.
///
/// Memory safety: the initialized elements are those from `head` in the first chunk to before `tail` in the last.
/// `reading` and `writing` are the pointers of these two chunks, which `first` and `last` retain.
@safe
final class FIFOQueue<Element> {
    @safe
    private final class Chunk {
        let elements: UnsafeMutablePointer<Element>
        var following: Chunk?

        required init() { unsafe elements = .allocate(capacity: chunkSize) }
        deinit { unsafe elements.deallocate() }
    }

    // Stored, because in generic code each `Chunk()` would look up the type in the run-time metadata.
    private let chunkType: Chunk.Type = Chunk.self
    private var first: Chunk?
    private var last: Chunk?
    private var reading: UnsafeMutablePointer<Element>?
    private var writing: UnsafeMutablePointer<Element>?
    private var head = 0
    private var tail = chunkSize
    private var spare: Chunk?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var contents: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var chunk = first
        var index = head
        while let current = chunk, elements.count < count {
            unsafe elements.append(current.elements[index])
            index += 1
            if index == chunkSize { (chunk, index) = (current.following, 0) }
        }
        return elements
    }

    func append(_ element: Element) {
        if tail == chunkSize { addChunk() }
        guard let writing = unsafe writing else { return }
        unsafe (writing + tail).initialize(to: element)
        tail += 1
        count += 1
    }

    /// Removes and returns the first element. Calling it on an empty queue traps.
    func removeFirst() -> Element {
        precondition(count > 0, "FIFOQueue.removeFirst: the queue is empty.")
        guard let place = unsafe reading else { preconditionFailure("FIFOQueue.removeFirst: no chunk has elements.") }
        let index = head
        head += 1
        count -= 1
        if count == 0 || head == chunkSize { leaveChunk() }
        return unsafe (place + index).move()
    }

    /// Moves all elements to the other queue, which must be empty. The other queue's empty chunk is used again.
    func moveAll(to other: FIFOQueue<Element>) {
        precondition(other.isEmpty, "FIFOQueue.moveAll: the other queue is not empty.")
        // Without `swap`, because with it each access to these fields would check for exclusive access.
        let (otherFirst, otherLast, otherTail) = (other.first, other.last, other.tail)
        let (otherReading, otherWriting) = unsafe (other.reading, other.writing)
        (other.first, other.last, other.head, other.tail, other.count) = (first, last, head, tail, count)
        unsafe (other.reading, other.writing) = (reading, writing)
        (first, last, head, tail, count) = (otherFirst, otherLast, 0, otherTail, 0)
        unsafe (reading, writing) = (otherReading, otherWriting)
    }

    @inline(never)
    private func addChunk() {
        let added = spare ?? chunkType.init()
        spare = nil
        if let last {
            last.following = added
        } else {
            first = added
            unsafe reading = added.elements
        }
        last = added
        unsafe writing = added.elements
        tail = 0
    }

    /// Uses an empty last chunk again, or removes the first chunk, which is empty.
    @inline(__always)
    private func leaveChunk() {
        if count == 0 { tail = 0 } else { removeChunk() }
        head = 0
    }

    @inline(never)
    private func removeChunk() {
        guard let empty = first, let following = empty.following else { return }
        empty.following = nil
        spare = empty
        first = following
        unsafe reading = following.elements
    }

    // Removes the elements one by one, because releasing a long chain of chunks at once would recurse.
    deinit { while !isEmpty { _ = removeFirst() } }
}

/// The number of elements in a chunk of a `FIFOQueue`.
private let chunkSize = 16
