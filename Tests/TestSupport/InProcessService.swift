// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
package import CodeIdentity
import Foundation
import IPC
import ItemStore
package import Keychain
import Logging
package import SecurityDaemon
package import SecurityWire
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
    private let nextFacts = Mutex<ProcessFacts?>(nil)
    /// One connection is made at a time, with the identity that was planted for it.
    private let connecting = NSLock()
    /// Where fronts come in. The policy file is `secret-service.conf` in the state directory.
    package let fronts: FrontDoor
    private let frontFile: ProcessFacts.ProgramFile
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
        let program = stateDirectory + "/" + FrontName.secretService.program
        try Data().write(to: URL(fileURLWithPath: program))
        var status = stat()
        guard unsafe lstat(program, &status) == 0 else { throw TestFailure("No \(program)") }
        frontFile = ProcessFacts.ProgramFile(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        fronts = FrontDoor(
            directory: stateDirectory, policyPath: stateDirectory + "/secret-service.conf",
            isOfMachine: false, report: { _ in })
        var listening = ListeningConfiguration(
            listener: listener.rawValue, connectionLimit: 4096, onlyUser: nil,
            identities: identities, scrub: scrub)
        listening.connectionsPerProcess = 4096
        listening.fronts = fronts
        identities.next.withLock { next in
            next = { [weak self] in self?.next.withLock { $0.take() } }
        }
        identities.nextFacts.withLock { next in
            next = { [weak self] in self?.nextFacts.withLock { $0.take() } }
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

    private func whileConnecting<R: ~Copyable>(_ body: () throws -> R) rethrows -> R {
        connecting.lock()
        defer { connecting.unlock() }
        return try body()
    }

    /// A connection of a client.
    package func connect(_ client: Client) throws -> KeychainConnection {
        let connection = KeychainConnection(location: ServiceLocation(socketPath: socketPath))
        try whileConnecting {
            next.withLock { $0 = Self.identity(client) }
            // The first exchange makes the connection, and its reply proves that it was accepted.
            _ = try connection.deviceStatus()
        }
        return connection
    }

    /// Receives a client's changes.
    package func watch(_ client: Client) throws -> KeychainWatch {
        try whileConnecting {
            next.withLock { $0 = Self.identity(client) }
            return try KeychainWatch(
                location: ServiceLocation(socketPath: socketPath), deadline: Waiting.patience)
        }
    }

    /// A connection of a client to which any bytes can be written. One exchange has been made.
    package func connectRaw(_ client: Client) throws -> RawConnection {
        try whileConnecting {
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

    // MARK: - Fronts

    /// What an inspection would find of a program of a user that is nobody.
    package static func facts(userID: UInt32) -> ProcessFacts {
        var facts = ProcessFacts(.unsigned(userID, .sharedProgram))
        facts.isOfUser = true
        return facts
    }

    /// The control connection of a user's front.
    package func front(userID: UInt32) throws -> TestFront {
        try whileConnecting {
            let identity = ClientIdentity.unsigned(userID, .notRootsPath)
            next.withLock { $0 = identity }
            let front = try TestFront(socketPath) { [weak self] step in
                guard let self else { return }
                switch step {
                case .proof: next.withLock { $0 = identity }
                case .front:
                    var facts = Self.facts(userID: userID)
                    facts.program = frontFile
                    nextFacts.withLock { $0 = facts }
                case .process: break
                }
            }
            guard case .done? = try front.admit().reply else {
                throw TestFailure("The front wasn't admitted.")
            }
            return front
        }
    }

    /// A channel for a process of which an inspection finds these facts. It is this process, in fact.
    package func channel(
        _ front: TestFront, _ facts: ProcessFacts
    ) throws -> (representation: Representation, channel: TestChannel) {
        let pidfd = llavero_pidfd_open(getpid())
        guard pidfd >= 0 else { throw TestFailure("There is no pidfd.") }
        let descriptor = Descriptor(owning: pidfd)
        return try whileConnecting {
            nextFacts.withLock { $0 = facts }
            let (answer, channel) = try front.represent(pidfd: descriptor.rawValue)
            guard case .represented(let representation)? = answer.reply, let channel else {
                throw TestFailure("There is no channel: \(answer)")
            }
            return (representation, channel)
        }
    }

    /// A channel for the program at a path, if that is root's.
    package func channel(
        _ front: TestFront, path: String?, userID: UInt32
    ) throws -> TestChannel {
        var facts = Self.facts(userID: userID)
        facts.rootsPath = path
        return try channel(front, facts).channel
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
    let nextFacts = Mutex<(@Sendable () -> ProcessFacts?)?>(nil)

    func identify(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        answer: @escaping @Sendable (EstablishedPeer?) -> Void
    ) {
        if stage == .bus {
            let facts = nextFacts.withLock { $0 }?()
            return answer(facts.map { EstablishedPeer($0, nil) })
        }
        let planted = next.withLock { $0 }?()
        answer(EstablishedPeer(planted ?? .unsigned(process.userID, .notInspectable)))
    }
}
