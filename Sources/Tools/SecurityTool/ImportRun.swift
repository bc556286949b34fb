// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// Carries out a plan, or undoes its changes.
///
/// Only a run that is killed (SIGKILL, power cut) leaves part of the items; running it again stores
/// the rest.
struct ImportRun {
    private let connection: KeychainConnection
    private let options: ImportOptions

    init(_ connection: KeychainConnection, _ options: ImportOptions) {
        self.connection = connection
        self.options = options
    }

    /// Makes all changes of a plan, or none.
    func carryOut(_ plan: ImportPlan) throws(ImportProblem) {
        let signals = HeldSignals()
        let progress = ProgressBar("storing", of: plan.steps.count)
        for (number, step) in plan.steps.enumerated() {
            progress.show(number)
            if let signal = signals.pending {
                throw .interrupted(signal, takeBack(plan.steps.prefix(number)))
            }
            do throws(KeychainError) { try make(step) } catch {
                // It may be unknown whether the failed change was made; then it is checked, too.
                let isDoubtful = error.reason == .unknownOutcome
                let made = plan.steps.prefix(isDoubtful ? number + 1 : number)
                throw .failed(error, step.login.place, takeBack(made))
            }
        }
    }

    private func make(_ step: ImportPlan.Step) throws(KeychainError) {
        switch step {
        case .add(let login):
            var item = NewItem(.internetPassword)
            item.attributes = login.identity
            item.attributes[.label] = login.identity[.server]
            item.attributes.accessibility = options.accessibility
            item.secret = login.secret
            try connection.add(item)
        case .replace(let login, let item):
            var changes = ItemChanges()
            changes.secret = login.secret
            changes.attributes.accessibility = options.accessibility
            try connection.update(Self.query(for: item), applying: changes)
        }
    }

    // MARK: - Undoing

    /// Undoes steps, the last one first.
    private func takeBack(_ steps: ArraySlice<ImportPlan.Step>) -> ImportProblem.Leftovers {
        var leftovers = ImportProblem.Leftovers()
        var isReachable = true
        for step in steps.reversed() {
            do throws(KeychainError) {
                guard isReachable else { throw .noAnswer }
                try takeBack(step)
                leftovers.undoneCount += 1
            } catch {
                // One time-out proves that no service replies.
                if [.unreachable, .busy].contains(error.reason) { isReachable = false }
                leftovers.places.append(step.login.place)
            }
        }
        leftovers.places.reverse()
        return leftovers
    }

    /// Undoes a step, unless another program has changed the item since: then it keeps that change.
    private func takeBack(_ step: ImportPlan.Step) throws(KeychainError) {
        let item: FoundItem
        do throws(KeychainError) {
            guard let found = try connection.find(step.login.query).first else { return }
            item = found
        } catch {
            if error.reason == .absent { return }
            throw error
        }
        guard let secret = item.secret, secret.bytes.isEqual(to: step.login.secret.bytes) else {
            return
        }
        switch step {
        case .add: try connection.delete(Self.query(for: item))
        case .replace(_, let old):
            guard item.generation != old.generation else { return }
            var changes = ItemChanges()
            changes.secret = old.secret
            changes.attributes.accessibility = old.attributes.accessibility
            try connection.update(Self.query(for: item), applying: changes)
        }
    }

    /// A query for an item in the state in which it was found.
    private static func query(for item: FoundItem) -> ItemQuery {
        var query = ItemQuery(.internetPassword)
        query.persistentReference = item.persistentReference
        query.generation = item.generation
        query.limit = nil
        return query
    }
}

extension ImportPlan.Step {
    /// The login that it stores.
    var login: ImportedLogin {
        switch self {
        case .add(let login), .replace(let login, _): login
        }
    }
}

extension KeychainError {
    /// The service hasn't replied to an earlier request.
    fileprivate static let noAnswer = KeychainError(
        status: SecurityStatus.notAvailable, reason: .unreachable)
}

/// Blocks the signals by which a person or a system ends a program.
private struct HeldSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private var previous = sigset_t()

    init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in Self.numbers { unsafe sigaddset(&set, number) }
        unsafe sigprocmask(SIG_BLOCK, &set, &previous)
    }

    deinit {
        var previous = previous
        unsafe sigprocmask(SIG_SETMASK, &previous, nil)
    }

    /// A pending signal.
    var pending: Int32? {
        var set = sigset_t()
        guard unsafe sigpending(&set) == 0 else { return nil }
        guard let number = Self.numbers.first(where: { unsafe sigismember(&set, $0) == 1 }) else {
            return nil
        }
        // Receive it, so that it doesn't end the program when signals are unblocked.
        var one = sigset_t()
        unsafe sigemptyset(&one)
        unsafe sigaddset(&one, number)
        return unsafe sigwaitinfo(&one, nil) == number ? number : nil
    }
}
