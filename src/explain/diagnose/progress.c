/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - read the progress of training from the output of many programs.
 *
 * "iteration 412/5000" and "step 412" at the start of a message are reliable.  The other forms may count something
 * else, such as loaded shards, and are used only in files without those or records. */
#include <math.h>

#include "base/moment.h"
#include "explain/diagnose/job.h"

/* A progress bar of tqdm: " 31%|███ | 331/1063 [01:06<02:24, 5.06it/s]". */
typedef struct progress_bar {
    mls_str title; /* text before it */
    int32_t done, all;
    bool closed; /* it ends with the bracket */
} progress_bar;

bool mls_maybe_bar(const char *line)
{
    while (*line == ' ')
        line++;
    const char *digits = line;
    while (mls_is_digit(*line)) /* most lines have no number, or a rank */
        line++;
    return line > digits && line - digits <= 3 && line[0] == '%' && line[1] == '|';
}

bool mls_maybe_counted(const char *line)
{
    static const char firsts[] = "siet";
    static const mls_str rests[] = {MLS_STR("tep"), MLS_STR("ter"), MLS_STR("poch"), MLS_STR("rain")};
    const char *first = memchr(firsts, *line | 0x20, sizeof firsts - 1);
    return first != NULL && strncmp(line + 1, rests[first - firsts].ptr, rests[first - firsts].len) == 0;
}

/* Find the text after the last occurrence of `words`; return false if there is none. */
static bool find_last(mls_str text, mls_str words, mls_str *rest)
{
    bool found = false;
    for (; mls_str_after(text, words, rest); found = true)
        text = *rest;
    return found;
}

/* Read the last bar of a line that was redrawn. */
static bool take_bar(mls_str message, progress_bar *bar)
{
    mls_line_parts parts;
    mls_str rest;
    if (!find_last(message, MLS_S("%|"), &rest))
        return false;
    const char *begin = rest.ptr - 2;
    while (begin > message.ptr && mls_is_digit(begin[-1]))
        begin--;
    const char *title = begin;
    while (title > message.ptr && title[-1] != ']')
        title--;
    while (title < begin && *title == ' ')
        title++;
    bar->title = (mls_str){title, (size_t)(begin - title)};
    const char *edge = memchr(rest.ptr, '|', rest.len);
    if (edge == NULL)
        return false;
    rest = (mls_str){edge + 1, (size_t)(rest.ptr + rest.len - edge) - 1};
    if (!mls_line_take(&rest, "%_%n", &parts))
        return false;
    bar->done = parts.number;
    if (!mls_line_take(&rest, "/%n [", &parts))
        return false;
    bar->all = parts.number;
    bar->closed = memchr(rest.ptr, ']', rest.len) != NULL;
    return true;
}

bool mls_breaks_off(mls_str message)
{
    progress_bar bar;
    return take_bar(message, &bar) && !bar.closed && bar.done < bar.all;
}

/* ---------------------------------------------------------------- forms: false, it is not this one */

/* Read the steps of a training bar, including those of previous epochs.  Bars of loading files do not count. */
static bool count_bar(mls_str message, double *reached)
{
    progress_bar bar;
    mls_line_parts parts;
    if (!take_bar(message, &bar) ||
        (bar.title.len > 0 && !mls_str_any(bar.title, "Epoch|epoch|Train|train|Step|step|Iter|iter", mls_str_starts)))
        return false;
    const bool numbered = mls_line_take(&bar.title, "Epoch %n", &parts);
    *reached = bar.done + (numbered ? (double)parts.number * bar.all : 0);
    return true;
}

/* Read "… logging_writer.py:48] [100] loss=0.4" of clu, which t5x and others use. */
static bool count_writer(mls_str message, double *reached)
{
    mls_line_parts parts;
    mls_str rest;
    const bool found =
        find_last(message, MLS_S("logging_writer.py:"), &rest) && mls_line_take(&rest, "%n] [%n] ", &parts);
    *reached = found ? parts.number : 0;
    return found;
}

/* Read "{'loss': 2.31, 'epoch': 0.12}". */
static bool count_epochs(mls_str message, double *reached)
{
    mls_str rest;
    mls_line_parts parts;
    if (!mls_str_starts(message, MLS_S("{")) || !find_last(message, MLS_S("'epoch': "), &rest))
        return false;
    (void)mls_take_char(&rest, "'");
    if (!mls_line_take(&rest, "%n", &parts))
        return false;
    *reached = parts.number;
    double place = 0.1;
    if (mls_take_char(&rest, ".")) {
        for (; rest.len > 0 && mls_is_digit(rest.ptr[0]) && place > 1e-9; place /= 10) {
            *reached += (rest.ptr[0] - '0') * place;
            rest = (mls_str){rest.ptr + 1, rest.len - 1};
        }
    }
    return true;
}

/* Read "10/100 [==>...] - ETA: 1:23" of Keras, and the heavy lines of its version 3. */
static bool count_keras(mls_str message, double *reached)
{
    mls_line_parts parts;
    if (!mls_line_take(&message, "%_%n", &parts))
        return false;
    *reached = parts.number;
    return mls_line_take(&message, "/%n%_", &parts) && mls_str_any(message, "[=|[>|[.|━", mls_str_starts);
}

/* Return whether the word before a counter shows that it is not the current progress: "saved at step 100", "every 10
 * steps". */
static bool is_spoken_of(mls_str before)
{
    while (before.len > 0 && before.ptr[before.len - 1] == ' ')
        before.len--;
    size_t len = 0;
    while (len < before.len && before.ptr[before.len - len - 1] != ' ')
        len++;
    return mls_str_among((mls_str){before.ptr + before.len - len, len},
                         "at from per every max total in after until for before warmup last of to resume");
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Read the number of "step: 10", "Step 10/500", "iter = 10", "iteration 3/99", after the counter's name. */
static bool take_counted(mls_str rest, double *reached)
{
    static const char *const endings[] = {"ation", "s"};
    mls_line_parts parts;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const mls_str ending = mls_str_from(endings[i]);
        rest = mls_str_starts(rest, ending) ? mls_str_rest(rest, ending.len) : rest;
    }
    (void)mls_line_take(&rest, "%_", &parts);
    const bool sign = mls_take_char(&rest, ":=#[");
    if (!mls_line_take(&rest, "%_%n", &parts) || (!sign && rest.len > 0 && rest.ptr[0] == '%'))
        return false;
    *reached = parts.number;
    const char next = rest.len > 0 ? rest.ptr[0] : ' ';
    return next != '.' && next != '_' && !is_letter(next);
}

/* Read the first counter among several names that has a number. */
static bool count_words(mls_str message, const char *names, double *reached)
{
    for (mls_str name; mls_list_next(&names, '|', &name);) {
        for (mls_str rest = message; mls_str_after(rest, name, &rest);) {
            const mls_str before = {message.ptr, (size_t)(rest.ptr - message.ptr) - name.len};
            const char last = before.len > 0 ? before.ptr[before.len - 1] : ' ';
            if (last != '_' && last != '-' && !is_letter(last) && !mls_is_digit(last) && !is_spoken_of(before) &&
                take_counted(rest, reached))
                return true;
        }
    }
    return false;
}

static bool count_steps(mls_str message, double *reached)
{
    return count_words(message, "global_step|num_updates|step|Step|STEP|iter|Iter|ITER", reached);
}

static bool count_batches(mls_str message, double *reached)
{
    return count_words(message, "batch|Batch", reached);
}

/* Read "Epoch [1/90][10/5004]" of torchvision's example and mmcv, "Epoch(train) [1][10/7330]" and "Iter(train)
 * [10/5000]" of mmengine, "Train: 0 [ 10/1251 (0%)]" of timm, "Train Epoch: 1 [640/60000 (1%)]", " 001: 10 / 5004": the
 * last of the numbers with a total. */
static bool count_pairs(mls_str message, double *reached)
{
    const char *names = "(train)|Epoch|epoch|Train:";
    bool found = false;
    for (mls_str name; !found && mls_list_next(&names, '|', &name);) {
        mls_str rest;
        mls_line_parts parts;
        bool more = mls_str_after(message, name, &rest) &&
                    !is_spoken_of((mls_str){message.ptr, (size_t)(rest.ptr - message.ptr) - name.len});
        while (more) {
            while (mls_take_char(&rest, " \t:[]()")) {
            }
            more = mls_line_take(&rest, "%n", &parts);
            const int32_t done = parts.number;
            if (more && mls_line_take(&rest, "%_/%_%n", &parts)) {
                *reached = done;
                found = true;
            }
        }
    }
    return found;
}

void mls_job_read_progress(mls_job_log *job, size_t i, const mls_log_line *line, bool loose)
{
    static const struct {
        bool (*count)(mls_str message, double *reached);
        bool iterations; /* false: epochs, or something else */
    } forms[] = {{count_bar, true},   {count_writer, true},   {count_epochs, false}, {count_keras, false},
                 {count_steps, true}, {count_batches, false}, {count_pairs, false}};
    mls_line_parts parts;
    mls_str rest = line->message;
    mls_log_segment *segment = mls_job_segment(job);
    const size_t number = job->block.marked.lines.line + i;
    if (mls_line_take(&rest, "%_iteration %_%n%_/", &parts) || mls_line_take(&rest, "%_step %_%n", &parts)) {
        mls_job_advance(job, number, MLS_PACE_ITERATION, parts.number, mls_job_time_of(job, i, line));
        return;
    }
    if (!loose || segment->line > 0 || segment->reached[MLS_PACE_ITERATION] >= 0)
        return;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        double reached;
        if (forms[k].count(rest, &reached)) {
            segment->iteration = forms[k].iterations ? reached : segment->iteration;
            mls_job_advance(job, number, MLS_PACE_LOOSE, reached, mls_job_time_of(job, i, line));
            return;
        }
    }
}
