// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Asks the bus which processes its clients are. For the bus's thread.
///
/// A newer bus gives a pidfd that it took when the client connected. For an older one the process is
/// opened by its number. The bus is then asked once more: if the client is still connected, its process
/// hadn't ended, and the number was its own.
struct CallerTable {
    /// What an answer of the bus says.
    enum Result: ~Copyable {
        /// Nothing that ends a question.
        case nothing
        /// Which process a client is.
        case identified(String, Descriptor)
        /// That a client can't be told.
        case unknown(String)
    }

    /// A process that was opened by its number.
    private final class Opened {
        let process: UInt32
        private var pidfd: Descriptor?

        init(_ process: UInt32, _ pidfd: consuming Descriptor) {
            self.process = process
            self.pidfd = consume pidfd
        }

        func take() -> Descriptor? { pidfd.take() }
    }

    private let bus: SessionBus
    /// The client of each question, by the number of its answer.
    private var names: [UInt64: String] = [:]
    private var opened: [String: Opened] = [:]

    init(_ bus: SessionBus) { self.bus = bus }

    /// Asks who a client is.
    /// - Returns: False when the bus can't be asked.
    mutating func ask(_ name: String) -> Bool {
        do throws(BusFailure) {
            let cookie = try bus.call(
                SessionBus.driver, "/org/freedesktop/DBus", SessionBus.driver,
                "GetConnectionCredentials", [.string(name)])
            names[cookie] = name
            return true
        } catch { return false }
    }

    /// A client has left.
    mutating func remove(_ name: String) { opened[name] = nil }

    /// Takes an answer of the bus.
    mutating func take(_ cookie: UInt64, _ message: ReceivedMessage) -> Result {
        guard let name = names.removeValue(forKey: cookie) else { return .nothing }
        guard !message.isError else { return .unknown(name) }
        let (process, descriptor) = Self.credentials(message)
        if descriptor >= 0 { return .identified(name, Descriptor(owning: descriptor)) }
        guard process > 0 else { return .unknown(name) }
        if let before = opened.removeValue(forKey: name) {
            guard before.process == process, let pidfd = before.take() else {
                return .unknown(name)
            }
            return .identified(name, pidfd)
        }
        let number = llavero_pidfd_open(Int32(bitPattern: process))
        guard number >= 0 else { return .unknown(name) }
        opened[name] = Opened(process, Descriptor(owning: number))
        if ask(name) { return .nothing }
        opened[name] = nil
        return .unknown(name)
    }

    /// The process's number, 0 if it isn't there; and a copy of its pidfd, -1 if it isn't there.
    private static func credentials(_ message: ReceivedMessage) -> (UInt32, Int32) {
        var process: UInt32 = 0
        var descriptor: Int32 = -1
        _ = message.enter("a", "{sv}") {
            while true {
                let entry: Void? = message.enter("e", "sv") {
                    switch message.readText() {
                    case "ProcessID":
                        process = message.enter("v", "u") { message.readNumber() ?? 0 } ?? 0
                    case "ProcessFD":
                        if descriptor < 0 {
                            descriptor =
                                message.enter("v", "h") { message.readDescriptor() } ?? -1
                        }
                    default: break
                    }
                }
                if entry == nil { return }
            }
        }
        return (process, descriptor)
    }
}
