"""Public corpora of videos, sounds, texts, lanes and anomalies, and variants of known formats; layouts.py draws them."""
import io
import zipfile

from gate_cases import JPEG, png
from layout_files import CLASSES, NAMES, any_mask, any_photo, as_json, box, coco, jpegs, named, read, stems, text, yolo_text
from layout_trees import BAD, MAT, NOT_PASSED, NO_WORD, bad, bmp24, colours, wide


def plates(draw):
    """UFPR-ALPR: words and corners beside each photo."""
    names = ["track0001/track0001[%02d]" % i for i in range(1, 10)]
    return {**{"training/%s.png" % n: any_photo(draw, True) for n in names}, **{"training/%s.txt" % n: text([
        "camera: GoPro Hero4 Silver", "position_vehicle: 871 533 235 206", "\ttype: car", "\tmake: Fiat", "plate: AYO-9034", "position_plate: 944 681 77 24",
        "\tchar 1: 951 690 9 13"]) for n in names}}, NOT_PASSED


def file_names(draw):
    """CCPD: all labels are in the names."""
    return {"ccpd_base/025-95_113-154&383_386&473-386&473_177&454_154&383_363&402-0_0_22_27_27_33_16-37-%d.jpg" % i: JPEG for i in range(9)}, NOT_PASSED


def lights(draw):
    """LISA: semicolons, and the class in `Annotation tag`."""
    head = "Filename;Annotation tag;Upper left corner X;Upper left corner Y;Lower right corner X;Lower right corner Y;Origin file;Origin frame number;Origin track"
    row = lambda i, c: "dayTraining/dayClip1--%05d.jpg;%s;%d;%d;%d;%d;dayTraining/dayClip1.avi;%d;%d" % ((i, c) + box(draw) + (i, 1 + i % 2))
    rows = [head] + [row(i, NAMES[i % CLASSES]) for i in range(20)]
    return {**{"dayTrain/dayClip1/frames/dayClip1--%05d.jpg" % i: JPEG for i in range(20)}, "Annotations/dayTrain/dayClip1/frameAnnotationsBOX.csv": text(rows)}, bad(
        {**read("list", 1), "may_warn": {"nonstandard-text"}}, "Annotations/dayTrain/dayClip1/frameAnnotationsBOX.csv", text(rows + [row(3, "boat")]))


def yaml_boxes(draw):
    """Bosch: one YAML file of boxes."""
    return {**{"rgb/train/2015-10-05/%d.png" % (24594 + i): any_photo(draw, True) for i in range(8)}, "train.yaml": text(
        "- boxes:\n  - {label: Yellow, occluded: false, x_max: 640.7, x_min: 637.5, y_max: 355.6, y_min: 344.7}\n  path: ./rgb/train/2015-10-05/%d.png" % (24594 + i)
        for i in range(8))}, NOT_PASSED


def persons_of_cities(draw):
    """EuroCity: a JSON of children for each image."""
    names = ["amsterdam/amsterdam_%05d" % i for i in range(9)]
    return {**{"ECP/day/img/train/%s.png" % n: any_photo(draw, True) for n in names}, **{"ECP/day/labels/train/%s.json" % n: as_json({
        "imageheight": 64, "imagewidth": 64, "children": [{"identity": "pedestrian", "x0": 1, "x1": 9, "y0": 2, "y1": 8, "tags": [], "children": []}]}) for n in names}}, {
            **named(), **NO_WORD}


def lanes(draw):
    """CULane: points of lanes beside the photos, masks elsewhere, and lists of both."""
    names = ["driver_23_30frame/05151640_0419.MP4/%05d" % (30 * i) for i in range(9)]
    return {**jpegs("", names), **{n + ".lines.txt": text(" ".join("%.2f %d" % (draw.uniform(1, 60), 590 - 10 * k) for k in range(12)) + " " for _ in range(3)) for n in names},
            **{"laneseg_label_w16/%s.png" % n: any_mask(draw) for n in names}, "list/train_gt.txt": text("/%s.jpg /laneseg_label_w16/%s.png 1 1 0 1" % (n, n) for n in names),
            "list/train.txt": text("/%s.jpg" % n for n in names)}, bad({**read("png", len(names)), **NO_WORD, "unread": None}, "laneseg_label_w16/%s.png" % names[0])


def contours(draw):
    """BSDS500."""
    return {**{"BSR/BSDS500/data/images/%s/%d.jpg" % (s, 2092 + i): JPEG for s in ("train", "test") for i in range(6)},
            **{"BSR/BSDS500/data/groundTruth/%s/%d.mat" % (s, 2092 + i): MAT for s in ("train", "test") for i in range(6)}}, named("mat")


def clothes_parsed(draw):
    """ATR."""
    names = ["dataset10k_%d" % i for i in range(1, 10)]
    return {**jpegs("humanparsing/JPEGImages/", names), **{"humanparsing/SegmentationClassAug/%s.png" % n: any_mask(draw) for n in names}}, bad(
        read("png", 9), "humanparsing/SegmentationClassAug/%s.png" % names[0])


def logical(draw):
    """MVTec LOCO: a folder for the masks of each image."""
    files = {"breakfast_box/%s/%03d.png" % (k, i): any_photo(draw, True) for k in ("train/good", "validation/good", "test/good", "test/logical_anomalies") for i in range(6)}
    files.update({"breakfast_box/ground_truth/logical_anomalies/%03d/%03d.png" % (i, k): any_mask(draw) for i in range(6) for k in range(1 + i % 2)})
    return {**files, "breakfast_box/defects_config.json": as_json([{"defect_name": "missing", "pixel_value": 4, "saturation_threshold": 1.0}])}, bad(
        read("png", 9), "breakfast_box/ground_truth/logical_anomalies/000/000.png")


def candles(draw):
    """VisA: capital letters, and a table of all three."""
    return {**{"candle/Data/Images/%s/%03d.JPG" % (k, i): JPEG for k in ("Anomaly", "Normal") for i in range(8)}, **{"candle/Data/Masks/Anomaly/%03d.png" % i: any_mask(draw) for i in range(8)},
            "candle/image_anno.csv": text(["image,label,mask"] + ["candle/Data/Images/Normal/%03d.JPG,normal," % i for i in range(8)] + [
                "candle/Data/Images/Anomaly/%03d.JPG,\"chunk of wax missing,weird candle wick\",candle/Data/Masks/Anomaly/%03d.png" % (i, i) for i in range(8)])}, bad(
                    {**read("png", 8), **NO_WORD}, "candle/Data/Masks/Anomaly/000.png")


def tiles_of_three(draw):
    """BTAD: photos in BMP, masks in PNG."""
    return {**{"01/%s/%04d.bmp" % (k, i): bmp24(draw) for k in ("train/ok", "test/ok", "test/ko") for i in range(6)}, **{"01/ground_truth/ko/%04d.png" % i: any_mask(draw) for i in range(6)}}, bad(
        read("png", 6), "01/ground_truth/ko/0000.png")


def frames(draw):
    """ScanNet's 25k frames: colour, depth, label, instance, pose."""
    files, count = {}, 0
    for s in ("scene0000_00", "scene0001_00"):
        for i in range(0, 800, 100):
            files["scannet_frames_25k/%s/color/%06d.jpg" % (s, i)] = JPEG
            files["scannet_frames_25k/%s/depth/%06d.png" % (s, i)] = png(48, 48, [[9, (x + y) % 256] * 48 for y, x in enumerate(range(48))], depth=16)
            files["scannet_frames_25k/%s/label/%06d.png" % (s, i)] = any_mask(draw)
            files["scannet_frames_25k/%s/instance/%06d.png" % (s, i)] = wide(draw)
            files["scannet_frames_25k/%s/pose/%06d.txt" % (s, i)] = text(" ".join("%.6f" % draw.uniform(-1, 1) for _ in range(4)) for _ in range(4))
            count += 1
        files["scannet_frames_25k/%s/intrinsics_color.txt" % s] = text(" ".join("%.6f" % draw.uniform(1, 900) for _ in range(4)) for _ in range(4))
    return files, bad(read("png", count), "scannet_frames_25k/scene0000_00/label/000000.png")


def rooms_of_forty(draw):
    """NYUv2 in PNG: rgb, depth, label40."""
    names = range(9)
    return {**{"nyuv2/rgb/%d.png" % n: any_photo(draw, True) for n in names}, **{"nyuv2/label40/%d.png" % n: any_mask(draw) for n in names},
            **{"nyuv2/depth/%d.png" % n: png(48, 48, [[9, (3 * y) % 256] * 48 for y in range(48)], depth=16) for n in names}, "nyuv2/train.txt": text("%d" % n for n in names[::2])}, bad(
                {**read("png", 9), **NO_WORD}, "nyuv2/label40/0.png")


def tracked(draw):
    """LaSOT: a box for each frame, and lines of flags."""
    files = {}
    for s in ("airplane-1", "airplane-2"):
        files.update({"airplane/%s/img/%08d.jpg" % (s, i): JPEG for i in range(1, 9)})
        files["airplane/%s/groundtruth.txt" % s] = text("%d,%d,%d,%d" % box(draw) for _ in range(8))
        files["airplane/%s/full_occlusion.txt" % s] = b"0,0,0,0,1,1,0,0"
        files["airplane/%s/out_of_view.txt" % s] = b"0,0,0,0,0,0,0,0"
        files["airplane/%s/nlp.txt" % s] = b"white airplane landing on ground"
    return files, {**named(), **NO_WORD, "unread": None}


def actions_of_videos(draw):
    """UCF101: classes from 1 in the train's lists, none in the test's."""
    rows = ["%s/v_%s_g%02d_c01.avi %d" % (c, c, g, 1 + k) for k, c in enumerate(NAMES[:4]) for g in range(8, 14)]
    return {"ucfTrainTestlist/trainlist01.txt": text(rows), "ucfTrainTestlist/testlist01.txt": text("%s/v_%s_g%02d_c01.avi" % (c, c, g) for c in NAMES[:4] for g in range(1, 8)),
            "ucfTrainTestlist/classInd.txt": text("%d %s" % (1 + k, c) for k, c in enumerate(NAMES[:4]))}, bad(
                {**read("list", 1), **NO_WORD}, "ucfTrainTestlist/trainlist01.txt", text(rows + ["cat/v_cat_g20_c01.avi 77"]))


def sounds(draw):
    """ESC-50: several numbers in a row, of which `target` is the class."""
    row = lambda i, t: "1-%d-A-%d.wav,%d,%d,%s,%s,%d,A" % (100032 + i, t, 1 + i % 5, t, "dog", ("True", "False")[i % 2], 100032 + i)
    rows = ["filename,fold,target,category,esc10,src_file,take"] + [row(i, i % CLASSES) for i in range(30)]
    return {**{"audio/1-%d-A-%d.wav" % (100032 + i, i % CLASSES): b"RIFF\x24\0\0\0WAVEfmt " + bytes(20) for i in range(30)}, "meta/esc50.csv": text(rows),
            "requirements.txt": b"numpy\n"}, bad(read("list", 1), "meta/esc50.csv", text(rows + [row(99, 77)]))


def words_of_sounds(draw):
    """Speech Commands: folders of WAV, and lists of their names."""
    files = {"%s/%08x_nohash_0.wav" % (c, draw.getrandbits(32)): b"RIFF\x24\0\0\0WAVEfmt " + bytes(20) for c in NAMES for _ in range(5)}
    return {**files, "validation_list.txt": text(list(files)[::4]), "testing_list.txt": text(list(files)[1::4]), "README.md": b"## Speech Commands\n"}, NOT_PASSED


def news(draw):
    """AG News: the class first, in quotation marks."""
    row = lambda i, c: '"%d","Wall St. Bears Claw Back, part %d","Reuters - Short-sellers, Wall Street\'s band, are seeing green again."' % (c, i)
    rows = [row(i, 1 + i % 4) for i in range(30)]
    return {"ag_news_csv/train.csv": text(rows), "ag_news_csv/test.csv": text(rows[::5]), "ag_news_csv/classes.txt": text(NAMES[:4]), "ag_news_csv/readme.txt": b"AG's News\n"}, bad(
        read("list", 2), "ag_news_csv/train.csv", text(rows + [row(99, 77)]))


def reviews(draw):
    """IMDB: texts in folders of their class."""
    return {**{"aclImdb/%s/%s/%d_%d.txt" % (s, c, i, 7 + i % 3): b"I rented it from my video store because of the controversy.\n" for s in ("train", "test") for c in ("pos", "neg") for i in range(6)},
            "aclImdb/imdb.vocab": text(["the", "and"]), "aclImdb/train/urls_pos.txt": text("http://www.imdb.com/title/tt0%d/usercomments" % i for i in range(6))}, NOT_PASSED


def entities(draw):
    """CoNLL: a word and its tags in each line."""
    return {"eng.train": text(["-DOCSTART- -X- -X- O", "", "EU NNP B-NP B-ORG", "rejects VBZ B-VP O", "German JJ B-NP B-MISC", "call NN I-NP O", ". . O O", ""] * 4),
            "eng.testa": text(["CRICKET NNP B-NP O", "- : O O", ""] * 4)}, NOT_PASSED


def passengers(draw):
    """Titanic: the class is in `Survived`, the test has none."""
    row = lambda i, s: '%d,%s3,"Braund, Mr. Owen %d",male,%d,1,0,%s,7.25,,S' % (i, s, i, 20 + i, "A/5 21171" if i % 9 == 0 else 373450 + i)
    rows = ["PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Parch,Ticket,Fare,Cabin,Embarked"] + [row(i, "%d," % (i % 2)) for i in range(30)]
    return {"train.csv": text(rows), "test.csv": text([rows[0].replace("Survived,", "")] + [row(99 + i, "") for i in range(9)]),
            "gender_submission.csv": text(["PassengerId,Survived"] + ["%d,%d" % (99 + i, i % 2) for i in range(9)])}, bad(
                read("list", 1), "train.csv", text(rows + [row(88, "77,")]))


def poses_of_people(draw):
    """Ultralytics' pose: a box and seventeen points."""
    names = stems(draw)
    row = lambda c: "%d 0.5 0.5 0.2 0.3 %s" % (c, " ".join("%.5f %.5f %d" % (draw.random(), draw.random(), draw.randrange(3)) for _ in range(17)))
    return {"coco-pose.yaml": b"path: .\ntrain: images/train\nkpt_shape: [17, 3]\nnames:\n  0: person\n", **jpegs("images/train/", names),
            **{"labels/train/%s.txt" % n: text([row(0), row(0)]) for n in names}}, bad(read("yolo", len(names)), "labels/train/%s.txt" % names[0], text([row(77)]))


def ships_at_angles(draw):
    """Ultralytics' OBB, with labelImg's classes.txt among the labels, and images without objects."""
    names = stems(draw)
    row = lambda c: "%d %s" % (c, " ".join("%.6f" % draw.random() for _ in range(8)))
    return {**jpegs("images/val/", names), "labels/val/classes.txt": text(NAMES), "labels/val.cache": b"\x80\x04",
            **{"labels/val/%s.txt" % n: text([row(i % CLASSES)]) if i % 3 else b"" for i, n in enumerate(names)}}, bad(
                {**read("yolo", len(names)), "may_warn": {"empty-label-file"}}, "labels/val/%s.txt" % names[1], text([row(77)]))


def brushes(draw):
    """Label Studio's brush export: a mask for each task and class, and no image."""
    return {"task-%d-annotation-%d-by-1-tag-%s-0.png" % (i, i + 3, c): any_mask(draw) for i in range(1, 6) for c in ("cat", "dog")}, bad(
        read("png", 10), "task-1-annotation-4-by-1-tag-cat-0.png")


def label_studio_yolo(draw):
    names = ["%08x-%s" % (draw.getrandbits(32), n) for n in stems(draw)]
    return {"classes.txt": text(NAMES), "notes.json": as_json({"categories": [{"id": i, "name": n} for i, n in enumerate(NAMES)], "info": {"year": 2024, "version": "1.0", "contributor": "Label Studio"}}),
            **jpegs("images/", names), **{"labels/%s.txt" % n: yolo_text(draw) for n in names}}, bad(read("yolo", len(names)), "labels/%s.txt" % names[0], b"77 .5 .5 .1 .1\n")


def cvat_cityscapes(draw):
    names = ["default/frame_%06d" % i for i in range(8)]
    files = {"label_colors.txt": text(["0 0 0 background", "128 64 128 cat"])}
    for n in names:
        files["imgsFine/leftImg8bit/%s_leftImg8bit.png" % n] = any_photo(draw, True)
        files["gtFine/%s_gtFine_labelIds.png" % n] = any_mask(draw)
        files["gtFine/%s_gtFine_instanceIds.png" % n] = wide(draw)
        files["gtFine/%s_gtFine_color.png" % n] = colours(draw)
    return files, {**read("png", 8), **NO_WORD}


def stuff(draw):
    """COCO-Stuff: masks of stuff, and the COCO file that they were made from."""
    names = ["%012d" % (139 + 7 * i) for i in range(9)]
    return {**jpegs("val2017/", names), **{"stuff_val2017_pixelmaps/%s.png" % n: any_mask(draw) for n in names}, "stuff_val2017.json": coco([n + ".jpg" for n in names])}, {
        **bad({**read("png", 9), **NO_WORD}, "stuff_val2017_pixelmaps/%s.png" % names[0])}


def downloads(draw):
    """What was downloaded and not unpacked, with notes beside it."""
    def packed(members):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for n, b in members.items():
                z.writestr(n, b)
        return out.getvalue()
    masks = {"train_masks/%d_mask.png" % i: any_mask(draw) for i in range(8)}
    return {"train_masks.zip": packed(masks), "train.zip": packed(jpegs("train/", ["%d" % i for i in range(8)])), "README.md": b"# Data\n", "checksums.txt": text(
        "%032x  %s" % (draw.getrandbits(128), n) for n in ("train.zip", "train_masks.zip"))}, bad(read("png", 8), "train_masks.zip", packed({**masks, "train_masks/3_mask.png": BAD}))


def raw_aerial(draw):
    """iSAID as published: COCO, and masks in colours below folders that are called images."""
    names = ["P%04d" % (3 * i) for i in range(8)]
    return {**{"train/images/images/%s.png" % n: any_photo(draw, True) for n in names},
            **{"train/Instance_masks/images/%s_instance_id_RGB.png" % n: colours(draw) for n in names},
            **{"train/Semantic_masks/images/%s_instance_color_RGB.png" % n: colours(draw) for n in names},
            "train/Annotations/iSAID_train.json": coco([n + ".png" for n in names])}, {**read("coco", 1), **NO_WORD}


LAYOUTS = {
    "plates": plates, "file names": file_names, "lights": lights, "yaml boxes": yaml_boxes, "persons of cities": persons_of_cities, "lanes": lanes, "contours": contours,
    "clothes parsed": clothes_parsed, "logical": logical, "candles": candles, "tiles of three": tiles_of_three, "frames": frames, "rooms of forty": rooms_of_forty,
    "tracked": tracked, "actions of videos": actions_of_videos, "sounds": sounds, "words of sounds": words_of_sounds, "news": news, "reviews": reviews, "entities": entities,
    "passengers": passengers, "poses of people": poses_of_people, "ships at angles": ships_at_angles, "brushes": brushes, "label studio yolo": label_studio_yolo,
    "cvat cityscapes": cvat_cityscapes, "stuff": stuff, "downloads": downloads, "raw aerial": raw_aerial,
}
