// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The interfaces of the objects: what they are called, and what they look like to introspection.
enum Interfaces {
    static let service = "org.freedesktop.Secret.Service"
    static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item"
    static let session = "org.freedesktop.Secret.Session"
    static let prompt = "org.freedesktop.Secret.Prompt"
    static let portal = "org.freedesktop.impl.portal.Secret"
    static let portalRequest = "org.freedesktop.impl.portal.Request"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"

    /// A method's arguments.
    struct Method {
        var name: String
        var inputs: [(name: String, type: String)] = []
        var outputs: [(name: String, type: String)] = []
    }

    /// A property, and whether clients may set it.
    struct Property {
        var name: String
        var type: String
        var isWritable = false
        /// Whether a signal says its new value. That of a long list doesn't.
        var isSignalled = true
    }

    /// An interface.
    struct Description {
        var name: String
        var methods: [Method]
        var properties: [Property] = []
        var signals: [(name: String, type: String)] = []
    }

    private static let secret = "(oayays)"

    private static let ofService = Description(
        name: service,
        methods: [
            Method(
                name: "OpenSession", inputs: [("algorithm", "s"), ("input", "v")],
                outputs: [("output", "v"), ("result", "o")]),
            Method(
                name: "CreateCollection", inputs: [("properties", "a{sv}"), ("alias", "s")],
                outputs: [("collection", "o"), ("prompt", "o")]),
            Method(
                name: "SearchItems", inputs: [("attributes", "a{ss}")],
                outputs: [("unlocked", "ao"), ("locked", "ao")]),
            Method(
                name: "Unlock", inputs: [("objects", "ao")],
                outputs: [("unlocked", "ao"), ("prompt", "o")]),
            Method(
                name: "Lock", inputs: [("objects", "ao")],
                outputs: [("locked", "ao"), ("prompt", "o")]),
            Method(
                name: "GetSecrets", inputs: [("items", "ao"), ("session", "o")],
                outputs: [("secrets", "a{o\(secret)}")]),
            Method(name: "ReadAlias", inputs: [("name", "s")], outputs: [("collection", "o")]),
            Method(name: "SetAlias", inputs: [("name", "s"), ("collection", "o")]),
        ],
        properties: [Property(name: "Collections", type: "ao")],
        signals: [
            ("CollectionCreated", "o"), ("CollectionDeleted", "o"), ("CollectionChanged", "o"),
        ])

    private static let ofCollection = Description(
        name: collection,
        methods: [
            Method(name: "Delete", outputs: [("prompt", "o")]),
            Method(
                name: "SearchItems", inputs: [("attributes", "a{ss}")],
                outputs: [("results", "ao")]),
            Method(
                name: "CreateItem",
                inputs: [("properties", "a{sv}"), ("secret", secret), ("replace", "b")],
                outputs: [("item", "o"), ("prompt", "o")]),
        ],
        properties: [
            Property(name: "Items", type: "ao", isSignalled: false),
            Property(name: "Label", type: "s", isWritable: true),
            Property(name: "Locked", type: "b"),
            Property(name: "Created", type: "t"), Property(name: "Modified", type: "t"),
        ],
        signals: [("ItemCreated", "o"), ("ItemDeleted", "o"), ("ItemChanged", "o")])

    private static let ofItem = Description(
        name: item,
        methods: [
            Method(name: "Delete", outputs: [("prompt", "o")]),
            Method(name: "GetSecret", inputs: [("session", "o")], outputs: [("secret", secret)]),
            Method(name: "SetSecret", inputs: [("secret", secret)]),
        ],
        properties: [
            Property(name: "Locked", type: "b"),
            Property(name: "Attributes", type: "a{ss}", isWritable: true),
            Property(name: "Label", type: "s", isWritable: true),
            Property(name: "Type", type: "s"),
            Property(name: "Created", type: "t"), Property(name: "Modified", type: "t"),
        ])

    private static let ofSession = Description(name: session, methods: [Method(name: "Close")])

    private static let ofPrompt = Description(
        name: prompt,
        methods: [Method(name: "Prompt", inputs: [("window-id", "s")]), Method(name: "Dismiss")],
        signals: [("Completed", "bv")])

    private static let ofPortal = Description(
        name: portal,
        methods: [
            Method(
                name: "RetrieveSecret",
                inputs: [("handle", "o"), ("app_id", "s"), ("fd", "h"), ("options", "a{sv}")],
                outputs: [("response", "u"), ("results", "a{sv}")])
        ],
        properties: [Property(name: "version", type: "u")])

    private static let ofPortalRequest = Description(
        name: portalRequest, methods: [Method(name: "Close")])

    private static let common = [
        Description(
            name: properties,
            methods: [
                Method(
                    name: "Get", inputs: [("interface", "s"), ("name", "s")],
                    outputs: [("value", "v")]),
                Method(
                    name: "GetAll", inputs: [("interface", "s")],
                    outputs: [("properties", "a{sv}")]),
                Method(name: "Set", inputs: [("interface", "s"), ("name", "s"), ("value", "v")]),
            ],
            signals: [("PropertiesChanged", "sa{sv}as")]),
        Description(
            name: introspectable,
            methods: [Method(name: "Introspect", outputs: [("data", "s")])]),
    ]

    /// The interface of an object besides those that all objects have.
    static func own(_ object: ObjectPath) -> Description? {
        switch object {
        case .service: ofService
        case .collection: ofCollection
        case .item: ofItem
        case .session: ofSession
        case .prompt: ofPrompt
        case .portal: ofPortal
        case .portalRequest: ofPortalRequest
        case .folder, .unknown: nil
        }
    }

    /// The interface and the method that a call means.
    static func method(
        _ object: ObjectPath, interface: String?, _ member: String
    ) -> (interface: String, method: Method)? {
        var candidates = own(object).map { [$0] } ?? []
        if case .folder = object { candidates = [common[1]] } else { candidates += common }
        for candidate in candidates where interface == nil || interface == candidate.name {
            if let method = candidate.methods.first(where: { $0.name == member }) {
                return (candidate.name, method)
            }
        }
        return nil
    }

    // MARK: - Introspection

    /// The description of an object, as XML, with the last parts of the paths below it.
    static func document(_ object: ObjectPath, children: [String]) -> String {
        var text =
            "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
            + " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n<node>\n"
        if let own = own(object) {
            for description in [own] + common { text += element(description) }
            text +=
                " <interface name=\"org.freedesktop.DBus.Peer\">\n"
                + "  <method name=\"Ping\"/>\n  <method name=\"GetMachineId\">\n"
                + "   <arg type=\"s\" name=\"machine_uuid\" direction=\"out\"/>\n"
                + "  </method>\n </interface>\n"
        } else {
            text += element(common[1])
        }
        for child in children { text += " <node name=\"\(child)\"/>\n" }
        return text + "</node>\n"
    }

    private static func element(_ description: Description) -> String {
        var text = " <interface name=\"\(description.name)\">\n"
        for method in description.methods {
            text += "  <method name=\"\(method.name)\">\n"
            for (name, type) in method.inputs {
                text += "   <arg type=\"\(type)\" name=\"\(name)\" direction=\"in\"/>\n"
            }
            for (name, type) in method.outputs {
                text += "   <arg type=\"\(type)\" name=\"\(name)\" direction=\"out\"/>\n"
            }
            text += "  </method>\n"
        }
        for property in description.properties {
            let access = property.isWritable ? "readwrite" : "read"
            text += "  <property name=\"\(property.name)\" type=\"\(property.type)\""
            text += " access=\"\(access)\""
            text += property.isSignalled ? "/>\n" : ">\n\(silence)  </property>\n"
        }
        for (name, type) in description.signals {
            text += "  <signal name=\"\(name)\">\n"
            for part in parts(type) { text += "   <arg type=\"\(part)\"/>\n" }
            text += "  </signal>\n"
        }
        return text + " </interface>\n"
    }

    private static let silence =
        "   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
        + " value=\"false\"/>\n"

    /// The arguments of a signal; of the few that there are.
    private static func parts(_ type: String) -> [String] {
        switch type {
        case "bv": ["b", "v"]
        case "sa{sv}as": ["s", "a{sv}", "as"]
        default: [type]
        }
    }
}
