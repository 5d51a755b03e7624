#!/usr/bin/env -S python3 -SE
"""Pastes the command that unread-format gives for each format, and audits what it wrote.

usage: tests/property/conversions.py     BUILD=dir: where the program was built; LABELAUDIT_PYTHON: a Python with NumPy and Pillow

Small sets of each format are written, in the forms that their tools write. The audit must name the format and nothing else; its
command runs with the set's folder, and then the audit of that folder must pass, with as many labels as there are. Formats whose
package is not installed (nibabel, h5py, scipy, pandas, pyarrow, zarr, pydicom, SimpleITK, lmdb, cv2, tensorflow) are left out.
"""
import csv, importlib, importlib.util, io, json, os, pickle, re, shlex, sys, tempfile
from pathlib import Path

from checks import FOLDER, check, finish, need_modules, run
from made import write as write_file

need_modules("numpy", "PIL")
import numpy as np
from PIL import Image

IMAGES = 5
MASK = np.zeros((48, 64), np.uint8)
MASK[5:30, 5:30] = 1
MASK[20:44, 22:60] = 2
NAMES = [f"p_{i:03}" for i in range(IMAGES)]
POINTS = [(1.0, 2.0), (10.0, 2.5), (9.0, 12.0)]


def image(data, form, **options):
    out = io.BytesIO()
    (data if isinstance(data, Image.Image) else Image.fromarray(data)).save(out, form, **options)
    return out.getvalue()


def each(pattern, content):
    return {pattern.format(name): content(name) if callable(content) else content for name in NAMES}


def voc(name):
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    return f"<annotation><filename>{name}.jpg</filename><object><name>cat</name>{box}</object></annotation>"


def cvat(body):
    return f'<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n{body}</annotations>\n'


def cvat_images(shape):
    return cvat("".join(f'<image id="0" name="{n}.jpg" width="64" height="48">{shape}</image>\n' for n in NAMES))


def labelme(name, **more):
    shape = {"label": "cat", "points": POINTS, "shape_type": "polygon", "flags": {}}
    return json.dumps({**more, "flags": {}, "shapes": [shape], "imagePath": name + ".jpg", "imageHeight": 48, "imageWidth": 64})


def label_studio(value):
    return json.dumps([{"id": i, "annotations": [{"completed_by": 1, "result": [{"value": value}, {"type": "relation"}]}],
                        "data": {"image": f"/data/upload/{n}.jpg"}} for i, n in enumerate(NAMES)])


def via(shape, attributes):
    return {n + ".jpg123": {"filename": n + ".jpg", "size": 123, "file_attributes": {},
                            "regions": [{"shape_attributes": shape, "region_attributes": attributes}]} for n in NAMES}


def via_csv():
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["#filename", "file_size", "region_count", "region_id", "region_shape_attributes", "region_attributes"])
    for n in NAMES:
        rows.writerow([n + ".jpg", 1, 1, 0, json.dumps({"name": "rect", **RECT}), json.dumps({"class": "cat"})])
    return out.getvalue()


def written(module, write):
    """The bytes that write(module, path) writes, or None without that module."""
    try:
        package = importlib.import_module(module)
    except Exception:  # not installed, or for another NumPy
        return None
    with tempfile.TemporaryDirectory() as room:
        write(package, f"{room}/file")
        return Path(f"{room}/file").read_bytes()


def write_ipc(pyarrow, new, path, table):
    with getattr(pyarrow.ipc, new)(path, table.schema) as writer:
        writer.write_table(table)


def zarr_files(version):
    """The files of a group with an array, by their names; None without zarr 3."""
    try:
        import zarr
        with tempfile.TemporaryDirectory() as room:
            group = zarr.open_group(room, mode="w", zarr_format=version)
            group.create_array("masks", shape=(IMAGES, *MASK.shape), dtype="u1", chunks=(1, *MASK.shape))[...] = np.stack([MASK] * IMAGES)
            return {"a.zarr/" + str(p.relative_to(room)): p.read_bytes() for p in Path(room).rglob("*") if p.is_file()}
    except Exception:
        return None


def write_records(tf, path):
    """As DeepLab has them: a PNG an example."""
    value = tf.train.Feature(bytes_list=tf.train.BytesList(value=[image(MASK, "PNG")]))
    example = tf.train.Example(features=tf.train.Features(feature={"image/segmentation/class/encoded": value}))
    with tf.io.TFRecordWriter(path) as out:
        for _ in NAMES:
            out.write(example.SerializeToString())


RECT = {"x": 1, "y": 2, "width": 10, "height": 11}
PIXELS = IMAGES * MASK.size
BOX = '<box label="cat" xtl="1.5" ytl="2" xbr="10" ybr="12"></box>'
POLYGON = '<polygon label="cat" points="1,2;3,4.5;5,6"></polygon><tag label="cat"></tag>'
TRACK = "".join(f'<box frame="{i}" outside="{int(i == IMAGES)}" xtl="1" ytl="2" xbr="3" ybr="4"></box>' for i in range(IMAGES + 1))
MAT = written("scipy.io", lambda m, p: m.savemat(p, {"S": MASK}, appendmat=False))
H5 = written("h5py", lambda m, p: m.File(p, "w").create_dataset("label", data=np.stack([MASK] * IMAGES)).file.close())
PAIR = [written("nibabel", lambda m, p, end=end: m.save(m.Nifti1Pair(MASK, np.eye(4)), p + ".hdr") or os.rename(p + end, p)) for end in (".hdr", ".img")]
PARQUET = written("pandas", lambda m, p: m.DataFrame({"label": [0, 1, 2] * IMAGES}).to_parquet(p))
TABLE = [written("pyarrow", lambda m, p, new=new: (t := m.table({"label": [0, 1, 2] * IMAGES})) and write_ipc(m, new, p, t)) for new in ("new_file", "new_stream")]
RECORDS = written("tensorflow", write_records)
DICOM = written("SimpleITK", lambda m, p: m.WriteImage(m.GetImageFromArray(MASK[None]), p + ".dcm") or os.rename(p + ".dcm", p))
NRRD = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: %d %d 1\nencoding: raw\ndata file: mask.raw\n" % MASK.shape[::-1]
METAIMAGE = b"ObjectType = Image\nNDims = 3\nDimSize = %d %d 1\nElementType = MET_UCHAR\nElementDataFile = mask.raw\n" % MASK.shape[::-1]
RAW = {"mask.raw": MASK.tobytes()}
HAS_DICOM = importlib.util.find_spec("pydicom") is not None
PICKLE = pickle.dumps({b"batch_label": b"1", b"labels": [0, 1, 2]}, protocol=2)
DATUMARO = {"dm_format_version": "1.0", "categories": {"label": {"labels": [{"name": "dog"}, {"name": "cat"}]}}, "items": [
    {"id": n, "annotations": [{"type": "polygon", "label_id": 1, "points": [1, 2, 10, 2, 9, 12]}, {"type": "caption"}]} for n in NAMES]}
OPENCV = written("cv2", lambda m, p: Path(p).touch()) is not None
# name: kind, files, labels
SETS = {
    "webp": ("webp", each("masks/{}.webp", image(MASK, "WebP", lossless=True)), PIXELS),
    "netpbm": ("netpbm", OPENCV and each("masks/{}.pgm", b"P5\n64 48\n2\n" + MASK.tobytes()), PIXELS),
    "nifti": ("nifti", PAIR[0] and {**each("labelsTr/{}.hdr", PAIR[0]), **each("labelsTr/{}.img", PAIR[1])}, PIXELS),
    "parquet": ("parquet", PARQUET and {"data/train-00000-of-00001.parquet": PARQUET}, 3 * IMAGES),
    "arrow": ("arrow", TABLE[0] and {"data/train.arrow": TABLE[0]}, 3 * IMAGES),
    "arrow-stream": ("arrow", TABLE[1] and {"data/train.arrow": TABLE[1]}, 3 * IMAGES),
    "zarr-2": ("zarr", zarr_files(2), PIXELS),
    "zarr-3": ("zarr", zarr_files(3), PIXELS),
    "nrrd": ("nrrd", DICOM and {**each("{}.nhdr", NRRD), **RAW}, PIXELS),
    "metaimage": ("metaimage", DICOM and {**each("{}.mhd", METAIMAGE), **RAW}, PIXELS),
    "dicom": ("dicom", HAS_DICOM and DICOM and each("{}.dcm", DICOM), PIXELS),
    "pickle": ("pickle", {f"cifar/data_batch_{i}": PICKLE for i in range(IMAGES)}, 3 * IMAGES),
    "datumaro": ("datumaro", {"annotations/train.json": json.dumps(DATUMARO)}, IMAGES),
    "tfrecord": ("tfrecord", RECORDS and {"train-00000-of-00001.tfrecord": RECORDS}, PIXELS),
    "hdf5": ("hdf5", H5 and {"train.h5": H5}, PIXELS),
    "mat": ("mat", MAT and each("GT/{}.mat", MAT), PIXELS),
    "voc": ("voc-xml", each("Annotations/{}.xml", voc), IMAGES),
    "voc-of-splits": ("voc-xml", {**{f"train/{n}.xml": voc(n) for n in NAMES}, "valid/x.xml": voc("x")}, IMAGES + 1),
    "cvat": ("cvat-xml", {"annotations.xml": cvat_images(BOX)}, IMAGES),
    "cvat-polygons": ("cvat-xml", {"annotations.xml": cvat_images(POLYGON)}, IMAGES),
    "cvat-video": ("cvat-xml", {"annotations.xml": cvat(f'<track id="0" label="cat">{TRACK}</track>')}, IMAGES),
    "labelme": ("labelme", each("{}.json", lambda n: labelme(n, version="5.1", imageData=None)), IMAGES),
    "labelme-old": ("labelme", each("{}.json", lambda n: labelme(n, imageData="A" * 100000)), IMAGES),
    "label-studio": ("label-studio", {"project.json": label_studio({**RECT, "rectanglelabels": ["cat"]})}, IMAGES),
    "label-studio-polygons": ("label-studio", {"project.json": label_studio({"points": POINTS, "polygonlabels": ["cat"]})}, IMAGES),
    "label-studio-min": ("label-studio", {"project.json": json.dumps([
        {"image": f"/data/upload/{n}.jpg", "id": i, "label": [{**RECT, "rectanglelabels": ["cat"]}], "annotator": 1,
         "annotation_id": i} for i, n in enumerate(NAMES)])}, IMAGES),
    "via": ("via-json", {"via.json": json.dumps(via({"name": "rect", **RECT}, {"class": "cat"}))}, IMAGES),
    "via-project": ("via-json", {"via.json": json.dumps({"_via_settings": {}, "_via_img_metadata": via(
        {"name": "polygon", "all_points_x": [1, 2, 3], "all_points_y": [1, 5, 3]}, {"class": {"cat": True}})})}, IMAGES),
    "via-csv": ("via-csv", {"via.csv": via_csv()}, IMAGES),
    "darwin": ("darwin", each("{}.json", lambda n: json.dumps({"version": "2.0", "item": {"name": n + ".jpg"}, "annotations": [
        {"name": "cat", "bounding_box": {"x": 1, "y": 2, "w": 10, "h": 11}}]})), IMAGES),
    "scalabel": ("scalabel", {"labels/det_val.json": json.dumps([{"name": n + ".jpg", "attributes": {"weather": "clear"}, "labels": [
        {"id": "0", "category": "cat", "box2d": {"x1": 1.5, "y1": 2, "x2": 9, "y2": 8}}]} for n in NAMES])}, IMAGES),
    "via3": ("via3-json", {"via3.json": json.dumps({
        "project": {"creator": "VGG Image Annotator", "vid_list": ["1"]}, "config": {"file": {"loc_prefix": {}}},
        "attribute": {"1": {"aname": "class", "options": {"0": "dog", "1": "cat"}}},
        "file": {str(i): {"fid": str(i), "fname": f"{n}.jpg"} for i, n in enumerate(NAMES)}, "view": {str(i): {"fid_list": [str(i)]} for i in range(IMAGES)},
        "metadata": {f"{i}_{xy[0]}": {"vid": str(i), "z": [], "xy": xy, "av": {"1": "1"}} for i in range(IMAGES) for xy in ([2, 1, 2, 10, 11], [7, 1, 2, 9, 3, 4, 8], [1, 5, 5])}})},
             2 * IMAGES),
    "labelbox-old": ("labelbox", {"export.json": json.dumps([{"ID": n, "Labeled Data": f"https://example.org/{n}.jpg", "External ID": f"{n}.jpg",
        "Label": "Skip" if not i else {"objects": [{"value": "cat", "bbox": {"top": 1, "left": 2, "height": 5, "width": 6}},
                                                  {"value": "cat", "polygon": [dict(zip("xy", p)) for p in POINTS]}, {"value": "cat", "point": {}}]}}
        for i, n in enumerate(NAMES)])}, 2 * (IMAGES - 1)),
    "labelbox": ("labelbox", {"export.ndjson": "".join(json.dumps({"data_row": {"id": n, "external_id": f"{n}.jpg"}, "projects": {"p": {"labels": [
        {"annotations": {"objects": [{"name": "cat", "bounding_box": {"top": 1.0, "left": 2.0, "height": 5.0, "width": 6.0}}]}}]}}}) + "\n" for n in NAMES)}, IMAGES),
    "createml": ("createml", {"_annotations.createml.json": json.dumps([{"image": "empty.jpg", "annotations": []}] + [
        {"image": f"{n}.jpg", "annotations": [{"label": "cat", "coordinates": {"x": 50.5, "y": 40, "width": 20, "height": 11}}]} for n in NAMES])}, IMAGES),
    "supervisely": ("supervisely", {"meta.json": '{"classes": [{"title": "cat"}], "tags": []}', **each("ds/ann/{}.jpg.json", lambda n: json.dumps(
        {"description": "", "tags": [], "size": {"height": 48, "width": 64}, "objects": [
            {"id": 1, "geometryType": "polygon", "classTitle": "cat", "points": {"exterior": POINTS, "interior": []}},
            {"id": 2, "geometryType": "bitmap", "classTitle": "cat", "bitmap": {"origin": [1, 2], "data": "eJw"}}]}))}, IMAGES),
    "voc-json": ("voc-json", each("{}.json", lambda n: json.dumps({"annotation": {"filename": f"{n}.jpg", "size": {"width": "64", "height": "48"}, "object":
        [{"name": "cat", "bndbox": {"xmin": "1", "ymin": "2", "xmax": "9", "ymax": "9"}}] * (2 if n == NAMES[0] else 1)
        if n != NAMES[1] else {"name": "cat", "bndbox": {"xmin": "1", "ymin": "2", "xmax": "9", "ymax": "9"}}}})), IMAGES + 1),
    "odgt": ("odgt", {"annotation_val.odgt": "".join(json.dumps({"ID": n, "gtboxes": [
        {"tag": "cat", "hbox": [1, 2, 3, 4], "fbox": [1, 2, 9, 8], "vbox": [1, 2, 9, 8]}]}) + "\n" for n in NAMES)}, IMAGES),
    "odvg": ("odvg", {"train.jsonl": "".join(json.dumps({"filename": n + ".jpg", "height": 48, "width": 64, "detection": {"instances": [
        {"bbox": [1, 2, 9, 8], "label": 1, "category": "cat"}]}}) + "\n" for n in NAMES)}, IMAGES),
    "labelme-xml": ("labelme-xml", each("Annotations/{}.xml", lambda n: f"<annotation><filename>{n}.jpg</filename><folder>a</folder>" + "".join(
        f"<object><name>cat\n</name><deleted>{gone}</deleted><polygon><pt><x>1</x><y>2</y></pt><pt><x>9.5</x><y>2</y></pt><pt><x>9</x><y>8</y></pt>"
        "</polygon></object>" for gone in (0, 1)) + "<imagesize><nrows>48</nrows><ncols>64</ncols></imagesize></annotation>"), IMAGES),
    "wheat": ("global-wheat", {"competition_train.csv": "image_name,BoxesString,domain\n" + "".join(
        f"{n}.png,1 2 9 8;11 2 19 8,Ethz_1\n" for n in NAMES) + "empty.png,no_box,Ethz_1\n"}, 2 * IMAGES),
    "wider": ("wider", {"wider_face_train_bbx_gt.txt": "".join(
        f"0--Parade/{n}.jpg\n2\n1 2 9 8 0 0 0 0 0 0 \n11 2 9 8 0 0 0 0 0 0 \n" for n in NAMES) + "1--X/empty.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n"},
              2 * IMAGES),
}


def audit(folder, classes):
    out = run("-q", "--no-config", "-f", "json", "-c", classes, folder, text=True)
    return out.returncode, json.loads(out.stdout) if out.stdout else None, out.stderr.strip()


def convert(folder, advice):
    """Runs the command in the advice, as a shell would, with the folder in the place of PATH."""
    command = advice[advice.index('python3 -c "'):]
    code = command.split('"')[1]
    words = shlex.split(command)
    assert not re.search(r"[$`\\]|!(?!=)", code) and words[2] == code and re.match("PATH;?$", words[3]), "not one word for a shell"
    before = sys.argv
    sys.argv = ["-c", folder]
    try:
        exec(compile(code, advice, "exec"), {})
    finally:
        sys.argv = before


def fault_of(folder, kind, files, labels):
    for name, content in files.items():
        write_file(os.path.join(folder, name), content)
    boxes = labels < PIXELS and kind not in ("parquet", "arrow", "pickle")
    classes = "1" if kind == "global-wheat" else names if boxes else "3"
    status, report, errors = audit(folder, classes)
    if status != 2 or not report or [k["kind"] for k in report["coverage"]["unread"]] != [kind]:
        return f"is not named: status {status}, {report and report['coverage']}, {errors}"
    advice = [f["advice"] for f in report["findings"] if f["rule"] == "unread-format"]
    if len(advice) != 1:
        return f"has {len(advice)} findings"
    try:
        convert(folder, advice[0])
    except Exception as e:
        return f"{advice[0]}: {type(e).__name__}: {e}"
    status, report, errors = audit(folder, classes)
    if status or report["summary"]["labels"] != labels:
        return f"{advice[0]}: status {status}, {report and report['summary']['labels']} labels of {labels}, {errors}"
    return None


names = os.path.join(FOLDER, "names.txt")
Path(names).write_text("cat\nface\n")
ran = 0
for name, (kind, files, labels) in SETS.items():
    if files:
        ran += 1
        wrong = fault_of(os.path.join(FOLDER, "sets", name), kind, files, labels)
        check(not wrong, name, wrong)
check(ran >= 16, "only", ran, "of", len(SETS), "sets could be made")
finish()
