"""Read-only cells of all studies, simulated with their clients' one link."""

from analysis.studies.one_link import read_only_cells


def test_read_only_cells_of_all_studies_follow_from_one_link():
    cells = read_only_cells()
    assert len(cells) == 36
    error = cells["rederived"] / cells["published"] - 1
    few = cells["quantity"].str.contains("3 servers, 1 middleware, 8 workers")
    yenicelik = cells["quantity"].str.contains("3 servers") & (cells["study"] == "yenicelik2018")
    assert cells.loc[~few & ~yenicelik, "agrees"].all()
    assert error[few].abs().max() < 0.1
    assert error[yenicelik].abs().max() < 0.08
    assert error[(cells["study"] == "schmid2018")].abs().max() < 0.025
    assert ((cells["remark"] != "") == ~cells["agrees"]).all()
    assert cells.loc[few & ~cells["agrees"], "remark"].str.startswith("few workers").all()
    assert cells["servers"].value_counts().to_dict() == {1: 21, 3: 12, 2: 3}
