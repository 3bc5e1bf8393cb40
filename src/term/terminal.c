/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - terminal modes, signals, drawing of frames, and restoring the terminal. */
#include "term/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* State that signal handlers need to restore the terminal. */
static struct {
    const mls_terminal *volatile open; /* the terminal that is drawn on; NULL: none */
    char restore[64];
    size_t restore_length;
} drawing;

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS};
enum { FATAL_COUNT = sizeof fatal / sizeof *fatal };
static struct sigaction fatal_before[FATAL_COUNT];

static void restore(void)
{
    const mls_terminal *terminal = drawing.open;
    (void)!write(terminal->drawn_on, drawing.restore, drawing.restore_length);
    if (terminal->raw)
        (void)tcsetattr(terminal->keys, TCSANOW, &terminal->before);
}

/* Restore the terminal and stop drawing. */
static void stop_drawing(void)
{
    if (drawing.open != NULL) {
        restore();
        drawing.open = NULL;
        for (size_t i = 0; i < FATAL_COUNT; i++)
            (void)sigaction(fatal[i], &fatal_before[i], NULL);
    }
}

static void die_restored(int number)
{
    stop_drawing();
    (void)raise(number);
}

static void set_restore_text(const mls_terminal *terminal, size_t lines)
{
    const int length =
        terminal->full
            ? mls_text_printf(drawing.restore, sizeof drawing.restore, "\033[0m\033[?25h\033[?1049l\033[?2026l")
        : lines > 0 ? mls_text_printf(drawing.restore, sizeof drawing.restore,
                                      "\033[0m\033[%zuB\r\n\033[?25h\033[?2026l", lines)
                    : mls_text_printf(drawing.restore, sizeof drawing.restore, "\033[0m\r\033[?25h\033[?2026l");
    drawing.restore_length = length > 0 ? (size_t)length : 0;
}

/* Write all bytes of a text.  Return false if the terminal no longer exists. */
static bool write_all(const mls_terminal *terminal, mls_str text)
{
    for (size_t done = 0; done < text.len;) {
        const ssize_t wrote = write(terminal->drawn_on, text.ptr + done, text.len - done);
        if (wrote < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = terminal->drawn_on, .events = POLLOUT};
            (void)poll(&room, 1, -1);
        } else if (wrote < 0 && errno != EINTR) {
            return false;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* Hide the cursor; if `full`, switch to the alternate screen.  In the foreground, also turn off line editing and echo;
 * keys such as Ctrl-C still send signals. */
static void begin_drawing(mls_terminal *terminal)
{
    struct termios modes = terminal->before;
    if (terminal->keys >= 0 && tcgetpgrp(terminal->keys) == getpgrp()) {
        modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        modes.c_cc[VMIN] = 1;
        modes.c_cc[VTIME] = 0;
        terminal->raw = tcsetattr(terminal->keys, TCSANOW, &modes) == 0;
    }
    if (terminal->drawn_on >= 0)
        (void)write_all(terminal, terminal->full ? MLS_S("\033[?1049h\033[H\033[?25l") : MLS_S("\033[?25l"));
}

void mls_terminal_open(mls_terminal *terminal, int drawn_on, bool full)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    static const int of_drawing[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTTOU};
    const bool has_keys = drawn_on >= 0 && isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &terminal->before) == 0;
    sigset_t taken;
    terminal->keys = has_keys ? STDIN_FILENO : -1;
    terminal->drawn_on = drawn_on;
    terminal->full = full && drawn_on >= 0;
    terminal->raw = false;
    (void)sigemptyset(&taken);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        /* Do not handle signals that the program was started to ignore, by nohup or by a shell for a background job. */
        struct sigaction action;
        if (sigaction(ends[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN)
            (void)sigaddset(&taken, ends[i]);
    }
    for (size_t i = 0; i < sizeof of_drawing / sizeof *of_drawing && drawn_on >= 0; i++)
        (void)sigaddset(&taken, of_drawing[i]);
    (void)sigprocmask(SIG_BLOCK, &taken, &terminal->mask);
    terminal->signals = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
    if (drawn_on < 0)
        return;
    set_restore_text(terminal, 0);
    drawing.open = terminal;
    const struct sigaction action = {.sa_handler = die_restored};
    for (size_t i = 0; i < FATAL_COUNT; i++)
        (void)sigaction(fatal[i], &action, &fatal_before[i]);
    begin_drawing(terminal);
}

int mls_terminal_take(mls_terminal *terminal)
{
    struct signalfd_siginfo info;
    if (terminal->signals >= 0 && read(terminal->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGTSTP: /* restore the terminal, stop the process, and draw again once the process continues */
            restore();
            set_restore_text(terminal, 0);
            (void)raise(SIGSTOP);
            begin_drawing(terminal);
            return MLS_TERMINAL_REDRAW;
        case SIGCONT:
            begin_drawing(terminal);
            return MLS_TERMINAL_REDRAW;
        case SIGWINCH:
        case SIGTTOU:
            return MLS_TERMINAL_REDRAW;
        default:
            return MLS_TERMINAL_END;
        }
    }
    struct pollfd keys = {.fd = terminal->raw ? terminal->keys : -1, .events = POLLIN};
    unsigned char key;
    if (poll(&keys, 1, 0) <= 0)
        return MLS_TERMINAL_NOTHING;
    const ssize_t got = read(terminal->keys, &key, 1);
    if (got == 1)
        return key;
    if (got == 0 || errno != EINTR)
        terminal->keys = -1;
    return MLS_TERMINAL_NOTHING;
}

void mls_terminal_fill(mls_terminal *terminal, bool full)
{
    if (terminal->drawn_on >= 0 && full != terminal->full) {
        terminal->full = full;
        (void)write_all(terminal, full ? MLS_S("\033[?1049h\033[H") : MLS_S("\033[?1049l"));
        set_restore_text(terminal, 0);
    }
}

bool mls_terminal_size(const mls_terminal *terminal, size_t *columns, size_t *rows)
{
    struct winsize size;
    const bool known = ioctl(terminal->drawn_on, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    if (known) {
        *columns = size.ws_col;
        *rows = size.ws_row;
    }
    return known;
}

/* Append the last `most` lines of a text, each followed by the escape sequence that erases the rest of the line. Return
 * the number of appended lines. */
static size_t append_lines(mls_buffer *frame, mls_str text, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    const size_t skipped = count > most ? count - most : 0;
    mls_str line;
    for (size_t i = 0; i < count && mls_str_cut(&text, '\n', &line); i++) {
        if (i >= skipped) {
            mls_buffer_append(frame, line);
            mls_buffer_append_text(frame, "\033[K\r\n");
        }
    }
    return count - skipped;
}

bool mls_terminal_draw(mls_terminal *terminal, mls_str above, mls_str block, size_t rows, bool last)
{
    mls_buffer frame = {0};
    mls_buffer_append_text(&frame, terminal->full ? "\033[?2026h\033[H" : "\033[?2026h\r\033[J");
    if (!terminal->full)
        (void)append_lines(&frame, above, SIZE_MAX);
    const size_t lines = append_lines(&frame, block, rows > 1 ? rows - 1 : 1);
    mls_buffer_append_text(&frame, "\033[J");
    if (!terminal->full && !last && lines > 0)
        mls_buffer_printf(&frame, "\033[%zuA", lines);
    if (!terminal->full && (last || lines > 0))
        set_restore_text(terminal, last ? 0 : lines - 1);
    mls_buffer_append_text(&frame, "\033[?2026l");
    const bool ok = write_all(terminal, mls_buffer_str(&frame));
    mls_buffer_release(&frame);
    return ok;
}

void mls_terminal_close(mls_terminal *terminal)
{
    stop_drawing();
    if (terminal->signals >= 0) {
        (void)close(terminal->signals);
        (void)sigprocmask(SIG_SETMASK, &terminal->mask, NULL);
    }
    terminal->signals = terminal->keys = terminal->drawn_on = -1;
}
