/// What the objects say of themselves to tools such as busctl. Source: D-Bus specification, "Introspection Data Format".
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
            text += signal.arguments.map { #"<arg name="\#($0.name)" type="\#($0.type)"/>"# }.joined()
            text += "</signal>"
        }
        for property in table.properties {
            let access = property.set == nil ? "read" : "readwrite"
            text += #"<property name="\#(property.name)" type="\#(property.type)" access="\#(access)"/>"#
        }
        return text + "</interface>"
    }

    private static func argument(_ argument: Argument, _ direction: String) -> String {
        #"<arg name="\#(argument.name)" type="\#(argument.type)" direction="\#(direction)"/>"#
    }

    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        """
    private static let introspectable = """
        <interface name="org.freedesktop.DBus.Introspectable"><method name="Introspect">\
        <arg name="xml" type="s" direction="out"/></method></interface>
        """
    private static let properties = """
        <interface name="org.freedesktop.DBus.Properties">\
        <method name="Get"><arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/>\
        <arg name="value" type="v" direction="out"/></method>\
        <method name="Set"><arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/>\
        <arg name="value" type="v" direction="in"/></method>\
        <method name="GetAll"><arg name="interface" type="s" direction="in"/>\
        <arg name="properties" type="a{sv}" direction="out"/></method>\
        <signal name="PropertiesChanged"><arg name="interface" type="s"/>\
        <arg name="changed_properties" type="a{sv}"/><arg name="invalidated_properties" type="as"/></signal></interface>
        """
    private static let objectManager = """
        <interface name="org.freedesktop.DBus.ObjectManager"><method name="GetManagedObjects">\
        <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/></method>\
        <signal name="InterfacesAdded"><arg name="object" type="o"/><arg name="interfaces" type="a{sa{sv}}"/></signal>\
        <signal name="InterfacesRemoved"><arg name="object" type="o"/><arg name="interfaces" type="as"/></signal>\
        </interface>
        """
}
