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
/// The test, and not the kernel, identifies clients: each connection gets a user and access groups
/// when it is made, so one service keeps the keychains of any number of tests. Its threads run
/// until the process ends; its directory is deleted with it.
package final class InProcessService: Sendable {
    /// The identity of a connection.
    package struct Client: Sendable {
        /// The user; each has a separate keychain and passcode.
        package var userID: UInt32
        /// The application's entitlements.
        package var entitlements: Entitlements
        /// How well the service knows it.
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
    /// The enclave's clock, which runs only when a test advances it.
    package let clock = TestClock(isStopped: true)

    /// Starts a service in a directory.
    /// - Parameters:
    ///   - stateDirectory: The directory, private to this user.
    ///   - name: The socket's, which must not exist.
    ///   - metadataSealLimit: The maximum number of seals of one metadata key; nil for a daemon's
    ///     value.
    ///   - marksNewerKeys: The enclave marks sealed data as sealed by a newer key of the class.
    ///   - claimsHardware: The device key is a file that claims to be a TPM's.
    ///   - wallClock: The time of day; nil for the machine's.
    ///   - scrub: Called after a request; a daemon wipes its stack then.
    /// - Throws: when the socket, the database or a thread can't be made.
    package init(
        stateDirectory: String, name: String = "securityd.sock", metadataSealLimit: Int64? = nil,
        marksNewerKeys: Bool = false, claimsHardware: Bool = false,
        wallClock: TestClock? = nil, scrub: @escaping @Sendable () -> Void = {}
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
            identities: identities, scrub: scrub)
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
                // A daemon would end here; its thread must not continue.
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

    /// Ends the enclave as a boot would: this service can't be used any more, and another one can
    /// be started in its directory.
    package func stopEnclave() {
        for socket in enclaveSockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Why a daemon would have ended; nil as long as it wouldn't.
    package var restartReason: String? { failure.withLock { $0 } }

    /// A connection of a client.
    package func connect(_ client: Client) throws -> KeychainConnection {
        let connection = KeychainConnection(location: ServiceLocation(socketPath: socketPath))
        try connecting.withLock { _ in
            next.withLock { $0 = Self.identity(client) }
            // The first exchange makes the connection, and its reply proves that it was accepted.
            _ = try connection.deviceStatus()
        }
        return connection
    }

    /// Receives a client's changes.
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

    /// The operation of a passcode message.
    package enum PasscodeOperation: UInt8, Sendable {
        /// Set the first one.
        case set = 1
        /// Unlock.
        case unlock = 2
        /// Remove it.
        case remove = 4
        /// Change the settings.
        case configure = 5
    }

    /// Sends a client's passcode like `KeychainConnection`, for any client's user.
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

/// Every client is a program of its user, unless the test set another identity.
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
