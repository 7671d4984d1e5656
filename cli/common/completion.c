/* SPDX-License-Identifier: Apache-2.0
 * Completion scripts for bash, zsh and fish. */
#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "message.h"

/* Next of the words that an option accepts as they stand, e.g. "x", "y" and "xy" in the
 * message "x, y or xy"; NULL after the last.  `rest` starts as the message. */
static const char *next_choice(const char **rest, size_t *length)
{
    while (*rest && **rest) {
        const char *piece = *rest;
        const char *comma = strstr(piece, ", "), * or = strstr(piece, " or ");
        const char *end = comma && (! or || comma < or) ? comma : or ;

        *rest = end ? end + (end == comma ? 2 : 4) : NULL;
        if (!strncmp(piece, "or ", 3))
            piece += 3;
        *length = end ? (size_t)(end - piece) : strlen(piece);
        if (strspn(piece, "abcdefghijklmnopqrstuvwxyz0123456789+-") == *length)
            return piece;
    }
    return NULL;
}

static void print_choices(const option *o)
{
    const char *rest = o->expects, *word, *blank = "";
    size_t length;

    for (const option_choice *c = o->choices; c && c->name; c++, blank = " ")
        printf("%s%s", blank, c->name);
    while ((word = next_choice(&rest, &length)) != NULL) {
        printf("%s%.*s", blank, (int)length, word);
        blank = " ";
    }
}

static bool has_choices(const option *o)
{
    const char *rest = o->expects;
    size_t length;

    return o->choices || next_choice(&rest, &length) != NULL;
}

/* What to offer for the value of an option. */
typedef enum value_kind { NO_VALUE, ANY_TEXT, A_FILE, A_FOLDER, A_CHOICE } value_kind;

static value_kind kind_of(const option *o)
{
    if (o->kind == OPTION_FLAG)
        return NO_VALUE;
    if (strstr(o->value, "DIR"))
        return A_FOLDER;
    if (strstr(o->value, "FILE"))
        return A_FILE;
    return has_choices(o) ? A_CHOICE : ANY_TEXT;
}

/* First part of a text as a remark between single quotes; `special` are characters that the
 * shell wants with a backslash. */
static void print_remark(const char *text, const char *special)
{
    enum { LONGEST = 66 };
    size_t n = strcspn(text, ";:\n");

    if (n > LONGEST)
        for (n = LONGEST; n > 1 && text[n] != ' ';)
            n--;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'')
            printf("%s", *special == '\'' ? "\\'" : "'\\''");
        else
            printf("%s%c", strchr(special, text[i]) ? "\\" : "", text[i]);
    }
}

/* Words that may be operands of the verb, each after the text. */
static void print_operands(const verb *v, const char *before)
{
    for (size_t i = 0; v->operand && v->operand(i); i++)
        printf("%s%s", before, v->operand(i));
}

static bool takes_files(const verb *v)
{
    return v->takes_operands && !v->operand;
}

typedef void option_printer(const verb *v, const option *o);

static void each_option(const verb *v, option_printer *print)
{
    for (int i = 0; i < MOST_OPTION_TABLES && v->tables[i]; i++)
        for (const option *o = v->tables[i]->options; o->name; o++)
            print(v, o);
}

/* ---- bash: a table of words, `verb` and `verb --option` ----------------------------- */

static void bash_name(const verb *v, const option *o)
{
    (void)v;
    printf(" --%s", o->name);
}

static void bash_value(const verb *v, const option *o)
{
    static const char *const offers[] = {
        [ANY_TEXT] = "", [A_FILE] = "<file>", [A_FOLDER] = "<folder>"
    };
    const value_kind kind = kind_of(o);

    if (kind == NO_VALUE)
        return;
    printf("    '%s --%s') echo '", v->name, o->name);
    if (kind == A_CHOICE)
        print_choices(o);
    else
        printf("%s", offers[kind]);
    printf("' ;;\n");
}

static void bash_verb(const verb *v)
{
    if (v->program) {
        generate_elsewhere(v, "bash", NULL);
        return;
    }
    printf("    '%s') echo '--help", v->name);
    if (v->members) {
        for (const verb *const *m = v->members; *m; m++)
            printf(" %s", verb_word(*m));
        printf("%s' ;;\n", *v->name ? " help" : " help --version");
        for (const verb *const *m = v->members; *m; m++)
            bash_verb(*m);
        return;
    }
    each_option(v, bash_name);
    print_operands(v, " ");
    if (takes_files(v))
        printf(" <file>");
    printf("' ;;\n");
    each_option(v, bash_value);
}

static const char bash_head[] =
    "# Completion of zermelo for bash, made by zermelo --generate bash.\n"
    "_zermelo_words() {\n"
    "    case $1 in\n";

static const char bash_tail[] =
    "    *) return 1 ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_zermelo() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - "
    "1]}\n"
    "    local verb= key words i\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        key=${COMP_WORDS[i]}\n"
    "        [[ $key == help ]] && continue\n"
    "        key=${verb:+$verb }$key\n"
    "        [[ ${COMP_WORDS[i]} == -* ]] || ! _zermelo_words \"$key\" >/dev/null && "
    "break\n"
    "        verb=$key\n"
    "    done\n"
    "    if [[ $previous != --* ]] || ! words=$(_zermelo_words \"$verb $previous\"); "
    "then\n"
    "        words=$(_zermelo_words \"$verb\")\n"
    "        [[ $current == -* ]] && words=${words%%<*}\n"
    "    fi\n"
    "    case $words in\n"
    "    *'<file>') COMPREPLY=($(compgen -f -- \"$current\")); compopt -o filenames "
    "2>/dev/null ;;\n"
    "    *'<folder>') COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames "
    "2>/dev/null ;;\n"
    "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "complete -F _zermelo zermelo\n";

/* ---- zsh: _arguments of each verb ---------------------------------------------------- */

static void zsh_option(const verb *v, const option *o)
{
    const value_kind kind = kind_of(o);

    (void)v;
    printf(" \\\n        '%s--%s[", o->repeatable ? "*" : "", o->name);
    print_remark(o->help, "[]:\\");
    printf("]");
    if (kind == A_FILE || kind == A_FOLDER)
        printf(":%s:_files%s", kind == A_FILE ? "file" : "folder",
               kind == A_FILE ? "" : " -/");
    else if (kind == ANY_TEXT)
        printf(":value:");
    else if (kind == A_CHOICE) {
        printf(":value:(");
        print_choices(o);
        printf(")");
    }
    printf("'");
}

static void zsh_verb(const verb *v);

/* Inside of a function whose words begin with the verb. */
static void zsh_group(const verb *v)
{
    printf("    shift words; (( CURRENT-- ))\n"
           "    [[ $words[1] == help ]] && (( CURRENT == 2 )) && { shift words; (( "
           "CURRENT-- )) }\n"
           "    if (( CURRENT == 1 )); then\n        verbs=(\n");
    for (const verb *const *m = v->members; *m; m++) {
        printf("        '%s:", verb_word(*m));
        print_remark((*m)->summary, "\\");
        printf("'\n");
    }
    printf("        )\n        _describe verb verbs\n        return\n    fi\n"
           "    case $words[1] in\n");
    for (const verb *const *m = v->members; *m; m++) {
        printf("    (%s)\n", verb_word(*m));
        zsh_verb(*m);
        printf("    ;;\n");
    }
    printf("    esac\n");
}

static void zsh_verb(const verb *v)
{
    if (v->program) {
        generate_elsewhere(v, "zsh", NULL);
        return;
    }
    if (v->members) {
        zsh_group(v);
        return;
    }
    printf("    _arguments '--help[show every option and an example]'");
    each_option(v, zsh_option);
    if (v->operand) {
        printf(" \\\n        '*:name:(");
        print_operands(v, " ");
        printf(")'");
    }
    printf("%s\n", takes_files(v) ? " \\\n        '*:file:_files'" : "");
}

/* ---- fish ---------------------------------------------------------------------------- */

static const char fish_head[] =
    "# Completion of zermelo for fish, made by zermelo --generate fish.\n"
    "function __zermelo_words # those that are no options, without help\n"
    "    string match -v -- '-*' (commandline -opc)[2..-1] | string match -v -- help\n"
    "end\n"
    "function __zermelo_only # whether these are the verbs so far\n"
    "    test \"$argv\" = (string join ' ' -- (__zermelo_words))\"\"\n"
    "end\n"
    "function __zermelo_verb # whether the words begin with this verb\n"
    "    set -l words (__zermelo_words)\n"
    "    set -l n (count $argv)\n"
    "    test (count $words) -ge $n; and test \"$argv\" = \"$words[1..$n]\"\n"
    "end\n"
    "complete -c zermelo -f\n";

static void fish_option(const verb *v, const option *o)
{
    const value_kind kind = kind_of(o);

    printf("complete -c zermelo -n '__zermelo_verb %s' -l %s", v->name, o->name);
    if (kind == A_CHOICE) {
        printf(" -x -a '");
        print_choices(o);
        printf("'");
    } else {
        static const char *const takes[] = { "", " -x", " -r -F",
                                             " -x -a '(__fish_complete_directories)'" };
        printf("%s", takes[kind]);
    }
    printf(" -d '");
    print_remark(o->help, "'\\");
    printf("'\n");
}

static void fish_verb(const verb *v)
{
    if (v->program) {
        generate_elsewhere(v, "fish", NULL);
        return;
    }
    for (const verb *const *m = v->members; m && *m; m++) {
        printf("complete -c zermelo -n '__zermelo_only %s' -a %s -d '", v->name,
               verb_word(*m));
        print_remark((*m)->summary, "'\\");
        printf("'\n");
        fish_verb(*m);
    }
    if (v->members)
        return;
    each_option(v, fish_option);
    if (v->operand) {
        printf("complete -c zermelo -n '__zermelo_verb %s' -a '", v->name);
        print_operands(v, " ");
        printf("'\n");
    }
    if (takes_files(v))
        printf("complete -c zermelo -n '__zermelo_verb %s' -F\n", v->name);
}

/* --------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *head, *tail;
    void (*print)(const verb *);
} shells[] = {
    { "bash", bash_head, bash_tail, bash_verb },
    { "zsh",
      "#compdef zermelo\n# Completion of zermelo for zsh, made by zermelo --generate "
      "zsh.\n"
      "_zermelo() {\n    local -a verbs\n",
      "}\n_zermelo \"$@\"\n", zsh_verb },
    { "fish", fish_head, "", fish_verb },
};

int completion_print(const verb *v, const char *shell)
{
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].name) != 0)
            continue;
        printf("%s", *v->name ? "" : shells[i].head);
        shells[i].print(v);
        printf("%s", *v->name ? "" : shells[i].tail);
        return DONE;
    }
    return usage_error("--generate knows man, bash, zsh and fish, not '%s'", shell);
}
