"""Pages in a real browser: Chromium without a window, spoken to over a pipe by its DevTools protocol."""

import json
import os
import shutil
import subprocess
from pathlib import Path

PROGRAMS = ("chromium-headless-shell", "chromium")
LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
PHONE = 360  # px

# What a reader can see to be wrong with the page.
LOOK = r"""
(() => {
  const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const parts = color => color.match(/[\d.]+/g).map(Number);
  const background = element => {
    for (; element; element = element.parentElement) {
      const color = parts(getComputedStyle(element).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
      if (color[3] > 0) throw new Error("a background that is half transparent");
    }
    return [255, 255, 255];
  };
  const contrast = (color, element) => {
    const [light, dark] = [luminance(parts(color)), luminance(background(element))].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const faint = [], broken = [];
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const element = node.parentElement, range = document.createRange();
    if (!node.data.trim() || !element.getClientRects().length) continue;
    texts += 1;
    const seen = contrast(getComputedStyle(element).color, element);
    if (seen < LEAST_CONTRAST) faint.push([node.data.trim(), seen]);
    const before = getComputedStyle(element, "::before");
    if (before.content !== "none" && contrast(before.color, element) < LEAST_CONTRAST) faint.push([before.content, 0]);
    if (element.closest(".long")) continue;
    // A line may end behind a blank, a hyphen and a slash, and where the page says <wbr>.
    for (const word of node.data.matchAll(/[^\s\/-]+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
    }
  }
  return {width: document.scrollingElement.scrollWidth, background: getComputedStyle(document.body).backgroundColor,
          texts, faint, broken, text: document.body.innerText};
})()
""".replace("LEAST_CONTRAST", str(LEAST_CONTRAST))


def browser_program():
    """The path of the browser; None where there is none."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """A browser with one page. It reads files and nothing else: it needs no script in a page and no network."""

    def __init__(self, program, folder):
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}", "about:blank"]
        started = ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", program, *options]
        self._process = subprocess.Popen(started, pass_fds=(commands, answers), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._said = b""
        self._calls = 0
        target, = (each for each in self._call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self._call("Page.enable")

    _session = None

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def look(self, page, width, scheme):
        """What LOOK finds in the file on a screen of that width, in the light or the dark scheme."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._call("Page.navigate", url=Path(page).absolute().as_uri())
        self._wait_for("Page.loadEventFired")
        seen = self._call("Runtime.evaluate", expression=LOOK, returnByValue=True)
        assert "exceptionDetails" not in seen, seen
        return seen["result"]["value"]

    def picture(self, file):
        """Writes what is seen to a PNG file, for a person."""
        import base64
        Path(file).write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))

    def _call(self, method, **parameters):
        self._calls += 1
        call = {"id": self._calls, "method": method, "params": parameters}
        if self._session:
            call["sessionId"] = self._session
        os.write(self._to, json.dumps(call).encode() + b"\0")
        while (message := self._next()).get("id") != self._calls:
            pass
        assert "error" not in message, message
        return message["result"]

    def _wait_for(self, event):
        while self._next().get("method") != event:
            pass

    def _next(self):
        while b"\0" not in self._said:
            piece = os.read(self._from, 1 << 16)
            assert piece, "the browser has ended"
            self._said += piece
        message, self._said = self._said.split(b"\0", 1)
        return json.loads(message)


def faults_of(browser, page):
    """What is wrong with a page, in sentences: [] if it is readable on a phone and on a screen, in both schemes."""
    faults = []
    for width, scheme in ((PHONE, "light"), (PHONE, "dark"), (800, "light"), (1280, "dark")):
        seen = browser.look(page, width, scheme)
        where = f"at {width} px, {scheme}"
        if seen["width"] > width:
            faults.append(f"{where}: {seen['width']} px wide")
        if seen["texts"] == 0:
            faults.append(f"{where}: no text")
        is_dark = sum(map(int, seen["background"][4:-1].split(",")[:3])) < 384 if seen["background"].startswith("rgb(") else False
        if is_dark != (scheme == "dark"):
            faults.append(f"{where}: the background is {seen['background']}")
        faults += [f"{where}: contrast {ratio:.2f}: {text}" for text, ratio in seen["faint"]]
        faults += [f"{where}: broken inside: {word}" for word in seen["broken"]]
    return faults
