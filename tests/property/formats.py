#!/usr/bin/env -S python3 -SE -X utf8
"""Every form of the report, on files and classes with names that speak its language: valid for an independent parser, without
a byte that a terminal, a log or a page obeys, and with names that come back.

usage: tests/property/formats.py     BUILD=dir: where the program was built. Needs python3.
       LABELAUDIT_PYTHON=FILE: a Python that may have cmarkgfm or markdown-it-py, and jsonschema
       LABELAUDIT_SARIF_SCHEMA=FILE: sarif-schema-2.1.0.json of OASIS; without it the rules that matter are checked by hand

The readers are the standard library's, and what a page or a runner would do is written here a second time, from their
documentation: GitHub's runner (ActionCommand.cs), GitLab's table of keys, SARIF's schema.
"""
import base64
import csv
import hashlib
import html.parser
import io
import json
import os
import re
import struct
import sys
import urllib.parse
import xml.etree.ElementTree
import zlib

from checks import FOLDER, TESTDATA, check, finish, need_modules, run, skip

need_modules("jsonschema", optional=True)

# File names: bytes, without slashes and NULs.
NAMES = [
    b"plain.png", b"new\nline.png", b"\n::error::x.png", b"tab\t.png", b"cr\r.png", b"esc\x1b[31m\x1b]0;t\x07.png", b"del\x7f.png",
    b"c1\xc2\x9b31m.png", b"bidi\xe2\x80\xaegnp.a", b"isolate\xe2\x81\xa6.png", b"line\xe2\x80\xa8.png", b"tag\xf3\xa0\x81\x81.png",
    b"nonchar\xef\xbf\xbe.png", b"bom\xef\xbb\xbf.png", b"latin\xe9.png", b"cut\xe2\x80.png", b"surrogate\xed\xa0\x80.png",
    b"caf\xc3\xa9 \xe7\x8c\xab.png", b"quote\"'.png", b"<script>alert(1)<!--.png", b"<img src=x onerror=alert(1)>.png",
    b"]]>.png", b"&amp;&#60;.png", b"::error file=x::y.png", b" ::error::blank.png", b"\xe3\x80\x80::warning::wide.png",
    b"\xc2\xa0::stop-commands::t.png", b"##[error]x.png", b"a##[add-mask]b.png", b"###[group]c.png", b"##vso[task.x]y.png",
    b"=cmd|' C calc'!A0.png", b"+1.png", b"-1.png", b"@SUM(A1).png", b"a|b`c``d`.png", b"[x](javascript:alert(1)).png",
    b"![x](http:x).png", b"*bold*_it_~~del~~.png", b"www.example.com.png", b"http:example.com@all #1.png", b"$x$ {{y}} {% z %}.png",
    b"%0A::error::.png", b"%41%25.png", b"back\\slash\\.png", b"a,b:c;d.png", b"{0}.png", b"#.png", b"?q=1.png", b" .png ",
    b"n" * 251 + b".png",
]
# Class names: text, since they come from JSON.
CLASSES = [
    "background", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", " =1", "\"=1", "a;=1", "a|=1", "\uff1d1", "a,b", "new\nline",
    "esc\x1b[31m", "bidi\u202e", "<script>alert(1)</script>", "a|b`c`", "[x](http://x)", "::error::x", "##[error]x", "]]>", "semi-trailer",
    "\ufffe",
]
BLANKS = " \t"  # which the reader of class files takes off names


def visible(name):
    """What a report for people makes of the bytes of a name; base/escape.h says how."""
    out = ""
    for c in name.decode("utf-8", "surrogateescape"):
        n = ord(c)
        if 0xdc80 <= n <= 0xdcff:
            out += "\\x%02x" % (n - 0xdc00)
        elif n < 0x20 or n == 0x7f:
            out += "\\x%02x" % n
        elif (0x80 <= n <= 0x9f or n in (0xad, 0x61c, 0xfeff) or 0x200b <= n <= 0x200f or 0x2028 <= n <= 0x202e or
              0x2060 <= n <= 0x206f or 0xfff9 <= n <= 0xfffb or 0xe0000 <= n <= 0xe007f or n & 0xfffe == 0xfffe):
            out += "\\u{%0*x}" % (6 if n > 0xfffff else 5 if n > 0xffff else 4 if n > 0xff else 2, n)
        else:
            out += c
    return re.sub(r"#(?=#\[|#vso\[)", r"\\x23", out)


def audit(*arguments, folder=FOLDER, **variables):
    done = run(*arguments, cwd=folder, environment=variables)
    if done.returncode not in (0, 1):
        sys.exit("exit status %d: %s" % (done.returncode, done.stderr))
    return done.stdout


def expect_inert(form, data):
    """Nothing that a terminal obeys or a log hides; returns the text."""
    text = data.decode("utf-8")  # raises where it is not
    bad = re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff\U000e0000-\U000e007f]",
                     text)
    check(not bad, form, "has", [hex(ord(c)) for c in bad])
    for command in re.findall(r"##\[|##vso\[", text):
        check(False, form, "has", command)
    for line in text.split("\n"):
        if line.strip().startswith("::"):
            check(form == "github" and re.match(r"::(error|warning|notice) (file=[^,:]*,line=\d+,)?title=labelaudit [a-z-]+::", line),
                  form, "commands", line)
    return text


# ---- json -----------------------------------------------------------------------------------------------------------


def bytes_of(row, key):
    if key + "_b64" in row:
        return base64.b64decode(row[key + "_b64"])
    return row[key].encode()


def check_json(report, lines):
    check({bytes_of(f, "path") for f in report["findings"] if f["path"] is not None} == set(NAMES), "json: the names")
    check([c["name"] for c in report["classes"]] == [c.strip(BLANKS) for c in CLASSES], "json: the classes")
    rows = [json.loads(line) for line in lines.splitlines()]
    check({bytes_of(r, "path") for r in rows if r["type"] == "file"} == set(NAMES), "jsonl: the names")
    for weights in report["class_weights"].values():
        check(len(weights) == len(CLASSES), "json: weights")


# ---- sarif ----------------------------------------------------------------------------------------------------------

URI = re.compile(r"(file:///)?([A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-F]{2})([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*")


def check_sarif(text, report):
    log = json.loads(text)
    results = log["runs"][0]["results"]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    check({urllib.parse.unquote_to_bytes(u) for u in uris} >= set(NAMES), "sarif: the names")
    check({r["ruleId"] for r in results} == {r["rule"] for r in report["summary"]["rules"]}, "sarif: every rule that fired")
    check(len(results) == report["findings_total"], "sarif: one result a finding")
    check(all(URI.fullmatch(u) for u in uris), "sarif: the form of the names")
    check(not any("](" in r["message"]["text"] for r in results), "sarif: a link in a message")
    for key in "labelaudit/v1", "primaryLocationLineHash":
        check(len({r["partialFingerprints"][key] for r in results}) == len(results), "sarif:", key, "is unique")
    check_sarif_schema(log)


def check_sarif_schema(log):
    path = os.environ.get("LABELAUDIT_SARIF_SCHEMA")
    try:
        import jsonschema
    except ImportError:
        path = None
    if not path:
        skip("SARIF's own schema", "needs LABELAUDIT_SARIF_SCHEMA and jsonschema")
        return
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    faults = [e.message for e in validator.iter_errors(log)]
    check(not faults, "sarif schema:", faults[:3])


# ---- junit, gitlab, github, csv -------------------------------------------------------------------------------------


def check_junit(text, report):
    suites = xml.etree.ElementTree.fromstring(text)
    check(suites.tag == "testsuites" and [s.tag for s in suites] == ["testsuite"], "junit: one suite")
    cases = suites.findall("testsuite/testcase")
    failures = suites.findall("testsuite/testcase/failure")
    tags = {e.tag for e in suites.iter()}
    check(tags <= {"testsuites", "testsuite", "testcase", "failure", "system-out", "error", "skipped"}, "junit: elements", tags)
    for element in (suites, suites[0]):
        check(int(element.get("tests")) == len(cases), "junit: tests")
        check(int(element.get("failures")) == len(failures), "junit: failures")
        check(int(element.get("errors")) == 0, "junit: errors")
    check(int(suites[0].get("skipped")) == len(suites.findall("testsuite/testcase/skipped")), "junit: skipped")
    check(len({c.get("name") for c in cases}) == len(cases), "junit: a case a rule")
    listed = "\n" + "".join("".join(c.itertext()) for c in cases)
    for name in NAMES:
        check(re.search("\n *(\\./)?" + re.escape(visible(name)) + ": (error|warning) ", listed), "junit: the name", visible(name))
    failed = {c.get("name") for c in cases if c.find("failure") is not None}
    check(failed == {r["rule"] for r in report["summary"]["rules"] if r["level"] == "error"}, "junit: what fails")


def check_gitlab(text, report):
    rows = json.loads(text)
    check([r["check_name"] for r in rows].count("narrowed") == bool(report["settings"]["narrowed"]), "gitlab: narrowed")
    check(len(rows) == report["findings_total"] + bool(report["settings"]["narrowed"]), "gitlab: an entry a finding")
    check(len({r["fingerprint"] for r in rows}) == len(rows), "gitlab: fingerprints are unique")
    for r in rows:
        check(set(r) == {"description", "check_name", "fingerprint", "severity", "location"}, "gitlab: keys")
        check(r["severity"] in ("info", "minor", "major", "critical", "blocker"), "gitlab: severity")
        check(r["description"] and isinstance(r["location"]["path"], str) and r["location"]["lines"]["begin"] == 1, "gitlab: place")
        check(not re.search("[\x00-\x1f\x7f-\x9f\u202e]", r["description"]), "gitlab: description", r["description"])
    wanted = {re.sub(r"^(\./+)+", "", n.decode("utf-8", "replace")) for n in NAMES}
    check({r["location"]["path"] for r in rows} >= wanted, "gitlab: the names")


def runner_command(line):
    """GitHub's runner on one line of a log: its command, its properties and its message, or None."""
    found = re.match(r"::([^ :]+)(?: (.*?))?::(.*)", line.lstrip(), re.S)
    if not found:
        return None

    def unescape(s, pairs):
        for code, c in pairs:
            s = s.replace(code, c)
        return s

    data = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
    properties = dict(p.split("=", 1) for p in (found.group(2) or "").split(",") if "=" in p)
    properties = {k: unescape(v, data[:2] + [("%3A", ":"), ("%2C", ",")] + data[2:]) for k, v in properties.items()}
    return found.group(1), properties, unescape(found.group(3), data)


def check_github(text, report):
    commands = [c for c in map(runner_command, text.split("\n")) if c]
    for level in ("error", "warning", "notice"):
        check(sum(c[0] == level for c in commands) <= 10, "github: at most ten", level)
    check({c[0] for c in commands} <= {"error", "warning", "notice"}, "github: commands")
    names = {visible(n) for n in NAMES}
    for _, properties, message in commands:
        check(properties.get("file") in names | {None}, "github: the file", properties)
        check(properties["title"].split(" ")[1] in {r["rule"] for r in report["summary"]["rules"]}, "github: the rule")
        check(re.fullmatch("[^\n]*(\n[^\n]*)?", message), "github: the message", message)


def check_one_github_annotation():
    """Each name as the only one, so that each gets its annotation."""
    for name in NAMES:
        text = expect_inert("github", audit("-q", "-c", "3", "-f", "github", os.fsdecode(b"./" + name)))
        commands = [c for c in map(runner_command, text.split("\n")) if c]
        check(len(commands) == 1 and commands[0][1]["file"] == visible(name), "github:", visible(name), commands)


def check_csv(text):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    check(rows[0] == ["id", "name", "labels", "files", "fraction", "median_frequency", "inverse_frequency", "effective_number"], "csv: head")
    check([r[0] for r in rows[1:]] == [str(i) for i in range(len(CLASSES))], "csv: ids")
    for row, name in zip(rows[1:], CLASSES):
        check(len(row) == 8, "csv: columns")
        check(row[1].replace("'", "") == visible(name.strip(BLANKS).encode()).replace("'", ""), "csv: the name", row[1])
        for separator in ",", ";", "|", "\t":  # as a spreadsheet of another locale cuts the cell
            for cell in row[1].split(separator):
                check(not re.match("[ \"']*[=+@\uff0b\uff0d\uff1d\uff20-]", cell) or re.match("[ \"]*'", cell), "csv: a formula", cell)
        check(all(re.fullmatch(r"\d+(\.\d+)?|", cell) for cell in row[2:]), "csv: numbers", row)


# ---- markdown -------------------------------------------------------------------------------------------------------

class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag + ("!" if [a for a in attrs if a[0] != "align" and not str(a[1]).startswith("text-align:")] else ""))

    def handle_comment(self, data):
        self.tags.add("<!--")

    def handle_data(self, data):
        self.text += data


def renderers():
    """Of Markdown, those that are here, with everything on that makes markup of text."""
    try:
        import cmarkgfm
        from cmarkgfm.cmark import Options
        yield "cmark-gfm", lambda text: cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    except ImportError:
        pass
    try:
        import markdown_it
        yield "markdown-it", markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render
    except ImportError:
        pass


def check_markdown(text):
    here = list(renderers())
    if not here:
        skip("Markdown rendered", "needs cmarkgfm or markdown-it-py")
    for name, render in here:
        page = Tags()
        page.feed(render(text))
        allowed = {"h2", "h3", "p", "strong", "em", "code", "ul", "li", "br", "table", "thead", "tbody", "tr", "th", "td"}
        check(page.tags <= allowed, "markdown,", name + ":", page.tags - allowed)
        shown = {n: visible(n).replace("`", "\\x60").replace("|", "\\x7c") for n in NAMES}
        listed = [s for s in shown.values() if s in page.text]
        check(len(listed) >= 20, "markdown,", name + ": names shown:", len(listed))  # 20 a rule
        for c in CLASSES:
            check(visible(c.strip(BLANKS).encode()).replace("@", "\\x40") in page.text, "markdown,", name + ": class", c)
        cells = re.findall(r"<tr>(.*?)</tr>", render(text), re.S)
        check(all(row.count("<td") + row.count("<th") in (4, 5) for row in cells), "markdown,", name + ": cells")


# ---- html -----------------------------------------------------------------------------------------------------------

VOID = {"meta", "br", "img", "rect"}  # the last: an element of SVG that ends itself
ATTRIBUTES = {  # all that a page of ours has; names from outside make none
    "lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "aria-label", "role", "viewbox", "width", "height",
    "preserveaspectratio", "aria-hidden", "tabindex", "open", "alt", "src",
}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.faults, self.open, self.ids, self.links = [], [], [], []
        self.text, self.style, self.policy = "", "", None
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append("never closed: " + " ".join(self.open))

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.faults.append("attribute " + name)
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.links.append(value)
            if name == "src" and not re.fullmatch("data:image/png;base64,[A-Za-z0-9+/]+=*", value):
                self.faults.append("src " + value[:40])
            if name == "content" and ("http-equiv", "Content-Security-Policy") in attrs:
                self.policy = value

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("misnested </%s>" % tag)

    def handle_comment(self, data):
        self.faults.append("comment")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.text += data


def page_of(text, what):
    """A page that is well nested, all our own, and whose policy lets in nothing but the style that it has."""
    page = Page(text)
    check(text.startswith("<!DOCTYPE html>\n") and not page.faults, what, page.faults[:5])
    check(len(set(page.ids)) == len(page.ids), what, "ids are unique")
    check(all(link[:1] == "#" and link[1:] in page.ids for link in page.links), what, "links lead somewhere in it", page.links[:9])
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    check(page.policy == "default-src 'none'; img-src data:; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'" % digest,
          what, page.policy)
    check(text.count("<style") == 1 and text.count("<script") == 0, what, "one style, no script")
    check(not re.search("//|url\\((?!#)|@import", page.style), what, "fetches nothing")
    check(len(text.encode()) < 3_000_000, what, len(text))
    return page


def check_html(text, report):
    page = page_of(text, "html")
    for name in NAMES:
        check(visible(name) in page.text, "html: the name", visible(name))
    for c in CLASSES:
        check(visible(c.strip(BLANKS).encode()) in page.text, "html: class", c)
    check(text.count("\n<li><div>") == report["findings_total"], "html: a row a finding")
    check({"findings-" + r["rule"] for r in report["summary"]["rules"]} <= set(page.ids), "html: a group a rule")
    # The checker is no rubber stamp.
    for i, bad in enumerate(("<p>", "</p>", "<b onclick=1>x</b>", "<img src='http://x/'>", "<p style='x'></p>", "<!-- -->")):
        check(Page(text.replace("<main>", "<main>" + bad)).faults, "html: change", i, "was not seen")


def picture_of(data):
    """A PNG of 8-bit indices and filter None: width, height, rows, palette. Raises where it is anything else."""
    chunks, at = {}, 8
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        assert zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        chunks[kind], at = data[at + 8:at + 8 + size], at + 12 + size
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    raw = zlib.decompress(chunks[b"IDAT"])
    assert rest == [8, 3, 0, 0, 0] and len(raw) == (width + 1) * height and not any(raw[::width + 1])
    rows = [raw[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]
    return width, height, rows, [chunks[b"PLTE"][i:i + 3] for i in range(0, 768, 3)]


def check_html_of_masks():
    """Where there are labels: pictures."""
    masks = os.path.join(TESTDATA, "masks")
    audit("-q", "--preset", "voc", "-f", "none", "-o", "m.html", "-o", "m.json", masks)
    with open(os.path.join(FOLDER, "m.html"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(FOLDER, "m.json"), encoding="utf-8") as file:
        report = json.load(file)
    page_of(text, "html of masks:")
    source = re.search('alt="out-of-range-id: [^"]*stray-id-21.png" src="data:image/png;base64,([^"]*)"', text)
    width, height, rows, palette = picture_of(base64.b64decode(source.group(1)))
    marked = [(x, y) for y in range(height) for x in range(width) if palette[rows[y][x]] == b"\xff\x00\xff"]
    stray = [f for f in report["findings"] if f["rule"] == "out-of-range-id" and "stray" in f["path"]][0]["details"]
    left, top, across, down = stray["bbox"]
    check((width, height, len(marked)) == (72, 54, stray["ids"][0][1]), "html: picture", width, height, len(marked))
    check((stray["first"]["x"], stray["first"]["y"]) == min(marked, key=lambda p: (p[1], p[0])), "html: the first that is marked")
    check({min(x for x, _ in marked), max(x for x, _ in marked)} == {left, left + across - 1} and
          {min(y for _, y in marked), max(y for _, y in marked)} == {top, top + down - 1}, "html: where the marks are", stray["bbox"])


# ---- all of them ----------------------------------------------------------------------------------------------------

FORMS = ["text", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "html", "csv", "markdown"]


def check_names():
    with open(os.path.join(FOLDER, "classes.json"), "w", encoding="utf-8") as file:
        json.dump({"id2label": {str(i): name for i, name in enumerate(CLASSES)}}, file)
    for name in NAMES:
        with open(os.path.join(os.fsencode(FOLDER), name), "wb") as file:
            file.write(b"not a mask" if name < b"a" else b"")
    with open(os.path.join(FOLDER, "list"), "wb") as file:
        file.write(b"\0".join(NAMES) + b"\0")
    arguments = ["-q", "-c", "./classes.json", "--severity", "not-a-label-file=warning", "-0", "--files-from", "list"]
    outputs = [a for form in FORMS for a in ("-o", form + ":out." + form)]
    audit(*arguments, *outputs, "-f", "none")
    texts = {}
    for form in FORMS:
        with open(os.path.join(FOLDER, "out." + form), "rb") as file:
            texts[form] = expect_inert(form, file.read())
        if form not in ("json", "jsonl", "html"):  # those have the time in them
            same = audit(*arguments, "-f", form)
            check(same == texts[form].encode(), form, "differs between -f and -o")
    report = json.loads(texts["json"])
    check_json(report, texts["jsonl"])
    check_sarif(texts["sarif"], report)
    check_junit(texts["junit"], report)
    check_gitlab(texts["gitlab"], report)
    check_github(texts["github"], report)
    check_one_github_annotation()
    check_csv(texts["csv"])
    check_markdown(texts["markdown"])
    check_html(texts["html"], report)


def check_flood():
    """More findings than SARIF takes, of a trifle, and one of each of two other rules that sort behind them."""
    folder = os.path.join(FOLDER, "flood")
    os.mkdir(folder)
    for i in range(5200):
        with open(os.path.join(folder, "%04d.png" % i), "wb"):
            pass
    with open(os.path.join(folder, "z.png"), "wb") as file:
        file.write(b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n")
    log = json.loads(audit("-q", "-c", "2", "--severity", "empty-file=info,missing-class=warning", "-f", "sarif", "flood"))
    results = log["runs"][0]["results"]
    check(len(results) <= 5000, "flood:", len(results), "results")
    check(results[0]["ruleId"] == "git-lfs-pointer" and {r["ruleId"] for r in results} >= {"git-lfs-pointer", "empty-file"}, "flood: rules")
    check(log["runs"][0]["properties"]["truncated"] is True, "flood: says so")
    listed = sum(r["ruleId"] == "empty-file" for r in results) - 1
    check(any(r["message"]["text"].startswith("%d more findings" % (5200 - listed)) for r in results), "flood: how many more")
    text = audit("-q", "-c", "2", "--severity", "empty-file=info,missing-class=warning", "-f", "html", "flood").decode()
    page = page_of(text, "flood, html:")
    groups = re.findall('<details class="group" id="findings-([a-z-]+)"[^>]*>\n<summary><h3><span class="level ([a-z]+)"', text)
    check(groups[0] == ("git-lfs-pointer", "error") and ("empty-file", "info") in groups, "flood, html:", groups)
    check(text.count("\n<li><div>") == 51 and "5,150 more" in page.text, "flood, html: rows")


def check_step_summary():
    """Appended, and never over 1 MiB with what is there."""
    path = os.path.join(FOLDER, "summary.md")
    for size in 0, 5000, (1 << 20) - 3000, (1 << 20) - 300, 1 << 20, (1 << 20) + 5:
        with open(path, "wb") as file:
            file.write(b"x" * size)
        audit("-q", "-c", "2", "-f", "github", "flood", GITHUB_STEP_SUMMARY=path)
        with open(path, "rb") as file:
            text = file.read()
        check(text[:size] == b"x" * size, "summary: what was there")
        check(len(text) == size if size >= 1 << 20 else len(text) < 1 << 20, "summary:", len(text), "bytes")
        if size <= (1 << 20) - 3000:
            check(b"\n## labelaudit: FAIL\n" in b"\n" + text[size:], "summary: the verdict, behind", size)
        expect_inert("summary", text)
    whole = 0
    for size in range((1 << 20) - 1200, 1 << 20, 7):  # whatever part fits is whole, and all of the room is used
        with open(path, "wb") as file:
            file.write(b"x" * size)
        audit("-q", "-c", "2", "-f", "github", "flood/z.png", GITHUB_STEP_SUMMARY=path)
        written = os.path.getsize(path) - size
        whole = max(whole, written)
        check(size + written < 1 << 20, "summary:", written, "bytes behind", size)
        check(written == whole or size + whole >= 1 << 20, "summary: room not used behind", size)
    check(200 < whole < 1200, "summary: a small one has", whole)
    os.remove(path)
    audit("-q", "-c", "2", "-f", "json", "flood", GITHUB_STEP_SUMMARY=path)
    check(not os.path.exists(path), "summary: without the form github")
    audit("-q", "-c", "2", "-f", "none", "-o", "github:out", "flood", GITHUB_STEP_SUMMARY=path)
    check(os.path.exists(path), "summary: with -o github:")


def strings_of(value):
    """All strings of a JSON value that people read."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, v in value.items():
            if key in ("text", "description", "check_name"):
                yield from strings_of(v)
            elif not isinstance(v, str):
                yield from strings_of(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings_of(v)


def check_foreign_report():
    """A report that somebody else has written is no more trusted than a file: its texts are as inert as names."""
    hostile = ["esc\x1b[31m\x9b1m\x07", "new\nline\r::error::x", "\n::error::x", "bidi\u202e\u2066", "##[error]x", "##vso[task.x]y", "line\u2028\u2029",
               "<script>alert(1)</script><img src=x onerror=alert(1)>", "]]>", "[x](javascript:alert(1))", "a|b`c``d`", "\ufffe\ufeff\u200b", "=1+1", "50 %0A::x"]
    folder = os.path.join(FOLDER, "foreign")
    os.mkdir(folder)
    for i in range(2 * len(hostile)):
        open(os.path.join(folder, "%04d.png" % i), "wb").close()
    report = json.loads(audit("-q", "-c", "24", "-f", "json", "--fail-on", "never", "foreign"))
    texts = [(None, text) for text in hostile] + [(text, text) for text in hostile]
    for finding, (path, text) in zip([f for f in report["findings"] if f["path"]], texts):
        finding.update(path=path or finding["path"], member=text if path else None, message=text, advice=text)
    report["classes"] = [dict(c, name=hostile[i % len(hostile)]) for i, c in enumerate(report["classes"])]
    path = os.path.join(FOLDER, "foreign.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(report, f)
    for form in ("text", "concise", "json", "sarif", "junit", "github", "gitlab", "html", "csv", "markdown"):
        text = expect_inert(form, audit("render", "-q", "-f", form, path))
        check(len(text) > 100, form, "of a foreign report: is empty")
        if form == "markdown":
            text = re.sub("`[^`\n]*`", "", text)  # paths are code, in which nothing is markup
        if form in ("junit", "html", "markdown"):
            check("<script>alert" not in text and "<img src=x" not in text, form, "of a foreign report: has markup")
        # in messages; names of members stand elsewhere as they are, where nothing renders them
        links = [x for x in (strings_of(json.loads(text)) if form == "sarif" else [text]) if re.search(r"(?<!\\)\]\(javascript", x)]
        check(form not in ("sarif", "markdown") or not links, form, "of a foreign report: has a link", links)
        if form in ("sarif", "gitlab"):
            for string in strings_of(json.loads(text)):
                expect_inert(form, string.encode())
        if form == "github":
            commands = [c for c in map(runner_command, text.split("\n")) if c]
            for line in text.split("\n"):
                check(not line.startswith("::") or "%" not in re.sub("%(25|0A|0D|2C|3A)", "", line), "github: a bare %", line)
            check({c[0] for c in commands} <= {"error", "warning", "notice"} and len(commands) == 10, "github of a foreign report:", len(commands))
    os.remove(path)


check_names()
check_html_of_masks()
check_flood()
check_foreign_report()
check_step_summary()
finish()
