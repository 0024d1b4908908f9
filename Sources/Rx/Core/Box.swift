/// Room for one element that changes.
///
/// A field of type `Element?` in a generic class makes each access look up the metadata of that optional, some 400
/// instructions an event. A `Box?` is a plain reference, made at the first element and written to from then on.
final class Box<Element> {
    final var value: Element
    init(_ value: Element) { self.value = value }

    /// Takes the new value. The old one is let go of after that, as its deinitializer may cause the next element.
    @inline(__always)
    final func replace(with new: consuming Element) {
        swap(&value, &new)
    }

    /// Takes the new value; the old one goes to the caller, who decides where it is let go of.
    @inline(__always)
    final func exchange(_ new: inout Element) {
        swap(&value, &new)
    }
}
