#include "command/render.h"

#include "output/outputs.h"
#include "report/report_file.h"

enum status render_run(const struct options *options, int *signal_number, struct error *err)
{
	struct report_file *file;
	struct options quiet = *options;

	*signal_number = 0;
	if (report_file_read(&file, options->words.v[0], UINT64_MAX, err) != STATUS_OK)
		return STATUS_FAILED;
	file->report.colour = options->colour == WHEN_ALWAYS;
	file->report.unicode = options->unicode;
	file->report.statistics = options->statistics;
	file->report.verbosity = options->verbosity;
	quiet.verbosity = -1; /* the audit has printed its summary already */
	outputs_write(&quiet, &file->report, signal_number, err);
	report_file_free(file);
	return *signal_number || err->text[0] ? STATUS_FAILED : STATUS_OK;
}
