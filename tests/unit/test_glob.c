/* find/glob.c: what matches, what does not, what is refused, and that no pattern costs more than its length a byte. */
#include <string.h>
#include <time.h>

#include "check_main.h"

#include "base/file_name.h"
#include "base/mem.h"
#include "find/glob.h"

static const struct {
	const char *pattern, *path;
	bool match;
} cases[] = {
	/* without a slash: the name alone, whole */
	{ "*.png", "a.png", true },
	{ "*.png", "x/y/a.png", true },
	{ "*.png", "a.png.txt", false },
	{ "*.png", ".png", true },
	{ "*.png", "a.pngx", false },
	{ "a.png", "x/a.png", true },
	{ "a.png", "aa.png", false },
	{ "a.png", "a.pn", false },
	{ "", "a", false },
	{ "*", "x/anything", true },
	{ "a*", "x/abc", true },
	{ "a*c", "abcb", false },
	{ "a*c", "abcbc", true },
	{ "?.png", "x/a.png", true },
	{ "?.png", "ab.png", false },
	{ "?", "\xff", true }, /* a byte */
	{ "??", "\xc3\xa9", true },
	/* with one: the path from the root */
	{ "x/*.png", "x/a.png", true },
	{ "x/*.png", "x/y/a.png", false },
	{ "x/*.png", "w/x/a.png", false },
	{ "/*.png", "a.png", true },
	{ "/*.png", "x/a.png", false },
	{ "/a.png", "a.png", true },
	{ "/a.png", "x/a.png", false },
	{ "x?a", "x/a", false },
	{ "x/?", "x/a", true },
	{ "x/y[/]a", "x/y/a", false },
	{ "x/y[!b]a", "x/y/a", false },
	/* ** */
	{ "**/a.png", "a.png", true },
	{ "**/a.png", "x/y/a.png", true },
	{ "**/a.png", "x/ya.png", false },
	{ "x/**", "x/a", true },
	{ "x/**", "x/y/a", true },
	{ "x/**", "x", false },
	{ "x/**", "x/", false },
	{ "x/**/a", "x/a", true },
	{ "x/**/a", "x/y/z/a", true },
	{ "x/**/a", "x/ya", false },
	{ "x/**/a", "xa", false },
	{ "**/y/**", "x/y/z/a", true },
	{ "**/y/**", "y/a", true },
	{ "**/y/**", "x/yy/a", false },
	{ "**", "x/y", true },
	{ "**/x/*a/b", "x/a/x/ca/b", true },
	{ "**/x/*a/b", "x/a/x/ca/c", false },
	{ "a/**/b/**/c", "a/b/x/b/c", true },
	{ "a/**/*.png", "a/b/c.d/e.png", true },
	{ "*a/**", "ba/c", true },
	{ "x/a**b", "x/acb", true }, /* not a component: * */
	{ "x/a**b", "x/a/b", false },
	{ "x/***", "x/a", true },
	{ "x/***", "x/a/b", false },
	/* sets */
	{ "[a-c].png", "b.png", true },
	{ "[a-c].png", "d.png", false },
	{ "[!a-c].png", "d.png", true },
	{ "[^a-c].png", "b.png", false },
	{ "[]a]", "]", true },
	{ "[!]a]", "]", false },
	{ "[!]a]", "b", true },
	{ "[a-]", "-", true },
	{ "[a-]", "b", false },
	{ "[-a]", "-", true },
	{ "[\\]]", "]", true },
	{ "[*]", "*", true },
	{ "[*]", "a", false },
	{ "[\x80-\xff]", "\xe9", true },
	/* braces */
	{ "*.{png,npy}", "a.png", true },
	{ "*.{png,npy}", "x/a.npy", true },
	{ "*.{png,npy}", "a.txt", false },
	{ "{a,b}{c,d}", "bc", true },
	{ "{a,b}{c,d}", "ab", false },
	{ "{a,b{c,d}e,}x", "bdex", true },
	{ "{a,b{c,d}e,}x", "bex", false },
	{ "{a,b{c,d}e,}x", "x", true },
	{ "a{,.png}", "a", true },
	{ "a{,.png}", "a.png", true },
	{ "{a}", "a", true },
	{ "{}", "a", false },
	{ "{x,y}/*.png", "y/a.png", true },
	{ "{x,y}/*.png", "z/a.png", false },
	{ "{x/**,y}/a", "x/p/q/a", true },
	{ "{**/x,y}/a", "p/q/x/a", true },
	{ "{y,**/x}/a", "x/a", true },
	{ "a,b", "a,b", true },
	{ "**/a,b", "x/a,b", true },
	{ "a[,]b*,c", "a,bx,c", true },
	/* escapes */
	{ "\\*.png", "*.png", true },
	{ "\\*.png", "a.png", false },
	{ "a\\{b", "a{b", true },
	{ "a\\\\b", "a\\b", true },
	{ "\\[a]", "[a]", true },
	/* a trailing slash says folder and is no slash otherwise */
	{ "x/", "y/x", true },
	{ "x/", "y/xx", false },
	/* bytes that mean something elsewhere */
	{ "a.b", "axb", false },
	{ "a+", "aa", false },
	{ "(a|b)", "a", false },
	{ "new\nline*", "new\nline.png", true },
};

static bool matches(const char *pattern, const char *path)
{
	struct glob g;
	const char *why;

	if (!glob_compile(&g, pattern, &why))
		return false;
	const char *text = g.whole_path ? path : file_name_of(path);
	bool match = glob_test(&g, text, strlen(text));

	glob_release(&g);
	return match;
}

TEST_EACH(patterns, ARRAY_SIZE(cases))
{
	ck_assert_msg(matches(cases[_i].pattern, cases[_i].path) == cases[_i].match, "%s against %s: wanted %d",
		      cases[_i].pattern, cases[_i].path, cases[_i].match);
}

static const char *const refused[] = { "[",     "a[b", "[]", "[!]",    "[a-", "[z-a]",
				       "[a-\\", "{a",  "a}", "{a,{b}", "a\\", "[\\" };

TEST_EACH(bad_patterns_are_refused, ARRAY_SIZE(refused))
{
	struct glob g;
	const char *why = NULL;

	ck_assert_msg(!glob_compile(&g, refused[_i], &why), "%s was taken", refused[_i]);
	ck_assert_ptr_nonnull(why);
	ck_assert(!matches(refused[_i], refused[_i]));
}

/* Braces stand for few patterns: some 2^16 of 16 bytes, and as many as there are levels. */
TEST(braces_are_bounded)
{
	char nested[4001];
	struct glob g;
	const char *why;

	ck_assert(matches("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "abbababa"));
	ck_assert(!glob_compile(&g, "{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}b",
				&why));
	ck_assert_str_eq(why, "its braces stand for too many patterns");
	memset(nested, '{', 2000);
	memset(nested + 2000, '}', 2000);
	nested[4000] = '\0';
	ck_assert(!glob_compile(&g, nested, &why));
}

TEST(folders_only)
{
	struct glob g;
	const char *why;

	ck_assert(glob_compile(&g, "x/", &why));
	ck_assert(g.folders_only && !g.whole_path);
	glob_release(&g);
	ck_assert(glob_compile(&g, "x/y/", &why));
	ck_assert(g.folders_only && g.whole_path);
	glob_release(&g);
	ck_assert(glob_compile(&g, "/x", &why));
	ck_assert(!g.folders_only && g.whole_path);
	glob_release(&g);
}

/* 40 stars against 4,000 bytes: longer than the universe for one that goes back to each. */
TEST(no_pattern_is_exponential)
{
	char pattern[128], text[4001];
	clock_t start = clock();

	for (size_t i = 0; i < 40; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	strcpy(pattern + 80, "*b");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert(!matches(pattern, text));
	text[sizeof(text) - 2] = 'b';
	ck_assert(matches(pattern, text));

	strcpy(pattern, "**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/b");
	memset(text, '/', sizeof(text) - 1);
	ck_assert(!matches(pattern, text));
	ck_assert_msg(clock() - start < 2 * CLOCKS_PER_SEC, "took %ld us", (long)(clock() - start));
}
