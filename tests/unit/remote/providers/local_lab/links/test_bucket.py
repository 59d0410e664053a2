import json

import pytest

from remote.providers.local_lab.links.bucket import bucket_bytes
from tests.helpers.campaign import build_campaign


@pytest.fixture
def campaign(tmp_path):
    return build_campaign(tmp_path, sections=("2.1",), clients_per_thread=(1,), repetitions=1)


def rewrite(campaign, change):
    for path in campaign.rglob("manifest.json"):
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest))


def test_the_lab_tells_its_buckets_by_its_topology(campaign):
    assert bucket_bytes(campaign, "2.1", "servers") == 16 * 1024
    assert bucket_bytes(campaign, "2.1", "clients") == 32 * 1024
    assert bucket_bytes(campaign, "7", "servers") is None


def test_other_hosts_have_none_that_is_known(campaign):
    rewrite(campaign, lambda manifest: manifest["topology"].update(name="mine"))
    assert bucket_bytes(campaign, "2.1", "servers") is None
    rewrite(campaign, lambda manifest: manifest.update(fleet="vms"))
    assert bucket_bytes(campaign, "2.1", "servers") is None
