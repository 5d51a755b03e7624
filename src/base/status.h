/*
 * What a function that can fail for reasons outside the data returns.
 *
 * Three kinds of trouble are kept apart everywhere:
 *   - a bug asserts;
 *   - bad input gives that one file a struct fault (fault.h) and the run goes on;
 *   - a bad environment (usage, I/O on our outputs, no memory) is a STATUS_FAILED that
 *     travels up to main with a filled struct error (error.h).
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/* The values are the exit statuses that users rely on. */
enum status {
	STATUS_OK = 0,       /* done; nothing at or above --fail-on */
	STATUS_FINDINGS = 1, /* done; findings at or above --fail-on */
	STATUS_FAILED = 2,   /* the audit could not be done or finished */
};

#endif
