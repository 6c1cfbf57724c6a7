"""The data sets that have a name."""

from collections.abc import Callable
from typing import Final

from seepage.catalogs import Catalog, Entry
from seepage.data.sets.synthetic import PREFIX, synthetic_by_name
from seepage.data.table import Table

DATASETS: Final[Catalog[Callable[..., Table]]] = Catalog(
    kind="data set",
    group="seepage.datasets",
    own={
        "breast_cancer": Entry(
            "seepage.data.sets.built_in:load_breast_cancer", "569 tumors, 30 measurements; 2 classes (built in)."
        ),
        "digits": Entry(
            "seepage.data.sets.built_in:load_digits", "1,797 pictures of 8 × 8 pixels; 10 classes (built in)."
        ),
        "iris": Entry("seepage.data.sets.built_in:load_iris", "150 flowers, 4 measurements; 3 classes (built in)."),
        "wine": Entry("seepage.data.sets.built_in:load_wine", "178 wines, 13 measurements; 3 classes (built in)."),
        "synthetic-1": Entry("seepage.data.sets.synthetic:load_synthetic_1", "100,000 made-up rows × 25; 10 classes."),
        "synthetic-2": Entry("seepage.data.sets.synthetic:load_synthetic_2", "100,000 made-up rows × 50; 5 classes."),
        "adult": Entry(
            "seepage.data.sets.adult:load_adult", "48,842 people × 14; 2 classes of income; official split."
        ),
        "adult_distinct": Entry(
            "seepage.data.sets.adult:load_adult_distinct", "44,355 people of adult × 13, none twice; official split."
        ),
        "avila": Entry("seepage.data.sets.stored:AVILA", "20,867 lines of script × 10; 12 copyists; official split."),
        "bank_additional": Entry("seepage.data.sets.stored:BANK_ADDITIONAL", "41,188 bank customers × 20; 2 classes."),
        "bank_full": Entry("seepage.data.sets.stored:BANK_FULL", "45,211 bank customers × 16; 2 classes."),
        "census": Entry("seepage.data.sets.stored:CENSUS", "299,285 people × 41; 2 classes of income; official split."),
        "cifar10": Entry(
            "seepage.data.sets.cifar10:load_cifar10", "60,000 pictures, 3 × 32 × 32; 10 classes; official split."
        ),
        "criteo": Entry(
            "seepage.data.sets.stored:CRITEO", "10,000 displayed ads × 39, with missing values; 2 classes."
        ),
        "criteo_balanced": Entry(
            "seepage.data.sets.criteo:load_criteo_balanced",
            "4,364 ads of criteo_hashed, as many clicked as not; 2 classes.",
        ),
        "criteo_hashed": Entry(
            "seepage.data.sets.criteo:load_criteo_hashed", "10,000 displayed ads × 8,192 hashed counts; 2 classes."
        ),
        "drive": Entry("seepage.data.sets.stored:DRIVE", "2,200 states of a motor × 48; 11 classes (a sample)."),
        "fars": Entry("seepage.data.sets.stored:FARS", "100,968 people in accidents × 29; 8 classes."),
        "fashion_mnist": Entry(
            "seepage.data.sets.fashion_mnist:load_fashion_mnist",
            "70,000 pictures of 28 × 28; 10 classes; official split.",
        ),
        "health": Entry("seepage.data.sets.stored:HEALTH", "171,067 member-years of insurance × 134; 2 classes."),
        "news": Entry("seepage.data.sets.news:load_news", "34,941 articles × 59; 5 classes (fifths of shares)."),
        "parkinson": Entry("seepage.data.sets.stored:PARKINSON", "756 voice recordings × 148; 2 classes."),
        "phishing": Entry("seepage.data.sets.stored:PHISHING", "11,055 websites × 30; 2 classes."),
        "pucrio": Entry("seepage.data.sets.stored:PUCRIO", "165,632 postures × 18; 5 classes."),
        "bhi": Entry("seepage.data.sets.own_copies:BHI", "Pictures of breast tissue; 2 classes (bring the file)."),
        "cifar100": Entry("seepage.data.sets.own_copies:CIFAR100", "60,000 pictures; 100 classes (bring the file)."),
        "cinic10": Entry("seepage.data.sets.own_copies:CINIC10", "270,000 pictures; 10 classes (bring the file)."),
        "credit_card": Entry(
            "seepage.data.sets.own_copies:CREDIT_CARD", "30,000 cards × 23; 2 classes (bring the file)."
        ),
        "law_school": Entry(
            "seepage.data.sets.own_copies:LAW_SCHOOL", "96,584 applicants; 2 classes (bring the file)."
        ),
        "nus_wide": Entry("seepage.data.sets.own_copies:NUS_WIDE", "Image features and tags (bring the file)."),
        "obesity": Entry("seepage.data.sets.own_copies:OBESITY", "2,111 people × 16; 7 classes (bring the file)."),
        "texas100": Entry(
            "seepage.data.sets.own_copies:TEXAS100", "67,330 hospital stays × 6,169; 100 classes (bring the file)."
        ),
        "yahoo_answers": Entry(
            "seepage.data.sets.own_copies:YAHOO_ANSWERS", "Questions by topic; 10 classes (bring the file)."
        ),
    },
)


def load_dataset(name: str, *, impute: bool = False) -> Table:
    """Load a data set by its name, or make one up from ``synthetic:rows=…,features=…,classes=…,seed=…``.

    Parameters
    ----------
    impute
        Whether missing numbers are kept, to be filled by the encoding, instead
        of refused.

    Examples
    --------
    >>> load_dataset("iris").classes
    ('setosa', 'versicolor', 'virginica')
    >>> load_dataset("synthetic:rows=50,features=4").rows
    50
    """
    if name.startswith(PREFIX):
        return synthetic_by_name(name)
    return DATASETS[name](impute=impute)
