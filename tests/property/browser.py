"""What tests/property/browser.sh says.

usage: browser.py PROGRAM BROWSER FOLDER [AXE]     FOLDER: empty; AXE: axe.min.js of axe-core

The browser is driven through its own pipe (--remote-debugging-pipe): messages of the DevTools protocol, a NUL behind each.
"""
import base64
import json
import os
import select
import subprocess
import sys
import time

from checks import check, finish

PROGRAM, BROWSER, FOLDER = sys.argv[1:4]
AXE = sys.argv[4] if len(sys.argv) > 4 else None
SECONDS = 60  # a machine under load starts a browser slowly


class Browser:
    def __init__(self):
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                 "--user-data-dir=" + os.path.join(FOLDER, "profile"), "--window-size=1200,900", "about:blank"]
        shell = 'exec "$0" "$@" 3<&%d 4>&%d' % (command_read, answer_write)
        self.process = subprocess.Popen(["bash", "-c", shell, BROWSER] + flags, pass_fds=(command_read, answer_write),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.ask(domain + ".enable")

    def message(self):
        until = time.monotonic() + SECONDS
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser is silent")
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.commands, json.dumps(question).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        self.events = []
        self.ask("Page.navigate", url="file://" + path)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def value(self, expression):
        """Of an expression, or of what a promise becomes."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + str(answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def press(self, selector):
        """As a finger does: whatever lies at the middle of the element gets it."""
        x, y = self.value("(function () { var e = document.querySelector(%s); e.scrollIntoView({block: 'center'}); var r = "
                          "e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()" % json.dumps(selector))
        for kind in "mousePressed", "mouseReleased":
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector, text):
        self.press(selector)
        self.ask("Input.insertText", text=text)

    def key(self, name):
        code = {"Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Tab": 9}[name]
        text = {"text": "\r"} if name == "Enter" else {}
        for kind in "keyDown", "keyUp":
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                     **(text if kind == "keyDown" else {}))

    def becomes_true(self, expression):
        """Following a link is told to the page some time later."""
        until = time.monotonic() + SECONDS
        while not self.value(expression):
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def complaints(self):
        self.value("0")  # what came before it has arrived
        return [e for e in self.events if e["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]

    def requests(self):
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [u for u in urls if not u.startswith("data:")]

    def picture(self, name):
        folder = os.environ.get("LABELAUDIT_SCREENSHOTS")
        if folder:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1}
            data = self.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
        except (EOFError, TimeoutError, RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


SEEN = ".filter(function (e) { return e.getClientRects().length > 0; })"
SHOWN = "Array.from(document.querySelectorAll('.list li'))" + SEEN
BARS = "Array.from(document.querySelectorAll('rect.%s'))" + SEEN
WIDTHS = 390, 768, 1400
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def audit(*arguments):
    run = subprocess.run([PROGRAM, "-q", "-f", "none", *arguments], cwd=FOLDER, check=False, capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit("exit status %d: %s" % (run.returncode, run.stderr))


def check_quiet(browser, page):
    check(not browser.complaints(), "the console says", browser.complaints()[:2])
    check(browser.requests() == ["file://" + page], "asked for", browser.requests())


def narrow(browser, words="", rule=""):
    """Fills in the filter, as a reader does."""
    browser.value("document.getElementById('filter').reset()")
    if words:
        browser.type("#filter-words", words)
    browser.value("document.getElementById('filter-rule').value = %s; document.getElementById('filter').dispatchEvent(new Event('input'));"
                  % json.dumps(rule))


def check_scripts(browser, page, report):
    browser.open(page)
    total = report["findings_total"]
    title = browser.value("document.title")
    check(title.startswith("FAIL: ") and report["run"]["started"][:10] in title and "masks" in title, "title", title)
    check(browser.value(SHOWN + ".length") == total, "all findings are shown")
    check(browser.value("getComputedStyle(document.querySelector('.banner')).borderLeftWidth") == "8px", "the style is let in")
    # the scale
    check(browser.value((BARS % "linear") + ".length") > 20 and browser.value((BARS % "logarithm") + ".length") == 0, "linear")
    browser.press("label[for=log]")
    check(browser.value((BARS % "linear") + ".length") == 0 and browser.value((BARS % "logarithm") + ".length") > 20, "logarithmic")
    # the filter
    browser.press("#filter input[value=warning]")
    warnings = sum(f["level"] == "warning" for f in report["findings"])
    check(browser.value(SHOWN + ".length") == total - warnings, "without warnings")
    check(browser.value("document.getElementById('filter-shown').textContent") == "%d of %d listed" % (total - warnings, total), "count")
    browser.type("#filter-words", "STRAY range")
    texts = browser.value(SHOWN + ".map(function (r) { return r.querySelector('code').textContent; })")
    check(texts == [f["path"] for f in report["findings"] if f["path"] and "stray" in f["path"] and f["level"] != "warning"], "words", texts)
    check(browser.value("document.getElementById('filter-none').hidden"), "no hint where something fits")
    narrow(browser, "there is no such word")
    check(browser.value(SHOWN + ".length") == 0 and not browser.value("document.getElementById('filter-none').hidden"), "a hint")
    browser.press("#filter button[type=reset]")
    check(browser.becomes_true("%s.length === %d" % (SHOWN, total)), "cleared")
    narrow(browser, rule="out-of-range-id")
    check(browser.value(SHOWN + ".length") == sum(f["rule"] == "out-of-range-id" for f in report["findings"]), "one rule")
    narrow(browser)
    # sorting
    browser.press("#rules th:nth-child(1) button")
    counts = browser.value("Array.from(document.querySelectorAll('#rules tbody tr')).map(function (r) { return Number(r.cells[0].textContent); })")
    check(counts == sorted(counts), "sorted by number", counts)
    # an explanation opens when it is followed
    browser.press("#rules tbody a[href='#rule-out-of-range-id']")
    check(browser.becomes_true("document.getElementById('rule-out-of-range-id').open"), "the explanation opens")
    check_quiet(browser, page)


def check_pictures(browser, page):
    """The lightbox: by mouse and by keyboard; Escape closes it, and the focus is where it was. Findings and pictures lead to each other."""
    browser.open(page)
    sizes = browser.value("Array.from(document.querySelectorAll('figure img')).map(function (i) { return [i.complete, i.naturalWidth]; })")
    count = len(sizes)
    check(count >= 5 and all(done and width == 72 for done, width in sizes), "pictures", sizes)
    is_open = "document.querySelector('dialog').open"
    counter = "document.querySelector('dialog .pager span').textContent"
    browser.value("document.querySelectorAll('.enlarge')[1].focus()")
    browser.key("Enter")
    check(browser.value(is_open) and browser.value(counter) == "2 of %d" % count, "enlarged by a key")
    check(browser.value("document.querySelector('dialog img').getBoundingClientRect().width > 600"), "large")
    check(browser.value("document.querySelector('dialog').contains(document.activeElement)"), "the focus is within")
    for _ in range(9):
        browser.key("Tab")
    check(browser.value("document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)"),
          "the focus stays within")
    browser.key("ArrowRight")
    check(browser.value(counter) == "3 of %d" % count, "the next")
    for _ in range(3):
        browser.key("ArrowLeft")
    check(browser.value(counter) == "%d of %d" % (count, count), "round")
    source = "document.querySelector('%s').src"
    check(browser.value(source % "dialog img") == browser.value(source % ("#picture-%d img" % (count - 1))), "that picture")
    browser.key("Escape")
    check(not browser.value(is_open) and browser.value("document.activeElement === document.querySelectorAll('.enlarge')[1]"), "closed, the focus kept")
    browser.press("#finding-0 a[href='#picture-0']")
    check(browser.value(is_open) and browser.value(counter) == "1 of %d" % count, "enlarged from a finding")
    browser.picture("lightbox")
    browser.press("dialog a[href='#finding-0']")
    check(not browser.value(is_open) and browser.becomes_true("location.hash === '#finding-0'"), "back to the finding")
    browser.press("#picture-1 a[href='#finding-1']")
    check(browser.becomes_true("(function () { var r = document.getElementById('finding-1').getBoundingClientRect();"
                               "return r.top > -2 && r.bottom <= innerHeight; })()"), "from a picture to its finding")
    check_quiet(browser, page)


def check_copies(browser, page):
    """A path is copied by a click, with navigator.clipboard and without."""
    browser.open(page)
    path = browser.value("document.querySelector('#finding-0 code').textContent")
    browser.value("navigator.clipboard.writeText = function (text) { window.copied = text; return Promise.resolve(); }")
    browser.press("#finding-0 button.copy")
    check(browser.value("window.copied") == path, "copied", path)
    check(browser.becomes_true("document.getElementById('copied').textContent.indexOf(%s) > 0" % json.dumps(path)), "and said")
    browser.value("Object.defineProperty(navigator, 'clipboard', {value: undefined});"
                  "document.execCommand = function (what) { window.copied = what + ' ' + document.activeElement.value; return true; }")
    browser.press("#finding-1 button.copy")
    check(browser.value("window.copied") == "copy " + browser.value("document.querySelector('#finding-1 code').textContent"), "without a clipboard")
    check_quiet(browser, page)


def check_no_scripts(browser, page, report):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    check(browser.value(SHOWN + ".length") == report["findings_total"], "without scripts: all findings are shown")
    check(browser.value("document.getElementById('filter').getClientRects().length") == 0, "without scripts: no filter")
    levels = browser.value("Array.from(document.querySelectorAll('.group')).map(function (g) { return g.getAttribute('data-level'); })")
    check(levels == sorted(levels, key=("error", "warning", "info").index), "without scripts: the worst first")
    browser.press("label[for=log]")
    check(browser.value((BARS % "linear") + ".length") == 0, "without scripts: logarithmic")
    check_quiet(browser, page)


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
            browser.picture("%s-%d-%s" % (name, width, scheme))
            if axe:
                browser.value(axe + "; 0")
                faults = browser.value("axe.run({runOnly: %s}).then(function (r) { return r.violations.map(function (v) {"
                                       "return v.id + ' ' + v.nodes[0].html; }); })" % json.dumps(STANDARDS))
                check(not faults, name, width, scheme, faults)
    check(colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}, colours)
    browser.ask("Emulation.setEmulatedMedia", features=[])
    browser.ask("Emulation.clearDeviceMetricsOverride")


def check_many(browser):
    """A hundred thousand findings: the page is below 3 MB and there in two seconds; pages of fifty; the count of all."""
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
    check(os.path.getsize(page) < 3000000, "many: bytes", os.path.getsize(page))
    browser.open(page)
    loaded = browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd")
    check(0 < loaded < 2000, "many: ms", loaded)
    check(browser.value(SHOWN + ".length") <= 101, "many: rows at once")
    height = browser.value("document.documentElement.scrollHeight")
    check(height < 12000, "many: height", height)
    check(browser.value("document.querySelector('#findings-empty-file summary').textContent").split()[-2] == "100,000", "many: all are counted")
    listed = browser.value("document.getElementById('filter-shown').textContent")
    check(listed.endswith(" listed, 100,001 found") and int(listed.split()[0].replace(",", "")) > 9000, "many: listed", listed)
    ranges = "document.querySelector('#findings-empty-file .pager span').textContent"
    first = "document.querySelector('#findings-empty-file li code').textContent"
    check(browser.value(ranges).startswith("1 to 50 of "), "many: the first page", browser.value(ranges))
    browser.press("#findings-empty-file .pager button:last-child")
    check(browser.value(ranges).startswith("51 to 100 of ") and browser.value(first).endswith("frame_000050.png"), "many: the second page")
    check(browser.value("document.querySelector('#findings-empty-file').getBoundingClientRect().top < innerHeight"), "many: its head is seen")
    narrow(browser, "frame_00007")
    check(browser.value(SHOWN + ".length") == 10 and browser.value("document.querySelector('#findings-empty-file .pager').hidden"), "many: filtered")
    check(browser.value("document.documentElement.scrollHeight") < 4000, "many: a filtered page is short")
    check_quiet(browser, page)
    check_looks(browser, page, "many")


def check_clean(browser):
    """A clean set: no empty section, but samples, which enlarge."""
    clean = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/clean")
    audit("--preset", "voc", "--skip", "missing-class,only-background", "-o", "clean.html", clean)
    page = os.path.join(FOLDER, "clean.html")
    browser.open(page)
    check(browser.value("document.title").startswith("PASS: "), "clean: title")
    heads = browser.value("Array.from(document.querySelectorAll('h2')).map(function (h) { return h.textContent; })")
    check(heads == ["Samples of the masks", "Classes", "Formats and sizes", "Class weights", "Settings and run"], "clean:", heads)
    browser.press("#picture-0 .enlarge")
    check(browser.value("document.querySelector('dialog').open"), "clean: enlarged")
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
    check(browser.value("document.scripts.length + document.styleSheets.length + document.querySelectorAll('main img').length") == 2, "hostile names: elements")
    narrow(browser, "onload onerror <script>")
    browser.value("Array.from(document.querySelectorAll('button.copy')).forEach(function (b) { b.click(); })")
    check_quiet(browser, page)
    check_looks(browser, page, "hostile")


def main():
    masks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/masks")
    audit("--preset", "voc", "-o", "r.html", "-o", "r.json", masks)
    with open(os.path.join(FOLDER, "r.json"), encoding="utf-8") as file:
        report = json.load(file)
    page = os.path.join(FOLDER, "r.html")
    browser = Browser()
    try:
        check_scripts(browser, page, report)
        check_no_scripts(browser, page, report)
        check_pictures(browser, page)
        check_copies(browser, page)
        check_looks(browser, page, "masks")
        check_hostile(browser)
        check_clean(browser)
        check_many(browser)
    finally:
        browser.close()


main()
finish()
