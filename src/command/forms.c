#include "command/forms.h"

#include <string.h>

#include "base/stop.h"
#include "base/write_all.h"
#include "output/targets.h"
#include "report/output_file.h"

/* Where a result is written, a piece at a time. */
struct form_sink {
	struct output_file *file; /* NULL: standard output */
	int *signal_number;
	struct error *err;
	enum status status; /* of the pieces so far */
};

static const struct form *find_form(const struct form *forms, const char *name)
{
	for (; forms->name; forms++)
		if (!strcmp(forms->name, name))
			return forms;
	return NULL;
}

static enum status check_form(const struct form *forms, const char *what, const char *name, struct error *err)
{
	struct strbuf names = STRBUF_INIT;

	if (find_form(forms, name) || !strcmp(name, "none"))
		return STATUS_OK;
	for (const struct form *form = forms; form->name; form++)
		strbuf_addf(&names, "%s%s", form == forms ? "" : form[1].name ? ", " : " or ", form->name);
	error_set(err, "%s can be written as %s, not as %s", what, names.s, name);
	strbuf_release(&names);
	return STATUS_FAILED;
}

enum status forms_check(const struct form *forms, const char *what, const struct options *options, struct error *err)
{
	enum status status = check_form(forms, what, options->output.format, err);

	for (size_t i = 0; i < options->output.files_count && status == STATUS_OK; i++)
		status = check_form(forms, what, options->output.files[i].format, err);
	return status;
}

void forms_flush(const struct form_style *style, struct strbuf *out)
{
	struct form_sink *sink = style->sink;

	if (sink->status == STATUS_OK && out->len)
		sink->status = sink->file ? output_file_write(sink->file, out->s, out->len, sink->err)
					  : write_stdout(out, sink->signal_number, sink->err);
	strbuf_clear(out);
}

static void write_form(const struct form *forms, const char *name, const void *result, const struct form_style *style)
{
	const struct form *form = find_form(forms, name);
	struct strbuf text = STRBUF_INIT;

	if (form)
		form->write(result, style, &text);
	forms_flush(style, &text);
	strbuf_release(&text);
}

static enum status write_file(const struct form *forms, const void *result, const struct output *output,
			      struct error *err)
{
	struct output_file file;
	enum status status = output_file_open(&file, output->path, err);

	if (status != STATUS_OK)
		return status;
	struct form_sink sink = { &file, NULL, err, STATUS_OK };

	write_form(forms, output->format, result, &(struct form_style){ .sink = &sink });
	if (sink.status == STATUS_OK)
		return output_file_commit(&file, err);
	output_file_abort(&file);
	return sink.status;
}

enum status forms_write(const struct form *forms, const void *result, const struct options *options, int *signal_number,
			struct error *err)
{
	struct form_sink sink = { NULL, signal_number, err, STATUS_OK };
	enum status status = targets_check(options, err);

	stop_install(output_file_remove_temporary); /* from here on a temporary file may have to be removed */
	for (size_t i = 0; i < options->output.files_count && status == STATUS_OK; i++)
		status = write_file(forms, result, &options->output.files[i], err);
	if (status != STATUS_OK)
		return status;
	write_form(forms, options->output.format, result,
		   &(struct form_style){ options->output.stdout_colour, options->output.verbosity, &sink });
	return sink.status;
}
