/* base/relative_path.h: a path from a folder on. */
#include "base/relative_path.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "check_main.h"

static const struct {
	const char *folder, *current, *path, *relative;
} paths[] = {
	{ "/a/b", "/a/b", "c.png", "c.png" },
	{ "/a/b", "/a/b", "./c//d/../e.png", "c/e.png" },
	{ "/a/b", "/a", "b/c.png", "c.png" },
	{ "/a/b", "/a", "c.png", "../c.png" },
	{ "/a/b", "/x/y", "c.png", "../../x/y/c.png" },
	{ "/a/b", "/a/bc", "d", "../bc/d" },
	{ "/a/bc", "/a/b", "d", "../b/d" },
	{ "/a/b", "/x", "/a/b/c", "c" },
	{ "/a/b", "/x", "/a/b", "." },
	{ "/a/b", "/x", "/a", ".." },
	{ "/a/b", "/x", "/", "../.." },
	{ "/", "/x", "y", "x/y" },
	{ "/", "/", "..", "." },
	{ "/a", "/a/b/c", "../../../../d", "../d" },
	{ "/a/b/", "/a/b/", "c/", "c" },
};

TEST_EACH(relative, ARRAY_SIZE(paths))
{
	struct strbuf out = STRBUF_INIT;

	strbuf_adds(&out, "=");
	relative_path(&out, paths[_i].folder, paths[_i].current, paths[_i].path);
	ck_assert_str_eq(out.s + 1, paths[_i].relative);
	strbuf_release(&out);
}
