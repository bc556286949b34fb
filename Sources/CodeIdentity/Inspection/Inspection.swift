// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// One peer under inspection.
final class Inspection: Sendable {
    private let rules: InspectionRules
    private let cache: ProgramCache
    private let mapped: MappedFiles
    private let pid: Int32
    private let userID: UInt32
    private let groupID: UInt32
    private let addressSpace: AddressSpace
    private let program: Descriptor

    init(
        rules: InspectionRules, cache: ProgramCache, mapped: MappedFiles, pid: Int32,
        userID: UInt32, groupID: UInt32,
        addressSpace: consuming AddressSpace, program: consuming Descriptor
    ) {
        self.rules = rules
        self.cache = cache
        self.mapped = mapped
        self.pid = pid
        self.userID = userID
        self.groupID = groupID
        self.addressSpace = addressSpace
        self.program = program
    }

    /// Ends the inspection; may take as long as reading the program's file.
    func finish() -> EstablishedPeer {
        established(identity(mayTakeLong: true) ?? .unsigned(userID, .notInspectable))
    }

    func established(_ identity: ClientIdentity) -> EstablishedPeer {
        guard identity.grade != .unsigned else { return EstablishedPeer(identity) }
        guard let space = AddressSpace(process: pid), addressSpace.isInUse() else {
            return EstablishedPeer(.unsigned(userID, .changed))
        }
        // Opened while the first was in use, so it is the same.
        return EstablishedPeer(identity, space)
    }

    /// - Returns: Nil when a file must be read first that may be long.
    func identity(mayTakeLong: Bool) -> ClientIdentity? {
        guard let status = FileStatus(descriptor: program.rawValue), status.isRegular,
            let path = ProcessFile.link("/proc/\(pid)/exe"),
            let process = ProcessStatus(process: pid)
        else { return .unsigned(userID, .notInspectable) }
        let fileName = path.split(separator: "/").last.map(String.init) ?? ""
        if SharedPrograms.contains(fileName: fileName) {
            return .unsigned(userID, .sharedProgram)
        }
        guard let signed = cache.program(program, mayTakeLong: mayTakeLong) else { return nil }
        var reasons: [IdentityReason] = []
        if case .signed(let executable) = signed {
            do throws(SignatureProblem) {
                let application = try rules.trust.teams.admit(
                    executable.signature.get(), now: rules.now(), device: rules.device)
                return signedIdentity(
                    application, executable, status, path, process, mayTakeLong: mayTakeLong)
            } catch { reasons.append(.signature(error)) }
        } else {
            reasons.append(.signature(.absent))
        }
        return unsignedIdentity(status, path, process, reasons)
    }

    // MARK: - Signed programs

    private func signedIdentity(
        _ application: SignedApplication, _ executable: SignedExecutable, _ status: FileStatus,
        _ path: String, _ process: ProcessStatus, mayTakeLong: Bool
    ) -> ClientIdentity? {
        guard !process.isTraced else { return .unsigned(userID, .traced) }
        guard let mappings = addressSpace.executableMappings(),
            // Another process could keep an address space in use that this one has left.
            mappings.contains(where: { isProgram($0, status) })
        else { return .unsigned(userID, .changed) }
        for mapping in mappings where !mapping.isKernels && !isProgram(mapping, status) {
            switch library(mapping, of: application, mayTakeLong: mayTakeLong) {
            case .accepted: continue
            case .needsReading: return nil
            case .refused(let reason): return .unsigned(userID, reason)
            }
        }
        let isProtected = isProtected(executable, status, path, process)
        return ClientIdentity(
            userID: userID, grade: isProtected ? .signedAndProtected : .signed,
            application: application)
    }

    private func isProgram(_ mapping: Mapping, _ status: FileStatus) -> Bool {
        mapped.isFile(program, status, of: mapping)
    }

    private enum Library {
        case accepted
        case needsReading
        case refused(IdentityReason)
    }

    /// Whether code may be in a signed program: root's own, or the same team's.
    private func library(
        _ mapping: Mapping, of application: SignedApplication, mayTakeLong: Bool
    ) -> Library {
        guard mapping.inode != 0 else { return .refused(.anonymousCode) }
        let isStrict = application.flags.contains(.libraryValidation)
        if !isStrict, Self.isRootsAlone(mapping) { return .accepted }
        guard let file = Self.open(mapping, process: pid),
            let status = FileStatus(descriptor: file.rawValue),
            mapped.isFile(file, status, of: mapping)
        else { return .refused(.replacedLibrary) }
        if status.isRootsAlone, !isStrict || isInstalled(mapping.path, status) { return .accepted }
        guard let program = cache.program(file, mayTakeLong: mayTakeLong) else {
            return .needsReading
        }
        guard case .signed(let library) = program, case .success(let signature) = library.signature,
            let other = try? rules.trust.teams.admit(
                signature, now: rules.now(), device: rules.device),
            other.team == application.team
        else { return .refused(.foreignLibrary) }
        return .accepted
    }

    /// Whether a mapping's file is root's alone, where its path leads to the very file: that is most
    /// libraries, and they needn't be opened.
    private static func isRootsAlone(_ mapping: Mapping) -> Bool {
        guard let status = FileStatus(path: mapping.path, followingLinks: false) else {
            return false
        }
        return status.isRegular && status.isRootsAlone && status.isFile(of: mapping)
    }

    /// Whether a file is where only root can put programs. The path is as the process sees it: it
    /// must lead us to the same file.
    private func isInstalled(_ path: String, _ status: FileStatus) -> Bool {
        status.isRootsAlone && rules.programDirectories.holds(path)
            && FileStatus(path: path, followingLinks: false)?.identity == status.identity
    }

    /// Opens the file of a mapping. Its path is the process's word; what was opened must be the
    /// file that is mapped, which the caller checks.
    private static func open(_ mapping: Mapping, process: Int32) -> Descriptor? {
        // Needs a right that only root has as a rule, and finds files that were deleted.
        for path in ["/proc/\(process)/map_files/\(mapping.range)", mapping.path] {
            // Opening what isn't a file can do things.
            guard FileStatus(path: path)?.isRegular == true else { continue }
            let file = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
            if file >= 0 { return Descriptor(owning: file) }
        }
        return nil
    }

    /// Whether other programs of its user can't put code into it: the kernel raised its rights when
    /// it started, so that it takes no libraries and no debugger of theirs; or nothing is loaded
    /// into it and it has taken itself out of their reach.
    private func isProtected(
        _ executable: SignedExecutable, _ status: FileStatus, _ path: String,
        _ process: ProcessStatus
    ) -> Bool {
        guard userID != 0, isInstalled(path, status) else { return false }
        let isRaised =
            status.isSetGroup && groupID == status.group && process.realGroup != status.group
        return isRaised || (!executable.hasInterpreter && process.isOutOfReach)
    }

    // MARK: - Unsigned programs

    private func unsignedIdentity(
        _ status: FileStatus, _ path: String, _ process: ProcessStatus, _ reasons: [IdentityReason]
    ) -> ClientIdentity {
        guard isInstalled(path, status) else {
            return .unsigned(userID, reasons + [.notRootsPath])
        }
        guard !process.isTraced else { return .unsigned(userID, .traced) }
        guard let mappings = addressSpace.executableMappings(),
            // Another process could keep an address space in use that this one has left.
            mappings.contains(where: { isProgram($0, status) })
        else { return .unsigned(userID, .changed) }
        for mapping in mappings where !mapping.isKernels && !isProgram(mapping, status) {
            guard mapping.inode != 0 else { return .unsigned(userID, .anonymousCode) }
            if Self.isRootsAlone(mapping) { continue }
            guard let file = Self.open(mapping, process: pid),
                let library = FileStatus(descriptor: file.rawValue),
                mapped.isFile(file, library, of: mapping)
            else { return .unsigned(userID, .replacedLibrary) }
            guard library.isRootsAlone else { return .unsigned(userID, .foreignLibrary) }
        }
        return ClientIdentity(userID: userID, path: path, reasons: reasons)
    }
}

/// What `/proc/PID/status` says.
struct ProcessStatus {
    let isTraced: Bool
    let realGroup: UInt32
    /// The kernel doesn't let other processes of its user look into it.
    let isOutOfReach: Bool

    init?(process: Int32) {
        let path = "/proc/\(process)/status"
        guard let bytes = ProcessFile.content(path, limit: 64 * 1024),
            let status = FileStatus(path: path)
        else { return nil }
        var tracer: UInt64?
        var group: UInt32?
        var lines = TextLines(bytes)
        while tracer == nil || group == nil, let line = lines.next() {
            guard line.first == UInt8(ascii: "T") || line.first == UInt8(ascii: "G") else {
                continue
            }
            var fields = LineFields(line)
            guard let name = fields.next(),
                let number = fields.next().flatMap({ UInt64(digits: $0, radix: 10) })
            else { continue }
            if name.elementsEqual("TracerPid:".utf8) { tracer = number }
            if name.elementsEqual("Gid:".utf8) { group = UInt32(exactly: number) }
        }
        guard let tracer, let group else { return nil }
        isTraced = tracer != 0
        realGroup = group
        isOutOfReach = status.owner == 0
    }
}
