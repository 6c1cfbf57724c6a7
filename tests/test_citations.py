"""Everything that is named has an origin, and every origin is named."""

import re
from unicodedata import normalize

from seepage.attacks.catalog import ATTACKS
from seepage.citations import CITES, PAPERS
from seepage.defenses.catalog import DEFENSES


def test_every_attack_and_defense_of_ours_says_where_it_comes_from():
    assert CITES.keys() == ATTACKS.own.keys() | DEFENSES.own.keys()
    assert {key for keys in CITES.values() for key in keys} == PAPERS.keys()


def test_papers_are_named_by_author_and_year_and_written_as_bibtex():
    for key, paper in PAPERS.items():
        year = paper.fields["year"]
        assert paper.short.endswith(f" {year}") and paper.short.startswith(paper.fields["author"].split(",")[0])
        plain = normalize("NFKD", paper.fields["author"].split(",")[0]).encode("ascii", "ignore").decode()
        assert key == paper.key == f"{plain.lower()}{year}"
        assert re.fullmatch(r"@(article|inproceedings|misc)\{\w+,\n(  \w+ = \{.+\},\n)+\}", paper.bibtex)
        assert paper.bibtex.count("{") == paper.bibtex.count("}")
        assert ("et al." in paper.short) == (paper.fields["author"].count(" and ") > 1)
