// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSystemdBus
import Glibc

/// A call of the bus that failed.
package struct BusError: Error, Sendable, CustomStringConvertible {
    /// What was called.
    package let call: String
    /// The number of the system's error.
    package let number: Int32

    /// The error's name on the bus; nil if it doesn't come from there.
    package let name: String?

    /// An error of a call.
    package init(call: String, number: Int32, name: String? = nil) {
        self.call = call
        self.number = number
        self.name = name
    }

    /// The call and the system's text.
    package var description: String {
        let text = unsafe String(cString: strerror(number))
        return "\(call): \(name ?? text)"
    }
}

/// A message that has come; released with its last owner.
@safe package final class BusMessage {
    private let raw: OpaquePointer

    fileprivate init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe sd_bus_message_unref(raw) }

    /// The object that it comes from.
    package var path: String? { unsafe Self.text(sd_bus_message_get_path(raw)) }
    /// The connection that it comes from.
    package var sender: String? { unsafe Self.text(sd_bus_message_get_sender(raw)) }

    /// Whether it is this signal.
    package func isSignal(_ interface: String, _ member: String) -> Bool {
        unsafe sd_bus_message_is_signal(raw, interface, member) > 0
    }

    // MARK: - Reading

    /// A string or an object path; nil when the message goes on with something else.
    package func readText(_ type: Character = "s") -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(raw, Self.code(type), &text) > 0 else { return nil }
        return unsafe Self.text(text)
    }

    /// A number.
    package func readNumber() -> UInt32? {
        var number: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(raw, Self.code("u"), &number) > 0 else { return nil }
        return number
    }

    /// A truth value.
    package func readFlag() -> Bool? {
        var flag: Int32 = 0
        guard unsafe sd_bus_message_read_basic(raw, Self.code("b"), &flag) > 0 else { return nil }
        return flag != 0
    }

    /// A copy of a descriptor, close-on-exec; -1 when there is none.
    package func readDescriptor() -> Int32 {
        var descriptor: Int32 = -1
        guard unsafe sd_bus_message_read_basic(raw, Self.code("h"), &descriptor) > 0 else {
            return -1
        }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    }

    /// Reads the content of an array, a struct or a variant.
    /// - Returns: What `body` returns; nil when the message goes on with something else, or ends.
    package func enter<R>(_ type: Character, _ contents: String, _ body: () -> R?) -> R? {
        guard unsafe sd_bus_message_enter_container(raw, Self.code(type), contents) > 0 else {
            return nil
        }
        defer { unsafe sd_bus_message_exit_container(raw) }
        return body()
    }

    /// Leaves content out.
    package func skip(_ types: String) { unsafe sd_bus_message_skip(raw, types) }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        unsafe text.map { unsafe String(cString: $0) }
    }

    private static func code(_ type: Character) -> CChar {
        CChar(bitPattern: type.asciiValue ?? 0)
    }
}

/// A connection to the system bus, for one thread.
@safe package final class SystemBus {
    private let raw: OpaquePointer
    private let microseconds: UInt64

    /// Connects.
    /// - Parameters:
    ///   - name: The program's, for those who look at the bus.
    ///   - seconds: How long a call may take.
    /// - Throws: when there is no bus.
    package init(_ name: String, seconds: UInt64 = 2) throws(BusError) {
        var bus: OpaquePointer?
        microseconds = seconds * 1_000_000
        let result = unsafe sd_bus_open_system_with_description(&bus, name)
        guard result >= 0, let bus = unsafe bus else {
            throw BusError(call: "the system bus", number: -result)
        }
        unsafe raw = bus
        unsafe sd_bus_set_method_call_timeout(bus, microseconds)
    }

    deinit { unsafe sd_bus_flush_close_unref(raw) }

    /// Asks for signals.
    package func subscribe(_ rule: String) throws(BusError) {
        let result = unsafe sd_bus_add_match(raw, nil, rule, nil, nil)
        guard result >= 0 else { throw BusError(call: "AddMatch", number: -result) }
    }

    /// Calls a method whose arguments are all strings.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: String...
    ) throws(BusError) -> BusMessage {
        var request: OpaquePointer?
        var result = unsafe sd_bus_message_new_method_call(
            raw, &request, destination, path, interface, member)
        guard result >= 0, let request = unsafe request else {
            throw BusError(call: member, number: -result)
        }
        defer { unsafe sd_bus_message_unref(request) }
        for argument in arguments where result >= 0 {
            result = unsafe argument.withCString {
                unsafe sd_bus_message_append_basic(request, CChar(bitPattern: 0x73), $0)
            }
        }
        var reply: OpaquePointer?
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        if result >= 0 {
            result = unsafe sd_bus_call(raw, request, microseconds, &error, &reply)
        }
        guard result >= 0, let reply = unsafe reply else {
            let name = unsafe error.name.map { unsafe String(cString: $0) }
            throw BusError(call: member, number: -result, name: name)
        }
        return unsafe BusMessage(owning: reply)
    }

    /// The next signal.
    /// - Returns: Nil when there is none now.
    /// - Throws: when the bus is gone.
    package func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = unsafe sd_bus_process(raw, &message)
            guard result >= 0 else { throw BusError(call: "the system bus", number: -result) }
            if let message = unsafe message { return unsafe BusMessage(owning: message) }
            if result == 0 { return nil }
        }
    }

    /// Waits until there may be a signal.
    package func wait(milliseconds: Int32) throws(BusError) {
        let events = unsafe sd_bus_get_events(raw)
        let descriptor = unsafe sd_bus_get_fd(raw)
        guard events >= 0, descriptor >= 0 else {
            throw BusError(call: "the system bus", number: -min(events, descriptor))
        }
        var limit: UInt64 = 0
        var milliseconds = milliseconds
        if unsafe sd_bus_get_timeout(raw, &limit) > 0, limit == 0 { milliseconds = 0 }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = unsafe poll(&entry, 1, milliseconds)
    }
}
