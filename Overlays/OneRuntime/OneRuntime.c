/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: 2026 The Llavero project authors
 *
 * Ends a program that is linked with --static-swift-stdlib and with libLlaveroSecurity.so: it has a
 * Swift runtime and a Foundation of its own, and the library loads another. Neither knows the other's
 * classes, so that every call would fail without a reason.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct needs {
    int security, swift;
};

/* Looks at the program itself, which comes first. */
static int look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct needs *needs = context;
    const ElfW(Dyn) *dynamic = NULL;
    for (int index = 0; index < info->dlpi_phnum; index++)
        if (info->dlpi_phdr[index].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
    if (dynamic == NULL) return 1;
    const char *strings = NULL;
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
    if (strings == NULL) return 1;
    /* The loader has made it an address of this process, or has left it as it is in the file. */
    if ((ElfW(Addr))strings < info->dlpi_addr) strings += info->dlpi_addr;
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED) continue;
        const char *name = strings + entry->d_un.d_val;
        needs->security |= strcmp(name, "libLlaveroSecurity.so") == 0;
        needs->swift |= strcmp(name, "libswiftCore.so") == 0;
    }
    return 1;
}

__attribute__((constructor)) static void one_runtime(void) {
    struct needs needs = {0, 0};
    dl_iterate_phdr(look, &needs);
    if (!needs.security || needs.swift) return;
    Dl_info own;
    const char *path = dladdr((void *)one_runtime, &own) != 0 ? own.dli_fname : "the library";
    const char *end = strrchr(path, '/');
    char folder[4096] = "PREFIX/lib";
    if (end != NULL && (size_t)(end - path) < sizeof folder) {
        memcpy(folder, path, (size_t)(end - path));
        folder[end - path] = 0;
    }
    fprintf(stderr,
        "Security: this program has a Swift runtime of its own (--static-swift-stdlib), and %s has "
        "another.\nBuild it with --toolset %s/../toolset-static.json, or without "
        "--static-swift-stdlib.\n",
        path, folder);
    _exit(127);
}
