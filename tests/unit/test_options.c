/* The command line: accepted forms, refusals and their words, levels of rules, help, completions. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "check_main.h"
#include "cli/options_table.h"
#include "judge/rule.h"
#include "options_line.h"

static enum id_role role(int64_t id)
{
	return class_set_role(&o.settings.classes, id);
}

static void teardown(void)
{
	options_release(&o);
}

TEST(main_command)
{
	accept_line("--classes 21 --ignore 255 masks/");
	ck_assert_int_eq(o.command, COMMAND_AUDIT);
	ck_assert_uint_eq(o.input.find.paths_count, 1);
	ck_assert_str_eq(o.input.find.paths[0], "masks/");
	ck_assert_int_eq(role(0), ID_CLASS);
	ck_assert_int_eq(role(20), ID_CLASS);
	ck_assert_int_eq(role(21), ID_INVALID);
	ck_assert_int_eq(role(255), ID_IGNORED);
	/* defaults */
	ck_assert_int_eq(o.settings.view, VIEW_PIL);
	ck_assert_int_eq(o.settings.kind, KIND_AUTO);
	ck_assert_int_eq(o.settings.fail_on, LEVEL_ERROR);
	ck_assert_uint_eq(o.settings.limits.max_pixels, (uint64_t)1 << 30);
	ck_assert_uint_eq(o.settings.limits.max_inflated, (uint64_t)1 << 31);
	ck_assert_uint_eq(o.settings.max_findings, 10000);
	ck_assert_uint_eq(o.run.jobs, 0);
	ck_assert_int_eq(o.run.device.choice, DEVICE_AUTO);
	ck_assert_str_eq(o.output.format, "auto");
	for (size_t i = 0; i < rule_count; i++)
		ck_assert_int_eq(o.settings.rules.levels[i], rule_table[i]->level);
}

TEST(forms_of_one_option)
{
	static const char *const lines[] = { "-c 21 m",        "-c21 m",         "-c=21 m",
					     "--classes 21 m", "--classes=21 m", "m -c 21",
					     "audit -c 21 m",  "-c 3 -c 21 m",   "-qc21 m" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		accept_line(lines[i]);
		ck_assert_int_eq(role(20), ID_CLASS);
		ck_assert_int_eq(role(21), ID_INVALID);
		ck_assert_uint_eq(o.input.paths.count, 1);
	}
	accept_line("-c 0 m");
	ck_assert_int_eq(role(0), ID_INVALID);
	accept_line("-c 0-18,33 m");
	ck_assert_int_eq(role(33), ID_CLASS);
	ck_assert_int_eq(role(19), ID_INVALID);
}

TEST(negative_values)
{
	static const char *const lines[] = { "-c 3 --ignore -1 m", "-c 3 --ignore=-1 m", "-c 3 -i-1 m", "-c 3 -i -1 m",
					     "-c 3 -i=-1 m" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		accept_line(lines[i]);
		ck_assert_int_eq(role(-1), ID_IGNORED);
		ck_assert_int_eq(role(1), ID_CLASS);
	}
	accept_line("-c 3 -i -0 m"); /* an id, though there is an option -0 */
	ck_assert_int_eq(role(0), ID_IGNORED);
	accept_line("-c 3 -i 255 --ignore=-100 -i 1 m"); /* adds; an ignored class is ignored */
	ck_assert_int_eq(role(255), ID_IGNORED);
	ck_assert_int_eq(role(-100), ID_IGNORED);
	ck_assert_int_eq(role(1), ID_IGNORED);
	ck_assert_int_eq(role(2), ID_CLASS);
}

TEST(paths)
{
	accept_line("a -c 3 b -- --classes -c");
	ck_assert_uint_eq(o.input.paths.count, 4);
	ck_assert_str_eq(o.input.paths.v[2], "--classes");
	ck_assert_str_eq(o.input.paths.v[3], "-c");
	accept_line("-c 3 -");
	ck_assert_str_eq(o.input.paths.v[0], "-");
	accept_line("-c 3 doctor"); /* a command is the first word or none */
	ck_assert_int_eq(o.command, COMMAND_AUDIT);
	accept_line("merged -c 3"); /* no command */
	ck_assert_str_eq(o.input.paths.v[0], "merged");
	accept_line("-c 3 -- --help");
	ck_assert_int_eq(o.command, COMMAND_AUDIT);
	refuse_line("-c 3", "no PATH");
	refuse_line("-c 3 _", "a PATH is empty");
	refuse_line("-c 3 - -", "only once");
	refuse_line("-c 3 - --files-from -", "only once");
	accept_line("m"); /* the audit proposes them */
	ck_assert(o.classes.missing);
	accept_line("");
	ck_assert_int_eq(o.command, COMMAND_USAGE);
	refuse_line("docter", "did you mean labelaudit doctor?");
}

TEST(every_option)
{
	accept_line(
		"-c 3 --reduce-zero-label --view cv2 --kind mask --fail-on never --files-from list -0 --include *.png "
		"--include *.PNG --exclude .git --hidden -L --allow empty -f jsonl -o r.json -o jsonl:x -j 7");
	ck_assert(o.settings.reduce_zero_label);
	ck_assert_int_eq(o.settings.view, VIEW_CV2);
	ck_assert_int_eq(o.settings.kind, KIND_MASK);
	ck_assert_int_eq(o.settings.fail_on, LEVEL_OFF);
	ck_assert_str_eq(o.input.find.files_from, "list");
	ck_assert(o.input.find.nul_separated && o.input.find.hidden && o.input.find.follow && o.allowed == ALLOW_EMPTY);
	ck_assert_uint_eq(o.input.find.include_count, 2);
	ck_assert_str_eq(o.input.find.include[1], "*.PNG");
	ck_assert_uint_eq(o.input.find.exclude_count, 1);
	ck_assert_str_eq(o.output.format, "jsonl");
	ck_assert_uint_eq(o.output.files_count, 2);
	ck_assert_str_eq(o.output.files[0].format, "json");
	ck_assert_str_eq(o.output.files[0].path, "r.json");
	ck_assert_str_eq(o.output.files[1].format, "jsonl");
	ck_assert_str_eq(o.output.files[1].path, "x");
	ck_assert_uint_eq(o.run.jobs, 7);

	accept_line("--list m");
	ck_assert(o.input.list);
	accept_line("-c 3 -d cuda:2 --max-pixels 2K --max-inflated 0 --max-findings 5 --color always --progress bar m");
	ck_assert_int_eq(o.run.device.choice, DEVICE_CUDA);
	ck_assert_uint_eq(o.run.device.cuda_count, 1);
	ck_assert_int_eq(o.run.device.cuda[0], 2);
	ck_assert_uint_eq(o.settings.limits.max_pixels, 2048);
	ck_assert_uint_eq(o.settings.limits.max_inflated, 0);
	ck_assert_uint_eq(o.settings.max_findings, 5);
	ck_assert_int_eq(o.output.colour, WHEN_ALWAYS);
	ck_assert_int_eq(o.output.progress, PROGRESS_BAR);
	accept_line("-c 3 -d sim --view raw --fail-on info --color never --progress lines m");
	ck_assert_int_eq(o.run.device.choice, DEVICE_SIM);
	ck_assert_int_eq(o.settings.view, VIEW_RAW);
	ck_assert_int_eq(o.settings.fail_on, LEVEL_INFO);
	ck_assert_int_eq(o.output.colour, WHEN_NEVER);
	ck_assert_int_eq(o.output.progress, PROGRESS_LINES);
	accept_line("-c 3 -d cuda:2 -d cpu m"); /* the last one wins, ordinal and all */
	ck_assert_int_eq(o.run.device.choice, DEVICE_CPU);
	ck_assert_uint_eq(o.run.device.cuda_count, 1);
	ck_assert_int_eq(o.run.device.cuda[0], 0);
	accept_line("-c 3 -d cuda:3,0,12 m");
	ck_assert_uint_eq(o.run.device.cuda_count, 3);
	ck_assert_int_eq(o.run.device.cuda[0], 3);
	ck_assert_int_eq(o.run.device.cuda[1], 0);
	ck_assert_int_eq(o.run.device.cuda[2], 12);
	accept_line("-c 3 -q m");
	ck_assert_int_eq(o.output.verbosity, -1);
	accept_line("-c 3 -vvv m");
	ck_assert_int_eq(o.output.verbosity, 2);
	accept_line("-c 3 -q -v m");
	ck_assert_int_eq(o.output.verbosity, 1);
}

TEST(sizes)
{
	accept_line("-c 3 --max-pixels 15T m");
	ck_assert_uint_eq(o.settings.limits.max_pixels, (uint64_t)15 << 40);
	accept_line("-c 3 --max-pixels 18446744073709551615 m");
	ck_assert_uint_eq(o.settings.limits.max_pixels, UINT64_MAX);
	refuse_line("-c 3 --max-pixels 18446744073709551616 m", "not a size");
	refuse_line("-c 3 --max-pixels 16777216T m", "too large");
	refuse_line("-c 3 --max-pixels 1.5G m", "'1.5G' is not a size");
	refuse_line("-c 3 --max-pixels 1GB m", "not a size");
	refuse_line("-c 3 --max-pixels -1 m", "not a size");
	refuse_line("-c 3 --max-pixels _ m", "not a size");
	refuse_line("-c 3 -j x m", "--jobs: 'x' is not a whole number");
	refuse_line("-c 3 -j -1 m", "not a whole number");
	accept_line("-c 3 -j 4096 m");
	refuse_line("-c 3 -j 4097 m", "at most 4096");
}

TEST(refusals)
{
	refuse_line("--class 21 m", "unknown option --class; did you mean --classes?");
	refuse_line("--igonre=3 m", "did you mean --ignore?");
	refuse_line("--fail m", "did you mean --fail-on?");
	refuse_line("--zzzzzz m", "unknown option --zzzzzz; labelaudit --help lists them");
	refuse_line("-classes 21 m", "unknown option -classes; did you mean --classes?");
	refuse_line("-x m", "unknown option -x");
	refuse_line("-qx m", "unknown option -x in -qx");
	refuse_line("-1 m", "unknown option -1");
	refuse_line("m -c", "option --classes needs a value: SPEC");
	refuse_line("-c --ignore 255 m", "option --classes needs a value, but --ignore follows");
	refuse_line("--ignore -c 3 m", "option --ignore needs a value, but -c follows");
	refuse_line("-c 3 --include -- m", "option --include needs a value, but -- follows");
	refuse_line("-c 3 --list=yes m", "option --list takes no value");
	refuse_line("-c 3 --view pill m", "--view: 'pill' is not one of pil, raw, cv2; did you mean pil?");
	refuse_line("-c 3 --view zzz m", "--view: 'zzz' is not one of pil, raw, cv2");
	refuse_line("-c 3 --kind arrays m", "is not one of auto, mask");
}

TEST(refusals_of_values)
{
	refuse_line("-c 3 -f docx m", "is not one of auto, text, concise, json, jsonl, ");
	refuse_line("-c 3 -d cuda: m", "expected something like cuda:0");
	refuse_line("-c 3 -d cuda:0, m", "expected something like cuda:0");
	refuse_line("-c 3 -d cuda:1,0,1 m", "expected something like cuda:0");
	refuse_line("-c 3 -d cuda:0x m", "expected something like cuda:0");
	refuse_line("-c 3 -d gpu m", "is not one of auto, cpu, cuda");
	refuse_line("-c 3 -o report m", "does not show the format");
	refuse_line("-c 3 -o docx:x m", "'docx' is not one of text, concise, json, jsonl");
	refuse_line("-c 3 -o none:x m", "'none' is not one of text, concise, json, jsonl");
	refuse_line("-c 3 -o json: m", "names no file");
	refuse_line("-c 3 -o _ m", "names no file");
	refuse_line("-c 3 -o - m", "standard output anyway");
	refuse_line("-c 3 -o a.json -o json:a.json m", "given twice");
	refuse_line("-c _ m", "--classes: the value is empty");
	refuse_line("-c 3x m", "'3x' is not a count");
	refuse_line("--preset voc_ m", "did you mean voc?");
	refuse_line("m --preset", "option --preset needs a value: NAME");
	refuse_line("--preset -c 3 m", "option --preset needs a value, but -c follows");
	refuse_line("-c 5-3 m", "--classes");
	refuse_line("-c -3 m", "negative");
	refuse_line("-c no/such/file m", "No such file or directory");
	refuse_line("-c / m", "this is a folder");
	refuse_line("-c 3 -i x m", "--ignore: no class is called 'x': give its id, or a file of names");
	refuse_line("-c 3 -0 m", "option --null needs --files-from or --list");
	refuse_line("--list -o x.json m", "--list writes no report");
	refuse_line("--list -f json m", "--list writes no report");
	refuse_line("--list --write-baseline x m", "--list audits nothing");
	refuse_line("-c 3 --per-path a m", "'a' is not GLOB=RULES");
	refuse_line("-c 3 --per-path =file m", "'=file' is not GLOB=RULES");
	refuse_line("-c 3 -o abcdefghijklmnopqrstuvwxyzabcdefghijkl:x m", "is not one of text, concise, json, jsonl");
	refuse_line("-c 3 --max-archive-ratio x m", "--max-archive-ratio: 'x' is not a whole number");
	static const char *const named[] = { "column", "root",   "baseline", "write-baseline", "files-from",
					     "images", "config", "include",  "exclude" };

	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		char line[64], words[64];

		snprintf(line, sizeof(line), "-c 3 --%s _ m", named[i]);
		snprintf(words, sizeof(words), "--%s: the value is empty", named[i]);
		refuse_line(line, words);
	}
}

TEST(commands)
{
	accept_line("rule a b");
	ck_assert_int_eq(o.command, COMMAND_RULE);
	ck_assert_uint_eq(o.words.count, 2);
	accept_line("doctor");
	ck_assert_int_eq(o.command, COMMAND_DOCTOR);
	accept_line("schema");
	ck_assert_int_eq(o.command, COMMAND_SCHEMA);
	accept_line("completions zsh");
	ck_assert_str_eq(o.words.v[0], "zsh");
	accept_line("help");
	ck_assert_int_eq(o.command, COMMAND_HELP);
	accept_line("version");
	ck_assert_int_eq(o.command, COMMAND_VERSION);
	accept_line("-c 3 --help --no-such"); /* help wins over what follows */
	ck_assert_int_eq(o.command, COMMAND_HELP);
	accept_line("-qhx");
	ck_assert_int_eq(o.command, COMMAND_HELP);
	accept_line("doctor -V");
	ck_assert_int_eq(o.command, COMMAND_VERSION);
	refuse_line("doctor x", "the command doctor does not take 'x'");
	refuse_line("completions", "the command completions needs SHELL");
	refuse_line("rule -c 3", "the command rule has no option --classes");
}

/* ---- rules ---- */

static enum level level_of(const char *rule)
{
	return o.settings.rules.levels[rule_index(rule_find(rule))];
}

/* Those that apply to every file. */
static size_t rules_on(void)
{
	size_t n = 0;

	for (size_t i = 0; i < rule_count; i++)
		n += o.settings.rules.levels[i] != LEVEL_OFF && !o.settings.rules.unread_only[i];
	return n;
}

static size_t rules_in(const char *category)
{
	size_t n = 0;

	for (size_t i = 0; i < rule_count; i++)
		n += !strcmp(rule_table[i]->category, category);
	return n;
}

TEST(select_and_skip)
{
	ck_assert_uint_gt(rules_in("file"), 1);
	accept_line("-c 3 --select out-of-range-id m");
	ck_assert_uint_eq(rules_on(), 1);
	ck_assert_int_eq(level_of("out-of-range-id"), LEVEL_ERROR);
	ck_assert_int_eq(level_of("truncated-file"), LEVEL_ERROR);
	accept_line("-c 3 --select out-of-range-id --skip truncated-file m");
	ck_assert_int_eq(level_of("truncated-file"), LEVEL_OFF);
	accept_line("-c 3 --select file,out-of-range-id m");
	ck_assert_uint_eq(rules_on(), rules_in("file") + 1);
	accept_line("-c 3 --select file --select out-of-range-id m");
	ck_assert_uint_eq(rules_on(), rules_in("file") + 1);
	accept_line("-c 3 --skip file m");
	ck_assert_uint_eq(rules_on(), rule_count - rules_in("file"));
	accept_line("-c 3 --skip empty-file m");
	ck_assert_uint_eq(rules_on(), rule_count - 1);
	ck_assert_int_eq(level_of("empty-file"), LEVEL_OFF);
	/* the closer name wins, skip on a tie */
	accept_line("-c 3 --skip file --select all,empty-file m");
	ck_assert_uint_eq(rules_on(), rule_count - rules_in("file") + 1);
	ck_assert_int_eq(level_of("empty-file"), LEVEL_ERROR);
	accept_line("-c 3 --select file --skip empty-file m");
	ck_assert_uint_eq(rules_on(), rules_in("file") - 1);
	accept_line("-c 3 --select file --skip file m");
	ck_assert_uint_eq(rules_on(), 0);
	refuse_line("-c 3 --select out-of-rnage-id m",
		    "--select: there is no rule or category 'out-of-rnage-id'; did you mean "
		    "out-of-range-id?");
	refuse_line("-c 3 --skip zzzzzz m", "labelaudit rule lists them");
	refuse_line("-c 3 --skip file, m", "a rule's name is missing");
	refuse_line("-c 3 --skip _ m", "a rule's name is missing");
}

TEST(severity)
{
	accept_line("-c 3 --severity out-of-range-id=warning m");
	ck_assert_int_eq(level_of("out-of-range-id"), LEVEL_WARNING);
	accept_line("-c 3 --severity out-of-range-id=off m");
	ck_assert_int_eq(level_of("out-of-range-id"), LEVEL_OFF);
	accept_line("-c 3 --severity empty-file=warning,file=info m");
	ck_assert_int_eq(level_of("empty-file"), LEVEL_WARNING);
	ck_assert_int_eq(level_of("truncated-file"), LEVEL_INFO);
	ck_assert_int_eq(level_of("out-of-range-id"), LEVEL_ERROR);
	accept_line("-c 3 --severity file=info --severity file=warning m");
	ck_assert_int_eq(level_of("truncated-file"), LEVEL_WARNING);
	accept_line("-c 3 --skip empty-file --severity empty-file=error m");
	ck_assert_int_eq(level_of("empty-file"), LEVEL_OFF);
	refuse_line("-c 3 --severity empty-file m", "'empty-file' is not RULE=LEVEL");
	refuse_line("-c 3 --severity empty-file=fatal m", "'fatal' is not one of error, warning, info, off");
	refuse_line("-c 3 --severity empty-fil=error m", "did you mean empty-file?");
}

/* ---- what is auto ---- */

TEST(settle)
{
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, true);
	ck_assert_str_eq(o.output.format, "text");
	ck_assert(o.output.stdout_colour && o.output.stderr_colour);
	ck_assert_int_eq(o.output.progress, PROGRESS_BAR);
	accept_line("-c 3 m"); /* each stream by itself */
	options_resolve_auto(&o, false, true);
	ck_assert_str_eq(o.output.format, "json");
	ck_assert(!o.output.stdout_colour && o.output.stderr_colour);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, false);
	ck_assert(o.output.stdout_colour && !o.output.stderr_colour);
	ck_assert_int_eq(o.output.progress, PROGRESS_LINES);
	accept_line("-c 3 -q m");
	options_resolve_auto(&o, true, true);
	ck_assert_int_eq(o.output.progress, PROGRESS_NONE);
	accept_line("-c 3 -q --progress bar m");
	options_resolve_auto(&o, true, true);
	ck_assert_int_eq(o.output.progress, PROGRESS_BAR);

	setenv("NO_COLOR", "1", 1);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, true);
	ck_assert(!o.output.stdout_colour && !o.output.stderr_colour);
	ck_assert_int_eq(o.output.progress, PROGRESS_BAR);
	setenv("FORCE_COLOR", "1", 1); /* NO_COLOR wins */
	ck_assert(!options_colour(WHEN_AUTO, true));
	unsetenv("NO_COLOR");
	ck_assert(options_colour(WHEN_AUTO, false));
	setenv("FORCE_COLOR", "0", 1);
	ck_assert(!options_colour(WHEN_AUTO, false));
	setenv("CLICOLOR_FORCE", "1", 1);
	ck_assert(options_colour(WHEN_AUTO, false));
	ck_assert(!options_colour(WHEN_NEVER, true));
	unsetenv("CLICOLOR_FORCE");
	unsetenv("FORCE_COLOR");
	setenv("CLICOLOR", "0", 1);
	ck_assert(!options_colour(WHEN_AUTO, true));
	unsetenv("CLICOLOR");
	accept_line("-c 3 --color always -f text m");
	options_resolve_auto(&o, false, false);
	ck_assert(o.output.stdout_colour && o.output.stderr_colour);
	ck_assert_str_eq(o.output.format, "text");
	setenv("COLUMNS", "72", 1);
	options_resolve_auto(&o, false, false);
	ck_assert_uint_eq(o.output.columns, 72);
	setenv("COLUMNS", "72x", 1);
	options_resolve_auto(&o, false, false);
	ck_assert_uint_eq(o.output.columns, 0);
	unsetenv("COLUMNS");
	setenv("NO_COLOR", "", 1);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, true);
	ck_assert(o.output.stdout_colour);
	setenv("TERM", "dumb", 1);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, true);
	ck_assert(!o.output.stdout_colour);
	ck_assert_int_eq(o.output.progress, PROGRESS_LINES);
}

static bool settle_unicode(const char *lc_all, const char *lc_ctype, const char *lang)
{
	setenv("LC_ALL", lc_all, 1);
	setenv("LC_CTYPE", lc_ctype, 1);
	setenv("LANG", lang, 1);
	accept_line("-c 3 m");
	options_resolve_auto(&o, true, true);
	return o.output.unicode;
}

TEST(locales)
{
	ck_assert(settle_unicode("", "", "en_GB.UTF-8"));
	ck_assert(settle_unicode("", "C.utf8", "C"));
	ck_assert(settle_unicode("de_DE.UTF-8@euro", "C", "C"));
	ck_assert(!settle_unicode("C", "en_GB.UTF-8", "en_GB.UTF-8"));
	ck_assert(!settle_unicode("", "", ""));
	ck_assert(!settle_unicode("", "", "de_DE.ISO-8859-1"));
}

/* ---- texts ---- */

TEST(help_fits)
{
	struct strbuf help = STRBUF_INIT;

	options_help(COMMAND_HELP, &help);
	for (const char *line = help.s; *line; line += strcspn(line, "\n") + 1)
		ck_assert_msg(strcspn(line, "\n") <= 80, "%.*s", (int)strcspn(line, "\n"), line);
	for (size_t i = 0; i < option_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option_table[i].name);
		ck_assert_msg(strstr(help.s, name) != NULL, "%s", name);
		/* each with a function, a value or none, and a name of its own */
		ck_assert(option_table[i].set != NULL);
		ck_assert(!option_table[i].choices || option_table[i].value);
		for (size_t j = 0; j < i; j++) {
			ck_assert_str_ne(option_table[i].name, option_table[j].name);
			ck_assert(!option_table[i].letter || option_table[i].letter != option_table[j].letter);
		}
	}
	ck_assert_ptr_null(strstr(help.s, "sim"));
	strbuf_release(&help);
}

TEST(completions)
{
	struct string_list words = { 0 };
	struct strbuf text = STRBUF_INIT, none = STRBUF_INIT;

	memset(&err, 0, sizeof(err));
	for (unsigned command = COMMAND_AUDIT; command <= COMMAND_FIX; command++) {
		words.count = 0;
		string_list_add(&words, "words");
		string_list_add(&words, command_by_id((enum command)command)->name);
		string_list_add(&words, "-");
		ck_assert_int_eq(options_completions(&words, &text, &err), STATUS_OK);
	}
	for (size_t j = 0; j < option_count; j++)
		ck_assert_ptr_nonnull(strstr(text.s, option_table[j].name));
	words.count = 0;
	string_list_add(&words, "bsh");
	ck_assert_int_eq(options_completions(&words, &none, &err), STATUS_FAILED);
	free(words.v);
	strbuf_release(&text);
	ck_assert_ptr_nonnull(strstr(err.text, "did you mean bash?"));
	ck_assert_uint_eq(none.len, 0);
}

static const char *nearest_of(const char *word)
{
	static const char *const names[] = { "classes", "ignore", "include", "exclude", "fail-on", "png" };
	struct nearest n;

	nearest_init(&n, word);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		nearest_try(&n, names[i]);
	return n.name ? n.name : "";
}

TEST(nearest)
{
	ck_assert_str_eq(nearest_of("clases"), "classes");
	ck_assert_str_eq(nearest_of("ingore"), "ignore");
	ck_assert_str_eq(nearest_of("pgn"), "png"); /* a swap is one step */
	ck_assert_str_eq(nearest_of("inclued"), "include");
	ck_assert_str_eq(nearest_of("exc"), "exclude");
	ck_assert_str_eq(nearest_of("PNG"), "png");
	ck_assert_str_eq(nearest_of("ignore-index"), "ignore");
	ck_assert_str_eq(nearest_of("num-classes"), "classes");
	ck_assert_str_eq(nearest_of("classes2012"), "classes");
	ck_assert_str_eq(nearest_of("ignoreindex"), "");
	ck_assert_str_eq(nearest_of("zzz"), "");
	ck_assert_str_eq(nearest_of(""), "");
	ck_assert_str_eq(nearest_of("a"), "");
	ck_assert_str_eq(nearest_of("a-word-that-is-far-longer-than-any-name-that-we-could-have-meant"), "");
}

/* Returns the text that the message writes to descriptor 2. */
static const char *written(void (*message)(const char *fmt, ...), const char *text)
{
	static char out[512];
	int pipe_fds[2], saved = dup(STDERR_FILENO);

	ck_assert_int_eq(pipe(pipe_fds), 0);
	dup2(pipe_fds[1], STDERR_FILENO);
	message("%s", text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(pipe_fds[1]);
	ssize_t n = read(pipe_fds[0], out, sizeof(out) - 1);

	close(pipe_fds[0]);
	ck_assert_int_ge(n, 0);
	out[n] = '\0';
	return out;
}

TEST(messages)
{
	ck_assert_str_eq(written(log_error, "caf\xc3\xa9"), "labelaudit: error: caf\xc3\xa9\n");
	ck_assert_str_eq(written(log_error, "a\n::error\x1b[31m\xff"),
			 "labelaudit: error: a\\x0a::error\\x1b[31m\\xff\n");
	ck_assert_str_eq(written(log_warning, "w"), "labelaudit: warning: w\n");
	log_set_verbosity(-1);
	ck_assert_str_eq(written(log_warning, "w"), "");
	ck_assert_str_eq(written(log_error, "e"), "labelaudit: error: e\n");
	log_set_verbosity(0);
}

FIXTURE(NULL, teardown)
