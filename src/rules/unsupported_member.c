/*
 * What it finds
 *   Members of archives that are encrypted, sparse, or packed by a method that is not read; and compressed archives
 *   whose library is not built in.
 *
 * Why it matters
 *   Nothing is known of the labels in them, and most training code cannot read them either.
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
	     "an archive member that is encrypted or packed in a way that is not read"),
	.fault = FAULT_UNSUPPORTED,
	.advice = "pack the files again, as a plain tar, or as a zip with deflate and no password",
};
