/*
 * The receipt: receipt.json in the result. It holds the plan, how the audit of the result ended, and for each file its
 * size and SHA-256 before and after (of a link, those of the path that it holds), so that anybody can check later that
 * the result is what the plan made of the set. Equal sets and plans give equal receipts, byte for byte.
 */
#pragma once

#include "base/error.h"
#include "cli/options.h"
#include "fix/manifest.h"
#include "fix/plan.h"
#include "report/output_file.h"

#define RECEIPT_NAME    "receipt.json"
#define RECEIPT_VERSION "2.0"
/* The key of the last line, the SHA-256 of all bytes before its comma: it tells damage, not forgery. */
#define RECEIPT_SEAL "seal"

/* A finished result, as its receipt has it. */
struct receipt {
	const struct fix_plan *plan;
	const struct options *options;
	const struct manifest *manifest; /* sorted */
	int exit_status;                 /* of the audit of the result */
};

/* Writes the receipt, piece by piece. */
enum status receipt_write(const struct receipt *r, struct output_file *file, struct error *err);

/*
 * `labelaudit fix --verify DIR`: compares every file of the folder with its receipt, and appends a line for each that
 * differs, is missing, or is not in it, and a verdict. Returns STATUS_FINDINGS if there is one.
 */
enum status receipt_verify(const char *folder, struct strbuf *out, struct error *err);
