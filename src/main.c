/* labelaudit: what was typed becomes options, options become an audit or another command, and that an exit status. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/stop.h"
#include "cli/options.h"
#include "command/commands.h"

/*
 * A standard descriptor that is closed would be given to the next file that is opened, and messages would land in it.
 * Opened the wrong way round, so that reading and writing still fail, as they do on a closed one.
 */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(STATUS_FAILED);
}

/* A reader that goes away and a file that grows too large become errors of write, whose callers know what to do. */
static void ignore_write_signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static enum status run(struct options *options, int argc, char **argv, int *signal_number, struct error *err)
{
	log_set_colour(options_colour(WHEN_AUTO, isatty(STDERR_FILENO)));
	if (cpu_init(err) != STATUS_OK || options_parse(options, argc, argv, err) != STATUS_OK)
		return STATUS_FAILED;
	options_resolve_auto(options, isatty(STDOUT_FILENO), isatty(STDERR_FILENO));
	log_set_colour(options->output.stderr_colour);
	log_set_verbosity(options->output.verbosity);
	return command_run(options, signal_number, err);
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err = ERROR_INIT;
	int signal_number = 0;

	open_standard_descriptors();
	ignore_write_signals();
	options_init(&options);
	enum status status = run(&options, argc, argv, &signal_number, &err);

	if (err.text[0])
		log_error("%s", err.text);
	int exit_status = signal_number ? 128 + signal_number : (int)status;

	if (exit_now())
		_exit(exit_status); /* all is written: nothing goes through a buffer of stdio but what was flushed */
	options_release(&options);
	return exit_status;
}
