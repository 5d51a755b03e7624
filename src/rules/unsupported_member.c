/*
 * What it finds
 *   Members of archives that are encrypted, sparse, or compressed with an unsupported method; and compressed archives
 *   whose library is not built in.
 *
 * Why it matters
 *   Their labels are unknown, and most training code cannot read them either.
 *
 * Example
 *   set.zip#masks/0001.png: error unsupported-member: the member is encrypted
 *
 * What to do
 *   Pack the files again without a password, as a plain tar or with deflate.
 */
#include "judge/rule.h"

const struct rule rule_unsupported_member = {
	RULE("unsupported-member", "file", LEVEL_ERROR,
	     "an archive member that is encrypted, or compressed with an unsupported method"),
	.fault = FAULT_UNSUPPORTED,
	.tells_unread = true,
	.advice = "pack the files again, as a plain tar, or as a zip with deflate and no password",
};
