/*
 * The HTML page around the report: its policy, its style, its script, and the small change of all parts.
 *
 * The policy (Content Security Policy Level 3) lets in nothing but pictures that the page holds itself, and the one
 * style and the one script whose SHA-256 it names: whatever slipped through an escape could neither run nor fetch.
 */
#include "base/ascii.h"
#include "report/report_html_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/sha256.h"

/*
 * Dark and light by the reader's own setting. Colours of text have a contrast of 4.5 : 1 or more with what is behind
 * (WCAG 2.1, 1.4.3), and none is the only sign of anything.
 */
static const char *const style[] = {
	":root{color-scheme:light dark;--back:#fff;--card:#f5f6f8;--text:#1b1f24;--faint:#59636e;--line:#d4d9df;",
	"--link:#0a58ca;--bar:#3a78c9;--bad:#c0182b;--warn:#8a5a00;--info:#2a6a8c;--good:#1a7037;--grey:#8c959f}",
	"@media (prefers-color-scheme:dark){:root{--back:#14171b;--card:#1e2329;--text:#e4e8ec;--faint:#9aa5b1;",
	"--line:#363d45;--link:#7db2ff;--bar:#5b96e0;--bad:#ff7b83;--warn:#e2b04a;--info:#76bfe3;--good:#5fcb80;",
	"--grey:#7d8793}}",
	"*{box-sizing:border-box}",
	"body{margin:0 auto;max-width:1180px;padding:0 20px 60px;background:var(--back);color:var(--text);",
	"font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}",
	"a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}",
	"code,pre,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;",
	"font-size:.92em}",
	"h1{font-size:1.5em;margin:0}h2{font-size:1.2em;margin:2.2em 0 .7em;padding-bottom:.3em;",
	"border-bottom:1px solid var(--line)}h3{font-size:1em;margin:1.4em 0 .5em}p{margin:.5em 0}",
	".banner{margin:20px 0 0;padding:18px 22px;border-radius:10px;border-left:8px solid var(--grey);",
	"background:var(--card)}",
	".banner.pass{border-color:var(--good)}.banner.fail{border-color:var(--bad)}",
	".banner.incomplete{border-color:var(--warn)}.banner.pass h1 b{color:var(--good)}",
	".banner.fail h1 b{color:var(--bad)}.banner.incomplete h1 b{color:var(--warn)}",
	".faint{color:var(--faint)}.small{font-size:.88em}",
	"nav{display:flex;flex-wrap:wrap;margin:12px 0;font-size:.92em}nav a{margin-right:1.2em;white-space:nowrap}",
	".look{margin:16px 0;padding:12px 18px;border:1px solid var(--line);border-radius:10px}",
	".tiles{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0;padding:0;list-style:none}",
	".tiles li{flex:1 1 100px;padding:10px 14px;border-radius:8px;background:var(--card)}",
	".tiles b{display:block;font-size:1.25em;font-variant-numeric:tabular-nums}",
	".tiles span{font-size:.85em;color:var(--faint)}",
	".level{display:inline-block;padding:0 .55em;border:1px solid;border-radius:99px;font-size:.82em;",
	"font-weight:600}",
	".error{color:var(--bad)}.warning{color:var(--warn)}.info{color:var(--info)}",
	".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92em}",
	"th,td{padding:5px 9px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}",
	"th{font-weight:600;white-space:nowrap;background:var(--card)}",
	".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}",
	".where{overflow-wrap:anywhere;min-width:170px;max-width:330px}.what{overflow-wrap:anywhere}",
	"th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--link)}",
	"th button:after{content:' \\2195';color:var(--faint)}th[aria-sort=ascending] button:after{content:' \\2191'}",
	"th[aria-sort=descending] button:after{content:' \\2193'}",
	".narrow{width:auto;min-width:300px}",
	".columns{display:flex;flex-wrap:wrap;gap:10px 50px}",
	".filter{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin:0 0 12px}",
	".filter[hidden]{display:none}.filter input[type=search]{flex:1 1 220px}",
	".filter input[type=search],.filter select{padding:5px 9px;border:1px solid var(--line);border-radius:6px;",
	"background:var(--back);color:var(--text);font:inherit}",
	".chart{display:block;width:100%;min-width:640px;height:auto;font-size:13px}",
	".chart text{fill:var(--text)}.chart .head,.chart .tick{fill:var(--faint)}.chart .head{font-weight:600}",
	".chart .grid{stroke:var(--line)}.chart .class{fill:var(--bar)}.chart .invalid{fill:var(--bad)}",
	".chart text.invalid{font-weight:600}.chart .ignored{fill:url(#hatch);stroke:var(--grey)}",
	".chart .hatch{stroke:var(--grey);stroke-width:2}",
	".chart .small{font-size:11px}",
	".chart .never{fill:none;stroke:var(--warn);stroke-dasharray:4 3}",
	".chart text.never{fill:var(--warn);stroke:none}",
	"#log:checked~.scroll .linear,#linear:checked~.scroll .logarithm{display:none}",
	".scale label{margin-right:1em}",
	".gallery{display:flex;flex-wrap:wrap;gap:0 16px}",
	"figure{margin:0 0 10px;width:272px;padding:8px;border:1px solid var(--line);border-radius:8px;",
	"background:var(--card)}",
	"figure img{display:block;margin:0 auto;max-width:100%;image-rendering:pixelated}",
	"figcaption{margin-top:6px;font-size:.82em;overflow-wrap:anywhere}",
	"pre{margin:.4em 0;padding:10px 14px;overflow-x:auto;border-radius:8px;background:var(--card)}",
	".weights pre{user-select:all}",
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0}dt{color:var(--faint)}",
	"dd{margin:0;overflow-wrap:anywhere}",
	"details{margin:6px 0;border:1px solid var(--line);border-radius:8px;padding:6px 14px}",
	"summary{cursor:pointer}",
	"footer{margin-top:40px;font-size:.88em;color:var(--faint)}",
	"@media print{body{max-width:none;padding:0;font-size:11px}nav,.filter,.scale{display:none}",
	"*{print-color-adjust:exact}tr,figure,.look,.banner{break-inside:avoid}.scroll{overflow:visible}",
	"pre{white-space:pre-wrap}}",
};

/*
 * Sorts the tables of the class `sorted` by the column whose heading is pressed, and filters the findings. Without it
 * the page is all there, sorted as it was written.
 */
static const char *const script[] = {
	"'use strict';",
	"(function () {",
	"function key(row, at) {",
	"  var cell = row.cells[at], s = cell.getAttribute('data-s');",
	"  return s === null ? cell.textContent : Number(s);",
	"}",
	"function sort(table, heading, at) {",
	"  var up = heading.getAttribute('aria-sort') !== 'ascending', body = table.tBodies[0];",
	"  Array.from(table.tHead.rows[0].cells).forEach(function (h) { h.removeAttribute('aria-sort'); });",
	"  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');",
	"  Array.from(body.rows).sort(function (a, b) {",
	"    var x = key(a, at), y = key(b, at);",
	"    return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);",
	"  }).forEach(function (row) { body.appendChild(row); });",
	"}",
	"document.querySelectorAll('table.sorted').forEach(function (table) {",
	"  Array.from(table.tHead.rows[0].cells).forEach(function (heading, at) {",
	"    var button = document.createElement('button');",
	"    button.type = 'button';",
	"    button.textContent = heading.textContent;",
	"    heading.textContent = '';",
	"    heading.appendChild(button);",
	"    button.addEventListener('click', function () { sort(table, heading, at); });",
	"  });",
	"});",
	"var filter = document.getElementById('filter');",
	"if (filter) {",
	"  var rows = Array.from(document.getElementById('finding-table').tBodies[0].rows);",
	"  var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });",
	"  var words = document.getElementById('filter-words'), rule = document.getElementById('filter-rule');",
	"  var boxes = Array.from(filter.querySelectorAll('input[type=checkbox]'));",
	"  var shown = document.getElementById('filter-shown');",
	"  var apply = function () {",
	"    var wanted = words.value.toLowerCase().split(' '), levels = {}, n = 0;",
	"    boxes.forEach(function (box) { levels[box.value] = box.checked; });",
	"    rows.forEach(function (row, i) {",
	"      var fits = levels[row.getAttribute('data-level')] &&",
	"        (!rule.value || rule.value === row.getAttribute('data-rule')) &&",
	"        wanted.every(function (word) { return texts[i].indexOf(word) >= 0; });",
	"      row.hidden = !fits;",
	"      n += fits ? 1 : 0;",
	"    });",
	"    shown.textContent = n + ' of ' + rows.length + ' shown';",
	"  };",
	"  filter.hidden = false;",
	"  filter.addEventListener('input', apply);",
	"  apply();",
	"}",
	"function open() {",
	"  var at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));",
	"  if (at && at.tagName === 'DETAILS') at.open = true;",
	"}",
	"window.addEventListener('hashchange', open);",
	"open();",
	"})();",
};

static void add_lines(const char *const *lines, size_t count, struct strbuf *out)
{
	for (size_t i = 0; i < count; i++) {
		strbuf_adds(out, lines[i]);
		strbuf_addch(out, '\n');
	}
}

/* 'sha256-...' as a policy names what stands between two tags. */
static void add_hash(const char *const *lines, size_t count, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct sha256 sha;
	char hex[65], bytes[32];

	add_lines(lines, count, &text);
	sha256_init(&sha);
	sha256_add(&sha, text.s, text.len);
	sha256_hex(&sha, hex);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(ascii_xdigit_value(hex[2 * i]) << 4 | ascii_xdigit_value(hex[2 * i + 1]));
	strbuf_adds(out, "'sha256-");
	escape_base64(out, bytes, sizeof(bytes));
	strbuf_addch(out, '\'');
	strbuf_release(&text);
}

void html_begin(const char *title, struct strbuf *out)
{
	strbuf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
			 "style-src ");
	add_hash(style, ARRAY_SIZE(style), out);
	strbuf_adds(out, "; script-src ");
	add_hash(script, ARRAY_SIZE(script), out);
	strbuf_adds(out, "; base-uri 'none'; form-action 'none'\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=\"referrer\" content=\"no-referrer\">\n"
			 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	html_text(title, out);
	strbuf_adds(out, "</title>\n<style>");
	add_lines(style, ARRAY_SIZE(style), out);
	strbuf_adds(out, "</style>\n</head>\n<body>\n");
}

void html_end(struct strbuf *out)
{
	strbuf_adds(out, "<script>");
	add_lines(script, ARRAY_SIZE(script), out);
	strbuf_adds(out, "</script>\n</body>\n</html>\n");
}

void html_section(const char *id, const char *heading, struct strbuf *out)
{
	strbuf_addf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, heading);
}

void html_text(const char *s, struct strbuf *out)
{
	escape_xml(out, s, strlen(s));
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void html_cut(const char *s, size_t max, struct strbuf *out)
{
	size_t n = strlen(s), head = max / 3, tail = n - (max - max / 3);

	if (n <= max) {
		escape_xml(out, s, n);
		return;
	}
	while (head && continues(s[head]))
		head--;
	while (tail < n && continues(s[tail]))
		tail++;
	escape_xml(out, s, head);
	strbuf_adds(out, " [...] ");
	escape_xml(out, s + tail, n - tail);
}

void html_number(uint64_t n, struct strbuf *out)
{
	struct strbuf digits = STRBUF_INIT;

	strbuf_add_u64(&digits, n);
	for (size_t i = 0; i < digits.len; i++) {
		if (i && (digits.len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits.s[i]);
	}
	strbuf_release(&digits);
}

void html_number_cell(uint64_t n, struct strbuf *out)
{
	strbuf_addf(out, "<td class=\"n\" data-s=\"%" PRIu64 "\">", n);
	html_number(n, out);
	strbuf_adds(out, "</td>");
}

void html_count(uint64_t n, const char *noun, struct strbuf *out)
{
	html_number(n, out);
	strbuf_addf(out, " %s%s", noun, n == 1 ? "" : "s");
}

void html_level(enum level level, struct strbuf *out)
{
	strbuf_addf(out, "<span class=\"level %s\">%s</span>", level_name(level), level_name(level));
}

void html_rule(const struct rule *rule, struct strbuf *out)
{
	strbuf_addf(out, "<a href=\"#rule-%s\"><code>%s</code></a>", rule->name, rule->name);
}

void html_place(const char *path, const char *member, struct strbuf *out)
{
	strbuf_adds(out, "<code>");
	html_cut(path, HTML_PATH_CUT, out);
	if (member) {
		strbuf_addch(out, '#');
		html_cut(member, HTML_MEMBER_CUT, out);
	}
	strbuf_adds(out, "</code>");
}
