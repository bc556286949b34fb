// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain
import SecretService
import SecurityWire
import Synchronization

/// The connection on which this process says that it is the front `secret-service`, and gets channels.
/// It is made when it is needed, and again when it has ended.
final class ControlConnection: Sendable {
    static let deadline = Duration.seconds(5)

    private let locate: @Sendable () -> ServiceLocation
    private let whileInspected: @Sendable (Bool) -> Void
    private let current = Mutex<WireConnection?>(nil)

    init(
        _ locate: @escaping @Sendable () -> ServiceLocation,
        _ whileInspected: @escaping @Sendable (Bool) -> Void
    ) {
        self.locate = locate
        self.whileInspected = whileInspected
    }

    /// A channel for a process, or without one for the front's own records.
    func represent(
        _ pidfd: Int32?
    ) throws(SecretStoreError) -> (channel: WireConnection, who: Representation) {
        let result = try current.withLock { (current) throws(SecretStoreError) in
            if let old = current, !old.isBroken {
                // One that has waited may have ended long ago: securityd was restarted. Where it hangs,
                // a second try would let the others wait twice as long.
                if let result = try Self.represent(pidfd, old) { return result }
            }
            let fresh = try admitted()
            current = fresh
            guard let result = try Self.represent(pidfd, fresh) else { throw .unreachable }
            return result
        }
        return try result.get()
    }

    /// Asks for a channel.
    /// - Returns: What securityd says; nil when it has ended the connection.
    /// - Throws: ``SecretStoreError/unreachable`` when it doesn't answer in time.
    private static func represent(
        _ pidfd: Int32?, _ connection: WireConnection
    ) throws(SecretStoreError) -> Result<
        (channel: WireConnection, who: Representation), SecretStoreError
    >? {
        let (reply, attached): (ReceivedReply, Int32)
        do throws(WireConnection.Fault) {
            (reply, attached) = try connection.exchange(
                .represent(pidfd == nil ? .records : .process), attaching: pidfd,
                within: deadline)
        } catch {
            guard error == .cutOff else { throw .unreachable }
            return nil
        }
        let channel = attached >= 0 ? WireConnection(owning: Descriptor(owning: attached)) : nil
        switch (reply, channel) {
        case (.represented(let who), .some(let channel)): return .success((channel, who))
        case (.failed(let failure), nil): return .failure(SecretStoreError(failure))
        default: return nil
        }
    }

    /// Connects, proves that this program is at this end, and says which front it is.
    private func admitted() throws(SecretStoreError) -> WireConnection {
        guard let path = locate().socketPath, let connection = WireConnection.connect(to: path)
        else { throw .unreachable }
        // securityd of the system, which another user runs, may look without that.
        let mustBeInspectable = connection.peerUser == getuid()
        if mustBeInspectable { whileInspected(true) }
        defer { if mustBeInspectable { whileInspected(false) } }
        let reply: ReceivedReply
        do throws(WireConnection.Fault) { reply = try Self.admit(connection) } catch {
            throw .unreachable
        }
        switch reply {
        case .done: return connection
        case .failed(let failure): throw SecretStoreError(failure)
        default: throw .unreachable
        }
    }

    private static func admit(
        _ connection: WireConnection
    ) throws(WireConnection.Fault) -> ReceivedReply {
        let reply = try connection.exchange(.front(.secretService), within: deadline)
        guard case .prove(let nonce) = reply else { return reply }
        try prove(nonce, connection)
        return try connection.exchange(.front(.secretService), within: deadline)
    }

    private static func prove(
        _ nonce: [UInt8], _ connection: WireConnection
    ) throws(WireConnection.Fault) {
        let file = llavero_empty_sealed_memory()
        guard nonce.count == 32, file >= 0 else { throw .noReply }
        let attached = Descriptor(owning: file)
        let (reply, _) = try connection.exchange(
            .prove(nonce), attaching: attached.rawValue, within: deadline)
        guard case .prove([]) = reply else { throw .noReply }
    }
}

extension SecretStoreError {
    /// What a failure of securityd is to the Secret Service.
    init(_ failure: Failure) {
        let diskFull: Int32 = -34
        let inputOutput: Int32 = -36
        self =
            switch failure.reason {
            case .absent: .absent
            case .locked, .secretsLocked, .personNeeded, .personCanceled, .secretWithheld: .locked
            case .foreignSecret: .foreign
            case .unreachable, .busy, .rolledBack, .deviceKeyUnavailable, .unknownOutcome:
                .unreachable
            case .keyGone: .keyGone
            case .denied, .notAFront, .accessRefused: .denied
            case .tooLarge, .shareUsed, .tooManyChannels: .limit
            case .notRepresented: .callerGone
            default:
                failure.status == diskFull || failure.status == inputOutput
                    ? .inputOutput : .failed
            }
    }
}
