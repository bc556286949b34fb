// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import SecurityDaemon
import SecurityWire
import Testing

/// The table of requests: who may make each kind, and in which state.
@Suite struct RequestTableTests {
    /// Programs that differ in what they may.
    private enum Program: CaseIterable {
        /// A signed application with two groups of its own and the group of tokens.
        case application
        /// A program without a signature.
        case unsigned
        /// An app clip with its own group alone.
        case clip
        /// An app clip with another group, too.
        case clipWithGroups
        /// A program that shall have no keychain.
        case cutOff
        /// An application without any group.
        case groupless

        var identity: ClientIdentity {
            switch self {
            case .application:
                signed([
                    "keychain-access-groups": .list([
                        .text(RequestTableTests.one), .text(RequestTableTests.two),
                        .text(AccessGroups.token),
                    ])
                ])
            case .unsigned: .unsigned(1000, .notRootsPath)
            case .clip:
                signed(["application-identifier": .text(RequestTableTests.one), clip: .flag(true)])
            case .clipWithGroups:
                signed([
                    "application-identifier": .text(RequestTableTests.one), clip: .flag(true),
                    "keychain-access-groups": .list([.text(RequestTableTests.two)]),
                ])
            case .cutOff:
                signed([
                    "application-identifier": .text(RequestTableTests.one),
                    "com.apple.private.keychain.deny": .flag(true),
                ])
            case .groupless: signed([:])
            }
        }

        private var clip: String { "com.apple.developer.on-demand-install-capable" }

        private func signed(_ entitlements: [String: Entitlements.Value]) -> ClientIdentity {
            ClientIdentity(userID: 1000, grade: .signed, entitlements: Entitlements(entitlements))
        }
    }

    private static let one = "ABCDE12345.one"
    private static let two = "ABCDE12345.two"
    private static let foreign = "ZYXWV98765.other"
    private static let write = WriteIdentity(requestID: Array(1...16), isRepeated: false)

    private static func client(_ program: Program) -> Client {
        Client(
            program.identity,
            AuditCaller(program.identity, processID: 1, application: "program"),
            Requester(userID: 1000, process: 1))
    }

    /// - Returns: Why a request is refused; nil when it isn't.
    private static func refusal(
        _ request: ClientRequest, of client: Client, _ administration: Administration = .user,
        passcodeSet: Bool = false, tier: StorageTier = .software
    ) -> DaemonError? {
        do throws(DaemonError) {
            _ = try authorize(request, by: request.rule, for: client, administration) {
                () throws(DaemonError) in DeviceFacts(isPasscodeSet: passcodeSet, tier: tier)
            }
            return nil
        } catch { return error }
    }

    // MARK: - Who

    /// A request of each kind that names no group unless it must; nil for kinds of replies. A new
    /// kind doesn't compile without a sample.
    private static func sample(_ kind: FrameKind) -> ClientRequest? {
        let query = ItemQuery(.genericPassword)
        switch kind {
        case .find: return .find(query, cursor: 0)
        case .add: return .add(NewItem(.genericPassword), write)
        case .update: return .update(query, ItemChanges(), write)
        case .delete: return .delete(query, write)
        case .deviceStatus: return .deviceStatus
        case .challenge: return .challenge
        case .passcode:
            return .passcode(operation: PasscodeOperation.unlock.rawValue, sealed: [])
        case .lock: return .lock(.now, waits: false)
        case .watch: return .watch
        case .auditPage: return .auditPage(AuditQuery())
        case .assertion: return .assertion(seconds: 1)
        case .check: return .check(cursor: [])
        case .recover: return .recover(cursor: [])
        case .key: return .key(KeyRequest(.make(.whenUnlocked), accessGroup: nil))
        case .prove: return .prove([UInt8](repeating: 0, count: 32))
        case .identity: return .identity
        case .entitlements: return .entitlements(["application-identifier"])
        case .move:
            return .move(ItemMove(from: one, to: two, itemClasses: [.genericPassword]), write)
        case .openGroup: return .openGroup(foreign, sealed: [])
        case .lease:
            return .lease(
                .take(name: [1], accessGroup: nil, milliseconds: 1, waitMilliseconds: 0))
        case .revoke: return .revoke(requestID: write.requestID)
        case .protectors: return .protectors(.list(userID: nil))
        case .access: return .access(.drop(context: [UInt8](repeating: 0, count: 32)))
        case .trust: return .trust([])
        case .adoption: return .adoption(.export(cursor: []))
        case .transcode: return .transcode(Secret(SecretBytes(byteCount: 1)))
        case .keychains: return .keychains(.lock(nil))
        case .backup: return .backup(.status)
        case .front: return .front(.secretService)
        case .represent: return .represent(.records)
        case .secrets: return .secrets(.lockState(.ask))
        case .busOwner: return .busOwner
        case .findReply, .addReply, .updateReply, .deleteReply, .deviceStatusReply,
            .challengeReply, .passcodeReply, .lockReply, .changeReply, .auditReply,
            .assertionReply, .checkReply, .recoverReply, .keyReply, .proveReply, .identityReply,
            .entitlementsReply, .moveReply, .openGroupReply, .leaseReply, .revokeReply,
            .protectorsReply, .accessReply, .trustReply, .adoptionReply, .transcodeReply,
            .keychainsReply, .backupReply, .frontReply, .representReply, .secretsReply,
            .busOwnerReply, .failure:
            return nil
        }
    }

    /// The refusals of each program, in their order.
    private static func expected(_ kind: FrameKind) -> [DaemonError?] {
        switch kind {
        case .find, .add, .update, .delete, .revoke, .key, .lease:
            [nil, nil, nil, .restricted, .noKeychain, .groupNotHeld]
        case .move: [nil, .groupNotHeld, .groupNotHeld, .restricted, .noKeychain, .groupNotHeld]
        case .watch: [nil, nil, nil, nil, .noKeychain, .groupNotHeld]
        case .check, .recover, .assertion, .access, .trust, .transcode, .keychains:
            [nil, nil, nil, nil, .noKeychain, nil]
        case .openGroup, .adoption, .backup: [nil, nil, .restricted, .restricted, .restricted, nil]
        case .prove, .front, .represent, .secrets, .busOwner:
            Array(repeating: .invalidRequest, count: Program.allCases.count)
        case .deviceStatus, .challenge, .passcode, .lock, .auditPage, .identity, .entitlements,
            .protectors:
            Array(repeating: nil, count: Program.allCases.count)
        default: []
        }
    }

    @Test func everyKindIsRefusedToThoseProgramsThatTheTableNames() {
        for kind in FrameKind.allCases {
            guard let request = Self.sample(kind) else { continue }
            let refusals = Program.allCases.map { Self.refusal(request, of: Self.client($0)) }
            #expect(refusals == Self.expected(kind), "\(kind)")
        }
    }

    @Test func aChannelCarriesSecretsAndNothingElse() {
        for reach in [BusReach(of: .nobody, SecretServicePolicy()), .ofFront] {
            let client = Self.client(.unsigned)
            client.kind = .channel(.secretService, reach)
            for kind in FrameKind.allCases {
                guard let request = Self.sample(kind) else { continue }
                let isCarried = [.secrets, .watch, .revoke].contains(kind)
                #expect(client.kind.carries(request) == isCarried)
                #expect((Self.refusal(request, of: client) == nil) == isCarried, "\(kind)")
            }
        }
        let front = Self.client(.unsigned)
        front.kind = .control(.secretService)
        for kind in FrameKind.allCases {
            guard let request = Self.sample(kind) else { continue }
            #expect(front.kind.carries(request) == (kind == .represent))
            #expect(Self.refusal(request, of: front) == .invalidRequest)
        }
    }

    @Test func noPasscodeOpensAGroupOfTheBus() {
        for group in ["secrets:shared", "secrets:own:path:/usr/bin/a", "secrets:"] {
            let client = Self.client(.application)
            #expect(Self.refusal(.openGroup(group, sealed: []), of: client) == .groupNotHeld)
        }
    }

    /// M5: a program with a restriction changes neither the search list nor what keychains there are.
    @Test func aRestrictedProgramMakesAndChangesNoKeychains() throws {
        let id = try #require(KeychainID([UInt8](1...16)))
        let letter = [UInt8](repeating: 1, count: 40)
        let calls: [KeychainCall] = [
            .create(id, path: [0x2F], KeychainSettings(), letter: letter),
            .configure(id, KeychainSettings()), .delete(id, force: false), .setSearchList([]),
            .setDefault(nil),
        ]
        for call in calls {
            for program in [Program.clip, .cutOff] {
                #expect(
                    Self.refusal(.keychains(call), of: Self.client(program)) == .restricted,
                    "\(call)")
            }
            #expect(Self.refusal(.keychains(call), of: Self.client(.application)) == nil)
        }
        for call in [KeychainCall.list(after: .login), .unlock(id, letter: letter), .lock(id)] {
            #expect(Self.refusal(.keychains(call), of: Self.client(.clip)) == nil)
        }
    }

    /// K23: a program makes an archive only after it has shown to be the owner's.
    @Test func anArchiveIsMadeForTheOwnerAlone() {
        let client = Self.client(.application)
        #expect(Self.refusal(.backup(.begin), of: client) == .ownerNotProven)
        client.open(.group(Self.foreign))
        #expect(Self.refusal(.backup(.begin), of: client) == .ownerNotProven)
        client.open(.ownersDirectory)
        #expect(Self.refusal(.backup(.begin), of: client) == nil)
        let other = Self.client(.application)
        other.open(.ownersRequests)
        #expect(Self.refusal(.backup(.begin), of: other) == nil)
    }

    @Test func anAppClipsItemsDontSynchronize() {
        var item = NewItem(.genericPassword)
        item.attributes[.synchronizable] = .integer(1)
        var replacing = NewItem(.genericPassword)
        var made = ItemAttributes()
        made[.synchronizable] = .integer(1)
        replacing.replacement = ItemReplacement(of: ItemAttributes(), changes: made)
        var changes = ItemChanges()
        changes.attributes[.synchronizable] = .integer(1)
        let requests: [ClientRequest] = [
            .add(item, Self.write), .add(replacing, Self.write),
            .update(ItemQuery(.genericPassword), changes, Self.write),
        ]
        for request in requests {
            #expect(Self.refusal(request, of: Self.client(.clip)) == .restricted)
            #expect(Self.refusal(request, of: Self.client(.application)) == nil)
        }
    }

    // MARK: - Which groups

    /// Requests that name a group.
    private static func naming(_ group: String) -> [ClientRequest] {
        var query = ItemQuery(.genericPassword)
        query.attributes[.accessGroup] = .text(group)
        var item = NewItem(.genericPassword)
        item.attributes[.accessGroup] = .text(group)
        var replaced = NewItem(.genericPassword)
        replaced.replacement = ItemReplacement(of: query.attributes, changes: ItemAttributes())
        var replacing = NewItem(.genericPassword)
        replacing.replacement = ItemReplacement(of: ItemAttributes(), changes: query.attributes)
        var changes = ItemChanges()
        changes.attributes[.accessGroup] = .text(group)
        return [
            .add(item, write), .add(replaced, write), .add(replacing, write),
            .update(query, ItemChanges(), write),
            .update(ItemQuery(.genericPassword), changes, write), .delete(query, write),
            .key(KeyRequest(.make(.whenUnlocked), accessGroup: group)),
            .lease(.take(name: [1], accessGroup: group, milliseconds: 1, waitMilliseconds: 0)),
            .move(ItemMove(from: group, to: one, itemClasses: [.genericPassword]), write),
            .move(ItemMove(from: one, to: group, itemClasses: [.genericPassword]), write),
        ]
    }

    @Test func noRequestReachesAGroupThatItsCallerDoesNotHold() {
        let client = Self.client(.application)
        for request in Self.naming(Self.foreign) {
            #expect(Self.refusal(request, of: client) == .groupNotHeld, "\(request)")
        }
        for request in Self.naming(Self.two) {
            #expect(Self.refusal(request, of: client) == nil, "\(request)")
        }
        var query = ItemQuery(.genericPassword)
        query.attributes[.accessGroup] = .text(Self.foreign)
        #expect(Self.refusal(.find(query, cursor: 0), of: client) == .groupNotHeld)
    }

    @Test func theGroupOfTokensIsReadAndNeverWritten() {
        let client = Self.client(.application)
        var query = ItemQuery(.genericPassword)
        query.attributes[.accessGroup] = .text(AccessGroups.token)
        #expect(Self.refusal(.find(query, cursor: 0), of: client) == nil)
        for request in Self.naming(AccessGroups.token) {
            #expect(Self.refusal(request, of: client) == .groupNotHeld, "\(request)")
        }
    }

    @Test func whatIsNotNamedIsEveryGroupThatTheCallerMayReach() throws {
        let identity = Program.application.identity
        let read = try GroupUse.read(nil).scope(for: identity)
        #expect(read.readableGroups == [Self.one, Self.two, AccessGroups.token])
        let changed = try GroupUse.change(nil, to: nil).scope(for: identity)
        #expect(changed.readableGroups == [Self.one, Self.two])
        let named = try GroupUse.change(Self.two, to: nil).scope(for: identity)
        #expect(named.readableGroups == [Self.two])
        let used = try GroupUse.use(nil).scope(for: identity)
        #expect(used.defaultGroup == Self.one)
        let none = try GroupUse.none.scope(for: identity)
        #expect(none.readableGroups.isEmpty)
    }

    @Test func aMoveHasTwoGroups() {
        let move = ItemMove(from: Self.one, to: Self.one, itemClasses: [.genericPassword])
        #expect(
            Self.refusal(.move(move, Self.write), of: Self.client(.application))
                == .invalidRequest)
    }

    @Test func aPasscodeOpensGroupsThatAProgramCanHold() {
        let client = Self.client(.application)
        for group in [AccessGroups.token, "*"] {
            #expect(Self.refusal(.openGroup(group, sealed: []), of: client) == .groupNotHeld)
        }
        var query = ItemQuery(.genericPassword)
        query.attributes[.accessGroup] = .text(Self.foreign)
        client.open(.group(Self.foreign))
        #expect(Self.refusal(.find(query, cursor: 0), of: client) == nil)
        #expect(
            Self.refusal(.find(query, cursor: 0), of: Self.client(.application))
                == .groupNotHeld)
    }

    // MARK: - In which state

    @Test func onlyTheOwnerRecoversOnceThereIsAPasscode() {
        let client = Self.client(.unsigned)
        let request = ClientRequest.recover(cursor: [])
        #expect(Self.refusal(request, of: client) == nil)
        #expect(Self.refusal(request, of: client, passcodeSet: true) == .ownerNotProven)
        client.open(.ownersRequests)
        #expect(Self.refusal(request, of: client, passcodeSet: true) == nil)
    }

    @Test func anItemIsStoredOnlyAtTheTierThatItDemands() {
        var item = NewItem(.genericPassword)
        item.demandedTier = .hardware
        let client = Self.client(.application)
        #expect(Self.refusal(.add(item, Self.write), of: client) == .tierNotMet)
        #expect(Self.refusal(.add(item, Self.write), of: client, tier: .hardware) == nil)
        item.demandedTier = .software
        #expect(Self.refusal(.add(item, Self.write), of: client) == nil)
    }

    @Test func theEnclaveIsAskedForPermittedCallersAlone() {
        var item = NewItem(.genericPassword)
        item.demandedTier = .hardware
        let request = ClientRequest.add(item, Self.write)
        var isAsked = false
        for program in [Program.clipWithGroups, .cutOff, .groupless] {
            do throws(DaemonError) {
                _ = try authorize(request, by: request.rule, for: Self.client(program), .user) {
                    () throws(DaemonError) in
                    isAsked = true
                    return DeviceFacts(isPasscodeSet: false, tier: .hardware)
                }
                Issue.record("permitted")
            } catch { continue }
        }
        #expect(!isAsked)
    }

    @Test func rootPermitsTheFirstPasscodeAndAnotherDeviceKey() {
        let client = Self.client(.unsigned)
        // To forget a user is a request of root's about another one.
        for operation in PasscodeOperation.allCases where operation != .forget {
            let request = ClientRequest.passcode(operation: operation.rawValue, sealed: [])
            let needsRoot = [.set, .migrate, .makeRecoveryCode].contains(operation)
            let refusal = Self.refusal(request, of: client, .root { _, _ in false })
            #expect(refusal == (needsRoot ? .administratorNeeded : nil), "\(operation)")
            #expect(Self.refusal(request, of: client) == nil, "\(operation)")
        }
        for operation in [PasscodeOperation.set, .makeRecoveryCode] {
            for (code, refusal) in [("code", nil), ("", DaemonError.administratorNeeded)] {
                let first = ClientRequest.passcode(
                    operation: operation.rawValue, sealed: [], permit: code)
                let administration = Administration.root { $0 == 1000 && $1 == "code" }
                #expect(Self.refusal(first, of: client, administration) == refusal)
            }
        }
        // With a passcode, enclaved asks for that.
        let code = ClientRequest.passcode(
            operation: PasscodeOperation.makeRecoveryCode.rawValue, sealed: [])
        #expect(
            Self.refusal(code, of: client, .root { _, _ in false }, passcodeSet: true) == nil)
        #expect(
            Self.refusal(.passcode(operation: 255, sealed: []), of: client) == .invalidRequest)
    }

    /// The test's client has number 1000.
    @Test func onlyRootNamesAnotherUsersKeybag() {
        let client = Self.client(.application)
        let add = PasscodeOperation.addProtector.rawValue
        for (userID, expected) in [
            (nil, nil), (1000, nil), (1001, DaemonError.administratorNeeded),
            (0, .administratorNeeded),
        ] as [(UInt32?, DaemonError?)] {
            for request in [
                ProtectorRequest.list(userID: userID), .challenge(userID: userID),
                .send(operation: add, sealed: [], name: "boot", userID: userID),
            ] {
                #expect(Self.refusal(.protectors(request), of: client) == expected)
            }
        }
        // Other operations have a request of their own, with rules of their own.
        let set = ProtectorRequest.send(
            operation: PasscodeOperation.set.rawValue, sealed: [], name: "", userID: nil)
        #expect(Self.refusal(.protectors(set), of: client) == .invalidRequest)
        let named = ProtectorRequest.send(
            operation: add, sealed: [], name: "boot", userID: nil)
        #expect(ClientRequest.protectors(named).rule.auditedName == "boot")
        #expect(ClientRequest.protectors(named).rule.audited == .addProtector)
    }

    /// Its number is 1000, as the client's.
    @Test func onlyTheUserOfSessionsLocksOthers() {
        let client = Self.client(.unsigned)
        let permits: @Sendable (UInt32, String) -> Bool = { _, _ in true }
        for subject: LockSubject in [.user(1001), .user(1000), .everybody] {
            let request = ClientRequest.lock(.now, waits: false, of: subject)
            for refusing: Administration in [
                .user, .root(permits: permits),
                .root(permits: permits, locker: 1001),
            ] {
                #expect(Self.refusal(request, of: client, refusing) == .administratorNeeded)
            }
            let session = Administration.root(permits: permits, locker: 1000)
            #expect(Self.refusal(request, of: client, session) == nil)
        }
    }

    // MARK: - Accounts and moving in

    @Test func aMachinesKeychainTakesInAndAUsersOwnGivesOut() {
        let client = Self.client(.unsigned)
        let machine = Administration.root(permits: { _, _ in true })
        let export = ClientRequest.adoption(.export(cursor: []))
        let adopt = ClientRequest.adoption(
            .adopt(AdoptedItems([], skipsExisting: false), Self.write))
        #expect(Self.refusal(export, of: client) == nil)
        #expect(Self.refusal(export, of: client, machine) == .administratorNeeded)
        #expect(Self.refusal(adopt, of: client) == .invalidRequest)
        #expect(Self.refusal(adopt, of: client, machine) == nil)
        // With a passcode, the owner must have given it on this connection.
        #expect(Self.refusal(export, of: client, passcodeSet: true) == .ownerNotProven)
        #expect(Self.refusal(adopt, of: client, machine, passcodeSet: true) == .ownerNotProven)
        client.open(.ownersRequests)
        var item = NewItem(.genericPassword)
        for (group, refusal) in [
            ("unsigned.1000", nil), ("path:/usr/bin/x", nil), ("ABCDE12345.app", nil),
            ("unsigned.1001", .groupNotHeld), ("trust:user", .groupNotHeld),
            ("com.apple.token", .groupNotHeld), ("ABCDE12345.", .groupNotHeld),
            ("group.x", .groupNotHeld), ("*", .groupNotHeld),
        ] as [(String, DaemonError?)] {
            item.attributes[.accessGroup] = .text(group)
            let one = ClientRequest.adoption(
                .adopt(AdoptedItems([item], skipsExisting: false), Self.write))
            #expect(Self.refusal(one, of: client, machine) == refusal, "\(group)")
        }
        #expect(Self.refusal(export, of: client, passcodeSet: true) == nil)
        #expect(Self.refusal(adopt, of: client, machine, passcodeSet: true) == nil)
    }

    @Test func onlyRootForgetsAndRenamesAccounts() {
        let forget = ProtectorRequest.send(
            operation: PasscodeOperation.forget.rawValue, sealed: [], name: "", userID: 1000)
        let own = ProtectorRequest.send(
            operation: PasscodeOperation.forget.rawValue, sealed: [], name: "", userID: nil)
        let root = Client(
            .unsigned(0, .notRootsPath),
            AuditCaller(.unsigned(0, .notRootsPath), processID: 1, application: "program"),
            Requester(userID: 0, process: 1))
        for request in [forget, own, .renameUser(1000)] {
            #expect(
                Self.refusal(.protectors(request), of: Self.client(.unsigned))
                    == .administratorNeeded)
        }
        #expect(Self.refusal(.protectors(forget), of: root) == nil)
        #expect(Self.refusal(.protectors(.renameUser(1000)), of: root) == nil)
        #expect(ClientRequest.protectors(forget).rule.auditedName == "user 1000")
        #expect(ClientRequest.protectors(forget).rule.audited == .forgetUser)
        let passcode = ClientRequest.passcode(
            operation: PasscodeOperation.forget.rawValue, sealed: [])
        #expect(Self.refusal(passcode, of: root) == .invalidRequest)
    }

    // MARK: - What the log calls it

    @Test func theAuditLogRecordsWhatReadsOrChangesItemsAndTheDevice() {
        let unrecorded: Set<FrameKind> = [
            .deviceStatus, .challenge, .auditPage, .check, .prove, .identity, .entitlements,
            .lease, .revoke, .protectors, .access, .trust, .transcode, .backup, .represent,
            .secrets, .busOwner,
        ]
        for kind in FrameKind.allCases {
            guard let request = Self.sample(kind) else { continue }
            #expect((request.rule.audited == nil) == unrecorded.contains(kind), "\(kind)")
        }
    }
}
