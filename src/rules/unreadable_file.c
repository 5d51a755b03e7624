/*
 * Error message
 *   PermissionError: [Errno 13] Permission denied: 'masks/0001.png'
 *
 * What it finds
 *   Files that exist but could not be opened or read: no permission, not a regular file (a FIFO, a device), an I/O
 *   error, or a file that changed while it was read.
 *
 * Why it matters
 *   A file that was not read was not audited. The audit is incomplete, its report says so, and its exit status is 2,
 *   whatever else was found. In training, the same file raises an exception in a loader worker, often hours later.
 *
 * Example
 *   masks/0001.png: error unreadable-file: cannot open: Permission denied
 *
 * What to do
 *   Correct the permissions or the mount; wait until the program that writes the files is done; or leave the file out
 *   with --exclude if it is not a label file.
 */
#include "judge/rule.h"

const struct rule rule_unreadable_file = {
	RULE("unreadable-file", "file", LEVEL_ERROR, "a file that could not be opened or read"),
	.fault = FAULT_UNREADABLE,
	.tells_unread = true,
	.advice = "correct the permissions, or check the disk, or leave the file out with --exclude",
};
