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
// It is told the calls by seccomp(2), not by ptrace(2), which topsctl needs for itself; while it does not answer, nothing changes a file.
// COUNT 0 strikes never. OUTPUT gets one line: how many calls there were, and the first process's status as a shell has it;
// then one line with the numbers of the calls that made a record of a journal durable (fsync of a file named "journal").
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
enum { calls = sizeof changing / sizeof changing[0], most_processes = 1 << 16 };

static int listener = -1;

static void fail(const char *what) {
    perror(what);
    exit(125);
}

static void add(struct sock_filter *program, unsigned *size, struct sock_filter instruction) {
    program[(*size)++] = instruction;
}

// Calls that change files are told by the descriptor that this gives; all others run as ever.
static int install_filter(void) {
    static struct sock_filter program[2 * calls + 32];
    unsigned size = 0;
    const unsigned nr = offsetof(struct seccomp_data, nr);
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    add(program, &size, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr));
    for (unsigned i = 0; i < calls; ++i) {
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)changing[i], 0, 1));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
    }
    const unsigned opening[2][2] = {{SYS_open, 1}, {SYS_openat, 2}};
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned flags = offsetof(struct seccomp_data, args) + 8 * opening[i][1];
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opening[i][0], 0, 4));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags));
        add(program, &size, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, writing, 0, 1));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
        add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    add(program, &size, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {(unsigned short)size, program};
    // Root needs no "no new privileges", under which setuid programs would not be what they are.
    const unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | 1U << 5;  // signals do not repeat a call that was told (Linux 5.19)
    const int told = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    if (told < 0) fail("seccomp");
    return told;
}

static void send_listener(int socket, int descriptor) {
    char room[CMSG_SPACE(sizeof descriptor)] = "", byte = 0;
    struct iovec body = {&byte, 1};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    // This socket is not of a kind whose calls are told.
    if (sendmsg(socket, &message, 0) != 1) fail("sendmsg");
}

static int receive_listener(int socket) {
    char room[CMSG_SPACE(sizeof(int))], byte = 0;
    struct iovec body = {&byte, 1};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int descriptor = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == NULL) fail("recvmsg");
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

// The parent of a process, and its name; 0: it is gone.
static int parent_of(int pid, char *name, size_t room) {
    char path[32], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    const size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = '\0';
    char *begin = strchr(line, '('), *end = strrchr(line, ')');
    int parent = 0;
    char state = 0;
    if (begin == NULL || end == NULL || sscanf(end + 1, " %c %d", &state, &parent) != 2 || state == 'Z' || state == 'X') return 0;
    snprintf(name, room, "%.*s", (int)(end - begin - 1), begin + 1);
    return parent;
}

// Sends SIGKILL to all that descends from this process and has the name; NULL: whatever its name is. How many they were.
static int kill_descendants(const char *wanted) {
    static int pids[most_processes], parents[most_processes];
    static char is_ours[most_processes], names[most_processes][32];
    int count = 0, killed = 0, is_more = 1;
    DIR *proc = opendir("/proc");
    if (proc == NULL) fail("/proc");
    for (struct dirent *each; (each = readdir(proc)) != NULL && count < most_processes;) {
        const int pid = atoi(each->d_name);
        if (pid <= 0 || pid == getpid()) continue;
        parents[count] = parent_of(pid, names[count], sizeof names[count]);
        if (parents[count] == 0) continue;
        is_ours[count] = parents[count] == getpid();
        pids[count++] = pid;
    }
    closedir(proc);
    while (is_more) {
        is_more = 0;
        for (int i = 0; i < count; ++i) {
            for (int j = 0; !is_ours[i] && j < count; ++j) {
                if (is_ours[j] && pids[j] == parents[i]) is_ours[i] = 1, is_more = 1;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        if (is_ours[i] && (wanted == NULL || strcmp(names[i], wanted) == 0) && kill(pids[i], SIGKILL) == 0) ++killed;
    }
    return killed;
}

static void kill_all(void) {
    while (kill_descendants(NULL) > 0) usleep(1000);
}

// What the kernel is to do with a call: make it, or give this result, an errno if it is negative.
struct verdict {
    int is_given;
    long result;
};

static struct verdict failing(int error) {
    return (struct verdict){1, -error};
}

static struct verdict ask(int socket, long count, int is_first, const struct seccomp_notif *call) {
    char answer = 0;
    if (dprintf(socket, "%ld %d %d\n", count, call->data.nr, is_first) < 0 || read(socket, &answer, 1) != 1) {
        kill_all();
        exit(125);
    }
    if (answer == 'o') return failing(0);
    return answer == 'e' ? failing(EIO) : (struct verdict){0, 0};
}

// Whether the process is about to fsync(2) a journal.
static int is_record(const struct seccomp_notif *call) {
    if (call->data.nr != SYS_fsync) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)call->pid, (int)call->data.args[0]);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    return size > 8 && strncmp(path + size - 8, "/journal", 8) == 0;
}

// Whether what a process has open is a file of a file system.
static int is_file(const struct seccomp_notif *call, int argument) {
    char link[64], path[16];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)call->pid, (int)call->data.args[argument]);
    const ssize_t size = readlink(link, path, sizeof path);
    return size > 0 && path[0] == '/' && !(size >= 5 && strncmp(path, "/dev/", 5) == 0);
}

// Whether the call writes, and not into a file.
static int writes_elsewhere(const struct seccomp_notif *call) {
    const int number = call->data.nr;
    return (number == SYS_write || number == SYS_writev || number == SYS_sendfile) && !is_file(call, 0);
}

// Whether the call takes room in a file system: it makes a name, or writes into a file that has one.
static int needs_room(const struct seccomp_notif *call) {
    switch (call->data.nr) {
        case SYS_link: case SYS_linkat: case SYS_symlink: case SYS_symlinkat: case SYS_mkdir: case SYS_mkdirat: case SYS_mknod:
        case SYS_mknodat: case SYS_creat:
            return 1;
        case SYS_open:
            return (call->data.args[1] & O_CREAT) != 0 || (call->data.args[1] & O_TMPFILE) == O_TMPFILE;
        case SYS_openat:
            return (call->data.args[2] & O_CREAT) != 0 || (call->data.args[2] & O_TMPFILE) == O_TMPFILE;
        case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_sendfile: case SYS_fallocate:
            return is_file(call, 0);
        case SYS_copy_file_range:
            return is_file(call, 2);
        default:
            return 0;
    }
}

static struct verdict strike(const char *action, pid_t first) {
    if (strcmp(action, "kill") == 0) kill_all();
    if (strcmp(action, "kill:first") == 0) kill(first, SIGKILL);
    else if (strncmp(action, "kill:", 5) == 0) kill_descendants(action + 5);
    if (strncmp(action, "signal:", 7) == 0) kill(first, atoi(action + 7));
    if (strcmp(action, "pause") == 0) raise(SIGSTOP);
    return strncmp(action, "error:", 6) == 0 ? failing(atoi(action + 6)) : (struct verdict){0, 0};
}

// Fails if the caller is gone.
static void answer(const struct seccomp_notif *call, struct verdict verdict) {
    struct seccomp_notif_resp response = {.id = call->id};
    if (!verdict.is_given) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (verdict.result < 0) response.error = (int)verdict.result;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: nth OUTPUT COUNT ACTION COMMAND...\n");
        return 125;
    }
    const long wanted = atol(argv[2]);
    const int socket = strncmp(argv[3], "ask:", 4) == 0 ? atoi(argv[3] + 4) : -1;
    if (socket >= 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) fail(argv[3]);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail("socketpair");
    // What a parent leaves comes here.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const pid_t first = fork();
    if (first < 0) fail("fork");
    if (first == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        const int told = install_filter();
        send_listener(pair[1], told);
        close(told);
        execvp(argv[4], argv + 4);
        fail(argv[4]);
    }
    close(pair[1]);
    listener = receive_listener(pair[0]);

    enum { most_records = 1000 };
    static long records[most_records];
    int recorded = 0;
    long count = 0;
    int is_due = 0;
    int code = 125;
    for (;;) {
        int status = 0;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (pid == first) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        struct pollfd watched = {listener, POLLIN, 0};
        if (poll(&watched, 1, 100) < 0 || watched.revents == 0) continue;
        if ((watched.revents & POLLIN) == 0) break;  // no process with the filter is left
        struct seccomp_notif call;
        memset(&call, 0, sizeof call);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;  // killed meanwhile
        ++count;
        struct verdict verdict = {0, 0};
        if (recorded < most_records && is_record(&call)) records[recorded++] = count;
        is_due |= count == wanted;
        if (is_due && !(strncmp(argv[3], "error:", 6) == 0 && writes_elsewhere(&call))) {
            is_due = 0;
            verdict = strike(argv[3], first);
        }
        if (wanted > 0 && count >= wanted && strcmp(argv[3], "full") == 0 && needs_room(&call)) verdict = failing(ENOSPC);
        if (socket >= 0) verdict = ask(socket, count, (pid_t)call.pid == first, &call);
        answer(&call, verdict);
    }
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, 0)) > 0;) {
        if (pid == first) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    FILE *output = fopen(argv[1], "w");
    if (output == NULL || fprintf(output, "%ld %d\n", count, code) < 0) fail(argv[1]);
    for (int i = 0; i < recorded; ++i) fprintf(output, "%ld ", records[i]);
    if (fclose(output) != 0) fail(argv[1]);
    return code;
}
