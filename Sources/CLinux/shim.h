// Numbers and structs of the kernel's interface, and the calls for which Swift has no way: those with
// a variable number of arguments.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static inline long linux_landlock_version(void) {
  return syscall(SYS_landlock_create_ruleset, (void *)0, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static inline int linux_landlock_create(const void *attributes, size_t size) {
  return (int)syscall(SYS_landlock_create_ruleset, attributes, size, 0);
}

static inline int linux_landlock_allow(int rules, const struct landlock_path_beneath_attr *rule) {
  return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}

static inline int linux_landlock_restrict(int rules) {
  return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

static inline int linux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

static inline int linux_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline int linux_seccomp_filter(const struct sock_fprog *program, unsigned int flags) {
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}

// O_PATH of open(2), which <fcntl.h> only names with _GNU_SOURCE.
static const int linux_path_only = __O_PATH;

// openat2(2), for which the C library has no function: opens a path below a folder. No part of the path may
// be a symbolic link.
static inline int linux_open_beneath(int folder, const char *path, int flags) {
  struct open_how how = {
      .flags = (unsigned int)flags,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

// dl_iterate_phdr(3), which <link.h> only declares with _GNU_SOURCE; that would change the types of
// other headers.
struct linux_program {
  ElfW(Addr) address;
  const char *name;
  const ElfW(Phdr) *segments;
  ElfW(Half) segment_count;
};

int linux_for_each_program(
    int (*body)(struct linux_program *program, size_t size, void *data), void *data)
    __asm__("dl_iterate_phdr");
