// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import SecretBytes
import SecretService
import Synchronization
import TestSupport

/// A session bus of a test's own, with the service on it; both end with it.
final class PrivateBus {
    let address: String
    let store = MemoryStore()
    private let daemon: TestProcess
    private let host: SecretServiceHost
    private let ended = DispatchSemaphore(value: 0)

    private static let configuration = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=SOCKET</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
          <limit name="max_incoming_bytes">1000000000</limit>
          <limit name="max_outgoing_bytes">1000000000</limit>
          <limit name="max_message_size">1000000000</limit>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>
        """

    /// Starts both; the bus's socket is in a directory.
    init(_ directory: String) throws {
        let socket = directory + "/bus"
        let file = directory + "/bus.conf"
        try Self.configuration.replacingOccurrences(of: "SOCKET", with: socket)
            .write(toFile: file, atomically: true, encoding: .utf8)
        daemon = try TestProcess(
            "dbus-daemon", ["--config-file=\(file)", "--nofork", "--print-address"])
        address = try daemon.readLine()
        host = try SecretServiceHost(address: address, store: store, portal: store) { 1_000_000 }
        let ready = DispatchSemaphore(value: 0)
        let (host, ended) = (host, ended)
        try NativeThread.start {
            do throws(BusFailure) { try host.run { ready.signal() } } catch {
                FileHandle.standardError.write(Data("The service has ended: \(error)\n".utf8))
                ready.signal()
            }
            ended.signal()
        }
        guard ready.wait(timeout: .now() + Self.patience) == .success else {
            throw TestFailure("The service doesn't begin.")
        }
    }

    /// The time limit for the service's thread, in seconds.
    private static let patience = 30.0

    deinit {
        host.stop()
        _ = ended.wait(timeout: .now() + Self.patience)
        daemon.end()
    }

    /// Lends a bus with the service.
    static func lend<R>(_ body: (PrivateBus) throws -> R) throws -> R {
        try TemporaryDirectory.lend { try body(PrivateBus($0)) }
    }

    /// Kills the bus, and waits until the service has ended.
    func killBus() {
        daemon.end()
        _ = ended.wait(timeout: .now() + Self.patience)
        // For the end of this object.
        ended.signal()
    }

    /// What a program on this bus needs; `owner` is whose it is to the store.
    func options(owner: String? = nil) -> TestProcess.Options {
        var options = TestProcess.Options()
        options.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        if let owner { options.environment["TEST_OWNER"] = owner }
        return options
    }

    /// Runs a program on this bus.
    func run(
        _ program: String, _ arguments: [String], owner: String? = nil, input: String = ""
    ) throws -> TestProcess.Result {
        try TestProcess.run(program, arguments, options(owner: owner), input: input)
    }
}

/// A client of the bus in the test's own process.
final class BusCaller {
    static let service = "org.freedesktop.secrets"
    static let root = "/org/freedesktop/secrets"
    static let login = root + "/collection/login"

    private let bus: SessionBus
    private let wakeup: Descriptor
    /// Signals that came while an answer was waited for.
    private var signals: [ReceivedMessage] = []
    private var answers: [UInt64: ReceivedMessage] = [:]

    init(_ bus: PrivateBus) throws {
        self.bus = try SessionBus(address: bus.address, description: "test")
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw TestFailure("No pipe can be had.") }
        wakeup = Descriptor(owning: ends[0])
        // The other end stays open for the test: nothing ever comes.
        keptOpen = Descriptor(owning: ends[1])
    }

    private let keptOpen: Descriptor

    /// Sends a call, and doesn't wait.
    func send(
        _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...
    ) throws -> UInt64 {
        try bus.call(Self.service, path, interface, member, arguments)
    }

    /// Waits for an answer.
    func answer(_ cookie: UInt64) throws -> ReceivedMessage {
        let deadline = ContinuousClock.now + Waiting.patience
        while true {
            if let answer = answers.removeValue(forKey: cookie) { return answer }
            try receive(until: deadline)
        }
    }

    /// Calls, and waits for the answer.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...
    ) throws -> ReceivedMessage {
        try answer(try bus.call(Self.service, path, interface, member, arguments))
    }

    /// Calls, and waits for the name of the error.
    func error(
        _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...
    ) throws -> String? {
        let answer = try answer(try bus.call(Self.service, path, interface, member, arguments))
        return answer.isError ? answer.errorName : nil
    }

    /// Waits for a signal.
    func signal(_ interface: String, _ member: String) throws -> ReceivedMessage {
        let deadline = ContinuousClock.now + Waiting.patience
        while true {
            if let index = signals.firstIndex(where: { $0.isSignal(interface, member) }) {
                return signals.remove(at: index)
            }
            try receive(until: deadline)
        }
    }

    /// The members of the signals of the service that have come, up to the answer of one more call.
    func signalsSoFar() throws -> [String] {
        _ = try call(Self.root, "org.freedesktop.DBus.Peer", "Ping")
        let own = signals.filter { $0.interface != SessionBus.driver }
        signals = []
        return own.map { $0.member ?? "" }
    }

    private func receive(until deadline: ContinuousClock.Instant) throws {
        guard let message = try bus.next() else {
            guard ContinuousClock.now < deadline else { throw TestFailure("No answer comes.") }
            try bus.wait(or: wakeup.rawValue, atMost: 1000)
            return
        }
        if let cookie = message.replyCookie {
            answers[cookie] = message
        } else {
            signals.append(message)
        }
    }
}

extension BusCaller {
    static let serviceInterface = "org.freedesktop.Secret.Service"
    static let collectionInterface = "org.freedesktop.Secret.Collection"
    static let itemInterface = "org.freedesktop.Secret.Item"
    static let sessionInterface = "org.freedesktop.Secret.Session"
    static let promptInterface = "org.freedesktop.Secret.Prompt"
    static let properties = "org.freedesktop.DBus.Properties"

    /// Opens a session without encryption.
    func openPlain() throws -> String {
        let answer = try call(
            Self.root, Self.serviceInterface, "OpenSession", .string("plain"),
            .variant(.string("")))
        guard !answer.isError else { throw TestFailure("\(answer.errorName ?? "")") }
        answer.skip()
        return answer.readText("o") ?? ""
    }

    static func secret(_ text: String, _ session: String) -> BusValue {
        let bytes = Array(text.utf8)
        let value = unsafe bytes.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
        return .secret(
            TransferredSecret(
                session: session, sealed: SecretSession.Sealed(parameters: [], value: value),
                contentType: "text/plain"))
    }

    static func attributes(_ pairs: [String: String]) -> SecretAttributes {
        SecretAttributes(
            pairs.map { SecretAttributes.Pair(name: Array($0.utf8), value: Array($1.utf8)) })
    }

    /// Sends the call that stores an item.
    func sendCreate(
        _ attributes: SecretAttributes, _ secret: String, _ session: String, replace: Bool = false,
        collection: String = login
    ) throws -> UInt64 {
        try send(
            collection, Self.collectionInterface, "CreateItem",
            .properties([
                ("org.freedesktop.Secret.Item.Label", .string("A label")),
                ("org.freedesktop.Secret.Item.Attributes", .attributes(attributes)),
            ]), Self.secret(secret, session), .flag(replace))
    }

    /// Stores an item.
    func create(
        _ pairs: [String: String], _ secret: String, _ session: String, replace: Bool = false,
        collection: String = login
    ) throws -> String {
        let answer = try answer(
            try sendCreate(
                Self.attributes(pairs), secret, session, replace: replace, collection: collection))
        guard !answer.isError, let path = answer.readText("o") else {
            throw TestFailure("CreateItem: \(answer.errorName ?? "no path")")
        }
        return path
    }

    /// Searches.
    func search(_ pairs: [String: String]) throws -> (unlocked: [String], locked: [String]) {
        let answer = try call(
            Self.root, Self.serviceInterface, "SearchItems", .attributes(Self.attributes(pairs)))
        guard !answer.isError else { throw TestFailure("\(answer.errorName ?? "")") }
        return (answer.readPaths(), answer.readPaths())
    }

    /// Reads a secret.
    func secret(_ path: String, _ session: String) throws -> String {
        let answer = try call(path, Self.itemInterface, "GetSecret", .path(session))
        guard !answer.isError else { throw TestFailure("\(answer.errorName ?? "")") }
        return answer.readSecret() ?? ""
    }

    /// The paths and the prompt that Unlock answers.
    func unlock(_ paths: [String]) throws -> (paths: [String], prompt: String) {
        let answer = try call(Self.root, Self.serviceInterface, "Unlock", .paths(paths))
        return (answer.readPaths(), answer.readText("o") ?? "")
    }
}

extension ReceivedMessage {
    /// An array of object paths.
    func readPaths() -> [String] {
        enter("a", "o") {
            var paths: [String] = []
            while let path = readText("o") { paths.append(path) }
            return paths
        } ?? []
    }

    /// The value of a secret of a session without encryption.
    func readSecret() -> String? {
        enter("r", "oayays") {
            _ = readText("o")
            _ = readBytes(limit: 16)
            return readBytes(limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
        } ?? nil
    }
}
