// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// A call of the bus library that failed.
package struct BusFailure: Error, Sendable, CustomStringConvertible {
    /// What was called.
    package let call: String
    /// The number of the system's error.
    package let number: Int32

    /// The failure of a call: `result` is the library's, below 0.
    init(_ call: String, result: Int32) {
        self.call = call
        number = -result
    }

    /// The call and the system's text.
    package var description: String {
        "\(call): \(unsafe String(cString: strerror(number)))"
    }
}

/// An error as the bus carries it.
struct BusError: Error, Hashable, Sendable {
    let name: String
    let text: String

    private static let common = "org.freedesktop.DBus.Error."
    private static let own = "org.freedesktop.Secret.Error."

    static func invalidArguments(_ text: String) -> BusError {
        BusError(name: common + "InvalidArgs", text: text)
    }

    static func limit(_ text: String) -> BusError {
        BusError(name: common + "LimitsExceeded", text: text)
    }

    static func notSupported(_ text: String) -> BusError {
        BusError(name: common + "NotSupported", text: text)
    }

    static func denied(_ text: String) -> BusError {
        BusError(name: common + "AccessDenied", text: text)
    }

    static func noObject(_ path: String) -> BusError {
        BusError(name: common + "UnknownMethod", text: "Object does not exist at path \(path)")
    }

    static func unknownMethod(_ member: String) -> BusError {
        BusError(name: common + "UnknownMethod", text: "There is no method \(member) here")
    }

    static func failed(_ text: String) -> BusError {
        BusError(name: common + "Failed", text: text)
    }

    static let isLocked = BusError(
        name: own + "IsLocked", text: "The item or collection is locked")
    static let noSession = BusError(name: own + "NoSession", text: "The session does not exist")
    static let noSuchObject = BusError(
        name: own + "NoSuchObject", text: "The collection does not exist")
    static let alreadyPrompted = BusError(
        name: own + "AlreadyExists", text: "This prompt has been shown already")
    static let noReply = BusError(
        name: common + "NoReply", text: "The keychain's service can't be reached")
    static let inputOutput = BusError(
        name: common + "IOError", text: "The keychain can't be read or written: is the disk full?")

    /// What a client that called an object is told of a failure of the store.
    init(_ error: SecretStoreError, path: String) {
        self =
            switch error {
            case .absent: .noObject(path)
            case .locked, .foreign: .isLocked
            case .unreachable: .noReply
            case .keyGone:
                .failed("The key of this item is gone, and its secret can't be read any more")
            case .limit: .limit("A limit of the keychain is reached")
            case .inputOutput: .inputOutput
            case .denied: .denied("The keychain refuses this to the calling program")
            case .callerGone: .denied("The calling process can't be identified")
            case .failed: .failed("The keychain has failed; its log says why")
            }
    }

    init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}
