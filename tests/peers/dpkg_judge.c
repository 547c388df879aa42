/* Answers the questions of tests/support/version_probe.cpp with dpkg's own library: deb, rel and status. */
#define LIBDPKG_VOLATILE_API 1
#include <dpkg/dpkg.h>
#include <dpkg/dpkg-db.h>
#include <dpkg/ehandle.h>
#include <dpkg/parsedump.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void unescape(char *text)
{
    char *to = text;
    unsigned byte;

    for (; *text; ++to) {
        if (*text == '%' && sscanf(text + 1, "%2x", &byte) == 1) {
            *to = (char)byte;
            text += 3;
        } else {
            *to = *text++;
        }
    }
    *to = '\0';
}

static void print_escaped(const char *text)
{
    for (; *text; ++text) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x20 && byte < 0x7F && byte != '%')
            putchar(byte);
        else
            printf("%%%02X", byte);
    }
    putchar('\n');
}

static int is_version(struct dpkg_version *version, const char *text)
{
    struct dpkg_error fault = DPKG_ERROR_INIT;
    int status = parseversion(version, text, &fault);
    int accepted = status == 0 || fault.type == DPKG_MSG_WARN;

    dpkg_error_destroy(&fault);
    return accepted;
}

static void compare(const char *a, const char *b)
{
    struct dpkg_version x, y;
    int order;

    if (!is_version(&x, a) || !is_version(&y, b)) {
        puts("error");
        return;
    }
    order = dpkg_version_compare(&x, &y);
    printf("%d\n", (order > 0) - (order < 0));
}

static void say_nothing(const char *message, const void *data)
{
    (void)message;
    (void)data;
}

/* As the reader of a control file hands a value over. */
static char *stripped(char *field)
{
    field += strspn(field, " \t\n\v\f\r");
    while (*field && strchr(" \t\n\v\f\r", field[strlen(field) - 1]))
        field[strlen(field) - 1] = '\0';
    return field;
}

static void parse(const char *field, enum parsedbflags flags)
{
    static const struct fieldinfo depends = {FIELD("Depends"), f_dependency, w_dependency, dep_depends};
    struct parsedb_state state;
    struct pkgset names;
    struct pkginfo package;
    struct pkgbin binary;
    struct dependency *clause;
    struct varbuf text = VARBUF_INIT;
    jmp_buf failure;

    memset(&state, 0, sizeof(state));
    memset(&names, 0, sizeof(names));
    memset(&package, 0, sizeof(package));
    memset(&binary, 0, sizeof(binary));
    package.set = &names;
    state.flags = flags;
    state.pkg = &package;
    state.pkgbin = &binary;
    state.filename = "field";
    if (setjmp(failure)) {
        pop_error_context(ehflag_bombout);
        puts("error");
        return;
    }
    push_error_context_jump(&failure, say_nothing, NULL);
    f_dependency(&package, &binary, &state, field, &depends);
    pop_error_context(ehflag_normaltidy);
    for (clause = binary.depends; clause; clause = clause->next) {
        if (clause != binary.depends)
            varbuf_add_str(&text, ", ");
        varbufdependency(&text, clause);
    }
    varbuf_end_str(&text);
    print_escaped(text.buf);
    varbuf_destroy(&text);
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    dpkg_program_init("dpkg_judge");
    while ((length = getline(&line, &room, stdin)) > 0) {
        char *first = strchr(line, ' ');
        char *second;

        line[length - 1] = '\0';
        if (!first)
            return 1;
        *first++ = '\0';
        second = strchr(first, ' ');
        if (second)
            *second++ = '\0';
        unescape(first);
        if (second)
            unescape(second);
        if (strcmp(line, "deb") == 0 && second)
            compare(first, second);
        else if (strcmp(line, "rel") == 0)
            parse(stripped(first), pdb_parse_binary);
        else if (strcmp(line, "status") == 0)
            parse(stripped(first), pdb_parse_status);
        else
            return 1;
    }
    free(line);
    return 0;
}
