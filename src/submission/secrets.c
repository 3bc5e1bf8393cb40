/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.c - the files of a submission, searched for tokens side by side, block by block. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "submission/judge.h"
#include "submission/secret.h"

enum { BLOCK = 1 << 20 };

/* A file is searched in its turn, and its findings are kept until they are delivered. */
typedef struct secret_search {
    mls_submission *submission;
    mls_submitter *submitter;
    mls_findings *found; /* by the number of the file, modulo the slots */
    size_t slots;
} secret_search;

/* Returns how many lines end in a text. */
static size_t count_line_ends(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        count += text[i] == '\n';
    }
    return count;
}

/* Looks through the bytes of a block that begin at a line's number; the last MLS_SECRET_BYTES are looked at again with
 * what follows them, unless nothing does.  Returns how many bytes are done with. */
static size_t search_block(mls_str text, bool last, size_t *line, const char *path, mls_findings *found)
{
    const size_t end = last ? text.len : text.len - MLS_SECRET_BYTES;
    size_t at = 0;
    size_t done = 0;
    mls_str secret;
    const char *what;
    while (at < end && (what = mls_secret_next(text, &at, &secret)) != NULL) {
        const size_t start = (size_t)(secret.ptr - text.ptr);
        if (start >= end) {
            break;
        }
        *line += count_line_ends(text.ptr + done, start - done);
        mls_findings_add(found, MLS_FINDING_SECRET, (mls_finding_place){.path = path, .line = *line}, "%s stands here",
                         what);
        done = start + secret.len;
    }
    if (done < end && !last) {
        *line += count_line_ends(text.ptr + done, end - done);
    }
    return done < end ? end : done;
}

/* One more read of up to `room` bytes; 0: the end, or an error, which *system_errno says then. */
static size_t read_more(int fd, char *text, size_t room, int *system_errno)
{
    ssize_t got;
    do {
        got = read(fd, text, room);
    } while (got < 0 && errno == EINTR);
    *system_errno = got < 0 ? errno : 0;
    return got > 0 ? (size_t)got : 0;
}

/* A file of code that cannot be read; of others, whoever reads them as what they are says so. */
static void tell_unread(const secret_search *search, const mls_submission_file *file, int system_errno,
                        mls_findings *found)
{
    const mls_str below = mls_str_from(file->path + strlen(search->submitter->path));
    if (mls_str_starts(below, MLS_S("benchmarks/")) || mls_str_starts(below, MLS_S("/benchmarks/"))) {
        mls_findings_add(found, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = file->path},
                         "%s: tokens were not looked for", strerror(system_errno));
    }
}

/* Searches a whole file; one that has more bytes than a log may have up to there. */
static void search_file(void *state, size_t item)
{
    const secret_search *search = state;
    const mls_submission_file *file = &search->submitter->files.items[item];
    mls_findings *found = &search->found[item % search->slots];
    const int fd = mls_tree_open(search->submission, file->path);
    int system_errno = fd < 0 ? errno : 0;
    char *text = fd >= 0 ? mls_malloc(BLOCK + MLS_SECRET_BYTES) : NULL;
    size_t line = 1;
    size_t len = 0;
    size_t got = 1;
    for (uint64_t all = 0; text != NULL && got > 0 && all < MLS_LOG_BYTES_MAX; all += got) {
        got = read_more(fd, text + len, BLOCK + MLS_SECRET_BYTES - len, &system_errno);
        len += got;
        if (got == 0 || len > BLOCK) {
            const size_t done = search_block((mls_str){text, len}, got == 0, &line, file->path, found);
            memmove(text, text + done, len - done);
            len -= done;
        }
    }
    if (system_errno != 0) {
        tell_unread(search, file, system_errno, found);
    }
    found->out_of_memory |= fd >= 0 && text == NULL;
    free(text);
    if (fd >= 0) {
        (void)close(fd);
    }
}

static mls_status deliver_secrets(void *state, size_t item)
{
    const secret_search *search = state;
    mls_findings *found = &search->found[item % search->slots];
    mls_findings *all = &search->submitter->findings;
    mls_findings_append(all, found);
    all->out_of_memory |= found->out_of_memory;
    mls_findings_release(found);
    return all->out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
}

mls_status mls_secrets_judge(mls_submission *submission)
{
    enum { SLOTS = 64 };
    const mls_work *work = &submission->options.work;
    mls_findings found[SLOTS] = {{0}};
    mls_status status = MLS_OK;
    for (size_t i = 0; i < submission->submitter_count && status == MLS_OK; i++) {
        secret_search search = {submission, &submission->submitters[i], found, SLOTS};
        const mls_relay relay = {.threads = work->threads != 0 ? work->threads : mls_processor_count(),
                                 .slots = SLOTS,
                                 .count = search.submitter->files.count,
                                 .state = &search,
                                 .work = search_file,
                                 .deliver = deliver_secrets};
        status = mls_relay_run(&relay);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        mls_findings_release(&found[i]);
    }
    return status;
}
