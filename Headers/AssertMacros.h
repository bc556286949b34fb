// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Checks that jump to a label, for sources that were written for the Mac. They behave as in a
// release build there: they print nothing. Source of the names: AssertMacros.h of macOS.

#ifndef ASSERTMACROS_H
#define ASSERTMACROS_H

#define __Check(claim) do { } while (0)
#define __Check_String(claim, text) do { } while (0)
#define __Check_noErr(code) do { } while (0)
#define __Check_noErr_String(code, text) do { } while (0)
#define __Debug_String(text) do { } while (0)
#define __nCheck(claim) __Check(!(claim))
#define __nCheck_String(claim, text) __Check_String(!(claim), text)
#if (defined(__cplusplus) && __cplusplus >= 201103L)
#define __Check_Compile_Time(claim) static_assert(claim, "__Check_Compile_Time")
#elif __STDC_VERSION__ >= 201112L
#define __Check_Compile_Time(claim) _Static_assert(claim, "__Check_Compile_Time")
#else
#define __Check_Compile_Time(claim) \
    extern int compile_time_check_failed[(claim) ? 1 : -1] __attribute__((unused))
#endif

#define __Verify(claim) do { if (!(claim)) { } } while (0)
#define __Verify_String(claim, text) __Verify(claim)
#define __Verify_Action(claim, action) do { if (!(claim)) { action; } } while (0)
#define __Verify_noErr(code) do { if (0 != (code)) { } } while (0)
#define __Verify_noErr_String(code, text) __Verify_noErr(code)
#define __Verify_noErr_Action(code, action) do { if (0 != (code)) { action; } } while (0)
#define __nVerify(claim) __Verify(!(claim))
#define __nVerify_String(claim, text) __Verify_String(!(claim), text)

#define __Require(claim, label) do { if (__builtin_expect(!(claim), 0)) { goto label; } } while (0)
#define __Require_Action(claim, label, action) \
    do { if (__builtin_expect(!(claim), 0)) { { action; } goto label; } } while (0)
#define __Require_Quiet(claim, label) __Require(claim, label)
#define __Require_Action_Quiet(claim, label, action) __Require_Action(claim, label, action)
#define __Require_String(claim, label, text) __Require(claim, label)
#define __Require_Action_String(claim, label, action, text) __Require_Action(claim, label, action)
#define __nRequire(claim, label) __Require(!(claim), label)
#define __nRequire_Quiet(claim, label) __Require(!(claim), label)
#define __nRequire_Action(claim, label, action) __Require_Action(!(claim), label, action)
#define __nRequire_Action_Quiet(claim, label, action) __Require_Action(!(claim), label, action)
#define __nRequire_String(claim, label, text) __Require(!(claim), label)
#define __nRequire_Action_String(claim, label, action, text) \
    __Require_Action_String(!(claim), label, action, text)

#define __Require_noErr(code, label) __Require(0 == (code), label)
#define __Require_noErr_Quiet(code, label) __Require(0 == (code), label)
#define __Require_noErr_String(code, label, text) __Require(0 == (code), label)
#define __Require_noErr_Action(code, label, action) __Require_Action(0 == (code), label, action)
#define __Require_noErr_Action_Quiet(code, label, action) __Require_Action(0 == (code), label, action)
#define __Require_noErr_Action_String(code, label, action, text) \
    __Require_Action(0 == (code), label, action)

#ifndef __ASSERT_MACROS_DEFINE_VERSIONS_WITHOUT_UNDERSCORES
#define __ASSERT_MACROS_DEFINE_VERSIONS_WITHOUT_UNDERSCORES 1
#endif

#if __ASSERT_MACROS_DEFINE_VERSIONS_WITHOUT_UNDERSCORES
#ifndef check
#define check(...) __Check(__VA_ARGS__)
#endif
#ifndef check_noerr
#define check_noerr(...) __Check_noErr(__VA_ARGS__)
#endif
#ifndef verify
#define verify(...) __Verify(__VA_ARGS__)
#endif
#ifndef verify_action
#define verify_action(...) __Verify_Action(__VA_ARGS__)
#endif
#ifndef verify_noerr
#define verify_noerr(...) __Verify_noErr(__VA_ARGS__)
#endif
#ifndef verify_noerr_action
#define verify_noerr_action(...) __Verify_noErr_Action(__VA_ARGS__)
#endif
#ifndef require
#define require(...) __Require(__VA_ARGS__)
#endif
#ifndef require_action
#define require_action(...) __Require_Action(__VA_ARGS__)
#endif
#ifndef require_quiet
#define require_quiet(...) __Require_Quiet(__VA_ARGS__)
#endif
#ifndef require_action_quiet
#define require_action_quiet(...) __Require_Action_Quiet(__VA_ARGS__)
#endif
#ifndef require_string
#define require_string(...) __Require_String(__VA_ARGS__)
#endif
#ifndef nrequire
#define nrequire(...) __nRequire(__VA_ARGS__)
#endif
#ifndef nrequire_quiet
#define nrequire_quiet(...) __nRequire_Quiet(__VA_ARGS__)
#endif
#ifndef nrequire_action
#define nrequire_action(...) __nRequire_Action(__VA_ARGS__)
#endif
#ifndef nrequire_action_quiet
#define nrequire_action_quiet(...) __nRequire_Action_Quiet(__VA_ARGS__)
#endif
#ifndef require_noerr
#define require_noerr(...) __Require_noErr(__VA_ARGS__)
#endif
#ifndef require_noerr_quiet
#define require_noerr_quiet(...) __Require_noErr_Quiet(__VA_ARGS__)
#endif
#ifndef require_noerr_string
#define require_noerr_string(...) __Require_noErr_String(__VA_ARGS__)
#endif
#ifndef require_noerr_action
#define require_noerr_action(...) __Require_noErr_Action(__VA_ARGS__)
#endif
#ifndef require_noerr_action_quiet
#define require_noerr_action_quiet(...) __Require_noErr_Action_Quiet(__VA_ARGS__)
#endif
#ifndef check_string
#define check_string(...) __Check_String(__VA_ARGS__)
#endif
#ifndef check_noerr_string
#define check_noerr_string(...) __Check_noErr_String(__VA_ARGS__)
#endif
#ifndef verify_string
#define verify_string(...) __Verify_String(__VA_ARGS__)
#endif
#ifndef verify_noerr_string
#define verify_noerr_string(...) __Verify_noErr_String(__VA_ARGS__)
#endif
#ifndef require_action_string
#define require_action_string(...) __Require_Action_String(__VA_ARGS__)
#endif
#ifndef require_noerr_action_string
#define require_noerr_action_string(...) __Require_noErr_Action_String(__VA_ARGS__)
#endif
#ifndef ncheck
#define ncheck(...) __nCheck(__VA_ARGS__)
#endif
#ifndef ncheck_string
#define ncheck_string(...) __nCheck_String(__VA_ARGS__)
#endif
#ifndef nverify
#define nverify(...) __nVerify(__VA_ARGS__)
#endif
#ifndef nverify_string
#define nverify_string(...) __nVerify_String(__VA_ARGS__)
#endif
#ifndef nrequire_string
#define nrequire_string(...) __nRequire_String(__VA_ARGS__)
#endif
#ifndef nrequire_action_string
#define nrequire_action_string(...) __nRequire_Action_String(__VA_ARGS__)
#endif
#ifndef check_compile_time
#define check_compile_time(...) __Check_Compile_Time(__VA_ARGS__)
#endif
#ifndef debug_string
#define debug_string(...) __Debug_String(__VA_ARGS__)
#endif
#endif

#endif
