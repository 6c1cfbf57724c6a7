"""The data sets that are prepared Parquet files and need no rules of their own.

All are public; the files are repackaged, so they are recognized by their digest
and looked up in ``$SEEPAGE_DATA`` and in the cache.
"""

from typing import Final

from seepage.data.sets.stored_table import StoredTable
from seepage.data.sources import Source

UCI: Final = "https://archive.ics.uci.edu/dataset"
CC_BY: Final = "CC BY 4.0"

BANK_FULL: Final = StoredTable(
    Source(
        name="bank_full",
        file="bank_full.parquet",
        sha256="00523d1e6ceb209cf0bc3c60d5b20a935aa94af5419cf76d65893b23e5c3e792",
        home=f"{UCI}/222/bank+marketing",
        license=CC_BY,
    ),
    label="y",
)

BANK_ADDITIONAL: Final = StoredTable(
    Source(
        name="bank_additional",
        file="bank_additional.parquet",
        sha256="2cb1d065ea3049ddd65bd75f21b94f2df47aa9df310e4247bffcf0a42a3c201a",
        home=f"{UCI}/222/bank+marketing",
        license=CC_BY,
    ),
    label="y",
)

CENSUS: Final = StoredTable(
    Source(
        name="census",
        file="census.parquet",
        sha256="14437f1d0268432a8f0252b872593ad345704987e895b3f4cec4979f2528a92e",
        home=f"{UCI}/117/census+income+kdd",
        license=CC_BY,
    ),
    label="income",
)

DRIVE: Final = StoredTable(
    Source(
        name="drive",
        file="drive.parquet",
        sha256="f0ea6b741899a1d2dc236ce787d826389d1d4aa642a5b77c38546e3b0c2e0b7a",
        home=f"{UCI}/325/dataset+for+sensorless+drive+diagnosis",
        license=CC_BY,
    ),
    label="class",
)

PHISHING: Final = StoredTable(
    Source(
        name="phishing",
        file="phishing.parquet",
        sha256="6148109407482f4e104f89ff870f39b13a8eff9100c3f8ef02bad871f7f44109",
        home=f"{UCI}/327/phishing+websites",
        license=CC_BY,
    ),
    label="Result",
)

AVILA: Final = StoredTable(
    Source(
        name="avila",
        file="avila.parquet",
        sha256="293e0e8d07532887643bcbb5dfa9b3723f3605aecd30be3972c9611c5ffdec61",
        home=f"{UCI}/459/avila",
        license=CC_BY,
    ),
    label="class",
)

PARKINSON: Final = StoredTable(
    Source(
        name="parkinson",
        file="parkinson.parquet",
        sha256="0d31d35a6c82e09045a972a4ad61a9a76b0791ae5ad6dabe179ae7a0bada00eb",
        home=f"{UCI}/470/parkinson+s+disease+classification",
        license=CC_BY,
    ),
    label="class",
)

FARS: Final = StoredTable(
    Source(
        name="fars",
        file="fars.parquet",
        sha256="5cb8adc79cc71d9ee5c6340b452310a7f74c648d285d2132a941f919c61a7040",
        home="https://github.com/EpistasisLab/pmlb/tree/master/datasets/fars",
        license="public domain (US NHTSA); PMLB collection MIT",
    ),
    label="target",
)

PUCRIO: Final = StoredTable(
    Source(
        name="pucrio",
        file="pucrio.parquet",
        sha256="c15edd41057ba456445ea8648f5e5c8efa8e445ddee875fcc108557725b5e72c",
        home="http://groupware.les.inf.puc-rio.br/har (Ugulino et al., SBIA 2012)",
        license="CC BY-SA",
    ),
    label="class",
)

HEALTH: Final = StoredTable(
    Source(
        name="health",
        file="health.parquet",
        sha256="bac0265bc2f5085ff316378fa3926589aa816e21b688e97c8310cd959907cf06",
        home="https://www.kaggle.com/c/hhp",
        license="Heritage Health Prize competition terms",
    ),
    label="Charlson>0",
    # The Charlson indices are what the label was made from; the last two columns are 0 in every row.
    drop=(
        "MemberID_t",
        "YEAR_t",
        "trainset",
        "CharlsonIndexI_max",
        "CharlsonIndexI_min",
        "CharlsonIndexI_ave",
        "CharlsonIndexI_range",
        "CharlsonIndexI_stdev",
        "age_MISS",
        "sexMISS",
    ),
)

CRITEO: Final = StoredTable(
    Source(
        name="criteo",
        file="criteo.parquet",
        sha256="2ac87085019608f9c893a67474ad35df3253226782c25ae05dcdb33c312e4bc8",
        home="https://www.kaggle.com/c/criteo-display-ad-challenge",
        license="Criteo data terms (non-commercial research)",
    ),
    label="label",
)
