/* Runs programs and records on disk that they started and how they ended, whatever becomes of the Eligo that asked.
 *
 *   eligo-job keep JOURNAL REQUESTS
 *       takes requests from a socket until the other end is closed, and stays until all it started has ended
 *
 * JOURNAL and REQUESTS are numbers of open files. One keeper serves a whole run, because a new process costs about a
 * millisecond and a job should cost one of them, not two.
 *
 * A request is its length and the number of its arguments, each as four bytes in the machine's order, then words that
 * each end with a zero byte: KEY (which names the step, without blanks), DIRECTORY, STDIN, STDOUT, STDERR, LOG, INHERIT
 * (empty for an environment of its own), PROGRAM and arguments, and the rest NAME=VALUE for the environment. Files are
 * paths; an empty STDIN is no input, an empty STDOUT or STDERR goes to LOG, which is private and removed at the end if
 * nothing was written to it. PROGRAM is looked for in PATH if it has no slash.
 *
 * A program runs in a session of its own, whose number is its process number: so it can be found and ended with all
 * that it started. When it has ended, what it left behind in its process group is killed, as HTCondor does.
 *
 * Records are lines, each written by one call at the end of the file, with a CRC-32 of what stands before it:
 *   S key pid ticks                 written by the new process itself before it becomes the program; ticks: when it was
 *                                   made, in the kernel's count, so that a later process of that number is told apart
 *   E key code begin end cpu peak   code: exit status, or minus the signal; times in ns of the monotonic clock; us; KiB
 *   X key code text                 it could not be started: code 126 or 127, and why
 * After each a byte goes to the socket. So a program runs only if there is an S record of it; and as long as the keeper
 * lives it has JOURNAL open, on which Eligo has put a lock: a later Eligo that gets the lock knows that it is gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_KEY = 64, LONGEST_RECORD = 1024, MOST_TRIES = 100 };

/* The words of a request, in their order. */
enum { KEY, DIRECTORY, STDIN, STDOUT, STDERR, LOG, INHERIT, PROGRAM };

struct job {
    pid_t pid;
    long long begin;
    char key[LONGEST_KEY];
    char *log;
};

extern char **environ;
static int journal = -1, requests = -1;
static struct job *jobs;
static size_t job_count, job_room;
/* What went wrong in a new process: it shares our memory until it has become the program. */
static volatile int failed_errno;
static const char *volatile failed_at;

static uint32_t crc32_of(const char *text, size_t length) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; ++i) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

/* Writes a record whole; on a full disk it waits for space, since a lost end would cost the whole job. It begins a new
 * line, since a part of one may stand there: ours, or that of a new process that was killed while it waited. */
static void record(const char *text) {
    char line[LONGEST_RECORD + 16];
    int length = snprintf(line, sizeof line, "\n%s %08x\n", text, crc32_of(text, strlen(text)));
    for (;;) {
        ssize_t written = write(journal, line, (size_t)length);
        if (written == length) break;
        if (written < 0 && errno == EINTR) continue;
        sleep(1);
    }
    (void)!send(requests, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* When this process was made, in ticks since the machine started: the 22nd field of its stat, the 20th after the name,
 * which is in parentheses and may hold anything. */
static unsigned long long made_at(void) {
    char text[2048];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    char *at = strrchr(text, ')');
    for (int field = 0; at != NULL && field < 20; ++field) at = strchr(at + 1, ' ');
    return at == NULL ? 0 : strtoull(at + 1, NULL, 10);
}

static _Noreturn void give_up(const char *at) {
    failed_errno = errno;
    failed_at = at;
    _exit(127);
}

/* Opens a file as a number, or takes the log where none is named. */
static void open_as(int number, const char *path, int flags, int log) {
    int file = *path == 0 ? log : open(path, flags | O_CLOEXEC, 0666);
    if (file < 0) give_up(path);
    if (file == number ? fcntl(file, F_SETFD, 0) < 0 : dup2(file, number) < 0) give_up(path);
}

/* Becomes a program, looking for a name without a slash in PATH. Unlike execvp it never turns to a shell for files that
 * are no programs: a workflow that wants a shell names it. */
static void execute(char **words, char **environment) {
    const char *name = words[0], *at = NULL;
    for (char **entry = environment; *entry != NULL; ++entry)
        if (strncmp(*entry, "PATH=", 5) == 0) at = *entry + 5;
    if (strchr(name, '/') != NULL || at == NULL) {
        execve(name, words, environment);
        return;
    }
    int worst = ENOENT;
    for (;;) {
        char path[4096];
        int length = (int)strcspn(at, ":");
        int fits = snprintf(path, sizeof path, "%.*s%s%s", length, at, length ? "/" : "", name) < (int)sizeof path;
        if (fits) execve(path, words, environment);
        if (fits && errno != ENOENT && errno != ENOTDIR) worst = errno;
        if (at[length] == 0 || (worst != ENOENT && worst != EACCES)) break;
        at += length + 1;
    }
    errno = worst;
}

/* Turns the new process into the program. Until then it shares our memory, so it changes nothing in it but `failed_*`. */
static _Noreturn void become(char **words, char **environment) {
    const char *out = words[STDOUT], *err = words[STDERR];
    setsid();
    for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    char text[LONGEST_RECORD];
    snprintf(text, sizeof text, "S %s %ld %llu", words[KEY], (long)getpid(), made_at());
    record(text);
    if (requests > 2) close(requests); /* to open a pipe may take long: whoever has these open is taken for a keeper */
    if (journal > 2) close(journal);
    if (chdir(words[DIRECTORY]) < 0) give_up(words[DIRECTORY]);
    int log = -1;
    if (*out == 0 || *err == 0) {
        log = open(words[LOG], O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (log < 0) give_up(words[LOG]);
    }
    open_as(0, *words[STDIN] == 0 ? "/dev/null" : words[STDIN], O_RDONLY, -1);
    open_as(1, out, O_WRONLY | O_CREAT | O_TRUNC, log);
    if (*err != 0 && strcmp(out, err) == 0) {
        if (dup2(1, 2) < 0) give_up(err);
    } else {
        open_as(2, err, O_WRONLY | O_CREAT | O_TRUNC, log);
    }
    execute(words + PROGRAM, environment);
    give_up(words[PROGRAM]);
}

static void record_failure(const char *key) {
    char why[512], text[LONGEST_RECORD];
    snprintf(why, sizeof why, "%.300s: %s", failed_at, strerror(failed_errno));
    for (char *at = why; *at; ++at)
        if ((unsigned char)*at < 32) *at = '?';
    snprintf(text, sizeof text, "X %s %d %s", key, failed_errno == ENOENT ? 127 : 126, why);
    record(text);
}

static void remove_empty(const char *path) {
    struct stat log;
    if (stat(path, &log) == 0 && log.st_size == 0 && S_ISREG(log.st_mode)) unlink(path);
}

/* Records the end of a job that has ended, and forgets it. */
static void finish(size_t at) {
    struct job *job = &jobs[at];
    long long end = now_ns();
    kill(-job->pid, SIGKILL); /* the number cannot be another's yet: the ended process still has it */
    int status = 0;
    struct rusage used;
    memset(&used, 0, sizeof used);
    while (wait4(job->pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    int code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    long long cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec +
                    used.ru_stime.tv_usec;
    char text[LONGEST_RECORD];
    snprintf(text, sizeof text, "E %s %d %lld %lld %lld %ld", job->key, code, job->begin, end, cpu, used.ru_maxrss);
    remove_empty(job->log);
    record(text);
    free(job->log);
    jobs[at] = jobs[--job_count];
}

/* Makes sure beforehand that a started job can be remembered. */
static int has_room(void) {
    if (job_count < job_room) return 1;
    size_t room = job_room ? 2 * job_room : 64;
    struct job *more = realloc(jobs, room * sizeof *jobs);
    if (more == NULL) return 0;
    jobs = more;
    job_room = room;
    return 1;
}

/* Whether to open a file may take until another process opens it too. */
static int is_pipe(const char *path) {
    struct stat file;
    return *path != 0 && stat(path, &file) == 0 && S_ISFIFO(file.st_mode);
}

/* Makes the new process. By itself, since what a function keeps in registers is not safe across vfork. That stops us
 * until the program runs, or until it is known why not; where the new process may have to wait for another, which we
 * may have yet to start, it gets memory of its own, and its exit status has to say what went wrong. */
static pid_t make(char **words, char **environment) {
    pid_t made = is_pipe(words[STDIN]) || is_pipe(words[STDOUT]) || is_pipe(words[STDERR]) ? fork() : vfork();
    if (made == 0) become(words, environment);
    return made;
}

static void finish_ended(void) {
    for (;;) {
        siginfo_t ended;
        ended.si_pid = 0;
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == 0) return;
        size_t at = 0;
        while (at < job_count && jobs[at].pid != ended.si_pid) ++at;
        if (at < job_count) finish(at);
        else waitpid(ended.si_pid, NULL, 0);
    }
}

/* Starts a program; what cannot be started is recorded as such. */
static void start(char **words, char **environment) {
    char *log = has_room() ? strdup(words[LOG]) : NULL;
    long long begin = now_ns();
    failed_at = NULL;
    pid_t made = log == NULL ? -1 : make(words, environment);
    for (int tries = 0; made < 0 && log != NULL && errno == EAGAIN && tries < MOST_TRIES; ++tries) {
        poll(NULL, 0, 100); /* this user may have no more processes: ours may end, or somebody else's */
        finish_ended();
        begin = now_ns();
        made = make(words, environment);
    }
    if (made < 0) {
        failed_errno = errno;
        failed_at = "a new process";
    }
    if (failed_at != NULL) {
        if (made > 0)
            while (waitpid(made, NULL, 0) < 0 && errno == EINTR) {
            }
        remove_empty(words[LOG]);
        record_failure(words[KEY]);
        free(log);
        return;
    }
    struct job *job = &jobs[job_count++];
    job->pid = made;
    job->begin = begin;
    job->log = log;
    snprintf(job->key, sizeof job->key, "%s", words[KEY]);
}

static int has_name(const char *entry, const char *other) {
    size_t length = strcspn(entry, "=");
    return strncmp(entry, other, length) == 0 && other[length] == '=';
}

/* Returns what is inherited and not set anew, followed by what is set. */
static char **environment_of(int inherit, char **set, size_t count) {
    size_t had = 0, kept = 0;
    while (inherit && environ[had] != NULL) ++had;
    char **all = malloc((had + count + 1) * sizeof *all);
    if (all == NULL) abort();
    for (size_t i = 0; i < had; ++i) {
        size_t j = 0;
        while (j < count && !has_name(set[j], environ[i])) ++j;
        if (j == count) all[kept++] = environ[i];
    }
    memcpy(all + kept, set, count * sizeof *all);
    all[kept + count] = NULL;
    return all;
}

/* Carries out one request: words one after the other, each with a zero byte at its end. */
static void carry_out(char *text, size_t length, uint32_t arguments) {
    size_t count = 0;
    for (size_t i = 0; i < length; ++i) count += text[i] == 0;
    if (count < (size_t)PROGRAM + arguments || arguments == 0 || text[length - 1] != 0) return;
    char **words = malloc((count + 1) * sizeof *words);
    if (words == NULL) abort();
    char *at = text;
    for (size_t i = 0; i < count; ++i, at += strlen(at) + 1) words[i] = at;
    size_t end = PROGRAM + arguments;
    char **environment = environment_of(*words[INHERIT] != 0, words + end, count - end);
    words[end] = NULL; /* after it was read: the first of the environment may stand there */
    start(words, environment);
    free(environment);
    free(words);
}

/* Reads exactly so many bytes; 0 at the end of the requests. */
static int take(void *into, size_t length) {
    for (size_t got = 0; got < length;) {
        ssize_t more = read(requests, (char *)into + got, length - got);
        if (more == 0 || (more < 0 && errno != EINTR)) return 0;
        if (more > 0) got += (size_t)more;
    }
    return 1;
}

static int take_request(void) {
    uint32_t size[2];
    if (!take(size, sizeof size)) return 0;
    char *text = malloc((size_t)size[0] + 1);
    if (text == NULL) abort();
    int whole = size[0] > 0 && take(text, size[0]);
    if (whole) carry_out(text, size[0], size[1]);
    free(text);
    return whole;
}

static int ended_pipe[2];

static void note_end(int number) {
    int before = errno;
    (void)number;
    (void)!write(ended_pipe[1], "", 1);
    errno = before;
}

static void set_handler(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, NULL);
}

/* Lets go of the terminal, the pipes and the directory of whoever called: a keeper must not keep those busy. */
static void let_go(void) {
    int nothing = open("/dev/null", O_RDWR);
    for (int number = 0; number < 3 && nothing >= 0; ++number)
        if (number != journal && number != requests) dup2(nothing, number);
    if (nothing > 2) close(nothing);
    (void)!chdir("/");
}

static void keep(void) {
    int open_end = 1;
    let_go();
    if (pipe(ended_pipe) < 0) _exit(2);
    for (int end = 0; end < 2; ++end) {
        fcntl(ended_pipe[end], F_SETFD, FD_CLOEXEC);
        fcntl(ended_pipe[end], F_SETFL, O_NONBLOCK);
    }
    set_handler(SIGCHLD, note_end);
    while (open_end || job_count > 0) {
        struct pollfd wait[2] = {{ended_pipe[0], POLLIN, 0}, {requests, POLLIN, 0}};
        if (poll(wait, open_end ? 2 : 1, -1) < 0) continue;
        if (wait[0].revents) {
            char some[256];
            while (read(ended_pipe[0], some, sizeof some) > 0) {
            }
            finish_ended();
        }
        if (open_end && wait[1].revents) open_end = take_request();
    }
}

int main(int count, char **words) {
    if (count != 4 || strcmp(words[1], "keep") != 0) {
        fputs("eligo-job is called by eligo: keep JOURNAL REQUESTS\n", stderr);
        return 2;
    }
    journal = atoi(words[2]);
    requests = atoi(words[3]);
    fcntl(journal, F_SETFD, FD_CLOEXEC);
    fcntl(requests, F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN); /* a keeper outlives its jobs, so that their ends are known */
    keep();
    return 0;
}
