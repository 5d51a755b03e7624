#!/bin/bash
# The wheel and the source distribution, as Python's tools see them: pip, build, twine, auditwheel; the package, installed, by mypy, with
# NumPy, pandas, Pillow and pytest.
#
# usage: tests/packaging/python.sh     BUILD=dir: where `make wheel sdist` was run
# Functions are called through check().
# shellcheck disable=SC2317,SC2016
set -uo pipefail
# shellcheck source=tests/packaging/common.bash
. "$(dirname "$0")/common.bash"

need python3
package 'labelaudit-*.whl' 'no static libraries, or sanitizers'
wheel=$file
package "labelaudit-$version.tar.gz" 'no python3'
client_environment='clients-python' # the package is installed into it, and others use the program of the build
clients mypy pytest numpy pandas pillow build twine auditwheel pyarrow h5py zarr tifffile nibabel
python=$clients/python
export PYTHONDONTWRITEBYTECODE=1
pip() {
	"$python" -m pip --disable-pip-version-check "$@"
}

check 'twine' "$clients/twine" check --strict "$wheel" "$file"
tag=${wheel##*-}
check 'auditwheel' says 0 "tag: \"${tag%.whl}\"" "$clients/auditwheel" show "$wheel"

check 'pip install' pip install --no-index --no-deps --force-reinstall "$wheel"
export PATH=$clients:$PATH
cd "$root/testdata" || exit 1
check '__version__' says 0 "^$version\$" "$python" -c 'import labelaudit; print(labelaudit.__version__)'
check 'the package' "$python" "$root/tests/packaging/python_api.py"
check 'batches' "$python" "$root/tests/packaging/python_batches.py"
check 'sources' "$python" "$root/tests/packaging/python_sources.py"
check 'docs/python.md' "$python" "$root/tests/packaging/python_docs.py" "$folder/test_docs.py"

# Types: of the package, and as those see it who use it.
check 'mypy --strict' "$clients/mypy" --strict --cache-dir "$folder/mypy" "$root/packaging/python/labelaudit"
cat >"$folder/user.py" <<'PYTHON'
import labelaudit

report = labelaudit.audit("masks/", classes=21, ignore=[255], jobs=1)
weights: "tuple[float | None, ...]" = report.weights.median_frequency
reveal_type(report.findings[0].path)
reveal_type(labelaudit.check(object(), classes=range(21)))
reveal_type(labelaudit.__version__)
report.ok = True
labelaudit.audit("masks/", classes=1.5)
PYTHON
typed() {
	"$clients/mypy" --strict --cache-dir "$folder/mypy" "$folder/user.py" >"$folder/types"
	cat "$folder/types"
	grep -q 'note: Revealed type is ".*str | None"' "$folder/types" && grep -q 'note: Revealed type is ".*str"' "$folder/types" &&
		grep -q 'error: Property "ok" .* is read-only' "$folder/types" && grep -q '"float"; expected ' "$folder/types" &&
		[[ $(grep -c ' error: ' "$folder/types") -le 3 ]] && ! grep -E 'missing library stubs|py.typed' "$folder/types"
}
check 'its types are known to users' typed

# The fixture comes with the package, without a line in conftest.py.
pytest() {
	(cd "$root/testdata" && PYTHONPATH=$root/tests/packaging "$python" -m pytest -p no:cacheprovider -q --rootdir "$folder" "$@")
}
check 'pytest: the examples' says 0 '2 passed' pytest "$folder/test_docs.py"
cat >"$folder/test_bad.py" <<'PYTHON'
from python_batches import Interface


def test_masks(labelaudit):
    labelaudit("masks/", classes=21, ignore=255)


def test_batch(labelaudit):
    labelaudit.check(Interface([0, 21], "|u1", (2,)), classes=21)
PYTHON
check 'pytest: findings fail' says 1 'masks/stray-id-21.png: error out-of-range-id' pytest "$folder/test_bad.py"
check 'pytest: the verdict' says 1 'labelaudit.Report: fail, 11 errors' pytest "$folder/test_bad.py"
check 'pytest: a batch' says 1 'have? id 21; valid ids are 0-20|has id 21; valid ids are 0-20; the first is 21 at \[1\]' pytest "$folder/test_bad.py"
check 'pytest: both' says 1 '2 failed' pytest "$folder/test_bad.py"

# Images of Pillow, of every mode that holds ids.
check 'Pillow' "$python" - <<'PYTHON'
import labelaudit, PIL.Image as I
for mode in ("L", "P", "1", "I"):
    image = I.new(mode, (4, 3))
    labelaudit.check(image, classes=2)
    image.putpixel((3, 1), 1)
    try:
        labelaudit.check(image, classes=1)
        raise SystemExit(mode)
    except labelaudit.LabelError as error:
        assert (error.id, error.index) == (1, (1, 3)), (mode, error)
PYTHON

# The project's address is what HOMEPAGE says, in what is made of the source distribution, too; without it none is named.
address() {
	mkdir "$folder/address" && cd "$root" && HOMEPAGE=https://example.org/x/ "$python" packaging/backend.py sdist "$folder/address" &&
		tar -C "$folder/address" -xzf "$folder/address/${file##*/}" && cd "$folder/address/labelaudit-$version" && "$python" packaging/backend.py sdist .. &&
		tar -xzOf "../${file##*/}" "labelaudit-$version/PKG-INFO" | grep -x 'Project-URL: Source, https://example.org/x' &&
		! tar -xzOf "$file" "labelaudit-$version/PKG-INFO" | grep '^Project-URL'
}
check 'HOMEPAGE' address

# The source distribution builds where there is no repository: as a package, and as an installation that stays where it is.
export LABELAUDIT_MAKE='CUDA=0 OPTIMISE=-O0 CFLAGS='
tar -C "$folder" -xzf "$file"
elsewhere=$folder/labelaudit-$version
build_again() {
	cd "$elsewhere" && "$python" -m build --no-isolation --outdir "$folder/built" . && "$clients/twine" check --strict "$folder/built/"*
}
check 'python -m build' build_again
check 'the same source distribution' cmp "$file" "$folder/built/${file##*/}"
check 'pip install of what it built' pip install --no-index --no-deps --force-reinstall "$folder/built/"*.whl
check 'its report' same_report "$clients/labelaudit"
check 'pip install -e' pip install --no-index --no-deps --force-reinstall -e "$elsewhere"
check 'its program stays there' says 0 "$elsewhere/build/labelaudit" cat "$clients/labelaudit"
check 'and so does its package' says 0 "^$elsewhere/packaging/python/labelaudit/__init__.py" "$python" -c 'import labelaudit; print(labelaudit.__file__)'
check 'the report' same_report "$python" -m labelaudit
pip uninstall -q -y labelaudit >"$folder/log" 2>&1
total
