"""What a bill of materials is read as."""

import json

from audit.boms import read_bom


def test_licences_are_named_in_each_of_the_ways_that_there_are(tmp_path):
    licences = [{"license": {"id": "MIT"}}, {"license": {"name": "Ours"}}, {"expression": "A OR B"}]
    components = [
        {"name": "A.b_C", "purl": "pkg:pypi/A.b_C@1%2B2?x=y", "licenses": licences},
        {"name": "no URL"},
    ]
    path = tmp_path / "bom.json"
    path.write_text(json.dumps({"components": components}), encoding="utf-8")
    (package,) = read_bom(path, "")
    assert (package.name, package.version) == ("a-b-c", "1+2")
    assert package.licences == "MIT; Ours; A OR B"
