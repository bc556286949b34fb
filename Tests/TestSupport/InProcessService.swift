// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
import Foundation
import IPC
import ItemStore
package import Keychain
import Logging
import SecurityDaemon
import SecurityWire
import Synchronization

/// securityd's pipeline and the enclave's core as threads of the test process.
///
/// Clients are told apart by what the test says they are, not by what they are: each connection
/// gets the user and the access groups that it was made with, so one service keeps the keychains
/// of any number of tests. Its threads live until the process ends; its directory goes with it.
package final class InProcessService: Sendable {
    /// Who a connection is.
    package struct Client: Sendable {
        /// The user; each has a keychain and a passcode of its own.
        package var userID: UInt32
        /// The application's entitlements.
        package var entitlements: Entitlements
        /// How well it is known.
        package var grade = IdentityGrade.signed

        /// A client with certain entitlements.
        package init(userID: UInt32, entitlements: Entitlements) {
            self.userID = userID
            self.entitlements = entitlements
        }
    }

    /// Where it listens.
    package let socketPath: String
    /// The directory of its database; the enclave's state is in `enclave` below it.
    package let stateDirectory: String
    private let next = Mutex<ClientIdentity?>(nil)
    private let connecting = Mutex<Void>(())
    private let failure = Mutex<String?>(nil)
    private let listener: Descriptor
    private let enclaveSockets: [Int32]
    /// The enclave's clock, which goes on only when it is put forward.
    package let clock = TestClock(isStopped: true)

    /// Starts a service in a directory.
    /// - Parameters:
    ///   - stateDirectory: The directory, private to this user.
    ///   - name: The socket's, which must not exist.
    ///   - metadataSealLimit: How many seals one metadata key makes; nil for as many as in a daemon.
    ///   - marksNewerKeys: The enclave marks what it seals as sealed by a newer key of the class.
    ///   - claimsHardware: The device key is a file that says it is a TPM's.
    ///   - wallClock: The time of day; nil for the machine's.
    /// - Throws: when the socket, the database or a thread can't be had.
    package init(
        stateDirectory: String, name: String = "securityd.sock", metadataSealLimit: Int64? = nil,
        marksNewerKeys: Bool = false, claimsHardware: Bool = false,
        wallClock: TestClock? = nil
    ) throws {
        self.stateDirectory = stateDirectory
        socketPath = stateDirectory + "/" + name
        listener = try UnixSocket.listen(at: socketPath, backlog: 128)
        enclaveSockets = try InProcessEnclave.start(
            stateDirectory: stateDirectory, connectionCount: Service.enclaveConnectionCount,
            clock: clock, marksNewerKeys: marksNewerKeys, claimsHardware: claimsHardware)
        let identities = PlantedIdentities()
        var listening = ListeningConfiguration(
            listener: listener.rawValue, connectionLimit: 4096, onlyUser: nil,
            identities: identities, scrub: {})
        listening.connectionsPerProcess = 4096
        identities.next.withLock { next in
            next = { [weak self] in self?.next.withLock { $0.take() } }
        }
        var parts = Service.Parts(
            listening: listening,
            store: try ItemStore(stateDirectory: stateDirectory, timestamp: "test"),
            enclaveSockets: enclaveSockets,
            log: Logger(label: "securityd") { _ in SwiftLogNoOpLogHandler() },
            restart: { [weak self] reason in
                self?.failure.withLock { $0 = reason }
                // A daemon would end here; its thread must not go on.
                while true { sleep(1000) }
            })
        if let wallClock {
            parts.now = {
                Date(timeIntervalSince1970: Double(wallClock.milliseconds) / 1000)
            }
        }
        if let metadataSealLimit { parts.metadataSealLimit = metadataSealLimit }
        try Service.start(parts)
    }

    deinit { unsafe unlink(socketPath) }

    /// Ends the enclave as a boot would: from then on this service is of no use, and another one
    /// can be started in its directory.
    package func stopEnclave() {
        for socket in enclaveSockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Why a daemon would have ended itself; nil while all is well.
    package var restartReason: String? { failure.withLock { $0 } }

    /// A connection of a client.
    package func connect(_ client: Client) throws -> KeychainConnection {
        let connection = KeychainConnection(location: ServiceLocation(socketPath: socketPath))
        try connecting.withLock { _ in
            next.withLock { $0 = Self.identity(client) }
            // The first exchange makes the connection, and by its reply it has been accepted.
            _ = try connection.deviceStatus()
        }
        return connection
    }

    /// What a client hears of changes.
    package func watch(_ client: Client) throws -> KeychainWatch {
        try connecting.withLock { _ in
            next.withLock { $0 = Self.identity(client) }
            return try KeychainWatch(
                location: ServiceLocation(socketPath: socketPath), deadline: Waiting.patience)
        }
    }

    /// A connection of a client to which any bytes can be written. One exchange has been made.
    package func connectRaw(_ client: Client) throws -> RawConnection {
        try connecting.withLock { _ in
            next.withLock { $0 = Self.identity(client) }
            let connection = try RawConnection(socketPath)
            _ = connection.exchange(try ClientRequest.deviceStatus.frameBytes())
            return connection
        }
    }

    private static func identity(_ client: Client) -> ClientIdentity {
        ClientIdentity(
            userID: client.userID, grade: client.grade, entitlements: client.entitlements)
    }

    // MARK: - Passcodes

    /// What to do with a passcode.
    package enum PasscodeOperation: UInt8, Sendable {
        /// Set the first one.
        case set = 1
        /// Unlock.
        case unlock = 2
        /// Have none any more.
        case remove = 4
        /// Change the settings.
        case configure = 5
    }

    /// Sends a client's passcode as `KeychainConnection` does, for whichever user the client is.
    package func passcode(
        _ operation: PasscodeOperation, _ passcode: String,
        settings: PasscodeLetter.Settings? = nil, _ client: Client
    ) throws {
        let connection = try connectRaw(client)
        guard
            case .challenge(let nonce)? = connection.exchange(
                try ClientRequest.challenge.frameBytes(sequence: 2)
            ).reply
        else { throw TestFailure("The service gave no nonce.") }
        let letter = try PasscodeLetter.seal(
            operation.rawValue, passcode, settings, nonce: nonce, userID: client.userID,
            stateDirectory: stateDirectory)
        let request = ClientRequest.passcode(operation: operation.rawValue, sealed: letter)
        let reply = connection.exchange(try request.frameBytes(sequence: 3)).reply
        guard case .done? = reply else {
            throw TestFailure("The passcode wasn't taken: \(String(describing: reply))")
        }
    }
}

/// Everybody is a program of its user, unless another identity was planted.
private final class PlantedIdentities: PeerIdentifying {
    let next = Mutex<(@Sendable () -> ClientIdentity?)?>(nil)

    func identify(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        answer: @escaping @Sendable (EstablishedPeer?) -> Void
    ) {
        let planted = next.withLock { $0 }?()
        answer(EstablishedPeer(planted ?? .unsigned(process.userID, .notInspectable)))
    }
}
