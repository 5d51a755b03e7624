/* JSON as a tree: what is kept, what is skipped, what is refused. */
#include <stdlib.h>

#include "base/json_tree.h"
#include "check_main.h"

static const char *const keys[] = { "kept", NULL };
static const struct json_wanted wanted = { keys, 3, 100 };
static struct json_tree tree;

static const struct json_node *read_text(const char *text)
{
	ck_assert_msg(json_tree_read(&tree, text, strlen(text), &wanted), "%s: %s", text, tree.fault.text);
	return tree.root;
}

static void refuse(const char *text, uint64_t line, uint64_t column, const char *why)
{
	ck_assert_msg(!json_tree_read(&tree, text, strlen(text), &wanted), "%s", text);
	ck_assert_uint_eq(tree.fault.line, line);
	ck_assert_uint_eq(tree.fault.column, column);
	ck_assert_msg(strstr(tree.fault.text, why) != NULL, "%s", tree.fault.text);
}

START_TEST(values)
{
	const struct json_node *root =
		read_text("{\"a\": 1.5, \"b\\n\": \"x\\u0000y\", \"kept\": [true, null, []], \"a\": 2}");

	ck_assert_double_eq(json_member(root, "a")->number, 1.5); /* the first of equals */
	ck_assert_uint_eq(json_member(root, "b\n")->text_len, 3);
	ck_assert_mem_eq(json_member(root, "b\n")->text, "x\0y", 4);
	ck_assert_ptr_null(json_member(root, "c"));
	ck_assert_ptr_null(json_member(root, "kep"));
	const struct json_node *list = json_member(root, "kept");

	ck_assert(json_is(list, JSON_ARRAY) && json_is(list->child, JSON_TRUE));
	ck_assert(json_is(list->child->next, JSON_NULL) && json_is(list->child->next->next, JSON_ARRAY));
	ck_assert_ptr_null(list->child->next->next->next);
	ck_assert_ptr_null(list->child->key);
	ck_assert_ptr_null(json_member(list, "a"));
	json_tree_free(&tree);
	ck_assert_double_eq(read_text("7")->number, 7);
	json_tree_free(&tree);
}
END_TEST

/* Arrays and objects under other keys and at greater depth are there, empty; what follows them is right. */
START_TEST(skipped)
{
	const struct json_node *root =
		read_text("{\"no\": [1, {\"x\": 2}], \"kept\": [[1, [2, [3]]], 4], \"no\": {\"x\": 5}}");

	ck_assert_ptr_null(json_member(root, "no")->child);
	const struct json_node *list = json_member(root, "kept")->child;

	ck_assert_double_eq(list->child->number, 1);
	ck_assert(json_is(list->child->next, JSON_ARRAY));
	ck_assert_ptr_null(list->child->next->child);
	ck_assert_double_eq(list->next->number, 4);
	ck_assert(json_is(root->child->next->next, JSON_OBJECT));
	ck_assert_ptr_null(root->child->next->next->child);
	json_tree_free(&tree);
}
END_TEST

START_TEST(refused)
{
	char text[300] = "[";

	refuse("", 1, 1, "ends");
	refuse("{\"a\":\n [1, }", 2, 6, "expected a value");
	refuse("{\"kept\":\n [1, }", 2, 6, "expected a value");
	refuse("[[[[[[", 1, 7, "ends"); /* also in what is skipped */
	refuse("1 2", 1, 3, "end of the text");
	for (int i = 0; i < 100; i++)
		strcat(text, i < 99 ? "1," : "1]");
	refuse(text, 1, 200, "more than 100 values");
	memcpy(text, "[  1", 4); /* one value less */
	read_text(text);
	json_tree_free(&tree);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("json_tree");
	TCase *t = tcase_create("all");

	tcase_add_test(t, values);
	tcase_add_test(t, skipped);
	tcase_add_test(t, refused);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
