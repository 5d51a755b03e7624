#!/usr/bin/env -S python3 -SE
"""Pastes the Python of each remedy, and audits what it made.

usage: tests/property/remedies.py     BUILD=dir: where the program was built; LABELAUDIT_PYTHON: one with NumPy, Pillow and OpenCV

For every rule whose advice holds Python, the files in testdata/rules/RULE/fires are cured as the advice says, with NumPy, Pillow and
OpenCV; then the rule must be silent, and no error be left. Options are those of tests/cli/rules.case.
"""
import ast, glob, json, os, re, shutil, subprocess, tempfile

from checks import BUILD, FOLDER, ROOT, TESTDATA, check, finish, need_modules, run

need_modules("cv2", "numpy", "PIL")
import cv2
import numpy as np
from PIL import Image

# Not cured by the Python in the advice, each with the reason. An entry that no finding has, or whose advice holds no Python, fails.
REDRAWN = "the pixels are lost: the advice shows how to resize the source, which is not there"
NOT_CURED = {
    "inconsistent-palette/": "the advice loads the masks in colours, which then need a table (--colors)",
    "interpolated-mask/bilinear-2x.npy": REDRAWN,
    "interpolated-mask/bilinear-2x.png": REDRAWN,
    "interpolated-mask/bilinear-3x.png": REDRAWN,
    "suspected-interpolation/rim-of-1.png": REDRAWN,
    "lossy-format/photo.png": "only the head of a JPEG; those of two levels are below",
    "nan-labels/missing.npy": "the advice finds the places of NaN; somebody must decide what they are",
    "palette-luma-ids/voc-as-grey.png": "the indices are lost: the advice loads the source's palette, which is not there",
    "wrong-dtype/objects.npy": "a header without a pickle behind it",
}
# Options that the advice changes, too: removed, added.
OPTIONS = {
    "foreground-is-ignored": (["-i", "255"], []),
    "wrapped-negative-ids": ([], ["-i", "255"]),
    "one-hot-mask/planes.npy": (["-c", "3"], ["-c", "4"]),
    "one-hot-mask/rows.npy": (["-c", "3"], ["-c", "4"]),
}
START = re.compile(r"(?<![\w.'])(?:mask\b|ids\b|np\.|Image\.|rgb = |im = |m = |cv2\.|\()")


def does_something(statement):
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, (ast.Call, ast.BinOp, ast.Subscript))
    return isinstance(statement, (ast.Assign, ast.AugAssign))


def python_of(advice):
    """The longest part of the advice that is Python and does something, or None."""
    best = ""
    for start in START.finditer(advice):
        for end in range(len(advice), start.start() + len(best), -1):
            code = advice[start.start():end].rstrip(" ,;")
            try:
                body = ast.parse(code).body
            except (SyntaxError, ValueError):
                continue
            if all(map(does_something, body)) and re.search(r"np\.|Image\.|mask\[|(mask|ids) //|cv2\.", code):
                best = max(best, code, key=len)
                break
    inner = re.fullmatch(r"\((mask.*)\)", best)
    return inner[1] if inner else best or None


def load(path):
    return np.load(path, allow_pickle=False) if path.endswith(".npy") else np.array(Image.open(path))


def write(path, ids):
    if path.endswith(".npy"):
        np.save(path, ids)
        return
    if ids.dtype not in (np.uint8, np.uint16):
        ids = ids.astype(np.uint8 if ids.max() < 256 else np.uint16)
    Image.fromarray(ids).save(path)


def cure(path, code, colours):
    """Runs the code on one file, as somebody would who pastes it."""
    room = {"np": np, "Image": Image, "cv2": cv2, "f": path}
    if re.search(r"\b(mask|ids)\b", code):
        try:
            room["mask"] = load(path)
            room["ids"] = room["mask"]
        except ValueError:  # objects
            pass
    body = ast.parse(code).body
    last = body[-1]
    if isinstance(last, ast.Expr) and not re.search(r"save\(f", code):
        body[-1] = ast.Assign(targets=[ast.Name("result_", ast.Store())], value=last.value)
    exec(compile(ast.fix_missing_locations(ast.Module(body, [])), path, "exec"), room)
    for colour, class_id in re.findall(r"#([0-9a-f]{6}) -> (\d+)", colours):
        rgb = tuple(int(colour[i:i + 2], 16) for i in (0, 2, 4))
        exec(f"ids[(rgb == {rgb}).all(-1)] = {class_id}", room)
    if re.search(r"save\(f", code):
        return
    target = last.targets[0] if isinstance(last, ast.Assign) else getattr(last, "target", None)
    while isinstance(target, ast.Subscript):
        target = target.value
    write(path, room["result_" if target is None else target.id])


def audit(options, paths):
    done = run("-q", "--no-config", "-f", "json", "--fail-on", "never", *options, *paths)
    return json.loads(done.stdout) if done.stdout else {"findings": [{"rule": "none", "level": "error", "message": done.stderr}]}


def options_of(rule):
    """As tests/cli/rules.case has them."""
    with open(os.path.join(ROOT, "tests/cli/rules.case"), encoding="utf-8") as f:
        return dict(re.findall(r"\[([a-z-]+)\]='([^']*)'", f.read())).get(rule, "-c 4 -i 255").split()


def examples(room):
    """(rule, options, folder): those of testdata, and some that it does not have."""
    for folder in sorted(glob.glob(os.path.join(TESTDATA, "rules/*/fires"))):
        rule = folder.split("/")[-2]
        options = options_of(rule)
        if not any("/" in option for option in options):
            yield rule, options, folder
    ids = np.zeros((60, 80), np.uint8)
    ids[10:40, 10:40] = 1
    ids[30:50, 30:70] = 2
    ids[:5] = 255
    binary = (ids == 1).astype(np.uint8)
    white = Image.fromarray(binary * 255, "L")
    white = Image.frombytes("P", white.size, white.tobytes())
    white.putpalette(bytes([255]) * 768)
    alone = np.zeros((*ids.shape, 3), np.uint8)
    alone[..., 0] = np.minimum(ids, 2)
    colours = ["--colors", "0=#000000,1=#800000,2=#008000,3=#c0c0c0"]
    swapped = Image.fromarray(np.minimum(ids, 3), "P")
    swapped.putpalette(bytes([0, 0, 0, 0, 0, 128, 0, 128, 0, 192, 192, 192]))
    for number, (rule, options, image, extra) in enumerate((
        ("mask-in-alpha", ["-c", "2"], white, {"transparency": bytes(range(256))}),
        ("scaled-ids", ["-c", "3", "-i", "255"], Image.fromarray(np.where(ids == 255, ids, ids * 20)), {}),
        ("replicated-channels", ["-c", "2"], Image.merge("RGB", [Image.fromarray(binary * 255)] * 3), {}),
        ("color-mask", ["-c", "3"], Image.fromarray(alone), {}),
        ("foreground-is-ignored", ["-c", "2", "-i", "255"], Image.fromarray(binary * 255), {}),
        ("out-of-range-id", colours, swapped, {}),
        ("out-of-range-id", colours, swapped.convert("RGB"), {}),
        ("mask-in-alpha", ["-c", "2"], Image.merge("RGBA", [Image.new("L", ids.shape[::-1])] * 3 + [Image.fromarray(binary * 255)]), {}),
    )):
        folder = os.path.join(room, str(number), rule)
        os.makedirs(folder)
        for i in range(3):
            image.save(os.path.join(folder, f"{i}.png"), **extra)
        yield rule, options, folder


cured, skipped = 0, set()
for rule, options, folder in examples(FOLDER):
    findings = [f for f in audit(options, [folder])["findings"] if f["rule"] == rule]
    for finding in findings:
        code = python_of(finding.get("advice") or "")
        name = f"{rule}/{os.path.basename(finding['path'])}" if finding["path"] else f"{rule}/"
        if not code:
            continue
        if name in NOT_CURED:
            skipped.add(name)
            continue
        with tempfile.TemporaryDirectory() as room:
            sources = [finding["path"]] if finding["path"] else sorted(glob.glob(os.path.join(folder, "**/*.*"), recursive=True))
            paths = [shutil.copy(p, room) for p in sources]
            try:
                for path in paths:
                    cure(path, code, finding["details"].get("map", ""))
            except Exception as e:  # the remedy does not run
                check(False, name, code, type(e).__name__, e)
                continue
            removed, added = OPTIONS.get(name, OPTIONS.get(rule, ([], [])))
            after = [o for o in options if o not in removed] + added
            left = [f for f in audit(after, [room])["findings"] if f["rule"] == rule or f["level"] == "error"]
            cured += check(not left, name, code, "then", left and (left[0]["rule"], left[0]["message"]))


def commands(room):
    """(folder, options, rule, options of the audit after it): sets whose remedy is a command, run as it is printed."""
    rng = np.random.default_rng(3)
    voc = Image.new("P", (1, 1))
    table = [sum((i >> (3 * bit + k) & 1) << (7 - bit) for bit in range(8)) for i in range(256) for k in range(3)]
    voc.putpalette(table)
    for name in ("colours", "numbers", "masks", "corners/labels"):
        os.makedirs(os.path.join(room, name))
    for i in range(12):
        ids = np.zeros((60, 80), np.uint8)
        for k in range(4):
            ids[k * 12:k * 12 + 9, 5:60] = 1 + (4 * i + k) % 20
        ids[-3:] = 255
        rgb = np.array(table, np.uint8).reshape(256, 3)[ids]
        rgb[ids == 255] = (224, 224, 192)
        Image.fromarray(rgb).save(f"{room}/colours/{i}.png")
        n = int(rng.integers(4, 30))
        Image.fromarray((np.arange(4800) // 40 % (n + 1)).reshape(60, 80).astype(np.uint16)).save(f"{room}/numbers/{i}.png")
        Image.fromarray(((ids > 0) * 255).astype(np.uint8)).save(f"{room}/masks/{i}.jpg")
        with open(f"{room}/corners/labels/{i}.txt", "w", encoding="ascii") as f:
            for k in range(4):
                f.write(f"{k % 3} {.5 + .02 * k} {.6 - .02 * i} 0.9{k} 0.95\n")
    shutil.copytree(f"{room}/corners", f"{room}/corners-copy")
    yield "colours", ["-c", "21", "-i", "255"], "color-mask", ["-c", "21", "-i", "255"]
    yield "colours", ["-c", "21"], "color-mask", ["-c", "21", "-i", "255"]
    yield "numbers", ["-c", "2"], "out-of-range-id", ["-c", "2"]
    yield "corners", ["-c", "3"], "box-numbers", ["-c", "3"]


def run_commands(room):
    path = {**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]}
    for folder, options, rule, after in commands(room):
        done = run("-q", "--no-config", "-f", "json", *options, folder, cwd=room)
        causes = [c for c in json.loads(done.stdout)["diagnosis"] if c["cause"] == rule]
        if not check(causes and causes[0].get("remedy"), folder, "no cause", rule, done.stdout[-500:]):
            continue
        command = causes[0].get("command")
        python = re.search(r"python3 -c \".*\" PATH", causes[0]["remedy"])
        if not check(command or python, folder, causes[0]):
            continue
        result = f"{folder}-copy" if not command else f"{folder}-fixed"
        shutil.rmtree(f"{room}/{folder}-fixed", ignore_errors=True)
        line = command or python[0].replace(" PATH", " " + result)
        ran = subprocess.run(["sh", "-c", line], cwd=room, capture_output=True, env=path, check=False, timeout=60)
        left = json.loads(run("-q", "--no-config", "-f", "json", *after, result, cwd=room).stdout)["findings"]
        check(ran.returncode == 0 and not [f for f in left if f["level"] == "error"], folder, line, ran.stderr, left[:2])
    # a lossy file of two levels, saved as PNG
    advice = {f["advice"] for f in audit(["-c", "2"], [f"{room}/masks"])["findings"] if f["rule"] == "lossy-format"}
    code = re.search(r"\(np.*", advice.pop())[0]
    for path in glob.glob(f"{room}/masks/*.jpg"):
        Image.fromarray(eval(code, {"np": np, "Image": Image, "f": path})).save(path.replace(".jpg", ".png"))  # pylint: disable=eval-used
        os.remove(path)
    left = audit(["-c", "2"], [f"{room}/masks"])["findings"]
    check(not [f for f in left if f["level"] == "error"], "masks", code, left[:2])


with tempfile.TemporaryDirectory() as room:
    run_commands(room)
for name in NOT_CURED.keys() - skipped:
    check(False, name, "is in NOT_CURED, but has no remedy that was left out")
check(cured >= 40, "only", cured, "remedies cure")
finish()
