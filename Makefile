# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Llavero project authors

SWIFT ?= swift
SWIFTC ?= swiftc
# Daemons contain their Swift runtime and bind all symbols at start. Lazy binding would leave copies
# of registers, and so of secrets, on the stack.
RELEASE_FLAGS = -c release --static-swift-stdlib -Xlinker -z -Xlinker now
# For programs alone. They export no symbols, look for no library in their own folder, and have a
# number that finds their debug symbols.
PROGRAM_FLAGS = $(RELEASE_FLAGS) --disable-local-rpath -Xlinker --no-export-dynamic -Xlinker --build-id=sha1
# Nothing in these programs catches an exception of C++, so the table that would find a handler is left
# out; a debugger reads what it is made from.
NO_UNWIND_TABLE = -Xlinker --no-eh-frame-hdr
DAEMON_LINK_FLAGS = -static-stdlib -g -use-ld=lld $(NO_UNWIND_TABLE) -Xlinker -z -Xlinker pack-relative-relocs \
    -Xlinker -z -Xlinker now -Xlinker --as-needed -Xlinker --gc-sections -Xlinker --no-export-dynamic \
    -Xlinker --build-id=sha1 -lseccomp -lstdc++
CONVERTER_LINK_FLAGS = $(DAEMON_LINK_FLAGS) -largon2 -lz
# The module for PAM exports what PAM calls and nothing else.
PAM_FLAGS = -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    -shared -Wl,-z,now,-z,relro,-z,defs,--build-id=sha1 -ISources/Front/PAMModule/include
BINARIES = .build/release
# A target that imports what Package.swift doesn't give it may compile by luck.
IMPORT_CHECK = --explicit-target-dependency-import-check error
# A package that depends on this one by its path. It shares the scratch path, so that the common
# sources are compiled once.
# Two packages share the folder of the build: the plan of the other one, which SwiftPM keeps, would be
# taken for this one, and would link the daemons again with these flags.
EXAMPLES = $(SWIFT) build $(RELEASE_FLAGS) --package-path Examples --scratch-path .build --disable-build-manifest-caching

# The seed of the model test's random calls. It is fixed, so that every change is tested with the
# same calls; `make campaign` draws other seeds, and so does `make test MODEL_SEED=N`.
MODEL_SEED ?= 3596957621

BUILD_PACKAGES = libargon2-dev libcurl4-openssl-dev libpsl-dev libseccomp-dev libsqlite3-dev libssl-dev libsystemd-dev libpam0g-dev pkg-config zlib1g-dev
TEST_PACKAGES = $(BUILD_PACKAGES) binutils ca-certificates dbus fprintd gir1.2-secret-1 gnutls-bin gpgsm libfprint-2-2 \
    libnss3-tools libsecret-tools python3-gi python3-importlib-metadata python3-jaraco.classes python3-jaraco.context \
    python3-jaraco.functools python3-jeepney python3-pip python3-pytest \
    openssh-client openssl pinentry-tty python3 python3-argon2 python3-cryptography python3-dbusmock \
    python3-pykeepass xz-utils systemd \
    systemd-container util-linux valgrind swtpm \
    tpm2-tools libtss2-tcti-swtpm0
BENCH_PACKAGES = $(BUILD_PACKAGES) util-linux swtpm binutils valgrind

.PHONY: all build run test beside-tests quick-deb check-pages check-machines quick system-test deb install c-interface documentation prefix interop bench campaign fuzz check protocol clean

all: build

build:
	@Scripts/install-packages $(BUILD_PACKAGES)
	$(SWIFT) build $(PROGRAM_FLAGS) --product securityd
	$(SWIFT) build $(PROGRAM_FLAGS) --product enclaved
	$(SWIFT) build $(PROGRAM_FLAGS) --product peerinspector
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-agent
	$(SWIFT) build $(PROGRAM_FLAGS) --product trustd
	$(SWIFT) build $(PROGRAM_FLAGS) --product transcoder
	$(SWIFT) build $(PROGRAM_FLAGS) --product trustfetcher
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-export-trust
# SwiftPM's linker doesn't pack the many relative relocations of Swift. The same objects are linked
# once more, by one that does: the daemons are 7 % smaller.
	@for program in securityd enclaved peerinspector; do \
	    $(SWIFTC) $(DAEMON_LINK_FLAGS) -Xlinker --defsym=main=$${program}_main \
	        -o $(BINARIES)/$$program.packed @$(BINARIES)/$$program.product/Objects.LinkFileList && \
	    mv $(BINARIES)/$$program.packed $(BINARIES)/$$program || exit 1; \
	done
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-convert
# It imports Foundation's essential part, which calls for all of it: the linker leaves out what nothing calls.
	$(SWIFTC) $(CONVERTER_LINK_FLAGS) -Xlinker --defsym=main=PasswordConverter_main \
	    -o $(BINARIES)/llavero-convert.packed @$(BINARIES)/llavero-convert.product/Objects.LinkFileList
	@mv $(BINARIES)/llavero-convert.packed $(BINARIES)/llavero-convert
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-codesign
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-developer
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-session
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-pam
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-fingerprint
	$(SWIFT) build $(PROGRAM_FLAGS) --product llavero-secretservice
	$(CC) $(PAM_FLAGS) -o $(BINARIES)/pam_llavero.so Sources/Front/PAMModule/pam_llavero.c -lpam
# The tool starts in milliseconds because it is linked statically. SwiftPM offers that only for a
# whole build, so the same objects are linked once more here.
	$(SWIFT) build $(PROGRAM_FLAGS) --product security
	$(SWIFTC) -static-executable -Xlinker --defsym=main=SecurityTool_main -Xlinker --gc-sections \
	    $(NO_UNWIND_TABLE) -Xlinker --build-id=sha1 -o $(BINARIES)/security.static @$(BINARIES)/security.product/Objects.LinkFileList
	@mv $(BINARIES)/security.static $(BINARIES)/security

run: build
	$(EXAMPLES)
	@PATH="$(CURDIR)/$(BINARIES):$$PATH" \
	    securityd --ephemeral -- Examples/tour $(NETRC)

test: check build
	@Scripts/install-packages $(TEST_PACKAGES)
	Scripts/fetch-python-clients
	$(SWIFT) build --build-tests $(IMPORT_CHECK)
# Installs the build as a C programmer gets it; the tests compile programs against it.
	rm -rf $(C_PREFIX)
	$(MAKE) install CONFIGURATION=debug PREFIX=$(C_PREFIX)
# Also what users get, in an empty prefix.
	rm -rf $(RELEASE_PREFIX)
	$(MAKE) install CONFIGURATION=release INSTALLED= PREFIX=$(RELEASE_PREFIX)
	Scripts/check-install $(RELEASE_PREFIX)
# A package with another name that depends on this one by its path, and an application in it.
	$(EXAMPLES)
	@PATH="$(CURDIR)/$(BINARIES):$$PATH" \
	    securityd --ephemeral -- Examples/tour >/dev/null
	LLAVERO_BINARIES="$(CURDIR)/$(BINARIES)" LLAVERO_MODEL_SEED=$(MODEL_SEED) \
	    Scripts/run-tests $(MAKE) --no-print-directory -j2 --output-sync=line beside-tests

# What `make test` does while its tests wait; of what it has built.
beside-tests: check-pages check-machines

# The packages, of what was built above; packed quickly and without those of debug symbols.
quick-deb:
	Scripts/make-prefix .build/prefix
	DEB_BUILD_OPTIONS=noautodbgsym LLAVERO_PACK_LEVEL=1 Scripts/make-deb
	LLAVERO_PACK_LEVEL=1 Scripts/check-packages contents

# Interop signs a library of the prefix, so that the packages come first.
check-pages: quick-deb
	Scripts/documentation
	Scripts/interop $(CURDIR)/$(BINARIES) made

# Two users log in, on a Debian that is made once.
check-machines: quick-deb
	Scripts/machine-login short

# What takes too long for each change: the packages in a bare Debian, and packed twice; machines with the
# units, with logins, and whose power is cut. The first time it needs Debian's mirror. The machine with the
# units needs a debug build, as `make test` leaves it.
system-test: deb
	Scripts/check-packages contents
	Scripts/check-packages same
	Scripts/check-packages install
	Scripts/check-packages piuparts
	Scripts/campaign units login power

# Lint and the tests that start no daemon, for a change that was just made. It replaces no `make test`.
quick: check
	@Scripts/install-packages $(BUILD_PACKAGES)
	$(SWIFT) build --build-tests $(IMPORT_CHECK)
	Scripts/run-tests quick

# Installs the daemons and tools that `make build` made, and the C interface: libSecurity.so, its
# headers and its pkg-config file. CONFIGURATION names the build that the library is linked from.
CONFIGURATION ?= release
C_PREFIX = $(CURDIR)/.build/c-prefix
RELEASE_PREFIX = $(CURDIR)/.build/release-prefix
ifeq ($(CONFIGURATION),release)
INSTALLED = build
C_FLAGS = $(RELEASE_FLAGS)
else
C_FLAGS = -c $(CONFIGURATION)
endif
install: $(INSTALLED)
	$(SWIFT) build $(C_FLAGS) --target SecurityCInterface
	Scripts/install-c-library $(PREFIX) $(CONFIGURATION)
	install -d $(PREFIX)/bin
# Their users may execute the daemons and not read them. So the kernel lets nobody debug a daemon from
# its first instruction on.
	for program in securityd enclaved peerinspector trustd transcoder trustfetcher; do \
	    install -m 0711 $(BINARIES)/$$program $(PREFIX)/bin/$$program || exit 1; done
	for program in llavero-agent llavero-fingerprint llavero-convert llavero-secretservice; do \
	    install -m 0711 $(BINARIES)/$$program $(PREFIX)/bin/$$program || exit 1; done
	for program in security llavero-export-trust llavero-codesign llavero-developer; do \
	    install -m 0755 $(BINARIES)/$$program $(PREFIX)/bin/$$program || exit 1; done

# Debian packages in .build/deb. VERSION has their version.
deb: $(INSTALLED)
	$(SWIFT) build $(RELEASE_FLAGS) --target SecurityCInterface
	Scripts/make-prefix .build/prefix
	Scripts/make-deb

# The headers, and the functions behind them, generated from the declarations in Swift.
c-interface:
	Scripts/generate-c-interface
# The pages of Keychain and Security, with every warning an error: .build/documentation.
documentation:
	@Scripts/install-packages $(BUILD_PACKAGES)
	$(SWIFT) build --target Keychain
	$(SWIFT) build --target LlaveroSecurity
	Scripts/documentation

# Security and LocalAuthentication as files, and a toolset with which any package finds them.
PREFIX ?= .build/prefix
prefix:
	@Scripts/install-packages $(BUILD_PACKAGES)
	Scripts/make-prefix $(PREFIX)

# Compiles code as it is written for Apple's platforms, and runs it with the build's daemons; also
# beside swift-certificates, and from many threads under ThreadSanitizer.
interop: build
	Scripts/interop $(CURDIR)/$(BINARIES)
	Scripts/interop-certificates $(CURDIR)/$(BINARIES)
	Scripts/check-threads $(CURDIR)/$(BINARIES)

# The long form of the fault tests; writes Documentation/reliability.md. It takes hours;
# PARTS="kills fuzz" runs only those parts, and Scripts/campaign says how each can be shortened.
campaign: build
	@Scripts/install-packages $(TEST_PACKAGES)
	$(SWIFT) build --build-tests $(IMPORT_CHECK)
	LLAVERO_BINARIES="$(CURDIR)/$(BINARIES)" Scripts/campaign $(PARTS)

# Each fuzzer for a few seconds. `make test` leaves it out, since the fuzzer needs a full build of
# its own; there the same decoders get some thousands of changed inputs (DecoderTests).
fuzz:
	@Scripts/install-packages $(BUILD_PACKAGES)
	Scripts/fuzz

bench: build
	@Scripts/install-packages $(BENCH_PACKAGES)
	LLAVERO_BINARIES="$(CURDIR)/$(BINARIES)" Scripts/bench

# Formatting and lint, apart from the tests because they need no build.
check:
	$(SWIFT) format lint --strict --recursive Sources Tests Examples Benchmarks/Sources \
	    FuzzTesting/Sources FuzzTesting/Package.swift Package.swift Examples/Package.swift \
	    Benchmarks/Package.swift

protocol:
	@Scripts/install-packages protobuf-compiler
	Scripts/generate-protocol

clean:
	$(SWIFT) package clean
