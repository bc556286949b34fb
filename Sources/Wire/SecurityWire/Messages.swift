// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

// The messages between a client and securityd, by kind. What a message contains and how it is coded,
// the file of its request in Requests/ says.

/// The kind of a frame. A reply's kind is its request's with the top bit set.
package enum FrameKind: UInt16, CaseIterable, Sendable {
    case find = 1
    case add = 2
    case update = 3
    case delete = 4
    case deviceStatus = 5
    case challenge = 6
    case passcode = 7
    case lock = 8
    case watch = 9
    case auditPage = 10
    case assertion = 11
    case check = 12
    case recover = 13
    case key = 14
    case prove = 15
    case identity = 16
    case entitlements = 17
    case move = 18
    case openGroup = 19
    case lease = 20
    case revoke = 21
    case protectors = 22
    case access = 23
    case trust = 24
    case adoption = 25
    case transcode = 26
    case keychains = 27
    case backup = 28
    case front = 30
    case represent = 31
    case secrets = 32
    case busOwner = 33
    case findReply = 0x8001
    case addReply = 0x8002
    case updateReply = 0x8003
    case deleteReply = 0x8004
    case deviceStatusReply = 0x8005
    case challengeReply = 0x8006
    case passcodeReply = 0x8007
    case lockReply = 0x8008
    case changeReply = 0x8009
    case auditReply = 0x800A
    case assertionReply = 0x800B
    case checkReply = 0x800C
    case recoverReply = 0x800D
    case keyReply = 0x800E
    case proveReply = 0x800F
    case identityReply = 0x8010
    case entitlementsReply = 0x8011
    case moveReply = 0x8012
    case openGroupReply = 0x8013
    case leaseReply = 0x8014
    case revokeReply = 0x8015
    case protectorsReply = 0x8016
    case accessReply = 0x8017
    case trustReply = 0x8018
    case adoptionReply = 0x8019
    case transcodeReply = 0x801A
    case keychainsReply = 0x801B
    case backupReply = 0x801C
    case frontReply = 0x801E
    case representReply = 0x801F
    case secretsReply = 0x8020
    case busOwnerReply = 0x8021
    case failure = 0xFFFF
}

extension FrameKind {
    /// The largest protobuf message of a request of this kind.
    package var messageLimit: Int {
        self == .adoption ? AdoptionRequest.messageByteCount : ItemLimits.messageByteCount
    }
}

// MARK: - Requests

/// A request in securityd: decoded, with checked limits, not yet authorized.
package enum ClientRequest: Sendable {
    case find(ItemQuery, cursor: UInt64)
    case add(NewItem, WriteIdentity)
    case update(ItemQuery, ItemChanges, WriteIdentity)
    case delete(ItemQuery, WriteIdentity)
    case deviceStatus
    case challenge
    /// The permit is the text of a ``PermitCode``, or empty.
    case passcode(operation: UInt8, sealed: [UInt8], permit: String = "")
    /// With ``DeviceLockMode/now``, `waits` until the keys are gone.
    case lock(DeviceLockMode, waits: Bool, of: LockSubject = .caller)
    case watch
    case auditPage(AuditQuery)
    case assertion(seconds: UInt16)
    case check(cursor: [UInt8])
    case recover(cursor: [UInt8])
    case key(KeyRequest)
    /// The nonce of a ``ServiceReply/prove(_:)``, sent back by the program itself.
    case prove([UInt8])
    case identity
    /// The values of these entitlements.
    case entitlements([String])
    case move(ItemMove, WriteIdentity)
    /// Opens a group that the caller doesn't hold until the connection ends, with the passcode.
    case openGroup(String, sealed: [UInt8])
    case lease(LeaseRequest)
    /// The outcome of the write with this identifier; if it hasn't been carried out, it never will
    /// be.
    case revoke(requestID: [UInt8])
    /// About protectors.
    case protectors(ProtectorRequest)
    /// About an authentication context.
    case access(AccessCall)
    /// A question for trustd, which only it and the client read.
    case trust([UInt8])
    /// About moving a user's own keychain into the system's.
    case adoption(AdoptionRequest)
    /// A request for transcoder, which only it and the client read.
    case transcode(Secret)
    /// About keychains with a password of their own.
    case keychains(KeychainCall)
    /// About backups.
    case backup(BackupCall)
    /// The program is this front, and asks to speak for others.
    case front(FrontName)
    /// On a front's control connection: a channel.
    case represent(RepresentedSubject)
    /// On a front's channel.
    case secrets(SecretCall)
    /// What the process of the attached descriptor would be to a front.
    case busOwner
}

extension ClientRequest {
    /// Decodes a request from a peer.
    /// - Parameters:
    ///   - kind: From the frame's header.
    ///   - message: The protobuf message.
    ///   - secret: The secret section; it is copied.
    /// - Throws: ``WireError/malformed`` when it can't be decoded, breaks a rule of PROTOCOL.md or
    ///   isn't a request; ``WireError/tooLarge`` when a secret or the attributes are over
    ///   ``ItemLimits``.
    package init(
        decoding kind: FrameKind, message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        let content = unsafe FrameContent(message, secret: secret)
        switch kind {
        case .find: self = try unsafe .decodeFind(content)
        case .add: self = try unsafe .decodeAdd(content)
        case .update: self = try unsafe .decodeUpdate(content)
        case .delete: self = try unsafe .decodeDelete(content)
        case .deviceStatus: self = .deviceStatus
        case .challenge: self = .challenge
        case .passcode: self = try unsafe .decodePasscode(content)
        case .lock: self = try unsafe .decodeLock(content)
        case .watch: self = .watch
        case .auditPage: self = .auditPage(AuditQuery(try unsafe content.decoded()))
        case .assertion: self = try unsafe .decodeAssertion(content)
        case .check: self = .check(cursor: try unsafe content.maintenanceCursor())
        case .recover: self = .recover(cursor: try unsafe content.maintenanceCursor())
        case .key: self = try unsafe .decodeKey(content)
        case .prove: self = try unsafe .decodeProve(content)
        case .identity: self = .identity
        case .entitlements: self = try unsafe .decodeEntitlements(content)
        case .move: self = try unsafe .decodeMove(content)
        case .openGroup: self = try unsafe .decodeOpenGroup(content)
        case .lease: self = try unsafe .decodeLease(content)
        case .revoke: self = try unsafe .decodeRevoke(content)
        case .protectors:
            self = .protectors(try ProtectorRequest(try unsafe content.decodedAlone()))
        case .access: self = .access(try AccessCall(try unsafe content.decodedAlone()))
        case .trust: self = .trust(try unsafe content.bytesAlone())
        case .adoption: self = .adoption(try unsafe AdoptionRequest(content))
        case .transcode: self = .transcode(try unsafe content.secretAlone())
        case .keychains: self = .keychains(try unsafe content.keychainCall())
        case .backup: self = .backup(try unsafe content.backupCall())
        case .front: self = .front(try unsafe FrontName(content))
        case .represent: self = .represent(try unsafe RepresentedSubject(content))
        case .secrets: self = .secrets(try unsafe SecretCall(content))
        case .busOwner:
            try unsafe content.version()
            self = .busOwner
        case .findReply, .addReply, .updateReply, .deleteReply, .deviceStatusReply,
            .challengeReply, .passcodeReply, .lockReply, .changeReply, .auditReply,
            .assertionReply, .checkReply, .recoverReply, .keyReply, .proveReply, .identityReply,
            .entitlementsReply, .moveReply, .openGroupReply, .leaseReply, .revokeReply,
            .protectorsReply, .accessReply, .trustReply, .adoptionReply, .transcodeReply,
            .keychainsReply, .backupReply, .frontReply, .representReply, .secretsReply,
            .busOwnerReply, .failure:
            throw .malformed
        }
    }

    /// The frame of this request.
    /// - Throws: ``WireError/tooLarge`` when it is over the frame limit.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .find(let query, let cursor):
            try EncodedFrame(.find, query.message(cursor: cursor), sequence: sequence)
        case .add(let item, let write):
            try EncodedFrame(
                .add, item.message(write), secrets: item.secret.map { [$0] } ?? [],
                sequence: sequence)
        case .update(let query, let changes, let write):
            try EncodedFrame(
                .update, changes.message(of: query, write),
                secrets: changes.secret.map { [$0] } ?? [], sequence: sequence)
        case .delete(let query, let write):
            try EncodedFrame(.delete, query.message(write), sequence: sequence)
        case .deviceStatus: try EncodedFrame(.deviceStatus, WireQuery(), sequence: sequence)
        case .challenge: try EncodedFrame(.challenge, WireQuery(), sequence: sequence)
        case .passcode(let operation, let sealed, let permit):
            try EncodedFrame(
                .passcode,
                WirePasscodeRequest(operation: operation, sealed: sealed, permit: permit),
                sequence: sequence)
        case .lock(let mode, let waits, let subject):
            try EncodedFrame(
                .lock, WireLockRequest(mode, waits: waits, of: subject), sequence: sequence)
        case .watch: try EncodedFrame(.watch, WireQuery(), sequence: sequence)
        case .auditPage(let query):
            try EncodedFrame(.auditPage, query.message, sequence: sequence)
        case .assertion(let seconds):
            try EncodedFrame(
                .assertion, WireAssertionRequest(seconds: seconds), sequence: sequence)
        case .check(let cursor):
            try EncodedFrame(.check, WireMaintenanceRequest(cursor: cursor), sequence: sequence)
        case .recover(let cursor):
            try EncodedFrame(.recover, WireMaintenanceRequest(cursor: cursor), sequence: sequence)
        case .key(let request): try EncodedFrame(.key, request.message, sequence: sequence)
        case .prove(let nonce): try EncodedFrame(.prove, WireProof(nonce), sequence: sequence)
        case .identity: try EncodedFrame(.identity, WireQuery(), sequence: sequence)
        case .entitlements(let names):
            try EncodedFrame(.entitlements, WireEntitlementsRequest(names), sequence: sequence)
        case .move(let move, let write):
            try EncodedFrame(.move, move.message(write), sequence: sequence)
        case .openGroup(let group, let sealed):
            try EncodedFrame(
                .openGroup, WireOpenGroupRequest(group, sealed: sealed), sequence: sequence)
        case .lease(let request): try EncodedFrame(.lease, request.message, sequence: sequence)
        case .revoke(let requestID):
            try EncodedFrame(.revoke, WireRevokeRequest(requestID), sequence: sequence)
        case .protectors(let request):
            try EncodedFrame(.protectors, request.message, sequence: sequence)
        case .access(let call):
            try EncodedFrame(.access, call.message, sequence: sequence)
        case .trust(let question):
            try EncodedFrame(.trust, message: question, sequence: sequence)
        case .adoption(let request):
            try EncodedFrame(
                .adoption, message: request.message, secrets: request.secrets, sequence: sequence,
                messageLimit: FrameKind.adoption.messageLimit)
        case .transcode(let request):
            try EncodedFrame(.transcode, message: [], secrets: [request], sequence: sequence)
        case .keychains(let call):
            try EncodedFrame(.keychains, message: call.encoded, sequence: sequence)
        case .backup(let call):
            try EncodedFrame(.backup, message: call.encoded, sequence: sequence)
        case .front(let name):
            try EncodedFrame(.front, message: name.encoded, sequence: sequence)
        case .represent(let subject):
            try EncodedFrame(.represent, message: subject.encoded, sequence: sequence)
        case .secrets(let call):
            try EncodedFrame(
                .secrets, message: call.encoded, secrets: call.secrets, sequence: sequence)
        case .busOwner:
            try EncodedFrame(.busOwner, message: FrontMessage.empty, sequence: sequence)
        }
    }

    /// The request with other names of access groups.
    /// - Parameter name: The other name; nil of what names no group.
    /// - Returns: Nil when a name isn't a group.
    package func namingGroups(_ name: (String) -> String?) -> ClientRequest? {
        switch self {
        case .find(let query, let cursor):
            return query.namingGroups(name).map { .find($0, cursor: cursor) }
        case .add(let item, let write): return item.namingGroups(name).map { .add($0, write) }
        case .update(let query, let changes, let write):
            guard let query = query.namingGroups(name), let changes = changes.namingGroups(name)
            else { return nil }
            return .update(query, changes, write)
        case .delete(let query, let write):
            return query.namingGroups(name).map { .delete($0, write) }
        case .key(let request): return request.namingGroups(name).map { .key($0) }
        case .move(let move, let write): return move.namingGroups(name).map { .move($0, write) }
        case .openGroup(let group, let sealed):
            return name(group).map { .openGroup($0, sealed: sealed) }
        case .lease(let request): return request.namingGroups(name).map { .lease($0) }
        case .deviceStatus, .challenge, .passcode, .lock, .watch, .auditPage, .assertion, .check,
            .recover, .prove, .identity, .entitlements, .revoke, .protectors, .access, .trust,
            .adoption, .transcode, .keychains, .backup, .front, .represent, .secrets, .busOwner:
            return self
        }
    }
}

// MARK: - Replies, in securityd

/// securityd's replies.
package enum ServiceReply: Sendable {
    case found(OutgoingRows, nextCursor: UInt64, openedRowCount: UInt64)
    case added(OutgoingRow?)
    /// With the row, if exactly one matched.
    case updated(OutgoingRow?, count: UInt64)
    case deleted(count: UInt64)
    case changes([ItemChange], missedSome: Bool)
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
    case passcodeDone
    /// How long until the keys are dropped; 0: they are.
    case locked(seconds: UInt32)
    case asserted
    case auditPage(AuditPage)
    case checked(MaintenancePage)
    case recovered(MaintenancePage)
    case key(KeyReply)
    /// The request wasn't looked at: the client must first send this nonce back. Empty after it
    /// has.
    case prove([UInt8])
    case identity(CallerIdentity)
    case entitlements([String: EntitlementValue])
    case moved(count: UInt64)
    case openedGroup
    /// Taken or renewed.
    case leased(LeaseToken)
    case gaveBackLease
    case revoked(wasCarriedOut: Bool)
    case protectors([KeychainProtector], hasNoPasscode: Bool)
    /// A nonce for a message about protectors.
    case protectorNonce([UInt8])
    case accessDone
    /// What trustd has answered.
    case trust([UInt8])
    /// A part of a user's own keychain, with stored names of groups.
    case exported(OutgoingRows, nextCursor: [UInt8], LeftBehind)
    /// All items of another keychain are stored; how many.
    case adopted(count: UInt64)
    /// What transcoder has answered.
    case transcoded(Secret)
    /// About keychains: what there is, if that was asked for.
    case keychains(KeychainListing?)
    /// About backups.
    case backup(BackupAnswer)
    /// The program is the front that it says it is.
    case frontAdmitted
    /// The channel is attached.
    case represented(Representation)
    case secrets(SecretReply)
    case busOwner(Representation)
    case failed(Failure)
}

extension ServiceReply {
    /// The frame of this reply.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .found(let rows, let nextCursor, let openedRowCount):
            try EncodedFrame(
                .findReply,
                message: rows.message(nextCursor: nextCursor, openedRowCount: openedRowCount),
                secrets: rows.secrets, sequence: sequence, messageLimit: Self.pageLimit)
        case .added(let row):
            try EncodedFrame(
                .addReply, WireWriteReply(row), secrets: row?.secret.map { [$0] } ?? [],
                sequence: sequence)
        case .updated(let row, let count):
            try EncodedFrame(.updateReply, WireWriteReply(row, count: count), sequence: sequence)
        case .deleted(let count):
            try EncodedFrame(.deleteReply, WireWriteReply(count: count), sequence: sequence)
        case .changes(let changes, let missedSome):
            try EncodedFrame(
                .changeReply, WireChangeReply(changes, missedSome: missedSome), sequence: sequence)
        case .deviceStatus(let report):
            try EncodedFrame(.deviceStatusReply, report.message, sequence: sequence)
        case .challenge(let nonce):
            try EncodedFrame(.challengeReply, WireChallengeReply(nonce), sequence: sequence)
        case .passcodeDone: try EncodedFrame(.passcodeReply, WireWriteReply(), sequence: sequence)
        case .locked(let seconds):
            try EncodedFrame(.lockReply, WireLockReply(seconds: seconds), sequence: sequence)
        case .asserted: try EncodedFrame(.assertionReply, WireWriteReply(), sequence: sequence)
        case .auditPage(let page):
            try EncodedFrame(
                .auditReply, page.message, sequence: sequence, messageLimit: Self.pageLimit)
        case .checked(let page):
            try EncodedFrame(
                .checkReply, page.message, sequence: sequence, messageLimit: Self.pageLimit)
        case .recovered(let page):
            try EncodedFrame(
                .recoverReply, page.message, sequence: sequence, messageLimit: Self.pageLimit)
        case .key(let reply):
            try EncodedFrame(
                .keyReply, reply.message, secrets: reply.secrets, sequence: sequence)
        case .prove(let nonce): try EncodedFrame(.proveReply, WireProof(nonce), sequence: sequence)
        case .identity(let identity):
            try EncodedFrame(.identityReply, identity.message, sequence: sequence)
        case .entitlements(let values):
            try EncodedFrame(.entitlementsReply, values.message, sequence: sequence)
        case .moved(let count):
            try EncodedFrame(.moveReply, WireWriteReply(count: count), sequence: sequence)
        case .openedGroup: try EncodedFrame(.openGroupReply, WireWriteReply(), sequence: sequence)
        case .leased(let token):
            try EncodedFrame(.leaseReply, WireLeaseReply(token), sequence: sequence)
        case .gaveBackLease: try EncodedFrame(.leaseReply, WireLeaseReply(nil), sequence: sequence)
        case .revoked(let wasCarriedOut):
            try EncodedFrame(
                .revokeReply, WireRevokeReply(wasCarriedOut: wasCarriedOut), sequence: sequence)
        case .protectors(let protectors, let hasNoPasscode):
            try EncodedFrame(
                .protectorsReply, WireProtectorReply(protectors, hasNoPasscode: hasNoPasscode),
                sequence: sequence)
        case .protectorNonce(let nonce):
            try EncodedFrame(
                .protectorsReply, WireProtectorReply(nonce: nonce), sequence: sequence)
        case .accessDone: try EncodedFrame(.accessReply, WireQuery(), sequence: sequence)
        case .trust(let answer):
            try EncodedFrame(
                .trustReply, message: answer, sequence: sequence, messageLimit: Self.pageLimit)
        case .exported(let rows, let nextCursor, let left):
            try EncodedFrame(
                .adoptionReply, message: rows.exportMessage(nextCursor: nextCursor, left),
                secrets: rows.secrets, sequence: sequence, messageLimit: Self.pageLimit)
        case .adopted(let count):
            try EncodedFrame(
                .adoptionReply, message: Self.adoptedMessage(count: count), sequence: sequence)
        case .transcoded(let answer):
            try EncodedFrame(.transcodeReply, message: [], secrets: [answer], sequence: sequence)
        case .keychains(let listing):
            try EncodedFrame(
                .keychainsReply, message: listing?.encoded ?? [], sequence: sequence,
                messageLimit: Self.pageLimit)
        case .backup(let answer):
            try EncodedFrame(
                .backupReply, message: answer.encoded, sequence: sequence,
                messageLimit: Self.pageLimit)
        case .frontAdmitted:
            try EncodedFrame(.frontReply, message: FrontMessage.empty, sequence: sequence)
        case .represented(let who):
            try EncodedFrame(
                .representReply, message: who.encoded(hasReasons: false), sequence: sequence)
        case .secrets(let reply):
            try EncodedFrame(
                .secretsReply, message: reply.encoded, secrets: reply.secrets, sequence: sequence,
                messageLimit: Self.pageLimit)
        case .busOwner(let who):
            try EncodedFrame(
                .busOwnerReply, message: who.encoded(hasReasons: true), sequence: sequence)
        case .failed(let failure): try EncodedFrame(.failure, failure.message, sequence: sequence)
        }
    }

    /// Replies of unlimited length come in pages, which only the frame's own limit bounds.
    private static let pageLimit = FrameHeader.maximumBodyByteCount

    /// The name of the request, in counts of replies.
    package var requestName: String {
        switch self {
        case .found: "find"
        case .added: "add"
        case .updated: "update"
        case .deleted: "delete"
        case .changes: "watch"
        case .deviceStatus: "status"
        case .challenge: "challenge"
        case .passcodeDone: "passcode"
        case .locked: "lock"
        case .auditPage: "audit"
        case .asserted: "hold"
        case .checked: "check"
        case .recovered: "recover"
        case .key: "key"
        case .prove: "prove"
        case .identity: "identity"
        case .entitlements: "entitlements"
        case .moved: "move"
        case .openedGroup: "open-group"
        case .leased, .gaveBackLease: "lease"
        case .revoked: "revoke"
        case .protectors, .protectorNonce: "protectors"
        case .accessDone: "access"
        case .trust: "trust"
        case .exported, .adopted: "adoption"
        case .transcoded: "transcode"
        case .keychains: "keychains"
        case .backup: "backup"
        case .frontAdmitted: "front"
        case .represented: "represent"
        case .secrets: "secrets"
        case .busOwner: "bus-owner"
        case .failed: "failed"
        }
    }

    /// How many rows a write changed; nil for a reply to anything else.
    package var writtenRowCount: UInt64? {
        switch self {
        case .added: 1
        case .updated(_, let count), .deleted(let count), .moved(let count),
            .adopted(let count):
            count
        case .recovered(let page): page.counts.restored
        case .found, .changes, .deviceStatus, .challenge, .passcodeDone, .locked, .asserted,
            .auditPage, .checked, .prove, .identity, .key, .entitlements, .openedGroup,
            .leased, .gaveBackLease, .revoked, .protectors, .protectorNonce, .accessDone,
            .trust, .exported, .transcoded, .keychains, .backup, .frontAdmitted, .represented,
            .busOwner, .failed:
            nil
        case .secrets(let reply): reply.writtenRowCount
        }
    }

    /// The reply with other names of access groups. Entitlements keep the program's own names, and
    /// the records of the audit log their stored ones.
    /// - Throws: ``WireError/malformed`` for rows that can't be read, which must not be sent.
    package func namingGroups(_ name: (String) -> String) throws(WireError) -> ServiceReply {
        switch self {
        case .found(let rows, let nextCursor, let openedRowCount):
            return .found(
                try rows.namingGroups(name), nextCursor: nextCursor,
                openedRowCount: openedRowCount)
        case .added(let row): return .added(try row?.namingGroups(name))
        case .updated(let row, let count):
            return .updated(try row?.namingGroups(name), count: count)
        case .key(let reply): return .key(reply.namingGroups(name))
        case .identity(let caller): return .identity(caller.namingGroups(name))
        case .deleted, .changes, .deviceStatus, .challenge, .passcodeDone, .locked, .asserted,
            .auditPage, .checked, .recovered, .prove, .entitlements, .moved, .openedGroup, .leased,
            .gaveBackLease, .revoked, .protectors, .protectorNonce, .accessDone,
            .trust, .exported, .adopted, .transcoded, .keychains, .backup, .frontAdmitted,
            .represented, .secrets, .busOwner, .failed:
            return self
        }
    }
}
