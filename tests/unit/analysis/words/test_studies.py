import pandas as pd

from analysis.words.studies import study_sentences


def comparison(*studies) -> pd.DataFrame:
    """Studies as (name, clients, ratio)."""
    rows = [("3.1", "set", "clients", *study, 24, 12000.0) for study in studies]
    columns = ["section", "workload", "measured_on", "study", "study_num_clients"]
    columns += ["throughput_ratio", "num_clients", "throughput_ops_per_s"]
    return pd.DataFrame(rows, columns=columns).astype({"study_num_clients": "Int64"})


def utilizations(resource, share) -> pd.DataFrame:
    rows = [("3.1", "set", resource, share, 5.0)]
    columns = ["section", "workload", "resource", "utilization", "queue_length"]
    return pd.DataFrame(rows, columns=columns)


def told(comparison, utilizations) -> str:
    words = study_sentences(comparison, utilizations).replace("\N{NARROW NO-BREAK SPACE}", "")
    return words.replace("\xa0", " ")


def test_every_study_has_its_ratio_and_load():
    text = told(
        comparison(("schmid2018", 72, 0.98), ("cetin2018", None, 1.02)),
        utilizations("clients' links", 0.97),
    )
    assert text == (
        "- **section 3.1, set**: 12000 op/s at 24 clients are 0.98 times those of Schmid 2018 (72 "
        "clients) and 1.02 times those of Cetin 2018 (number of clients not told). Ours is limited "
        "by the clients' links (97 %), which have the bandwidth that the studies measured."
    )


def test_studies_far_below_our_link_were_limited_by_something_else():
    studies = comparison(("schmid2018", 72, 1.4), ("cetin2018", 72, 1.0))
    text = told(studies, utilizations("clients' links", 0.97))
    assert "; Schmid 2018 did less, so that" in text
    text = told(studies, utilizations("machine's CPU", 0.97))
    assert text.endswith("Ours is limited by the machine's CPU (97 %), not by what is emulated.")
