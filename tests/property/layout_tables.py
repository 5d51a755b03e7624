"""Layouts of public data sets whose labels are in tables and texts; layouts.py draws them."""
from gate_cases import JPEG
from layout_files import CLASSES, NAMES, any_mask, any_photo, box, jpegs, named, read, stems, text

ATTRIBUTES = ["5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs", "Big_Lips", "Big_Nose",
              "Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair"]
LANDMARKS = ["%s_%s" % (part, axis) for part in ("lefteye", "righteye", "nose", "leftmouth", "rightmouth") for axis in "xy"]


def celeba_files(draw):
    """A first line counts the rows, and a header has no word for their first column."""
    names = ["%06d.jpg" % (i + 1) for i in range(draw.randrange(12, 30))]
    count, header = str(len(names)), " ".join(ATTRIBUTES) + " "
    # the column after Bald is never -1: read by mistake, it would show
    rows = ["%s %s" % (n, " ".join("%2d" % (1 if a == "Bangs" else draw.choice([-1, 1])) for a in ATTRIBUTES)) for n in names]
    return names, {
        **{"img_align_celeba/" + n: JPEG for n in names}, "list_attr_celeba.txt": text([count, header] + rows),
        "list_landmarks_align_celeba.txt": text([count, " ".join(LANDMARKS)] + [
            "%s %s" % (n, " ".join("%3d" % draw.randrange(60, 160) for _ in LANDMARKS)) for n in names]),
        "list_bbox_celeba.txt": text([count, "image_id x_1 y_1 width height"] + [
            "%s    %d  %d %d %d" % ((n,) + box(draw)) for n in names]),
        "list_eval_partition.txt": text("%s %d" % (n, i % 3) for i, n in enumerate(names))}


def celeba(draw):
    return celeba_files(draw)[1], {"formats": set(), "files": 1, "unread": set(), "status": 1, "rules": {"malformed-labels"}}


def celeba_bald(draw):
    """--column names one attribute; the persons are in another table, of another width."""
    names, files = celeba_files(draw)
    files["identity_CelebA.txt"] = text("%s %d" % (n, 9 + i // 2) for i, n in enumerate(names))
    return files, {**read("list", 1), "options": ["--column", "Bald", "--ignore=-1"]}


def celeba_landmarks(draw):
    """Coordinates alone: no column of them is taken for labels."""
    return {n: b for n, b in celeba_files(draw)[1].items() if "attr" not in n and "partition" not in n}, named(
        "coordinates-without-classes")


def patients(draw):
    return ["%08x-36c0-4150-84ed" % draw.getrandbits(32) for _ in range(draw.randrange(20, 40))]


def rsna(draw):
    """Boxes of patients, empty for those without any, and another table whose classes are words."""
    rows, words = ["patientId,x,y,width,height,Target"], ["patientId,class"]
    for i, p in enumerate(patients(draw)):
        found = i % 3 == 0
        rows.append("%s,%s" % (p, "%d.0,%d.0,%d.0,%d.0,1" % box(draw) if found else ",,,,0"))
        words.append("%s,%s" % (p, "Lung Opacity" if found else ("Normal", "No Lung Opacity / Not Normal")[i % 2]))
    files = {"stage_2_train_images/%s.dcm" % p.split(",")[0]: bytes(128) + b"DICM" + bytes(90) for p in rows[1:]}
    return {**files, "stage_2_train_labels.csv": text(rows), "stage_2_detailed_class_info.csv": text(words),
            "stage_2_sample_submission.csv": text(["patientId,PredictionString"] + [r.split(",")[0] + ",0.5 0 0 100 100" for r in rows[1:9]])
            }, {**read("list", 1), "options": ["--column", "Target"], "may_warn": {"unaudited-labels"}}


def wider_person(draw):
    """A line that counts the objects of an image, and each object's class before its box."""
    names, files = stems(draw), {}
    for n in names:
        boxes = ["%d %d %d %d %d" % ((draw.randrange(1, CLASSES),) + box(draw)) for _ in range(draw.randrange(1, 6))]
        files["Annotations/%s.jpg.txt" % n] = text([str(len(boxes))] + boxes)
    return {**jpegs("Images/", names), **files, "train.txt": text(names)}, {**read("list", len(names)), "may_warn": {"box-outside-image"}}


def box_label_tool(draw):
    """BBox-Label-Tool: the same with the class's name after its box."""
    names, files = stems(draw), {}
    for i, n in enumerate(names):
        boxes = ["%d %d %d %d" % box(draw) + " " + NAMES[(i + k) % CLASSES] for k in range(draw.randrange(1, 4))]
        files["Labels/%s.txt" % n] = text([str(len(boxes))] + boxes)
    return {**jpegs("Images/", names), **files}, read("list", len(names))


def wider_face(draw):
    """Images, the number of the faces in each, and their boxes: there is no class."""
    names = ["0--Parade/0_Parade_%d.jpg" % i for i in range(draw.randrange(6, 12))]
    files = {"WIDER_%s/images/%s" % (split, n): JPEG for n in names for split in ("train", "val")}
    for split in ("train", "val"):
        rows = []
        for n in names:
            count = draw.randrange(4)
            rows += [n, str(count)] + ["%d %d %d %d" % box(draw) + " 0 0 0 0 %d 0 " % draw.randrange(2) for _ in range(max(1, count))]
        files["wider_face_split/wider_face_%s_bbx_gt.txt" % split] = text(rows)
    return {**files, "wider_face_split/readme.txt": b"Attached the mappings between attribute names and label values.\n"}, named(
        "coordinates-without-classes")


def points(draw):
    """300-W, Helen: 68 landmarks of each face beside its photo."""
    names, colour = stems(draw), draw.random() < .5
    return {**({"01_Indoor/%s.png" % n: any_photo(draw, True) for n in names} if colour else jpegs("01_Indoor/", names)),
            **{"01_Indoor/%s.pts" % n: text(["version: 1", "n_points:  68", "{"] + [
                "%.6f %.6f" % (draw.uniform(5, 60), draw.uniform(5, 60)) for _ in range(68)] + ["}"]) for n in names}}, named(
                    "coordinates-without-classes")


def lapa(draw):
    """Masks, and landmarks of the same faces: the masks are the labels."""
    names = stems(draw)
    return {**jpegs("images/", names), **{"labels/%s.png" % n: any_mask(draw) for n in names},
            **{"landmarks/%s.txt" % n: text(["106"] + ["%.2f %.2f" % (draw.uniform(5, 60), draw.uniform(5, 60)) for _ in range(106)])
               for n in names}}, read("png", len(names))


LAYOUTS = {
    "wider person": wider_person, "box label tool": box_label_tool, "wider face": wider_face, "points": points, "lapa": lapa,
    "celeba": celeba, "celeba bald": celeba_bald, "celeba landmarks": celeba_landmarks, "rsna": rsna,
}
