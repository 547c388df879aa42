// Runs a program and all it starts, counts their system calls that change files, and strikes at one of them.
//
//   nth OUTPUT COUNT kill|kill:NAME|error:NUMBER|signal:NUMBER|full|pause|ask:SOCKET COMMAND...
//
// At the COUNT-th such call, in whichever process or thread, before it is carried out:
//   kill           every process gets SIGKILL, as if the machine had lost its memory
//   kill:NAME      the processes of this name (comm of proc(5)) get it, and nobody else; "first": the first one alone
//   error:NUMBER   the call fails with this errno, once; instead of one that writes into a pipe, a socket or a device, the next one:
//                  such errors come from a disk, and a shell that loses the pipe of a here-document says nothing of it
//   signal:NUMBER  the first process gets this signal
//   full           the call fails with ENOSPC, and from then on each that needs room in a file system does
//   pause          nth stops itself, and with it the call, until it gets SIGCONT
// Whoever is at the other end of an ask:SOCKET is asked at each such call by a line: its number, that of the system call, and 1
// if it is the first process's. The answer is a byte: 'c' carries it out, 'o' leaves it out as if it had done what it should, 'e' lets it
// fail with EIO.
// COUNT 0 strikes never. OUTPUT gets one line: how many calls there were, and the first process's status as a shell has it;
// then one line with the numbers of the calls that made a record of a journal durable (fsync of a file named "journal").
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the registers are those of x86-64"
#endif

static const int changing[] = {
    SYS_rename,    SYS_renameat,   SYS_renameat2, SYS_link,      SYS_linkat,     SYS_symlink,      SYS_symlinkat,
    SYS_unlink,    SYS_unlinkat,   SYS_rmdir,     SYS_mkdir,     SYS_mkdirat,    SYS_mknod,        SYS_mknodat,
    SYS_chmod,     SYS_fchmod,     SYS_fchmodat,  SYS_chown,     SYS_fchown,     SYS_lchown,       SYS_fchownat,
    SYS_utimensat, SYS_utimes,     SYS_utime,     SYS_futimesat, SYS_truncate,   SYS_ftruncate,    SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr,  SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_fsync, SYS_fdatasync,
    SYS_syncfs,    SYS_sync,       SYS_write,     SYS_pwrite64,  SYS_writev,     SYS_copy_file_range, SYS_sendfile,
    SYS_fallocate, SYS_creat,      SYS_sync_file_range};
enum { calls = sizeof changing / sizeof changing[0], most_pids = 1 << 22 };

static unsigned char is_seen[most_pids];
static unsigned char is_alive[most_pids];

static void fail(const char *what) {
    perror(what);
    exit(125);
}

static void add(struct sock_filter *program, unsigned *size, struct sock_filter instruction) {
    program[(*size)++] = instruction;
}

// Calls that change files stop the process for its tracer; all others run as ever.
static void install_filter(void) {
    static struct sock_filter program[2 * calls + 32];
    unsigned size = 0;
    const unsigned nr = offsetof(struct seccomp_data, nr);
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    add(program, &size, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr));
    for (unsigned i = 0; i < calls; ++i) {
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)changing[i], 0, 1));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    const unsigned opening[2][2] = {{SYS_open, 1}, {SYS_openat, 2}};
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned flags = offsetof(struct seccomp_data, args) + 8 * opening[i][1];
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opening[i][0], 0, 4));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags));
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, writing, 0, 1));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {(unsigned short)size, program};
    // Root needs no "no new privileges", under which setuid programs would not be what they are.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) fail("seccomp");
}

static void kill_all(void) {
    for (int pid = 0; pid < most_pids; ++pid) {
        if (is_alive[pid]) kill(pid, SIGKILL);
    }
}

static void kill_named(const char *name) {
    for (int pid = 1; pid < most_pids; ++pid) {
        char path[32], comm[32] = "";
        if (!is_alive[pid]) continue;
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(comm, sizeof comm, file) != NULL) comm[strcspn(comm, "\n")] = '\0';
        fclose(file);
        if (strcmp(comm, name) == 0) kill(pid, SIGKILL);
    }
}

static void make_fail(pid_t pid, int error) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return;
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)-(long long)error;
    ptrace(PTRACE_SETREGS, pid, 0, &registers);
}

static void ask(int socket, long count, int is_first, pid_t pid) {
    struct user_regs_struct registers;
    char answer = 0;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return;  // killed meanwhile
    if (dprintf(socket, "%ld %llu %d\n", count, registers.orig_rax, is_first) < 0 || read(socket, &answer, 1) != 1) {
        kill_all();
        exit(125);
    }
    if (answer == 'o') make_fail(pid, 0);
    if (answer == 'e') make_fail(pid, EIO);
}

// Whether the process is about to fsync(2) a journal.
static int is_record(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0 || registers.orig_rax != SYS_fsync) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, (int)registers.rdi);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    return size > 8 && strncmp(path + size - 8, "/journal", 8) == 0;
}

// Whether what a process has open is a file of a file system.
static int is_file(pid_t pid, long descriptor) {
    char link[64], path[16];
    snprintf(link, sizeof link, "/proc/%d/fd/%ld", pid, descriptor);
    const ssize_t size = readlink(link, path, sizeof path);
    return size > 0 && path[0] == '/' && !(size >= 5 && strncmp(path, "/dev/", 5) == 0);
}

// Whether the call writes, and not into a file.
static int writes_elsewhere(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return 0;
    const long call = (long)registers.orig_rax;
    return (call == SYS_write || call == SYS_writev || call == SYS_sendfile) && !is_file(pid, (long)registers.rdi);
}

// Whether the call takes room in a file system: it makes a name, or writes into a file that has one.
static int needs_room(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return 0;
    long descriptor = -1;
    switch (registers.orig_rax) {
        case SYS_link: case SYS_linkat: case SYS_symlink: case SYS_symlinkat: case SYS_mkdir: case SYS_mkdirat: case SYS_mknod:
        case SYS_mknodat: case SYS_creat:
            return 1;
        case SYS_open:
            return (registers.rsi & O_CREAT) != 0 || (registers.rsi & O_TMPFILE) == O_TMPFILE;
        case SYS_openat:
            return (registers.rdx & O_CREAT) != 0 || (registers.rdx & O_TMPFILE) == O_TMPFILE;
        case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_sendfile: case SYS_fallocate:
            descriptor = (long)registers.rdi;
            break;
        case SYS_copy_file_range:
            descriptor = (long)registers.rdx;
            break;
        default:
            return 0;
    }
    return is_file(pid, descriptor);
}

static void strike(const char *action, pid_t first, pid_t pid) {
    if (strcmp(action, "kill") == 0) kill_all();
    if (strcmp(action, "kill:first") == 0) kill(first, SIGKILL);
    else if (strncmp(action, "kill:", 5) == 0) kill_named(action + 5);
    if (strncmp(action, "error:", 6) == 0) make_fail(pid, atoi(action + 6));
    if (strncmp(action, "signal:", 7) == 0) kill(first, atoi(action + 7));
    if (strcmp(action, "pause") == 0) raise(SIGSTOP);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: nth OUTPUT COUNT ACTION COMMAND...\n");
        return 125;
    }
    const long wanted = atol(argv[2]);
    const int socket = strncmp(argv[3], "ask:", 4) == 0 ? atoi(argv[3] + 4) : -1;
    if (socket >= 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) fail(argv[3]);
    const pid_t first = fork();
    if (first < 0) fail("fork");
    if (first == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        install_filter();
        execvp(argv[4], argv + 4);
        fail(argv[4]);
    }
    int status = 0;
    if (waitpid(first, &status, __WALL) != first) fail("waitpid");
    is_seen[first] = is_alive[first] = 1;
    const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                         PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, first, 0, options) != 0) fail("ptrace");
    ptrace(PTRACE_CONT, first, 0, 0);

    enum { most_records = 1000 };
    static long records[most_records];
    int recorded = 0;
    long count = 0;
    int is_due = 0;
    int code = 125;
    pid_t pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (pid <= 0 || pid >= most_pids) continue;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            is_alive[pid] = is_seen[pid] = 0;
            if (pid == first) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        is_alive[pid] = 1;
        int number = WSTOPSIG(status);
        const int event = status >> 16;
        if (event == PTRACE_EVENT_SECCOMP) {
            ++count;
            if (recorded < most_records && is_record(pid)) records[recorded++] = count;
            is_due |= count == wanted;
            if (is_due && !(strncmp(argv[3], "error:", 6) == 0 && writes_elsewhere(pid))) {
                is_due = 0;
                strike(argv[3], first, pid);
            }
            if (wanted > 0 && count >= wanted && strcmp(argv[3], "full") == 0 && needs_room(pid)) make_fail(pid, ENOSPC);
            if (socket >= 0) ask(socket, count, pid == first, pid);
        }
        // The first stop of a new process is ptrace's own.
        if (event != 0 || (number == SIGSTOP && !is_seen[pid])) number = 0;
        is_seen[pid] = 1;
        ptrace(PTRACE_CONT, pid, 0, number);
    }
    FILE *output = fopen(argv[1], "w");
    if (output == NULL || fprintf(output, "%ld %d\n", count, code) < 0) fail(argv[1]);
    for (int i = 0; i < recorded; ++i) fprintf(output, "%ld ", records[i]);
    if (fclose(output) != 0) fail(argv[1]);
    return code;
}
