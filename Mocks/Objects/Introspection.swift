import DBus

/// Introspection data, byte for byte as gdbus/object.c writes it.
/// Source: D-Bus specification, "Introspection Data Format".
enum Introspection {
    static func text(of object: ServedObject?, isRoot: Bool, nodes: [String]) -> String {
        var text = head
        if object != nil || isRoot { text += introspectable }
        if let object {
            text += object.interface.description
            if object.hasProperties { text += properties }
            for interface in object.others { text += interface.description }
        }
        if isRoot { text += objectManager }
        for node in nodes { text += #"<node name="\#(node)"/>"# }
        return text + "</node>"
    }

    /// Returns libdbus's introspection data for a path without an object: the nodes below the path.
    static func plainText(nodes: [String]) -> String {
        head + "\n" + nodes.map { "  <node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
    }

    static func text<Owner: AnyObject>(of table: InterfaceTable<Owner>) -> String {
        var text = #"<interface name="\#(table.name)">"#
        for method in table.methods {
            text += #"<method name="\#(method.name)">"#
            text += method.input.map { argument($0, "in") }.joined()
            text += method.output.map { argument($0, "out") }.joined()
            text += "</method>"
        }
        for signal in table.signals {
            text += #"<signal name="\#(signal.name)">"#
            text += signal.arguments.map { argument($0, nil) }.joined()
            text += "</signal>\n"
        }
        for property in table.properties {
            let access = property.set == nil ? "read" : "readwrite"
            text += #"<property name="\#(property.name)" type="\#(property.type)" access="\#(access)"></property>"#
        }
        return text + "</interface>"
    }

    private static func argument(_ argument: ArgumentRow, _ direction: String?) -> String {
        let way = direction.map { #" direction="\#($0)""# } ?? ""
        return #"<arg name="\#(argument.name)" type="\#(argument.type)"\#(way)/>"# + "\n"
    }

    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        """
    private static let introspectable = text(
        of: own("Introspectable", [method("Introspect", out: [ArgumentRow("xml", "s")])]))
    private static let properties = text(
        of: own(
            "Properties",
            [
                method(
                    "Get", in: [ArgumentRow("interface", "s"), ArgumentRow("name", "s")],
                    out: [ArgumentRow("value", "v")]),
                method(
                    "Set", in: [ArgumentRow("interface", "s"), ArgumentRow("name", "s"), ArgumentRow("value", "v")]),
                method("GetAll", in: [ArgumentRow("interface", "s")], out: [ArgumentRow("properties", "a{sv}")]),
            ],
            [
                SignalRow(
                    name: "PropertiesChanged",
                    arguments: [
                        ArgumentRow("interface", "s"), ArgumentRow("changed_properties", "a{sv}"),
                        ArgumentRow("invalidated_properties", "as"),
                    ])
            ]))
    private static let objectManager = text(
        of: own(
            "ObjectManager", [method("GetManagedObjects", out: [ArgumentRow("objects", "a{oa{sa{sv}}}")])],
            [
                SignalRow(
                    name: "InterfacesAdded",
                    arguments: [ArgumentRow("object", "o"), ArgumentRow("interfaces", "a{sa{sv}}")]),
                SignalRow(
                    name: "InterfacesRemoved", arguments: [ArgumentRow("object", "o"), ArgumentRow("interfaces", "as")]),
            ]))

    /// Returns the table of an interface that the tree itself implements.
    private static func own(
        _ name: String, _ methods: [MethodRow<ObjectTree>], _ signals: [SignalRow] = []
    ) -> InterfaceTable<ObjectTree> {
        InterfaceTable(name: "org.freedesktop.DBus." + name, methods: methods, signals: signals)
    }

    private static func method(
        _ name: String, in input: [ArgumentRow] = [], out output: [ArgumentRow] = []
    ) -> MethodRow<ObjectTree> {
        MethodRow(name, in: input, out: output) { (_, _) throws(DBusError) in }
    }
}
