// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC

/// Judges one peer: who it is, by what was opened of it and what the kernel says of it now.
struct Inspection {
    let rules: InspectionRules
    let cache: ProgramCache
    let mapped: MappedFiles
    let rootsLibraries: RootsLibraries
    let own: Namespaces
    let ownMounts: OwnMounts
    let pid: Int32
    let userID: UInt32
    let groupID: UInt32
    let traces: PeerTraces
    let digests: [KnownDigest]
    let stage: InspectionStage
    /// Its namespaces were compared just now, when it was opened.
    let stoodHere: Bool
    /// Only what root has mounted may be asked: other file systems may not answer.
    let asksRootsFilesAlone: Bool

    /// What came of it.
    enum Verdict {
        case known(ClientIdentity)
        /// The digest of a file must be taken first.
        case needsDigest(UndigestedFile)
        /// It can't be told now.
        case unknown
    }

    /// The judgement.
    func verdict() -> Verdict {
        do throws(Stop) {
            if !stoodHere { try checkNamespaces() }
            let identity = try identity()
            // After everything was looked at, too: a process may go into a namespace.
            if stage != .candidate { try checkStanding() }
            guard traces.addressSpace.isInUse() else { throw .unsigned([.changed]) }
            return .known(identity)
        } catch {
            switch error {
            case .unsigned(let reasons): return .known(.unsigned(userID, reasons))
            case .needsDigest(let file): return .needsDigest(file)
            case .unknown: return .unknown
            }
        }
    }

    /// What ends it early.
    enum Stop: Error {
        case unsigned([IdentityReason])
        case needsDigest(UndigestedFile)
        case unknown
    }

    // MARK: - Where it stands

    /// - Throws: for a process that may name any file as its program, or speak as another process.
    private func checkStanding() throws(Stop) {
        guard let status = ProcessStanding(process: pid) else { throw .unsigned([.ended]) }
        if let reason = status.reason(ofUser: userID) { throw .unsigned([reason]) }
        guard !status.isTraced else { throw .unsigned([.traced]) }
        switch ProcessThreads.areTraced(process: pid) {
        case nil: throw .unsigned([.notInspectable])
        case true?: throw .unsigned([.traced])
        case false?: break
        }
        try checkNamespaces()
    }

    private func checkNamespaces() throws(Stop) {
        guard let namespaces = Namespaces(process: "\(pid)") else {
            // It has put itself out of reach since it was looked into first.
            guard stage != .candidate else { throw .unsigned([.notInspectable]) }
            return
        }
        guard own.hold(namespaces, process: pid) else { throw .unsigned([.foreignNamespace]) }
    }

    // MARK: - Who it is

    private func identity() throws(Stop) -> ClientIdentity {
        guard let mounts = ownMounts.table else { throw .unknown }
        guard let status = FileStatus(descriptor: traces.program.rawValue), status.isRegular,
            let place = ProcessFile.link("/proc/self/fd/\(traces.program.rawValue)")
        else { throw .unsigned([.notInspectable]) }
        var rootsFiles = RootsFiles(mounts: mounts, sharesMounts: traces.sharesMounts)
        let (path, isRoots) = try rootsPath(place, status, &rootsFiles)
        let fileName = path.split(separator: "/").last.map(String.init) ?? ""
        if SharedPrograms.contains(fileName: fileName) { throw .unsigned([.sharedProgram]) }
        let problem: SignatureProblem
        switch cache.program(traces.program, digests) {
        case .needsDigest: throw try Self.undigested(traces.program)
        case .tooLarge: throw .unsigned([.programTooLarge])
        case .unsigned: problem = .absent
        case .signed(let executable):
            switch admit(executable) {
            case .failure(let found): problem = found
            case .success(let application):
                try look(status, application, &rootsFiles)
                let isRaised = isRoots ? try isRaised(status) : false
                guard isRaised || !application.entitlements.isSet(AccessGroups.requiresProtection)
                else { throw .unsigned([.notProtected]) }
                return ClientIdentity(
                    userID: userID, grade: isRaised ? .signedAndProtected : .signed,
                    application: application)
            }
        }
        guard isRoots else { throw .unsigned([.signature(problem), .notRootsPath]) }
        if SharedPrograms.containsRelative(fileName: fileName) {
            throw .unsigned([.sharedProgram])
        }
        try look(status, nil, &rootsFiles)
        return ClientIdentity(userID: userID, path: path, reasons: [.signature(problem)])
    }

    /// The program's path, and whether it is root's program there.
    /// - Parameters:
    ///   - place: What the kernel calls the program's file now: an upgrade puts another file in the
    ///     place of one that still runs, whose name then has a mark.
    ///   - status: What the file system says of the program's file.
    ///   - rootsFiles: Tells root's files.
    /// - Returns: The path, without the kernel's mark of a deleted file, and whether only root can
    ///   have put this program there.
    /// - Throws: for a program that was root's, perhaps, and isn't at its place any more.
    func rootsPath(
        _ place: String, _ status: FileStatus, _ rootsFiles: inout RootsFiles
    ) throws(Stop) -> (path: String, isRoots: Bool) {
        let directories = rules.programDirectories
        if rootsFiles.status(place)?.identity == status.identity {
            return (place, directories.holds(place))
        }
        guard place.hasSuffix(Self.removedMark) else { return (place, false) }
        let path = String(place.dropLast(Self.removedMark.count))
        guard directories.holds(path) else { return (path, false) }
        // Where other mounts are seen, the path says nothing of this process's directories.
        guard traces.sharesMounts, rootsFiles.held(path, status) else {
            throw .unsigned([.replacedProgram])
        }
        return (path, true)
    }

    /// What the kernel puts behind the path of a file that isn't there any more.
    private static let removedMark = " (deleted)"

    private func admit(
        _ executable: SignedExecutable
    ) -> Result<SignedApplication, SignatureProblem> {
        do throws(SignatureProblem) {
            return .success(
                try rules.trust.teams.admit(
                    executable.signature.get(), now: rules.now(), device: rules.device))
        } catch { return .failure(error) }
    }

    /// Whether other programs of its user can't put code into it: it is root's, and the kernel raised
    /// its rights when it started, by a group that its user hasn't, so that it takes no libraries
    /// and no debugger of theirs.
    private func isRaised(_ status: FileStatus) throws(Stop) -> Bool {
        guard userID != 0, traces.mayRaiseRights, status.isSetGroup, groupID == status.group
        else { return false }
        guard let standing = ProcessStanding(process: pid) else { throw .unsigned([.ended]) }
        return standing.realGroup != status.group
            && !standing.supplementaryGroups.contains(status.group)
    }

    // MARK: - What runs in it

    /// Looks at what is mapped.
    /// - Parameters:
    ///   - program: What the file system says of the program's file.
    ///   - application: The signed application, whose team's libraries count; nil for an unsigned
    ///     program of root's, in which only root's do.
    ///   - rootsFiles: Tells root's files.
    /// - Throws: for code that is neither.
    private func look(
        _ program: FileStatus, _ application: SignedApplication?, _ rootsFiles: inout RootsFiles
    ) throws(Stop) {
        guard stage != .candidate else { return }
        let addressSpace = try presentAddressSpace(program)
        guard let mappings = addressSpace.mappings(),
            let first = AddressSpace.firstCode(mappings),
            first == traces.addressSpace.firstCode(),
            mappings.contains(where: { $0.isExecutable && isProgram($0, program) })
        else { throw .unsigned([.changed]) }
        let code = mappings.filter {
            $0.isExecutable && ($0.inode != 0 || $0.isChangeableKernels)
        }
        guard let haveCopies = addressSpace.haveCopiedPages(code) else {
            throw .unsigned([.changed])
        }
        guard !haveCopies else { throw .unsigned([.copiedCode]) }
        let isStrict = application?.flags.contains(.libraryValidation) ?? false
        var accepted: Set<Mapping.File> = []
        for mapping in mappings where !mapping.isKernels {
            guard mapping.inode != 0 else { throw .unsigned([.anonymousCode]) }
            guard !accepted.contains(mapping.file) else { continue }
            if isProgram(mapping, program) {
                accepted.insert(mapping.file)
                continue
            }
            if application == nil || isStrict, Self.isLanguage(mapping) {
                throw .unsigned([.sharedProgram])
            }
            if try isAcceptable(mapping, application, &rootsFiles) {
                accepted.insert(mapping.file)
            }
        }
    }

    /// Opens the address space once more, and makes sure that the process still runs the program that
    /// was opened first. The caller must find the same code at the same address.
    ///
    /// Another process can keep the first address space alive after the peer left it: while it reads
    /// the peer's `pagemap` into memory that it never gets.
    private func presentAddressSpace(_ program: FileStatus) throws(Stop) -> AddressSpace {
        guard let present = AddressSpace(process: pid) else { throw .unsigned([.notInspectable]) }
        let raw = unsafe llavero_open("/proc/\(pid)/exe", LLAVERO_O_PATH | O_CLOEXEC, 0)
        guard raw >= 0 else { throw .unsigned([.notInspectable]) }
        let exe = Descriptor(owning: raw)
        // The mount comes first: another one's file system may not answer.
        guard let mount = ProcessFile.mountNumber(ofOpenFile: raw),
            mount == ProcessFile.mountNumber(ofOpenFile: traces.program.rawValue),
            let status = FileStatus(descriptor: exe.rawValue),
            status.identity.device == program.identity.device,
            status.identity.inode == program.identity.inode
        else { throw .unsigned([.changed]) }
        return present
    }

    /// Whether what is mapped does what a script says: a language's library, or an interpreter that the
    /// process has mapped itself.
    private static func isLanguage(_ mapping: Mapping) -> Bool {
        if SharedPrograms.isLanguage(library: mapping.path) { return true }
        guard mapping.isExecutable, let name = mapping.path.split(separator: "/").last else {
            return false
        }
        return !name.contains(".so") && SharedPrograms.containsRelative(fileName: String(name))
    }

    private func isProgram(_ mapping: Mapping, _ status: FileStatus) -> Bool {
        mapped.isFile(traces.program, status, of: mapping)
    }

    /// Whether a file may be mapped: root's own, or a library of the application's team; of what
    /// isn't mapped as code, everything but libraries, since they could be code again in a moment.
    /// - Returns: False for a file that has only been looked at as data.
    private func isAcceptable(
        _ mapping: Mapping, _ application: SignedApplication?, _ rootsFiles: inout RootsFiles
    ) throws(Stop) -> Bool {
        let isStrict = application?.flags.contains(.libraryValidation) ?? false
        if rootsLibraries.holds(mapping) || isRoots(mapping, &rootsFiles)
            || rootsLibraries.held(mapping),
            !isStrict || !mapping.isExecutable || rules.programDirectories.holds(mapping.path)
        {
            return mapping.isExecutable || !isStrict
        }
        // Data, too: it can be a library that isn't executable just now.
        guard !asksRootsFilesAlone else { throw .unknown }
        guard let file = open(mapping, &rootsFiles) else {
            guard mapping.isExecutable else { return false }
            throw .unsigned([.replacedLibrary])
        }
        let isLibrary = mapping.isExecutable || ELFFile.isOne(file.rawValue)
        guard isLibrary else { return false }
        guard let application else { throw .unsigned([.foreignLibrary]) }
        switch cache.program(file, digests) {
        case .unsigned, .tooLarge: throw .unsigned([.foreignLibrary])
        case .needsDigest: throw try Self.undigested(file)
        case .signed(let executable):
            guard let library = try? admit(executable).get(), library.team == application.team
            else { throw .unsigned([.foreignLibrary]) }
            return true
        }
    }

    private var isHeld: Bool {
        Namespaces(process: "\(pid)").map { own.hold($0, process: pid) } ?? false
    }

    /// Opens the file of a mapping. Its path is the process's word: what is opened must be the file
    /// that is mapped, on a mount that the process sees and whose files change by this kernel's doing
    /// alone.
    private func open(_ mapping: Mapping, _ rootsFiles: inout RootsFiles) -> Descriptor? {
        guard let mounts = traces.sharesMounts ? ownMounts.table : MountTable(process: pid) else {
            return nil
        }
        for path in ["/proc/\(pid)/root" + mapping.path, mapping.path] {
            let raw = unsafe llavero_open(path, LLAVERO_O_PATH | O_CLOEXEC | O_NOFOLLOW, 0)
            guard raw >= 0 else { continue }
            let place = Descriptor(owning: raw)
            // Its mounts were read from where it stood then; it can't have come back from a namespace.
            guard traces.sharesMounts || isHeld, let mount = mounts.mount(ofOpenFile: raw),
                rootsFiles.isOrdinary(mount)
            else { continue }
            guard let file = ProcessFile.reopen(place),
                let status = FileStatus(descriptor: file.rawValue), status.isRegular,
                mount.holds(status), mapped.isFile(file, status, of: mapping)
            else { continue }
            return file
        }
        return nil
    }

    /// Whether the path of a mapping leads this process to root's file, and that is the one that is
    /// mapped: that is most libraries.
    private func isRoots(_ mapping: Mapping, _ rootsFiles: inout RootsFiles) -> Bool {
        guard let status = rootsFiles.status(mapping.path) else { return false }
        if status.isFile(of: mapping) {
            rootsLibraries.remember(mapping, status, pins: rootsFiles.staysMounted(mapping.path))
            return true
        }
        let raw = unsafe llavero_open(mapping.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard raw >= 0 else { return false }
        let file = Descriptor(owning: raw)
        guard let opened = FileStatus(descriptor: raw), opened.identity == status.identity else {
            return false
        }
        return mapped.isFile(file, opened, of: mapping)
    }

    private static func undigested(_ file: borrowing Descriptor) throws(Stop) -> Stop {
        guard let status = FileStatus(descriptor: file.rawValue),
            let copy = ProcessFile.reopen(file)
        else { throw .unknown }
        return .needsDigest(UndigestedFile(status.identity, copy))
    }
}

/// How far a look goes.
package enum InspectionStage: UInt32, Sendable {
    /// As far as is needed to say whether the peer can be more than any program of its user:
    /// everything but what is mapped.
    case candidate = 0
    /// Everything.
    case full = 1
    /// Everything, and what the process would be to a front (``ProcessFacts``).
    case bus = 3
}

/// A file whose digest must be taken before a peer can be judged.
package final class UndigestedFile: Sendable {
    /// Which file, in which state.
    package let identity: FileIdentity
    let file: Descriptor

    /// Takes over an open file.
    package init(_ identity: FileIdentity, _ file: consuming Descriptor) {
        self.identity = identity
        self.file = file
    }
}
