/*
 * The result of functions that can fail for reasons outside the data. There are three kinds of failure:
 *   - a bug fails an assertion;
 *   - bad input gives one file a struct fault (fault.h), and the run goes on;
 *   - a bad environment (usage, I/O of outputs, memory) returns STATUS_FAILED up to main, with a struct error
 * (error.h).
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/* The values are the exit statuses. */
enum status {
	STATUS_OK = 0,       /* done; nothing at or above --fail-on */
	STATUS_FINDINGS = 1, /* done; findings at or above --fail-on */
	STATUS_FAILED = 2,   /* the audit could not be done or finished */
};

#endif
