// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSystemdBus
import Glibc

/// A connection to a session bus, for one thread.
@safe package final class SessionBus {
    /// The bus itself.
    package static let driver = "org.freedesktop.DBus"

    private let raw: OpaquePointer

    /// Connects.
    /// - Parameters:
    ///   - address: The bus's. Given, since the library doesn't look into the environment of a program
    ///     with raised privileges.
    ///   - description: For those who look at the bus.
    /// - Throws: when there is no bus.
    package init(address: String, description: String) throws(BusFailure) {
        var bus: OpaquePointer?
        let result = unsafe sd_bus_new(&bus)
        guard result >= 0, let bus = unsafe bus else {
            throw BusFailure("sd_bus_new", result: result)
        }
        unsafe raw = bus
        try Self.check("the bus's address", unsafe sd_bus_set_address(bus, address))
        try Self.check("sd_bus_set_bus_client", unsafe sd_bus_set_bus_client(bus, 1))
        try Self.check("sd_bus_set_description", unsafe sd_bus_set_description(bus, description))
        try Self.check("sd_bus_negotiate_fds", unsafe sd_bus_negotiate_fds(bus, 1))
        try Self.check("the session bus", unsafe sd_bus_start(bus))
    }

    deinit { unsafe sd_bus_flush_close_unref(raw) }

    private static func check(_ call: String, _ result: Int32) throws(BusFailure) {
        guard result >= 0 else { throw BusFailure(call, result: result) }
    }

    /// Becomes the owner of a name.
    /// - Throws: with EEXIST when another process owns it.
    package func requestName(_ name: String) throws(BusFailure) {
        try Self.check(name, unsafe sd_bus_request_name(raw, name, 0))
    }

    /// Asks for signals.
    package func subscribe(_ rule: String) throws(BusFailure) {
        try Self.check("AddMatch", unsafe sd_bus_add_match(raw, nil, rule, nil, nil))
    }

    /// The next message that the library doesn't answer itself.
    /// - Returns: Nil when there is none now.
    /// - Throws: when the bus is gone.
    package func next() throws(BusFailure) -> ReceivedMessage? {
        while true {
            var message: OpaquePointer?
            let result = unsafe sd_bus_process(raw, &message)
            try Self.check("the session bus", result)
            if let message = unsafe message { return unsafe ReceivedMessage(owning: message) }
            if result == 0 { return nil }
        }
    }

    /// Waits until there may be a message, or something to read from another descriptor, at most for
    /// some milliseconds: -1 for any time. A descriptor of -1 is none. Returns whether there is something to read from that.
    @discardableResult
    package func wait(or other: Int32, atMost longest: Int32 = -1) throws(BusFailure) -> Bool {
        let events = unsafe sd_bus_get_events(raw)
        let descriptor = unsafe sd_bus_get_fd(raw)
        try Self.check("the session bus", min(events, descriptor))
        var limit: UInt64 = 0
        let result = unsafe sd_bus_get_timeout(raw, &limit)
        var milliseconds = longest
        // The time is the monotonic clock's, in microseconds.
        if result > 0, limit != .max {
            var now = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
            let current = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
            let rest = limit <= current ? 0 : Int32(clamping: (limit - current) / 1000 + 1)
            milliseconds = longest < 0 ? rest : min(rest, longest)
        }
        var entries = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&entries, 2, milliseconds)
        return entries[1].revents != 0
    }

    // MARK: - Sending

    /// Sends a call, and doesn't wait. Returns the number that its answer has.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: [BusValue]
    ) throws(BusFailure) -> UInt64 {
        var message: OpaquePointer?
        let result = unsafe sd_bus_message_new_method_call(
            raw, &message, destination, path, interface, member)
        guard result >= 0, let message = unsafe message else {
            throw BusFailure(member, result: result)
        }
        defer { unsafe sd_bus_message_unref(message) }
        for argument in arguments {
            guard unsafe argument.append(to: message) else {
                throw BusFailure(member, result: -EMSGSIZE)
            }
        }
        var cookie: UInt64 = 0
        try Self.check(member, unsafe sd_bus_send(raw, message, &cookie))
        return cookie
    }

    /// Answers a call.
    /// - Returns: False when the library refuses the answer, which is then too large.
    func reply(to call: ReceivedMessage, _ values: [BusValue]) -> Bool {
        var message: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(call.raw, &message) >= 0,
            let message = unsafe message
        else { return false }
        defer { unsafe sd_bus_message_unref(message) }
        return unsafe send(message, values, to: nil)
    }

    /// Answers a call with an error.
    func reply(to call: ReceivedMessage, _ error: BusError) {
        var details = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&details) }
        _ = unsafe sd_bus_error_set(&details, error.name, error.text)
        var message: OpaquePointer?
        guard unsafe sd_bus_message_new_method_error(call.raw, &message, &details) >= 0,
            let message = unsafe message
        else { return }
        defer { unsafe sd_bus_message_unref(message) }
        _ = unsafe sd_bus_send(raw, message, nil)
    }

    /// Sends a signal to one client.
    func signal(_ signal: BusSignal, to client: String) {
        var message: OpaquePointer?
        guard
            unsafe sd_bus_message_new_signal(
                raw, &message, signal.path, signal.interface, signal.member) >= 0,
            let message = unsafe message
        else { return }
        defer { unsafe sd_bus_message_unref(message) }
        _ = unsafe send(message, signal.values, to: client)
    }

    private func send(_ message: OpaquePointer, _ values: [BusValue], to client: String?) -> Bool {
        for value in values {
            if value.hasSecret { _ = unsafe sd_bus_message_sensitive(message) }
            guard unsafe value.append(to: message) else { return false }
        }
        if let client, unsafe sd_bus_message_set_destination(message, client) < 0 { return false }
        return unsafe sd_bus_send(raw, message, nil) >= 0
    }

    /// How many messages wait until the bus takes them.
    var queuedCount: UInt64 {
        var count: UInt64 = 0
        return unsafe sd_bus_get_n_queued_write(raw, &count) >= 0 ? count : 0
    }

    /// Sends what waits.
    package func flush() { _ = unsafe sd_bus_flush(raw) }
}

/// A signal.
struct BusSignal: Sendable {
    var path: String
    var interface: String
    var member: String
    var values: [BusValue]
}
