/* The rules that turn a fault of one file into a finding: category file, and lossy-format. */
#include <stdio.h>

#include "../unit/check_main.h"
#include "measured.h"
#include "read/unread_kind.h"

extern const struct rule rule_unreadable_file, rule_not_a_label_file, rule_git_lfs_pointer, rule_empty_file,
	rule_truncated_file, rule_corrupt_data, rule_limit_exceeded, rule_malformed_png, rule_malformed_labels,
	rule_lossy_format, rule_unsupported_member, rule_unreadable_by_loader, rule_unread_format;

static const struct {
	const struct rule *rule;
	const char *name;
	enum fault_kind kind;
	enum level level;
} cases[] = {
	{ &rule_unreadable_file, "unreadable-file", FAULT_UNREADABLE, LEVEL_ERROR },
	{ &rule_not_a_label_file, "not-a-label-file", FAULT_NOT_A_LABEL, LEVEL_ERROR },
	{ &rule_git_lfs_pointer, "git-lfs-pointer", FAULT_LFS_POINTER, LEVEL_ERROR },
	{ &rule_empty_file, "empty-file", FAULT_EMPTY, LEVEL_ERROR },
	{ &rule_truncated_file, "truncated-file", FAULT_TRUNCATED, LEVEL_ERROR },
	{ &rule_corrupt_data, "corrupt-data", FAULT_CORRUPT, LEVEL_ERROR },
	{ &rule_limit_exceeded, "limit-exceeded", FAULT_LIMIT, LEVEL_ERROR },
	{ &rule_malformed_labels, "malformed-labels", FAULT_LABELS, LEVEL_ERROR },
	{ &rule_lossy_format, "lossy-format", FAULT_LOSSY, LEVEL_ERROR },
	{ &rule_unsupported_member, "unsupported-member", FAULT_UNSUPPORTED, LEVEL_ERROR },
	{ &rule_unread_format, "unread-format", FAULT_UNREAD, LEVEL_ERROR },
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

/* Each kind of fault fires its own rule and no other. */
TEST_EACH(each_fault_has_one_rule, CASES)
{
	struct measured *m = measured_new("3", NULL);

	m->sample.status = SAMPLE_FAILED;
	m->sample.left_out.unread_kind = UNREAD_TIFF;
	fault_set(&m->sample.fault, cases[_i].kind, 33, "what was expected");
	for (int i = 0; i < CASES; i++)
		ck_assert_int_eq(measured_check(m, cases[i].rule), i == _i);
	ck_assert(!measured_check(m, &rule_malformed_png));
	ck_assert(measured_check(m, cases[_i].rule));
	ck_assert_str_eq(cases[_i].rule->name, cases[_i].name);
	ck_assert_int_eq(m->finding.level, cases[_i].level);
	ck_assert_str_eq(m->finding.message.s, "what was expected");
	ck_assert_str_ne(m->finding.advice.s, "");
	ck_assert_uint_eq(m->finding.details.offset, 33);
}

TEST(silent_without_fault)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 1, 2);
	for (int i = 0; i < CASES; i++)
		ck_assert(!measured_check(m, cases[i].rule));
	ck_assert(!measured_check(m, &rule_malformed_png));
}

/* A warning is of a file that was read: malformed-png speaks, and nothing else. */
TEST(warning_is_malformed_png)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 1, 2);
	fault_set(&m->sample.warning, FAULT_MALFORMED, 900, "16 bytes after IEND");
	for (int i = 0; i < CASES; i++)
		ck_assert(!measured_check(m, cases[i].rule));
	ck_assert(measured_check(m, &rule_malformed_png));
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	ck_assert_str_eq(m->finding.message.s, "16 bytes after IEND");
	ck_assert_uint_eq(m->finding.details.offset, 900);
}

/* The loader of --view counts, and no other; a file that failed has a fault of its own. */
TEST(refused_by_the_loader_of_the_view)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 1, 2);
	ck_assert(!measured_check(m, &rule_unreadable_by_loader));
	m->sample.refusals.pil =
		(struct refusal){ .reason = REFUSAL_SHORT, .chunk = 0x67414d41, .length = 1, .offset = 33, .value = 4 };
	ck_assert(measured_check(m, &rule_unreadable_by_loader));
	ck_assert_int_eq(m->finding.level, LEVEL_ERROR);
	ck_assert_str_eq(m->finding.message.s,
			 "Pillow does not read it: chunk gAMA at byte 33 holds 1 byte; it needs 4");
	ck_assert_str_ne(m->finding.advice.s, "");
	ck_assert_uint_eq(m->finding.details.offset, 33);
	m->settings.view = VIEW_RAW;
	ck_assert(!measured_check(m, &rule_unreadable_by_loader));
	m->settings.view = VIEW_CV2;
	ck_assert(!measured_check(m, &rule_unreadable_by_loader));
	m->sample.refusals.cv2 = (struct refusal){ .reason = REFUSAL_LENGTH, .chunk = 0x624b4744, .length = 3 };
	ck_assert(measured_check(m, &rule_unreadable_by_loader));
	ck_assert_str_eq(m->finding.message.s,
			 "OpenCV does not read it: chunk bKGD at byte 0 holds 3 bytes; it needs 1, 2 or 6");
	m->sample.status = SAMPLE_FAILED;
	ck_assert(!measured_check(m, &rule_unreadable_by_loader));
}

/* Each reason has words, and fits the message. */
TEST(refusals_are_worded)
{
	struct measured *m = measured_new("3", NULL);

	measured_list(m, 0, 1, 2);
	for (unsigned reason = REFUSAL_NONE + 1; reason <= REFUSAL_LAST; reason++) {
		m->sample.refusals.pil = (struct refusal){
			.reason = (uint8_t)reason,
			.chunk = UINT32_MAX,
			.length = UINT32_MAX,
			.offset = UINT64_MAX,
			.value = UINT64_MAX,
		};
		ck_assert(measured_check(m, &rule_unreadable_by_loader));
		ck_assert_int_eq(m->finding.level, reason <= REFUSAL_PIXELS_WARNED || reason == REFUSAL_PIXELS
							   ? LEVEL_WARNING
							   : LEVEL_ERROR);
		ck_assert_uint_gt(m->finding.message.len, 40);
		ck_assert_uint_lt(m->finding.message.len, 300);
	}
}

/* Image.MAX_IMAGE_PIXELS, twice */
TEST(too_many_pixels_for_pillow)
{
	struct measured *m = measured_new("3", NULL);

	measured_begin(m, 89478485, 1);
	ck_assert(!measured_check(m, &rule_unreadable_by_loader));
	for (uint32_t width = 89478486; width <= 178956970; width += 89478484) {
		measured_begin(m, width, 1);
		ck_assert(measured_check(m, &rule_unreadable_by_loader));
		ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
		assert_says(m->finding.message, "Pillow warns of a decompression bomb: ");
	}
	measured_begin(m, 178956971, 1);
	ck_assert(measured_check(m, &rule_unreadable_by_loader));
	ck_assert_str_eq(m->finding.message.s, "Pillow does not read it unless Image.MAX_IMAGE_PIXELS is raised: "
					       "178956971 x 1 pixels are more than 178956970");
	ck_assert_int_eq(m->finding.level, LEVEL_WARNING);
	assert_says(m->finding.advice, "MAX_IMAGE_PIXELS");
	ck_assert_uint_eq(m->finding.details.offset, FAULT_NO_OFFSET);
}

TEST(line_and_column_are_said)
{
	struct measured *m = measured_new("3", NULL);

	m->sample.status = SAMPLE_FAILED;
	fault_set(&m->sample.fault, FAULT_LABELS, FAULT_NO_OFFSET, "expected a number");
	m->sample.fault.line = 12;
	m->sample.fault.column = 3;
	snprintf(m->sample.fault.advice, sizeof(m->sample.fault.advice), "the reader knows better");
	ck_assert(measured_check(m, &rule_malformed_labels));
	ck_assert_str_eq(m->finding.message.s, "expected a number (line 12, column 3)");
	ck_assert_str_eq(m->finding.advice.s, "the reader knows better");
	ck_assert_uint_eq(m->finding.details.line, 12);
	ck_assert_uint_eq(m->finding.details.column, 3);
	ck_assert_uint_eq(m->finding.details.offset, FAULT_NO_OFFSET);
}
