#!/usr/bin/env -S python3
"""The HTML report in a browser: opened, clicked, and looked at, on a telephone and on a large screen;
what axe-core says of it; and with 100,000 findings.

usage: tests/property/browser.py     BUILD=dir: where the program was built. Needs python3 and Chromium.
       LABELAUDIT_CHROMIUM=FILE: that browser (chromium)
       LABELAUDIT_AXE=FILE: axe.min.js of axe-core (that of the Python package axe-playwright-python, or Debian's)
       LABELAUDIT_SCREENSHOTS=DIR: pictures of the page are left there
"""
import base64
import importlib.util
import json
import os
import shutil
import sys

import chromium
from checks import FOLDER, TESTDATA, check, finish, run, skip, skip_all

BROWSER = shutil.which(os.environ.get("LABELAUDIT_CHROMIUM", "chromium"))
SPEC = importlib.util.find_spec("axe_playwright_python")
AXES = [os.environ.get("LABELAUDIT_AXE", ""), *(os.path.join(p, "axe.min.js") for p in SPEC and SPEC.submodule_search_locations or ()),
        "/usr/share/javascript/axe-core/axe.min.js"]
AXE = next(filter(os.path.isfile, AXES), None)
SEEN = ".filter(function (e) { return e.checkVisibility({contentVisibilityAuto: true}); })"
SHOWN = "Array.from(document.querySelectorAll('.group li'))" + SEEN
WIDTHS = 360, 800, 1440
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def audit(*arguments, folder=FOLDER):
    done = run("-q", "-f", "none", *arguments, cwd=folder)
    if done.returncode not in (0, 1):
        sys.exit("exit status %d: %s" % (done.returncode, done.stderr))


def check_quiet(browser, page):
    check(not browser.complaints(), "the console says", browser.complaints()[:2])
    check(browser.requests() == ["file://" + page], "asked for", browser.requests())


def leave_picture(browser, name):
    folder = os.environ.get("LABELAUDIT_SCREENSHOTS")
    if folder:
        size = browser.ask("Page.getLayoutMetrics")["cssContentSize"]
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(browser.picture(size["width"], min(size["height"], 8000)))


def check_page(browser, page, report):
    browser.open(page)
    title = browser.value("document.title")
    check(title.startswith("FAIL: ") and report["run"]["started"][:10] in title and "masks" in title, "title", title)
    explained = sum("explained_by" in f for f in report["findings"])
    check(explained > 0 and browser.value(SHOWN + ".length") == report["findings_total"] - explained, "all findings are shown")
    browser.value("document.querySelectorAll('.group > details').forEach(function (d) { d.open = true; })")
    check(browser.value(SHOWN + ".length") == report["findings_total"], "those that another explains are folded")
    browser.open(page)
    check(browser.value("getComputedStyle(document.querySelector('.banner')).borderLeftWidth") == "8px", "the style is let in")
    check(browser.value("Array.from(document.querySelectorAll('rect'))" + SEEN + ".length") > 20, "bars")
    check(browser.value("Array.from(document.images).every(function (i) { return i.naturalWidth > 0; }) && document.images.length > 3"), "pictures")
    levels = browser.value("Array.from(document.querySelectorAll('.group > summary .level')).map(function (e) { return e.textContent; })")
    check(levels == sorted(levels, key=("error", "warning", "info").index), "the worst first")
    # a folded explanation opens; the link to what is first to look at leads there
    check(not browser.value("document.querySelector('.group details').open"), "explanations are folded")
    browser.press(".group details summary")
    check(browser.becomes_true("document.querySelector('.group details').open"), "the explanation opens")
    browser.press(".look a")
    check(browser.becomes_true("document.querySelector(location.hash).getBoundingClientRect().top < innerHeight"), "the link leads to its group")
    check_quiet(browser, page)


# Draws two images small, and returns how far a channel of theirs differs on average, of 255.
DIFFERENCE = """Promise.all(%s.map(function (data) {
  return fetch('data:image/webp;base64,' + data).then(function (r) { return r.blob(); }).then(createImageBitmap);
})).then(function (images) {
  var pixels = images.map(function (image) {
    var canvas = new OffscreenCanvas(60, 60), context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 60, 60);
    return context.getImageData(0, 0, 60, 60).data;
  }), sum = 0;
  pixels[0].forEach(function (v, i) { sum += Math.abs(v - pixels[1][i]); });
  return [images[0].width, images[0].height].join() === [images[1].width, images[1].height].join() ? sum / pixels[0].length : 255;
})"""


def check_readme(browser):
    """README's picture of the page is what scripts/screenshot-page draws now, as far as another release of the browser, with other
    fonts, draws the same."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../man/page.webp"), "rb") as file:
        old = file.read()
    page = os.path.join(FOLDER, "readme.html")
    audit(*chromium.README_COMMAND, "-o", page, folder=TESTDATA)
    new = chromium.picture_of_page(browser, page)
    browser.open("about:blank")
    for other, is_same in (new, True), (browser.picture(*chromium.README_SIZE, form="webp"), False):
        difference = browser.value(DIFFERENCE % json.dumps([base64.b64encode(data).decode() for data in (old, other)]))
        check((difference < 6) == is_same, "man/page.webp differs by", difference, "from what scripts/screenshot-page draws")


def check_looks(browser, page, name):
    """At each width, light and dark: no wider than the window, and nothing that axe finds."""
    axe = None
    if AXE:
        with open(AXE, encoding="utf-8") as file:
            axe = file.read()
    colours = {}
    for scheme in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in WIDTHS:
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
            browser.open(page)
            colours[scheme] = browser.value("getComputedStyle(document.body).backgroundColor")
            check(browser.value("document.documentElement.scrollWidth") <= width, name, "wider than", width)
            leave_picture(browser, "%s-%d-%s" % (name, width, scheme))
            if axe:
                browser.value(axe + "; 0")
                faults = browser.value("axe.run({runOnly: %s}).then(function (r) { return r.violations.map(function (v) {"
                                       "return v.id + ' ' + v.nodes[0].html; }); })" % json.dumps(STANDARDS))
                check(not faults, name, width, scheme, faults)
    check(colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}, colours)
    browser.ask("Emulation.setEmulatedMedia", features=[])
    browser.ask("Emulation.clearDeviceMetricsOverride")


def check_many(browser):
    """A hundred thousand findings: the page is below 400 KB and there in two seconds; fifty are open; the count of all."""
    folder = os.path.join(FOLDER, "many")
    for i in range(100000):
        if i % 1000 == 0:
            os.makedirs(os.path.join(folder, "scene_%03d" % (i // 1000)))
        with open(os.path.join(folder, "scene_%03d" % (i // 1000), "frame_%06d.png" % i), "wb"):
            pass
    with open(os.path.join(folder, "z.png"), "wb") as file:
        file.write(b"no image")
    audit("-c", "21", "--max-findings", "0", "-o", "many.html", "many")
    page = os.path.join(FOLDER, "many.html")
    check(os.path.getsize(page) < 400000, "many: bytes", os.path.getsize(page))
    browser.open(page)
    loaded = browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd")
    check(0 < loaded < 2000, "many: ms", loaded)
    rows = browser.value(SHOWN + ".length")
    check(rows == 51, "many: rows", rows)
    height = browser.value("document.documentElement.scrollHeight")
    check(height < 12000, "many: height", height)
    check(browser.value("document.querySelector('#findings-empty-file summary').textContent").split()[-2] == "100,000", "many: all are counted")
    check_quiet(browser, page)
    check_looks(browser, page, "many")


def check_clean(browser):
    """A clean set: no empty section."""
    clean = os.path.join(TESTDATA, "clean")
    audit("--preset", "voc", "--skip", "missing-class,only-background", "-o", "clean.html", clean)
    page = os.path.join(FOLDER, "clean.html")
    browser.open(page)
    check(browser.value("document.title").startswith("PASS: "), "clean: title")
    heads = browser.value("Array.from(document.querySelectorAll('h2')).map(function (h) { return h.textContent; })")
    check(heads == ["Classes", "What was audited", "Settings and run"], "clean:", heads)
    check_quiet(browser, page)
    check_looks(browser, page, "clean")


def check_hostile(browser):
    """Names that would run if any byte of them were markup: nothing is said, nothing is asked for."""
    folder = os.path.join(FOLDER, "names")
    os.mkdir(folder)
    for name in ("<script>document.title=1<.png", "<img src=x onerror=document.title=1>.png", "\"onload='document.title=1'.png", "<!--.png", "long_" * 40 + ".png"):
        with open(os.path.join(folder, name), "wb"):
            pass
    with open(os.path.join(FOLDER, "names.txt"), "w", encoding="utf-8") as file:
        file.write("background\n<svg onload=document.title=1>\n</style><script>document.title=1</script>\n")
    audit("-c", "names.txt", "-o", "hostile.html", "names")
    page = os.path.join(FOLDER, "hostile.html")
    browser.open(page)
    check(browser.value("document.title").startswith("FAIL: names"), "hostile names: title")
    check(browser.value(SHOWN + ".length") >= 4, "hostile names: all are listed")
    check(browser.value("document.scripts.length + document.styleSheets.length + document.querySelectorAll('main img').length") == 1, "hostile names: elements")
    check_quiet(browser, page)
    check_looks(browser, page, "hostile")


def main():
    masks = os.path.join(TESTDATA, "masks")
    audit("--preset", "voc", "-o", "r.html", "-o", "r.json", masks)
    with open(os.path.join(FOLDER, "r.json"), encoding="utf-8") as file:
        report = json.load(file)
    page = os.path.join(FOLDER, "r.html")
    browser = chromium.Browser(BROWSER, FOLDER)
    try:
        check_page(browser, page, report)
        check_readme(browser)
        check_looks(browser, page, "masks")
        check_hostile(browser)
        check_clean(browser)
        check_many(browser)
    finally:
        browser.close()


if not BROWSER:
    skip_all("no chromium")
if not AXE:
    skip("accessibility", "needs LABELAUDIT_AXE, axe.min.js of axe-core")
main()
finish()
