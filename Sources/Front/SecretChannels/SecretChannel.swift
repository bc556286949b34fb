// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecretBytes
import SecretService
import SecurityWire
import Synchronization

/// A channel of a client, or of the front's records: finds and writes, within their deadlines.
///
/// A write whose reply was lost is sent once more on a new channel, as a repeated one: securityd knows
/// whether it has been carried out. Nothing is stored twice, and nothing that was acknowledged is lost.
final class SecretChannel: Sendable {
    static let readDeadline = Duration.seconds(5)
    /// Clients of the bus give up after 25 s.
    static let writeDeadline = Duration.seconds(20)

    private let control: ControlConnection
    /// The process; nil for the records.
    private let process: Descriptor?
    let who: Representation
    private let current: Mutex<WireConnection>
    private let deadline: Duration?

    /// Asks for a channel.
    /// - Throws: what securityd says.
    init(
        _ control: ControlConnection, _ process: consuming Descriptor?, deadline: Duration?
    ) throws(SecretStoreError) {
        self.control = control
        let process = consume process
        let number: Int32? =
            switch process {
            case .some(let process): process.rawValue
            case .none: nil
            }
        let (connection, who) = try control.represent(number)
        self.process = consume process
        self.who = who
        self.deadline = deadline
        current = Mutex(connection)
    }

    private var rawProcess: Int32? {
        switch process {
        case .some(let process): process.rawValue
        case .none: nil
        }
    }

    /// A further channel for the same process, for a question that takes long.
    func another() throws(SecretStoreError) -> WireConnection {
        let (connection, who) = try control.represent(rawProcess)
        guard who.owner == self.who.owner else { throw .callerGone }
        return connection
    }

    func close() { current.withLock { $0 }.interrupt() }

    // MARK: - Calls

    /// Finds items: all pages.
    func find(_ query: SecretQuery) throws(SecretStoreError) -> [SecretRow] {
        var rows: [SecretRow] = []
        var cursor: UInt64 = 0
        repeat {
            let reply = try read(.find(query, cursor: cursor))
            guard case .found(let page, let next) = reply else { throw .unreachable }
            rows += page
            cursor = next
        } while cursor != 0
        return rows
    }

    func read(_ call: SecretCall) throws(SecretStoreError) -> SecretReply {
        let connection = current.withLock { $0 }
        do throws(Problem) {
            return try Self.exchange(call, connection, deadline ?? Self.readDeadline)
        } catch {
            switch error {
            case .refused(let reason): throw reason
            case .fault(.tooLarge): throw .limit
            // The end of a channel may mean another program: the caller is looked at anew.
            case .fault(.cutOff): throw .callerGone
            case .fault(.noReply): throw .unreachable
            }
        }
    }

    /// Carries out a write; `call` makes the call for an identity.
    func write(
        _ call: (WriteIdentity) -> SecretCall
    ) throws(SecretStoreError) -> SecretReply {
        var generator = SystemRandomNumberGenerator()
        let id = (0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        let connection = current.withLock { $0 }
        // Nothing was sent on it.
        guard !connection.isBroken else { throw .callerGone }
        let deadline = deadline ?? Self.writeDeadline
        do throws(Problem) {
            let first = call(WriteIdentity(requestID: id, isRepeated: false))
            return try Self.exchange(first, connection, deadline)
        } catch {
            switch error {
            case .refused(let reason): throw reason
            case .fault(.tooLarge): throw .limit
            case .fault(.noReply): throw .unreachable
            case .fault(.cutOff): break
            }
        }
        let fresh = try again()
        do throws(Problem) {
            let second = call(WriteIdentity(requestID: id, isRepeated: true))
            return try Self.exchange(second, fresh, deadline)
        } catch {
            guard case .refused(let reason) = error else { throw .unreachable }
            throw reason
        }
    }

    /// A new channel for the same owner, in place of one that has ended under a write.
    private func again() throws(SecretStoreError) -> WireConnection {
        let fresh: WireConnection
        do throws(SecretStoreError) { fresh = try another() } catch { throw .unreachable }
        current.withLock { $0 = fresh }
        return fresh
    }

    /// Why there is no reply, or none that says yes.
    private enum Problem: Error {
        case refused(SecretStoreError)
        case fault(WireConnection.Fault)
    }

    private static func exchange(
        _ call: SecretCall, _ connection: WireConnection, _ deadline: Duration
    ) throws(Problem) -> SecretReply {
        let reply: ReceivedReply
        do throws(WireConnection.Fault) {
            reply = try connection.exchange(.secrets(call), within: deadline)
        } catch { throw .fault(error) }
        switch reply {
        case .secrets(let reply): return reply
        case .failed(let failure): throw .refused(SecretStoreError(failure))
        default: throw .fault(.noReply)
        }
    }
}
