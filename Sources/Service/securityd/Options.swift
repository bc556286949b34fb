// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Supervision

/// The words of the command line that a person writes.
enum Options {
    /// `--ephemeral`: a keychain for one command.
    case ephemeral(
        command: [String], enclave: [String], passcode: Int32?, agent: AgentChoice?,
        trust: TrustConfiguration)
    /// `--user`: the keychain of the user.
    case user(enclave: [String], protectors: [ProtectorSource], agent: AgentChoice?)
    /// `--system`: a keychain for each user of the machine.
    case system(root: String, users: [String], enclave: [String], protectors: [ProtectorSource])
    /// `--worker`: the process that serves; started by the supervisor.
    case worker(
        stateDirectory: String, enclave: [String], agent: Int32?, trust: TrustConfiguration)
    /// `--system-worker`: the same of the system service, which becomes its user first.
    case systemWorker(
        root: String, stateDirectory: String, permits: String, locker: UInt32?,
        startsTrust: Bool, user: UInt32, groups: [UInt32])
    /// `--help`.
    case help

    /// Why arguments are invalid; for a person.
    struct Problem: Error {
        let text: String
    }

    static let usage = """
        usage: securityd --ephemeral [--device-key MAKER] [--no-agent | --pinentry PROGRAM]
                         [--passcode-fd N] [--trust-config FILE] -- COMMAND [ARGUMENT…]
               securityd --user [--device-key MAKER] [--no-agent | --pinentry PROGRAM]
                                [--tpm-wait SECONDS]
                                [--protector-credential NAME]… [--protector-key-file FILE]…
               securityd --system [--device-key MAKER] [--root DIRECTORY] [--users A,B,C]
                                  [--tpm-wait SECONDS]
                                  [--protector-credential USER:NAME]…
                                  [--protector-key-file USER:FILE]…

          --ephemeral  Makes a keychain in a private temporary directory, runs COMMAND with
                       LLAVERO_SOCKET set to it, removes everything when COMMAND ends, and exits
                       with its status. For tests, build jobs and trying things out.
          --user       Serves the keychain of the user who starts it, until a signal ends it.
                       State: $XDG_DATA_HOME/llavero, else ~/.local/share/llavero.
                       Socket: $XDG_RUNTIME_DIR/llavero/securityd.sock.
          --system     Serves a keychain for each user of the machine; started by root. Each daemon
                       runs as a user of its own.
                       State: /var/lib/llavero and /var/lib/llavero-enclave.
                       Socket: /run/llavero/securityd.sock.
          --root DIRECTORY
                       Puts these paths, and /etc/llavero, below DIRECTORY.
          --users A,B,C
                       The users of securityd, enclaved and peerinspector, by names or numbers, in
                       place of _securityd,_enclaved,_peerinspector. Nothing else may run as these
                       users: what is left of a daemon is killed by its user. A fourth one is the
                       user of llavero-session, in place of _llavero-session, a fifth one that of
                       trustd, in place of _trustd.
          --device-key What makes the device key of a new keychain: `tpm` (/dev/tpmrm0), `unix:PATH`
                       (a software TPM's socket), `file`, or `auto`, the default: a TPM that can be
                       used, else a file. An old keychain keeps its own; only where its TPM is can
                       be said.
          --protector-credential [USER:]NAME
                       Unlocks the keybag (of USER) at the start, with a protector's key that is
                       systemd's credential NAME: LoadCredential= in the service's unit.
          --protector-key-file [USER:]FILE
                       The same with a key file, which `security device protector add` makes.
          --tpm-wait SECONDS
                       At the start, how long to wait for the TPM that has the device key: 0 to 50.
                       With --system 30, else 0.
          --no-agent   Nobody is asked for a passcode: items that demand a person can't be used.
                       Without it, llavero-agent asks on the terminal of the program that wants
                       such an item, else in a window if the program has the display of this
                       session.
          --pinentry PROGRAM
                       The agent asks by this pinentry, on that terminal or display.
          --passcode-fd N
                       Sets the passcode that is the first line of descriptor N before COMMAND
                       starts, so that items of the passcode-set class can be stored. COMMAND
                       doesn't get the descriptor; the keychain is unlocked.
          --trust-config FILE
                       Takes roots and revocation lists for certificates, and whether the network
                       is asked about them, from FILE in place of /etc/llavero/trust.conf.

        """

    /// - Parameter words: Without the program's name.
    /// - Throws: ``Problem``: the error.
    init(_ words: [String]) throws(Problem) {
        guard let mode = words.first else { throw Problem(text: "A mode is needed.") }
        var rest = words.dropFirst()
        switch mode {
        case "--help":
            self = .help
        case "--worker":
            guard rest.count >= 2, rest.removeFirst() == "--state" else {
                throw Problem(text: "--worker is the supervisor's own.")
            }
            let directory = rest.removeFirst()
            var agent: Int32?
            if rest.first == "--agent", rest.count >= 2 {
                rest.removeFirst()
                agent = Int32(rest.removeFirst())
            }
            let trust = rest.first == "--roots" ? rest.prefix(TrustConfiguration.wordCount) : []
            self = .worker(
                stateDirectory: directory, enclave: Array(rest.dropFirst(trust.count)),
                agent: agent,
                trust: trust.isEmpty ? .ofMachine() : try TrustConfiguration(words: trust))
        case "--system-worker":
            self = try Self.systemWorker(Array(rest))
        case "--system":
            self = try Self.system(&rest)
        case "--user":
            var enclave = try Self.deviceKey(&rest)
            var protectors: [ProtectorSource] = []
            let agent = try Self.agent(&rest)
            while !rest.isEmpty {
                if let wait = try Self.tpmWait(&rest) {
                    enclave += wait
                } else if let source = try Self.protector(&rest, isSystem: false) {
                    protectors.append(source)
                } else {
                    break
                }
            }
            guard rest.isEmpty else { throw Self.unknown(rest) }
            self = .user(enclave: enclave, protectors: protectors, agent: agent)
        case "--ephemeral":
            self = try Self.ephemeral(&rest)
        default:
            throw Self.unknown([mode])
        }
    }

    private static func ephemeral(_ words: inout ArraySlice<String>) throws(Problem) -> Self {
        var enclave: [String] = []
        var passcode: Int32?
        var agent: AgentChoice? = AgentChoice()
        var trust = TrustConfiguration()
        options: while let word = words.first {
            switch word {
            case "--device-key": enclave = try deviceKey(&words)
            case "--no-agent", "--pinentry": agent = try self.agent(&words)
            case "--passcode-fd":
                words.removeFirst()
                guard let number = words.popFirst().flatMap({ Int32($0) }), number >= 0,
                    fcntl(number, F_GETFD) >= 0
                else {
                    throw Problem(
                        text: "--passcode-fd needs the number of an open descriptor.")
                }
                passcode = number
            case "--trust-config" where words.count >= 2:
                words.removeFirst()
                trust = try TrustConfiguration(file: words.removeFirst())
            case "--":
                words.removeFirst()
                break options
            default: break options
            }
        }
        guard !words.isEmpty else { throw Problem(text: "--ephemeral needs a command to run.") }
        return .ephemeral(
            command: Array(words), enclave: enclave, passcode: passcode, agent: agent,
            trust: trust)
    }

    /// Takes `--no-agent` or `--pinentry PROGRAM` from the front of the arguments.
    /// - Returns: Nil if nobody is to be asked.
    private static func agent(
        _ words: inout ArraySlice<String>
    ) throws(Problem) -> AgentChoice? {
        switch words.first {
        case "--no-agent":
            words.removeFirst()
            return nil
        case "--pinentry":
            guard words.count >= 2, words[words.startIndex + 1].hasPrefix("/") else {
                throw Problem(text: "--pinentry needs the absolute path of a program.")
            }
            return AgentChoice(pinentry: takeValue(&words))
        default: return AgentChoice()
        }
    }

    private static func system(_ words: inout ArraySlice<String>) throws(Problem) -> Self {
        var enclave: [String] = []
        var root = ""
        var users: [String]?
        var protectors: [ProtectorSource] = []
        while let word = words.first {
            switch word {
            case "--device-key" where !enclave.contains(word): enclave += try deviceKey(&words)
            case "--root" where root.isEmpty && words.count >= 2:
                root = takeValue(&words)
                guard root.hasPrefix("/"), !root.hasSuffix("/") else {
                    throw Problem(text: "--root needs an absolute path without a slash at its end.")
                }
            case "--users" where users == nil && words.count >= 2:
                let names = takeValue(&words).split(
                    separator: ",", omittingEmptySubsequences: false)
                guard (3...5).contains(names.count), !names.contains("") else {
                    throw Problem(text: "--users needs three users, with commas between them.")
                }
                users = names.map(String.init)
            case "--tpm-wait": enclave += try tpmWait(&words) ?? []
            default:
                guard let source = try protector(&words, isSystem: true) else {
                    throw unknown(words)
                }
                protectors.append(source)
            }
        }
        return .system(
            root: root, users: users ?? ServiceUsers.names, enclave: enclave,
            protectors: protectors)
    }

    /// Takes `--tpm-wait SECONDS` from the front of the arguments.
    /// - Returns: The arguments for enclaved; nil if it is missing.
    private static func tpmWait(_ words: inout ArraySlice<String>) throws(Problem) -> [String]? {
        guard words.first == "--tpm-wait" else { return nil }
        guard words.count >= 2, let seconds = Int(words[words.startIndex + 1]),
            (0...tpmWaitSecondsLimit).contains(seconds)
        else { throw Problem(text: "--tpm-wait needs a number of seconds, 0 to 50.") }
        defer { words.removeFirst(2) }
        return Array(words.prefix(2))
    }

    /// enclaved answers nothing meanwhile, and one that doesn't answer for a minute is killed.
    private static let tpmWaitSecondsLimit = 50

    /// Takes an option about a protector from the front of the arguments.
    /// - Returns: Nil if there is none.
    private static func protector(
        _ words: inout ArraySlice<String>, isSystem: Bool
    ) throws(Problem) -> ProtectorSource? {
        guard let option = words.first,
            ["--protector-credential", "--protector-key-file"].contains(option), words.count >= 2
        else { return nil }
        var value = takeValue(&words)
        var userID = geteuid()
        if isSystem {
            let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, let number = ServiceUsers.number(ofUser: parts[0]) else {
                throw Problem(text: "\(option) needs USER:… with a user that there is.")
            }
            userID = number
            value = parts[1]
        }
        guard option == "--protector-credential" else {
            guard value.hasPrefix("/") else {
                throw Problem(text: "--protector-key-file needs an absolute path.")
            }
            return ProtectorSource(userID: userID, .file(path: value))
        }
        guard !value.isEmpty, !value.contains("/"), value != ".", value != ".." else {
            throw Problem(text: "--protector-credential needs the name of a credential.")
        }
        let directory = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
        return ProtectorSource(userID: userID, .credential(directory: directory, name: value))
    }

    /// Takes an option and its value, which are there.
    private static func takeValue(_ words: inout ArraySlice<String>) -> String {
        words.removeFirst()
        return words.removeFirst()
    }

    private static func systemWorker(_ words: [String]) throws(Problem) -> Self {
        let problem = Problem(text: "--system-worker is the supervisor's own.")
        var words = words
        var locker: UInt32?
        let startsTrust = words.last == "--trust-starter"
        if startsTrust { words.removeLast() }
        if words.count == 12, words[10] == "--locker" {
            locker = UInt32(words[11])
            guard locker != nil else { throw problem }
            words.removeLast(2)
        }
        guard words.count == 10, words[0] == "--state", words[2] == "--permits",
            words[4] == "--user", words[6] == "--groups", words[8] == "--root",
            let user = UInt32(words[5]), user != 0
        else { throw problem }
        let texts = words[7].split(separator: ",", omittingEmptySubsequences: false)
        let groups = texts.compactMap { UInt32($0) }
        guard groups.count == texts.count, !groups.contains(0) else { throw problem }
        return .systemWorker(
            root: words[9], stateDirectory: words[1], permits: words[3], locker: locker,
            startsTrust: startsTrust, user: user, groups: groups)
    }

    /// Takes `--device-key MAKER` from the front of the arguments.
    /// - Returns: The arguments for enclaved; empty if it is missing.
    private static func deviceKey(
        _ words: inout ArraySlice<String>
    ) throws(Problem) -> [String] {
        guard words.first == "--device-key" else { return [] }
        guard words.count >= 2 else { throw Problem(text: "--device-key needs a maker.") }
        defer { words.removeFirst(2) }
        return Array(words.prefix(2))
    }

    private static func unknown(_ words: ArraySlice<String>) -> Problem {
        Problem(text: "I don't understand \(words.joined(separator: " ")).")
    }
}

/// How persons are asked.
struct AgentChoice {
    /// The program that the owner wants to be asked by; nil is the agent's own way.
    var pinentry: String?

    /// What the agent needs of the session that starts the service.
    static let variables: Set<String> = [
        "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS", "HOME", "LANG", "LC_ALL",
        // The program that starts the service chooses the bus on which fingers are asked for.
        "DBUS_SYSTEM_BUS_ADDRESS",
    ]
}
