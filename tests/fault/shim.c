/* SPDX-License-Identifier: Apache-2.0 */
/* shim.c - make calls of the C library fail, for tests. Preload it.
 *
 * FAULT contains rules separated by ';': CALL[@PATH]:WHEN:WHAT
 * - CALL: read open stat write sync mkdir close rename malloc thread readdir inotify, with their variants (pread,
 * openat, fopen, opendir, calloc …)
 * - PATH: only for files whose path contains this text
 * - WHEN: 3 (the third matching call), 3+ (from the third on), %3 (each third), *
 * - WHAT: an errno name; short=N (at most N bytes at a time); truncate=N or append (change the file while it is
 * read; FAULT_TEXT is appended); full (a file opened for writing is on a full disk); kill (SIGKILL before the call);
 * signal=N (a signal before the call)
 *
 * FAULT_REPORT names a file that receives the number of calls of the first rule at exit. Counting is atomic, so a
 * rule fires once even with threads. Calls that stdio makes inside the C library are not seen: use `full`, fclose. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES_MAX 8

typedef enum effect { FAIL, SHORT, TRUNCATE, APPEND, FULL, KILL, SIGNAL } effect;

typedef struct rule {
    char call[16];
    char path[128];
    long when;
    char how; /* '=' exactly, '+' from there on, '%' each, '*' always */
    effect what;
    int error;
    long number;
    atomic_long seen;
} rule;

static rule rules[RULES_MAX];
static atomic_int rule_count;

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_end)(void), void *stack);

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO},       {"EACCES", EACCES}, {"EINTR", EINTR},   {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
              {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"ENOENT", ENOENT}, {"ESTALE", ESTALE}, {"EDQUOT", EDQUOT}};

/* The next definition of the function, looked up once. A macro, because the types of function pointers differ. */
#define REAL(name)                                                                                                     \
    (*__extension__({                                                                                                  \
        static _Atomic(uintptr_t) real;                                                                                \
        if (real == 0)                                                                                                 \
            real = (uintptr_t)dlsym(RTLD_NEXT, #name);                                                                 \
        (__typeof__(&(name)))real;                                                                                     \
    }))

static _Noreturn void die(const char *text)
{
    (void)!REAL(write)(2, text, strlen(text));
    _exit(98);
}

static void rule_parse_effect(rule *r, const char *text)
{
    const char *number = strchr(text, '=');

    r->number = number != NULL ? strtol(number + 1, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(text, errors[i].name) == 0) {
            r->error = errors[i].number;
            r->what = FAIL;
            return;
        }
    if (strncmp(text, "short=", 6) == 0)
        r->what = SHORT;
    else if (strncmp(text, "truncate=", 9) == 0)
        r->what = TRUNCATE;
    else if (strcmp(text, "append") == 0)
        r->what = APPEND;
    else if (strcmp(text, "full") == 0)
        r->what = FULL;
    else if (strcmp(text, "kill") == 0)
        r->what = KILL;
    else if (strncmp(text, "signal=", 7) == 0)
        r->what = SIGNAL;
    else
        die("shim: FAULT names an effect nobody knows\n");
}

static void rule_parse(rule *r, const char *text)
{
    char when[16], what[32];

    if (sscanf(text, "%15[a-z]@%127[^:]:%15[^:]:%31s", r->call, r->path, when, what) != 4) {
        r->path[0] = '\0';
        if (sscanf(text, "%15[a-z]:%15[^:]:%31s", r->call, when, what) != 3)
            die("shim: FAULT cannot be read\n");
    }
    r->how = '=';
    if (when[0] == '*' || when[0] == '%')
        r->how = when[0];
    else if (strchr(when, '+') != NULL)
        r->how = '+';
    r->when = strtol(when[0] == '%' ? when + 1 : when, NULL, 10);
    rule_parse_effect(r, what);
}

__attribute__((constructor)) static void shim_start(void)
{
    const char *text = getenv("FAULT");
    int count = 0;

    while (text != NULL && *text != '\0' && count < RULES_MAX) {
        char one[256];
        size_t length = strcspn(text, ";");

        if (snprintf(one, sizeof one, "%.*s", (int)length, text) >= (int)sizeof one)
            die("shim: FAULT is too long\n");
        rule_parse(&rules[count++], one);
        text += length + (text[length] == ';');
    }
    atomic_store(&rule_count, count);
}

__attribute__((destructor)) static void shim_end(void)
{
    const char *path = getenv("FAULT_REPORT");
    char text[32];
    int fd;

    if (path == NULL)
        return;
    atomic_store(&rule_count, 0);
    fd = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0)
        return;
    snprintf(text, sizeof text, "%ld\n", atomic_load(&rules[0].seen));
    (void)!REAL(write)(fd, text, strlen(text));
    REAL(close)(fd);
}

/* Calls after main() are not counted: they belong to the runtime, for example to coverage. */
static int (*program_main)(int, char **, char **);

static int main_until_end(int argc, char **argv, char **environment)
{
    int status = program_main(argc, argv, environment);

    atomic_store(&rule_count, 0);
    return status;
}

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_end)(void), void *stack)
{
    program_main = start;
    return REAL(__libc_start_main)(main_until_end, argc, argv, init, fini, loader_end, stack);
}

/* Return the rule that applies to this call, or NULL. */
static rule *rule_for(const char *call, const char *path)
{
    int count = atomic_load(&rule_count);

    for (int i = 0; i < count; i++) {
        rule *r = &rules[i];
        long nth;

        if (strcmp(r->call, call) != 0 || (r->path[0] != '\0' && (path == NULL || strstr(path, r->path) == NULL)))
            continue;
        nth = atomic_fetch_add(&r->seen, 1) + 1;
        if (r->how == '*' || (r->how == '=' && nth == r->when) || (r->how == '+' && nth >= r->when) ||
            (r->how == '%' && r->when > 0 && nth % r->when == 0))
            return r;
    }
    return NULL;
}

/* Return whether the call must fail, with errno set. */
static bool fails(const char *call, const char *path)
{
    rule *r = rule_for(call, path);

    if (r != NULL && r->what == KILL)
        raise(SIGKILL);
    if (r != NULL && r->what == SIGNAL)
        raise((int)r->number);
    if (r == NULL || r->what != FAIL)
        return false;
    errno = r->error;
    return true;
}

/* Return the path of an open file, or the empty string. */
static const char *path_of(int fd, char *path, size_t size)
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

static void file_append(const char *path)
{
    const char *text = getenv("FAULT_TEXT");
    int fd = REAL(open)(path, O_WRONLY | O_APPEND);

    if (fd < 0 || text == NULL)
        die("shim: cannot append\n");
    (void)!REAL(write)(fd, text, strlen(text));
    REAL(close)(fd);
}

/* Prepare a transfer: return -1 if it must fail, else the maximum number of bytes. */
static ssize_t transfer(const char *call, int fd, size_t size)
{
    char path[4096];
    rule *r = atomic_load(&rule_count) > 0 ? rule_for(call, path_of(fd, path, sizeof path)) : NULL;

    if (r == NULL)
        return (ssize_t)size;
    switch (r->what) {
    case FAIL:
        errno = r->error;
        return -1;
    case SHORT:
        return (ssize_t)size < r->number ? (ssize_t)size : (ssize_t)r->number;
    case TRUNCATE:
        if (truncate(path, r->number) != 0)
            die("shim: cannot truncate\n");
        break;
    case APPEND:
        file_append(path);
        break;
    case KILL:
        raise(SIGKILL);
        break;
    case SIGNAL:
        raise((int)r->number);
        break;
    case FULL:
        break;
    }
    return (ssize_t)size;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t allowed = transfer("read", fd, size);

    return allowed < 0 ? -1 : REAL(read)(fd, buffer, (size_t)allowed);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
    ssize_t allowed = transfer("read", fd, size);

    return allowed < 0 ? -1 : REAL(pread)(fd, buffer, (size_t)allowed, offset);
}

ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
    return pread(fd, buffer, size, offset);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    ssize_t allowed = transfer("write", fd, size);

    return allowed < 0 ? -1 : REAL(write)(fd, buffer, (size_t)allowed);
}

int fsync(int fd)
{
    return transfer("sync", fd, 0) < 0 ? -1 : REAL(fsync)(fd);
}

int inotify_init1(int flags)
{
    return fails("inotify", NULL) ? -1 : REAL(inotify_init1)(flags);
}

int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}

/* Open a file on a full disk: create it and return a descriptor of /dev/full. */
static int opened(int fd, const rule *r)
{
    int full;

    if (fd < 0 || r == NULL || r->what != FULL)
        return fd;
    full = REAL(open)("/dev/full", O_RDWR);
    if (full < 0 || dup2(full, fd) < 0)
        die("shim: no /dev/full\n");
    REAL(close)(full);
    return fd;
}

static mode_t mode_of(int flags, va_list args)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

#define OPEN_BODY(call)                                                                                                \
    mode_t mode;                                                                                                       \
    va_list args;                                                                                                      \
    rule *r = rule_for("open", path);                                                                                  \
                                                                                                                       \
    va_start(args, flags);                                                                                             \
    mode = mode_of(flags, args);                                                                                       \
    va_end(args);                                                                                                      \
    if (r != NULL && r->what == FAIL) {                                                                                \
        errno = r->error;                                                                                              \
        return -1;                                                                                                     \
    }                                                                                                                  \
    return opened(call, (flags & O_ACCMODE) == O_RDONLY ? NULL : r)

int open(const char *path, int flags, ...)
{
    OPEN_BODY(REAL(open)(path, flags, mode));
}

int open64(const char *path, int flags, ...)
{
    OPEN_BODY(REAL(open)(path, flags, mode));
}

int openat(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(REAL(openat)(dir, path, flags, mode));
}

int openat64(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(REAL(openat)(dir, path, flags, mode));
}

int mkostemp(char *path, int flags)
{
    rule *r = rule_for("open", path);

    if (r != NULL && r->what == FAIL) {
        errno = r->error;
        return -1;
    }
    return opened(REAL(mkostemp)(path, flags), r);
}

int mkstemp(char *path)
{
    return mkostemp(path, 0);
}

FILE *fopen(const char *path, const char *mode)
{
    rule *r = rule_for("open", path);
    FILE *file;

    if (r != NULL && r->what == FAIL) {
        errno = r->error;
        return NULL;
    }
    file = REAL(fopen)(path, mode);
    if (file != NULL && mode[0] != 'r')
        opened(fileno(file), r);
    return file;
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

DIR *opendir(const char *path)
{
    return fails("open", path) ? NULL : REAL(opendir)(path);
}

struct dirent *readdir(DIR *dir)
{
    char path[4096];

    return fails("readdir", path_of(dirfd(dir), path, sizeof path)) ? NULL : REAL(readdir)(dir);
}

struct dirent64 *readdir64(DIR *dir)
{
    return (struct dirent64 *)readdir(dir);
}

int fstat(int fd, struct stat *status)
{
    char path[4096];

    return fails("stat", path_of(fd, path, sizeof path)) ? -1 : REAL(fstat)(fd, status);
}

int stat(const char *path, struct stat *status)
{
    return fails("stat", path) ? -1 : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
    return fails("stat", path) ? -1 : REAL(lstat)(path, status);
}

int fstatat(int dir, const char *path, struct stat *status, int flags)
{
    return fails("stat", path) ? -1 : REAL(fstatat)(dir, path, status, flags);
}

int close(int fd)
{
    char path[4096];
    bool failed = fails("close", path_of(fd, path, sizeof path));
    int error = errno;
    int result = REAL(close)(fd);

    if (!failed)
        return result;
    errno = error;
    return -1;
}

int fclose(FILE *file)
{
    char path[4096];
    bool failed = fails("close", path_of(fileno(file), path, sizeof path));
    int error = errno;
    int result = REAL(fclose)(file);

    if (!failed)
        return result;
    errno = error;
    return EOF;
}

int rename(const char *from, const char *to)
{
    return fails("rename", to) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return fails("rename", to) ? -1 : REAL(renameat)(from_dir, from, to_dir, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    return fails("rename", to) ? -1 : REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *state)
{
    return fails("thread", NULL) ? EAGAIN : REAL(pthread_create)(thread, attributes, run, state);
}

/* dlsym() itself allocates, so these use the C library's internal names. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return fails("malloc", NULL) ? NULL : __libc_malloc(size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails("malloc", NULL) ? NULL : __libc_memalign(alignment, size);
}

void *calloc(size_t count, size_t size)
{
    return fails("malloc", NULL) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails("malloc", NULL) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}
