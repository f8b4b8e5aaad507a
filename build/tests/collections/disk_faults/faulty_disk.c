/*
 * A disk that fails, for a program that is started with this library in LD_PRELOAD.
 *
 * Each call that changes what is on the disk below FAULT_BELOW is counted: opening a file to write,
 * writing, renaming, removing, making a directory, cutting, syncing. At the call with the number
 * FAULT_AT the disk does what FAULT says:
 *
 *   kill    the program is gone, as with kill -9 or a power cut: the call is not made
 *   enospc  the disk is full from here on: calls that need room fail with ENOSPC
 *   eio     this one call fails with EIO
 *   short   this one write writes half of its bytes, or one of them
 *   none    nothing; the number of calls is written to the file FAULT_COUNT at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static const char *below(void) { return getenv("FAULT_BELOW"); }

static int starts(const char *path) {
  const char *directory = below();
  return directory && path && strncmp(path, directory, strlen(directory)) == 0;
}

/* Paths relative to a directory other than the current one are not used by the program. */
static int counts_path(const char *path) {
  char whole[PATH_MAX];
  if (!path) return 0;
  if (path[0] == '/') return starts(path);
  if (!getcwd(whole, sizeof whole)) return 0;
  return starts(whole);
}

static int counts_file(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return starts(path);
}

enum outcome { GOES_ON, FAILS, IS_SHORT };

/* `needs_room`: a full disk refuses the call. */
static enum outcome next(int needs_room) {
  const char *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
  long call = atomic_fetch_add(&calls, 1) + 1, when = at ? atol(at) : 0;
  if (!fault || when == 0 || call < when) return GOES_ON;
  if (strcmp(fault, "enospc") == 0) {
    if (!needs_room) return GOES_ON;
    errno = ENOSPC;
    return FAILS;
  }
  if (call > when) return GOES_ON;
  if (strcmp(fault, "kill") == 0) {
    kill(getpid(), SIGKILL);
    pause();
  }
  if (strcmp(fault, "eio") == 0) {
    errno = EIO;
    return FAILS;
  }
  if (strcmp(fault, "short") == 0) return IS_SHORT;
  return GOES_ON;
}

__attribute__((destructor)) static void write_count(void) {
  const char *file = getenv("FAULT_COUNT");
  if (!file) return;
  FILE *out = fopen(file, "w");
  if (!out) return;
  fprintf(out, "%ld\n", (long)atomic_load(&calls));
  fclose(out);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static size_t shorter(size_t n) { return n > 1 ? n / 2 : n; }

ssize_t write(int fd, const void *bytes, size_t n) {
  if (counts_file(fd)) {
    enum outcome outcome = next(1);
    if (outcome == FAILS) return -1;
    if (outcome == IS_SHORT) n = shorter(n);
  }
  return REAL(write)(fd, bytes, n);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
  if (counts_file(fd)) {
    enum outcome outcome = next(1);
    if (outcome == FAILS) return -1;
    if (outcome == IS_SHORT && n > 0) {
      return REAL(write)(fd, parts[0].iov_base, shorter(parts[0].iov_len));
    }
  }
  return REAL(writev)(fd, parts, n);
}

#define PWRITE(name, offset_type)                                              \
  ssize_t name(int fd, const void *bytes, size_t n, offset_type at) {          \
    if (counts_file(fd)) {                                                     \
      enum outcome outcome = next(1);                                          \
      if (outcome == FAILS) return -1;                                         \
      if (outcome == IS_SHORT) n = shorter(n);                                 \
    }                                                                          \
    return REAL(name)(fd, bytes, n, at);                                       \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define OPEN(name)                                                             \
  int name(const char *path, int flags, ...) {                                 \
    mode_t mode = 0;                                                           \
    if (flags & (O_CREAT | O_TMPFILE)) {                                       \
      va_list rest;                                                            \
      va_start(rest, flags);                                                   \
      mode = va_arg(rest, mode_t);                                             \
      va_end(rest);                                                            \
    }                                                                          \
    if ((flags & O_CREAT) && counts_path(path) && next(1) == FAILS) return -1; \
    return REAL(name)(path, flags, mode);                                      \
  }
OPEN(open)
OPEN(open64)

#define ON_PATH(result, name, parameters, arguments, path, needs_room)         \
  result name parameters {                                                     \
    if (counts_path(path) && next(needs_room) == FAILS) return -1;             \
    return REAL(name) arguments;                                               \
  }
ON_PATH(int, rename, (const char *from, const char *to), (from, to), to, 0)
ON_PATH(int, unlink, (const char *path), (path), path, 0)
ON_PATH(int, rmdir, (const char *path), (path), path, 0)
ON_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), path, 1)
ON_PATH(int, link, (const char *from, const char *to), (from, to), to, 1)

/* The calls below name a directory and a path; the program gives whole paths. */
int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned flags) {
  if (counts_path(to) && next(0) == FAILS) return -1;
  return REAL(renameat2)(from_directory, from, to_directory, to, flags);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  if (counts_path(to) && next(0) == FAILS) return -1;
  return REAL(renameat)(from_directory, from, to_directory, to);
}

int unlinkat(int directory, const char *path, int flags) {
  int counts = path[0] == '/' || directory == AT_FDCWD ? counts_path(path) : counts_file(directory);
  if (counts && next(0) == FAILS) return -1;
  return REAL(unlinkat)(directory, path, flags);
}

#define ON_FILE(name, parameters, arguments, needs_room)                       \
  int name parameters {                                                        \
    if (counts_file(fd) && next(needs_room) == FAILS) return -1;               \
    return REAL(name) arguments;                                               \
  }
ON_FILE(ftruncate, (int fd, off_t n), (fd, n), 1)
ON_FILE(ftruncate64, (int fd, off64_t n), (fd, n), 1)
ON_FILE(fsync, (int fd), (fd), 0)
ON_FILE(fdatasync, (int fd), (fd), 0)
