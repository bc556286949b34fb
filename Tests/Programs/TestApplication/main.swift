// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

signal(SIGPIPE, SIG_IGN)
exit(Application.run(Array(CommandLine.arguments.dropFirst())))
