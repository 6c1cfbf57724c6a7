import pytest

from command_line import found, refused
from samples import write_csv

CASES = {
    "catalog": ("iris --text body", "text names a column of a file"),
    "no-text": ("FILE --label y --words 5", "name its column"),
    "unknown": ("FILE --label y --text nope", "No column is called 'nope'"),
    "numbers": ("FILE --label y --text age", "column 'age' holds numbers, not texts"),
    "too-few-words": ("FILE --label y --text body --words 1", "1 words cannot be dealt to 2"),
    "no-vocabulary": ("FILE --label y --text body --vocabulary none.txt", "cannot be read"),
    "trees": ("FILE --label y --text body --federation forest", "'active' are words"),
}


@pytest.mark.filterwarnings("ignore::seepage.data.ColumnLeftOut")
@pytest.mark.parametrize("case", list(CASES))
def test_texts_that_cannot_be_audited_are_refused_in_a_sentence(case, tmp_path):
    days = [("cold day", "warm day")[row % 2] for row in range(30)]
    mail = write_csv(tmp_path / "mail.csv", age=range(30), body=days, y=[row % 2 for row in range(30)])
    line, expected = CASES[case]
    assert expected in refused(f"audit {line.replace('FILE', mail)} --jobs 0 --out", tmp_path / "out")


def test_an_attack_on_texts_finds_a_federation_that_reads_them(tmp_path):
    days = [("so cold a day", "so warm a day")[row % 2] for row in range(90)]
    mail = write_csv(tmp_path / "mail.csv", body=days, y=[row % 2 for row in range(90)])
    brief = "--set learner.epochs=1 --set learner.iterations=2 --seeds 1 --jobs 0"
    finding = found(f"attack model-completion --label y --text body --words 4 {brief} --data", mail)
    assert (finding["federation"], finding["status"]) == ("split-network", "ok")
    assert finding["model_settings"]["bottom"] == "transformer"
