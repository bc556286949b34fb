// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// A program that tests sign, install and run, never part of a release. As an application it uses
/// the keychain; as an attacker it tries to get at another one's items; and it is a service with a
/// check that is known to be too little.
///
/// SOCKET is the service's socket, or `current` for the service of the environment.
///
///     SOCKET add SERVICE SECRET [GROUP [CLASS]]   ok, or `failed STATUS`
///     SOCKET find SERVICE [GROUP]           the secret, or `failed STATUS`
///     SOCKET seek SERVICE                   the same, also among what others grant it
///     SOCKET attributes SERVICE             its label, without its secret
///     SOCKET grant SERVICE PARTITIONS       ok, after an item's partition list was changed
///     SOCKET delete SERVICE                 ok, after it was deleted
///     SOCKET replace SERVICE SECRET         ok, after it was added in place of the one that was there
///     SOCKET overwrite SERVICE SECRET       ok, after its secret was changed
///     SOCKET guard SERVICE SECRET           ok, after an item was added that demands its owner
///     SOCKET skip SERVICE                   as seek, without items that demand their owner
///     SOCKET update SERVICE CLASS           ok, after the item's class was changed
///     SOCKET renew SERVICE CLASS            ok, after it was read, deleted and added again
///     SOCKET move GROUP GROUP               how many items went from one to the other
///     SOCKET set-passcode TEXT [PERMIT]     ok, after the first passcode was set
///     SOCKET recovery-code [PERMIT]         a code, made while there is no passcode
///     SOCKET recover CODE                   ok, after the code has removed the passcode
///     SOCKET state                          the letter of the lock state
///     SOCKET audit                          how many records, then their events, a line each
///     SOCKET check                          how many rows `device check` saw, or `failed STATUS`
///     SOCKET repair                         how many rows `device recover` restored
///     SOCKET unlock TEXT                    ok, after a passcode was found right
///     SOCKET lock                           ok, after the device was locked
///     SOCKET whoami                         grade, then groups, then reasons, a line each
///     SOCKET convert NAME                   known or unknown: if the C library can convert to it
///     SOCKET serve                          these, one a line of standard input, on one connection
///     SOCKET fork SERVICE                   see ``Forking``
///     SOCKET refresh WAY DIRECTORY MS       see ``Refreshing``
///     SOCKET seal FILE TEXT [GROUP]         see ``Sealing``
///     SOCKET unseal FILE [GROUP]            see ``Sealing``
///     SOCKET prepare-key GROUP              see ``Sealing``
///     SOCKET seal-fork DIRECTORY            see ``Sealing``
///     SOCKET hold ACCOUNT [VALUE]           see ``Holding``
///     SOCKET take ACCOUNT GROUP             held, and holds a lease until standard input ends
///     SOCKET hear [kinds]                   see ``Hearing``
///     SOCKET stock                          see ``Stocking``
///     wait                                  nothing, until standard input ends
///     pause WORD…                           `paused`, and after a line what the words say
///     copy                                  copies standard input to standard output
///     SOCKET raw WORD…                      see ``Talking``
///     SOCKET connect WORD…                  the same, but first `connected`
///     SOCKET lend SERVICE                   see ``Lending``
///     SOCKET leave SERVICE PROGRAM          see ``Leaving``
///     SOCKET abandon SERVICE                see ``Abandoning``
///     SOCKET naive PROGRAM SECRET           see ``NaiveService``
///     SOCKET believe TEXT SECRET            see ``NaiveService``
///     SOCKET echo PROGRAM SECRET            see ``NaiveService``
///     SOCKET look PROGRAM TEXT SECRET       see ``NaiveService``
///     SOCKET read SECRET                    see ``NaiveService``
///     SOCKET crowd                          see ``NaiveCrowd``
///     dump FILE…                            see ``Dumping``
enum Application {
    /// What makes a build another one; tests change it in a copy.
    static let build = "llavero test application, build 1"

    /// On a machine that is busy with other tests a reply may take longer than an application's
    /// deadline.
    private static let patience = Duration.seconds(30)

    static func run(_ words: [String]) -> Int32 {
        guard let first = words.first else { return 2 }
        if first == "build" { return say(build) }
        if first == "copy" { return copy() }
        if first == "dump" { return Dumping.run(Array(words.dropFirst())) }
        if first == "pause" {
            _ = say("paused")
            return readLine() == nil ? 1 : run(Array(words.dropFirst()))
        }
        if first == "wait" {
            while readLine() != nil {}
            return 0
        }
        guard words.count > 1 else { return 2 }
        let location =
            first == "current" ? ServiceLocation.current : ServiceLocation(socketPath: first)
        let connection =
            first == "current"
            ? KeychainConnection()
            : KeychainConnection(
                location: ServiceLocation(socketPath: first, deadline: patience))
        let keychain = Keychain(
            service: "com.example.test", in: KeychainService(location: location))
        switch (words[1], words.count) {
        case ("refresh", 5):
            run {
                await Refreshing.run(
                    keychain, words[2], words[3], milliseconds: Int(words[4]) ?? 0)
            }
        case ("hold", 3): run { await Holding.run(keychain, words[2], nil) }
        case ("hold", 4): run { await Holding.run(keychain, words[2], words[3]) }
        case ("take", 4):
            let group = Keychain(
                service: "com.example.test", accessGroup: words[3],
                in: KeychainService(location: location))
            run { await Holding.take(group, words[2]) }
        case ("hear", 2): run { await Hearing.run(keychain) }
        case ("hear", 3): run { await Hearing.run(keychain, tellsKinds: true) }
        case ("stock", 2): return Stocking.run(connection)
        case ("serve", 2):
            while let line = readLine() {
                _ = answer(line.split(separator: " ").map(String.init), connection)
            }
            return 0
        case ("seal", 4), ("seal", 5), ("unseal", 3), ("unseal", 4), ("prepare-key", 3),
            ("seal-fork", 3):
            return Sealing.run(connection, keychain, Array(words.dropFirst()))
        case ("fork", 3): return Forking.run(first, words[2])
        case ("raw", 3...): return Talking.run(first, Array(words.dropFirst(2)))
        case ("connect", 3...):
            return Talking.run(first, Array(words.dropFirst(2)), tellsConnection: true)
        case ("lend", 3): return Lending.run(first, words[2])
        case ("leave", 4): return Leaving.run(first, words[2], words[3])
        case ("abandon", 3): return Abandoning.run(first, words[2])
        case ("naive", 4): return NaiveService.run(first, .path(words[2]), secret: words[3])
        case ("believe", 4): return NaiveService.run(first, .claim(words[2]), secret: words[3])
        case ("echo", 4): return NaiveService.run(first, .echo(words[2]), secret: words[3])
        case ("look", 5):
            return NaiveService.run(first, .look(words[2], words[3]), secret: words[4])
        case ("read", 3): return NaiveService.run(first, .content, secret: words[2])
        case ("crowd", 2): return NaiveCrowd.run(first)
        default: return answer(Array(words.dropFirst()), connection)
        }
    }

    private static func copy() -> Int32 {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0, unsafe write(STDOUT_FILENO, bytes, count) == count else { return 0 }
        }
    }

    static func say(_ line: String) -> Int32 {
        print(line)
        // To a pipe, lines would wait for each other.
        fflush(nil)
        return 0
    }

    private static func answer(_ words: [String], _ connection: KeychainConnection) -> Int32 {
        let group = words.last ?? ""
        do throws(KeychainError) {
            switch (words.first, words.count) {
            case ("add", 3), ("add", 4), ("add", 5):
                var item = item(words[1], words[2])
                if words.count > 3 { item.attributes[.accessGroup] = .text(words[3]) }
                if words.count > 4 { item.attributes.accessibility = Accessibility(code: words[4]) }
                _ = try connection.add(item)
                return say("ok")
            case ("update", 3):
                var changes = ItemChanges()
                changes.attributes.accessibility = Accessibility(code: words[2])
                try connection.update(query(words[1]), applying: changes)
                return say("ok")
            case ("renew", 3):
                var wanted = query(words[1])
                wanted.returning = [.data, .attributes]
                guard let found = try connection.find(wanted).first else { return 1 }
                try connection.delete(query(words[1]))
                var item = NewItem(.genericPassword)
                item.attributes[.service] = .text(words[1])
                item.attributes[.accessGroup] = found.attributes[.accessGroup]
                item.attributes.accessibility = Accessibility(code: words[2])
                item.secret = found.secret
                _ = try connection.add(item)
                return say("ok")
            case ("move", 3):
                return say("\(try connection.moveItems(from: words[1], to: words[2]))")
            case ("find", 2), ("find", 3):
                let item = try connection.find(query(words[1], words.count == 3 ? group : nil))
                return say(item.first?.secret.map(\.text) ?? "nothing")
            case ("seek", 2):
                var wanted = query(words[1])
                wanted.seeksGranted = true
                let item = try connection.find(wanted)
                return say(item.first?.secret.map(\.text) ?? "nothing")
            case ("attributes", 2):
                var wanted = query(words[1])
                wanted.returning = .attributes
                guard case .text(let label)? = try connection.find(wanted).first?.attributes[.label]
                else { return 1 }
                return say(label)
            case ("grant", 3):
                var changes = ItemChanges()
                changes.attributes.grants = ItemGrants()
                changes.attributes.grants?.partitions = words[2].split(separator: ",")
                    .map(String.init)
                try connection.update(query(words[1]), applying: changes)
                return say("ok")
            case ("delete", 2):
                try connection.delete(query(words[1]))
                return say("ok")
            case ("overwrite", 3):
                var changes = ItemChanges()
                changes.secret = Secret(words[2])
                try connection.update(query(words[1]), applying: changes)
                return say("ok")
            case ("guard", 3):
                var item = item(words[1], words[2])
                item.accessControl = AccessControl(
                    protectionClass: Accessibility.whenUnlocked.rawValue,
                    operations: [.decrypt: .owner, .encrypt: .always, .delete: .always],
                    demandsPassword: false)
                item.attributes.accessibility = .whenUnlocked
                _ = try connection.add(item)
                return say("ok")
            case ("skip", 2):
                var wanted = query(words[1])
                wanted.seeksGranted = true
                wanted.access.skipsGuarded = true
                let item = try connection.find(wanted)
                return say(item.first?.secret.map(\.text) ?? "nothing")
            case ("replace", 3):
                var item = item(words[1], words[2])
                item.replacesExisting = true
                item.attributes.grants = ItemGrants()
                item.attributes.grants?.admitsAll = true
                _ = try connection.add(item)
                return say("ok")
            case ("set-passcode", 2), ("set-passcode", 3):
                try connection.setPasscode(
                    Secret(words[1]).bytes,
                    permit: words.count == 3 ? PermitCode(words[2]) : nil)
                return say("ok")
            case ("recovery-code", 1), ("recovery-code", 2):
                let code = try connection.makeRecoveryCode(
                    passcode: SecretBytes(byteCount: 0),
                    permit: words.count == 2 ? PermitCode(words[1]) : nil)
                return say(code.text.text)
            case ("recover", 2):
                guard let code = RecoveryCode(Secret(words[1]).bytes) else { return 2 }
                try connection.reset(recoveryCode: code)
                return say("ok")
            case ("export", 1): return say("\(try connection.exportAll().items.count)")
            case ("state", 1): return say(try connection.deviceStatus().state.rawValue)
            case ("unlock", 2):
                try connection.unlock(passcode: Secret(words[1]).bytes)
                return say("ok")
            case ("lock", 1):
                try connection.lock()
                return say("ok")
            case ("lock-other", 2):
                let subject = UInt32(words[1]).map { LockSubject.user($0) } ?? .everybody
                _ = try connection.lock(subject, .now, within: .seconds(5))
                return say("ok")
            case ("convert", 2):
                // A converter's library is loaded now, from where the environment says.
                let converter = unsafe iconv_open(words[1], "UTF-8")
                return say(Int(bitPattern: converter) == -1 ? "unknown" : "known")
            case ("whoami", 1):
                let identity = try connection.callerIdentity()
                let lines = [identity.grade] + identity.accessGroups + identity.reasons
                return say(lines.joined(separator: "\n"))
            default: return 2
            }
        } catch {
            _ = say("failed \(error.status)")
            return 1
        }
    }

    /// A generic password.
    static func item(_ service: String, _ secret: String) -> NewItem {
        var item = NewItem(.genericPassword)
        item.attributes[.service] = .text(service)
        item.secret = Secret(secret)
        return item
    }

    /// A generic password by its service, with its secret.
    static func query(_ service: String, _ group: String? = nil) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text(service)
        if let group { query.attributes[.accessGroup] = .text(group) }
        query.returning = [.data]
        return query
    }
}

extension Secret {
    convenience init(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(
            unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
    }

    var text: String {
        unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
