#include "output/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write_all.h"
#include "report/report.h"

/* "Step summaries are limited to 1MiB": one byte less, if the limit itself is not allowed. */
enum { SUMMARY_MAX = (1 << 20) - 1 };

enum status step_summary_append(const struct options *options, const struct report *report, struct error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	RELEASED struct strbuf text = STRBUF_INIT;
	enum status status = STATUS_OK;
	struct stat st;

	if (!path || !*path || !options_write(options, reporter_github.name))
		return STATUS_OK;
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);

	if (fd < 0 || fstat(fd, &st) != 0) {
		status = error_set_errno(err, errno, "cannot write GITHUB_STEP_SUMMARY %s", path);
		goto out;
	}
	if (st.st_size + 1 < SUMMARY_MAX) {
		if (st.st_size) /* ends an unfinished last line */
			strbuf_addch(&text, '\n');
		report_markdown(report, (size_t)(SUMMARY_MAX - st.st_size - 1), &text);
		if (!write_all(fd, text.s, text.len))
			status = error_set_errno(err, errno, "cannot write GITHUB_STEP_SUMMARY %s", path);
	}
out:
	if (fd >= 0 && close(fd) != 0 && status == STATUS_OK)
		status = error_set_errno(err, errno, "cannot write GITHUB_STEP_SUMMARY %s", path);
	return status;
}
