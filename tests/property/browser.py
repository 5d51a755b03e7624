"""What tests/property/browser.sh says.

usage: browser.py PROGRAM BROWSER FOLDER     FOLDER: empty

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
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
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


ROWS = "Array.from(document.querySelectorAll('#finding-table tbody tr'))"
SHOWN = ROWS + ".filter(function (r) { return r.getClientRects().length > 0; })"
BARS = "Array.from(document.querySelectorAll('rect.%s')).filter(function (r) { return r.getClientRects().length > 0; })"


def audit(*arguments):
    run = subprocess.run([PROGRAM, "-q", "-f", "none", *arguments], cwd=FOLDER, check=False, capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit("exit status %d: %s" % (run.returncode, run.stderr))


def check_quiet(browser, page):
    check(not browser.complaints(), "the console says", browser.complaints()[:2])
    check(browser.requests() == ["file://" + page], "asked for", browser.requests())


def check_scripts(browser, page, report):
    browser.open(page)
    total = report["findings_total"]
    check(browser.value("document.title") == "labelaudit: FAIL", "title")
    check(browser.value(SHOWN + ".length") == total, "all findings are shown")
    check(browser.value("getComputedStyle(document.querySelector('.banner')).borderLeftWidth") == "8px", "the style is let in")
    check(browser.value("document.body.scrollWidth <= innerWidth"), "no wider than the window")
    # pictures
    sizes = browser.value("Array.from(document.images).map(function (i) { return [i.complete, i.naturalWidth]; })")
    check(len(sizes) >= 5 and all(done and width == 72 for done, width in sizes), "pictures", sizes)
    # the scale
    check(browser.value((BARS % "linear") + ".length") > 20 and browser.value((BARS % "logarithm") + ".length") == 0, "linear")
    browser.press("label[for=log]")
    check(browser.value((BARS % "linear") + ".length") == 0 and browser.value((BARS % "logarithm") + ".length") > 20, "logarithmic")
    # the filter
    browser.press("#filter input[value=warning]")
    warnings = sum(f["level"] == "warning" for f in report["findings"])
    check(browser.value(SHOWN + ".length") == total - warnings, "without warnings")
    check(browser.value("document.getElementById('filter-shown').textContent") == "%d of %d shown" % (total - warnings, total), "count")
    browser.type("#filter-words", "STRAY range")
    texts = browser.value(SHOWN + ".map(function (r) { return r.cells[2].textContent; })")
    check(texts == [f["path"] for f in report["findings"] if f["path"] and "stray" in f["path"] and f["level"] != "warning"], "words", texts)
    browser.value("document.getElementById('filter-words').value = ''; document.getElementById('filter-rule').value = 'out-of-range-id';"
                  "document.getElementById('filter').dispatchEvent(new Event('input'));")
    check(browser.value(SHOWN + ".length") == sum(f["rule"] == "out-of-range-id" for f in report["findings"]), "one rule")
    browser.value("document.getElementById('filter-rule').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'));")
    # sorting
    order = ROWS + ".map(function (r) { return r.cells[1].textContent; })"
    for wanted in False, True:
        browser.press("#finding-table th:nth-child(2) button")
        rules = browser.value(order)
        check(rules == sorted(rules, reverse=wanted), "sorted", wanted, rules[:3])
    browser.press("#rules th:nth-child(1) button")
    counts = browser.value("Array.from(document.querySelectorAll('#rules tbody tr')).map(function (r) { return Number(r.cells[0].textContent); })")
    check(counts == sorted(counts), "sorted by number", counts)
    # an explanation opens when it is followed
    browser.press("#rules tbody a[href='#rule-out-of-range-id']")
    check(browser.becomes_true("document.getElementById('rule-out-of-range-id').open"), "the explanation opens")
    check_quiet(browser, page)


def check_no_scripts(browser, page, report):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    check(browser.value(SHOWN + ".length") == report["findings_total"], "without scripts: all findings are shown")
    check(browser.value("document.getElementById('filter').getClientRects().length") == 0, "without scripts: no filter")
    levels = browser.value(ROWS + ".map(function (r) { return r.getAttribute('data-level'); })")
    check(levels == sorted(levels, key=("error", "warning", "info").index), "without scripts: the worst first")
    browser.press("label[for=log]")
    check(browser.value((BARS % "linear") + ".length") == 0, "without scripts: logarithmic")
    check_quiet(browser, page)


def check_dark(browser, page):
    colours = {}
    for scheme in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.open(page)
        colours[scheme] = browser.value("getComputedStyle(document.body).backgroundColor")
        browser.picture(scheme)
    check(colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}, colours)
    browser.ask("Emulation.setEmulatedMedia", features=[])


def check_hostile(browser):
    """Names that would run if any byte of them were markup: nothing is said, nothing is asked for."""
    folder = os.path.join(FOLDER, "names")
    os.mkdir(folder)
    for name in ("<script>document.title=1<.png", "<img src=x onerror=document.title=1>.png", "\"onload='document.title=1'.png", "<!--.png"):
        with open(os.path.join(folder, name), "wb"):
            pass
    with open(os.path.join(FOLDER, "names.txt"), "w", encoding="utf-8") as file:
        file.write("background\n<svg onload=document.title=1>\n</style><script>document.title=1</script>\n")
    audit("-c", "names.txt", "-o", "hostile.html", "names")
    page = os.path.join(FOLDER, "hostile.html")
    browser.open(page)
    check(browser.value("document.title") == "labelaudit: FAIL", "hostile names: title")
    check(browser.value(SHOWN + ".length") >= 4, "hostile names: all are listed")
    check(browser.value("document.scripts.length + document.styleSheets.length + document.images.length") == 2, "hostile names: elements")
    check_quiet(browser, page)


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
        check_dark(browser, page)
        check_hostile(browser)
    finally:
        browser.close()


main()
finish()
