#include "command/commands.h"

#include <string.h>

#include "audit/audit.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/version.h"
#include "base/write_all.h"
#include "command/propose.h"
#include "fix/plan_report.h"
#include "judge/rule.h"
#include "output/outputs.h"
#include "report/report_file.h"

static void list_category(const char *category, struct strbuf *out)
{
	size_t width = 0;

	strbuf_addf(out, "%s%s\n", out->len ? "\n" : "", category);
	for (size_t i = 0; i < rule_count; i++)
		width = MAX(width, strlen(rule_table[i]->name));
	for (size_t i = 0; i < rule_count; i++) {
		const struct rule *rule = rule_table[i];

		if (!strcmp(rule->category, category))
			strbuf_addf(out, "  %-*s  %-7s  %s\n", (int)width, rule->name, level_name(rule->level),
				    rule->summary);
	}
}

/* `labelaudit rule [NAME...]`: appends the documentation of the rules of these names; of none, one line per rule. */
static enum status explain_rules(const struct string_list *names, struct strbuf *out, struct error *err)
{
	for (size_t i = 0; i < RULE_CATEGORIES && !names->count; i++)
		list_category(rule_categories[i], out);
	for (size_t i = 0; i < names->count; i++) {
		const struct rule *rule = rule_find(names->v[i]);
		struct nearest nearest;

		if (rule) {
			strbuf_addf(out, "%s%s: %s\n%s, category %s, since %s\n\n%s", i ? "\n" : "", rule->name,
				    rule->summary, level_name(rule->level), rule->category,
				    rule->since ? rule->since : RULE_SINCE_FIRST, rule_docs[rule_index(rule)]);
			continue;
		}
		nearest_init(&nearest, names->v[i]);
		for (size_t j = 0; j < rule_count; j++)
			nearest_try(&nearest, rule_table[j]->name);
		if (nearest.name)
			return error_set(err, "there is no rule '%s'; did you mean %s?", names->v[i], nearest.name);
		return error_set(err, "there is no rule '%s'; labelaudit rule lists them", names->v[i]);
	}
	return STATUS_OK;
}

/* `labelaudit render REPORT`: writes a JSON report in other forms. Returns STATUS_OK whatever its verdict. */
static enum status render_run(const struct options *options, int *signal_number, struct error *err)
{
	struct report_file *file;

	*signal_number = 0;
	if (report_file_read(&file, options->words.v[0], UINT64_MAX, err) != STATUS_OK)
		return STATUS_FAILED;
	outputs_write(options, &file->report, signal_number, err);
	report_file_free(file);
	return *signal_number || err->text[0] ? STATUS_FAILED : STATUS_OK;
}

/* With --fail-on never findings are no failure. */
static enum status without_findings(const struct options *options, enum status status)
{
	return status == STATUS_FINDINGS && options_never_fail(options) ? STATUS_OK : status;
}

static enum status print_schema(const struct string_list *words, struct strbuf *out, struct error *err)
{
	const char *of = words->count ? words->v[0] : "report";

	if (!strcmp(of, "report"))
		report_schema(out);
	else if (!strcmp(of, "fix"))
		strbuf_add(out, fix_schema, fix_schema_size);
	else
		return error_set(err, "there is no schema of '%s': expected report or fix", of);
	return STATUS_OK;
}

enum status command_run(struct options *options, int *signal_number, struct error *err)
{
	RELEASED struct strbuf out = STRBUF_INIT;
	enum status status = STATUS_OK;

	switch (options->command) {
	case COMMAND_AUDIT:
		if (options->config.show) {
			options_show(options, &out);
			break;
		}
		if (options_check_first_word(options, err) != STATUS_OK)
			return STATUS_FAILED;
		if (options->input.write_config)
			return init_run(options, signal_number, err);
		if (options->classes.missing)
			return propose_classes(options, err);
		return without_findings(options, audit_run(options, signal_number, err));
	case COMMAND_MERGE:
		return without_findings(options, merge_run(options, signal_number, err));
	case COMMAND_RENDER:
		return render_run(options, signal_number, err);
	case COMMAND_DIFF:
		return diff_run(options, signal_number, err); /* --drift fails despite --fail-on never */
	case COMMAND_FIX:
		return without_findings(options, fix_run(options, signal_number, err));
	case COMMAND_INIT:
		return init_run(options, signal_number, err);
	case COMMAND_RULE:
		status = explain_rules(&options->words, &out, err);
		break;
	case COMMAND_DOCTOR:
		doctor(options, &out);
		break;
	case COMMAND_SCHEMA:
		status = print_schema(&options->words, &out, err);
		break;
	case COMMAND_COMPLETIONS:
		status = options_completions(&options->words, &out, err);
		break;
	case COMMAND_HELP:
		if (options->help_is_short &&
		    (options->help_about == COMMAND_HELP || options->help_about == COMMAND_AUDIT))
			options_short_help(&out);
		else
			options_help(options->help_about, &out);
		break;
	case COMMAND_PRESETS:
		presets_list(&out);
		break;
	case COMMAND_USAGE:
		options_usage(&out);
		log_text(out.s);
		return STATUS_FAILED;
	case COMMAND_VERSION:
		strbuf_adds(&out, "labelaudit " LABELAUDIT_VERSION "\n");
		break;
	}
	if (status == STATUS_OK)
		status = write_stdout(&out, signal_number, err);
	return status;
}
