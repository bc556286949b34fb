// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSystemdBus
import Glibc
import SecretBytes

/// A message that has come; released with its last owner. For the thread of its bus.
@safe package final class ReceivedMessage {
    let raw: OpaquePointer

    init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe sd_bus_message_unref(raw) }

    // MARK: - Head

    /// Whether it is a call.
    package var isMethodCall: Bool {
        var type: UInt8 = 0
        return unsafe sd_bus_message_get_type(raw, &type) >= 0 && type == 1
    }

    /// Whether it says that a call failed.
    package var isError: Bool { unsafe sd_bus_message_is_method_error(raw, nil) > 0 }
    /// Whether its sender waits for an answer.
    package var expectsReply: Bool { unsafe sd_bus_message_get_expect_reply(raw) > 0 }
    /// The object that it is for, or comes from.
    package var path: String? { unsafe Self.text(sd_bus_message_get_path(raw)) }
    /// The interface.
    package var interface: String? { unsafe Self.text(sd_bus_message_get_interface(raw)) }
    /// The method or the signal.
    package var member: String? { unsafe Self.text(sd_bus_message_get_member(raw)) }
    /// The connection that it comes from.
    package var sender: String? { unsafe Self.text(sd_bus_message_get_sender(raw)) }

    /// The number of the call that this answers; nil of anything else.
    package var replyCookie: UInt64? {
        var cookie: UInt64 = 0
        return unsafe sd_bus_message_get_reply_cookie(raw, &cookie) >= 0 ? cookie : nil
    }

    /// Whether it is this signal.
    package func isSignal(_ interface: String, _ member: String) -> Bool {
        unsafe sd_bus_message_is_signal(raw, interface, member) > 0
    }

    /// Whether its arguments have these types.
    package func hasSignature(_ signature: String) -> Bool {
        unsafe sd_bus_message_has_signature(raw, signature) > 0
    }

    /// Lets the library wipe its copy when it frees the message.
    package func markSensitive() { _ = unsafe sd_bus_message_sensitive(raw) }

    // MARK: - Reading

    /// A string (s), object path (o) or signature (g).
    package func readText(_ type: Character = "s") -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(raw, Self.code(type), &text) > 0 else { return nil }
        return unsafe Self.text(text)
    }

    /// A string's bytes.
    package func readTextBytes() -> [UInt8]? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(raw, Self.code("s"), &text) > 0,
            let text = unsafe text
        else { return nil }
        let count = unsafe strlen(text)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: count))
    }

    /// A number of four bytes (u).
    package func readNumber() -> UInt32? {
        var number: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(raw, Self.code("u"), &number) > 0 else { return nil }
        return number
    }

    /// A truth value (b).
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

    /// Lends the bytes of an array of bytes.
    package func readBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard unsafe sd_bus_message_read_array(raw, Self.code("y"), &bytes, &count) > 0 else {
            return nil
        }
        return unsafe body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The name of the error; nil of anything else.
    package var errorName: String? {
        guard let error = unsafe sd_bus_message_get_error(raw) else { return nil }
        return unsafe Self.text(error.pointee.name)
    }

    /// A number of eight bytes (t).
    package func readLongNumber() -> UInt64? {
        var number: UInt64 = 0
        guard unsafe sd_bus_message_read_basic(raw, Self.code("t"), &number) > 0 else { return nil }
        return number
    }

    /// Copies an array of bytes; nil if there are more than `limit`.
    package func readBytes(limit: Int) -> [UInt8]? {
        unsafe readBytes { $0.count <= limit ? unsafe [UInt8]($0) : nil } ?? nil
    }

    /// The type of what comes next, and what it contains: for a variant, the type of its value.
    package func peek() -> (type: Character, contents: String)? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_peek_type(raw, &type, &contents) > 0 else { return nil }
        let code = Character(Unicode.Scalar(UInt8(bitPattern: type)))
        return (code, unsafe Self.text(contents) ?? "")
    }

    /// Reads the content of an array, a struct or a variant, and leaves out what `body` didn't read.
    /// Returns what `body` returns; nil when the message goes on with something else, or ends.
    package func enter<R, E: Error>(
        _ type: Character, _ contents: String, _ body: () throws(E) -> R
    ) throws(E) -> R? {
        guard unsafe sd_bus_message_enter_container(raw, Self.code(type), contents) > 0 else {
            return nil
        }
        let result = try body()
        while unsafe sd_bus_message_at_end(raw, 0) == 0 {
            guard unsafe sd_bus_message_skip(raw, nil) >= 0 else { return nil }
        }
        guard unsafe sd_bus_message_exit_container(raw) >= 0 else { return nil }
        return result
    }

    /// Leaves out one value.
    package func skip() { _ = unsafe sd_bus_message_skip(raw, nil) }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        unsafe text.map { unsafe String(cString: $0) }
    }

    static func code(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }
}
