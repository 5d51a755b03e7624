"""Chromium, driven through its own pipe (--remote-debugging-pipe): messages of the DevTools protocol, a NUL behind each."""
import base64
import json
import os
import select
import subprocess
import time

SECONDS = 60  # a machine under load starts a browser slowly


class Browser:
    def __init__(self, program, folder):
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                 "--user-data-dir=" + os.path.join(folder, "profile"), "--window-size=1200,900", "about:blank"]
        shell = 'exec "$0" "$@" 3<&%d 4>&%d' % (command_read, answer_write)
        self.process = subprocess.Popen(["bash", "-c", shell, program] + flags, pass_fds=(command_read, answer_write),
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
        self.ask("Page.navigate", url=path if ":" in path else "file://" + path)
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

    def picture(self, width, height, form="png"):
        """The top left part of the page."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True, format=form)["data"])

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


README_COMMAND = "--preset", "voc", "--select", "range", "masks/grey-4-bit.png", "masks/stray-id-21.png", *("masks/scene-0%d.png" % n for n in range(1, 9))
README_SIZE = 1000, 1900


def picture_of_page(browser, page):
    """The head of a page, as README's picture: WebP, which takes a third of the bytes of a PNG."""
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.ask("Emulation.setDeviceMetricsOverride", width=README_SIZE[0], height=README_SIZE[1], deviceScaleFactor=1, mobile=False)
    browser.open(page)
    picture = browser.picture(*README_SIZE, form="webp")
    browser.ask("Emulation.clearDeviceMetricsOverride")
    browser.ask("Emulation.setEmulatedMedia", features=[])
    return picture
