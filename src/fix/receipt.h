/*
 * The receipt: receipt.json in the result. It holds the plan, how the audit of the result ended, and the manifest: for
 * each file its size, XXH3-128 and SHA-256 before and after (of a link, those of the path that it holds), so that
 * anybody can check later that the result is what the plan made of the set. Equal sets and plans give equal receipts,
 * byte for byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/options.h"
#include "fix/plan.h"
#include "fix/records.h"
#include "fix/tree.h"
#include "report/output_file.h"

#define RECEIPT_NAME    "receipt.json"
#define RECEIPT_VERSION "1.1"
/* The key of the last line, the SHA-256 of all bytes before its comma: it tells damage, not forgery. */
#define RECEIPT_SEAL "seal"

/* A finished result, as its receipt has it. */
struct receipt {
	const struct fix_plan *plan;
	const uint64_t *plan_digest; /* XXH3-128: two */
	const struct options *options;
	const struct tree *tree;
	struct records *records; /* by the tree's index; borrowed */
	int exit_status;         /* of the audit of the result */
};

/* Writes the receipt, piece by piece. */
enum status receipt_write(const struct receipt *r, struct output_file *file, struct error *err);
/* Appends the receipt of a result that is unfinished. */
void receipt_json_unfinished(const uint64_t plan_digest[2], struct strbuf *out);

enum receipt_state { RECEIPT_NONE, RECEIPT_UNFINISHED, RECEIPT_FINISHED };
/* Returns what receipt of that plan the folder has; RECEIPT_NONE if it has another one. */
enum receipt_state receipt_state(int folder, const uint64_t plan_digest[2]);

/*
 * `labelaudit fix --verify DIR`: compares every file of the folder with its receipt, and appends a line for each that
 * differs, is missing, or is not in it, and a verdict. Returns STATUS_FINDINGS if there is one.
 */
enum status receipt_verify(const char *folder, struct strbuf *out, struct error *err);
