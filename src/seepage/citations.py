"""Where attacks, defenses and bounds come from: papers by author and year, and who rests on which."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A publication, as people name it and as BibTeX has it.

    >>> print(PAPERS["he2019"].bibtex)
    @inproceedings{he2019,
      author = {He, Zecheng and Zhang, Tianwei and Lee, Ruby B.},
      title = {Model Inversion Attacks Against Collaborative Inference},
      booktitle = {Annual Computer Security Applications Conference (ACSAC)},
      year = {2019},
    }
    """

    key: str
    short: str
    kind: str
    fields: Mapping[str, str]

    @property
    def bibtex(self) -> str:
        """The entry for a bibliography."""
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields.items())
        return f"@{self.kind}{{{self.key},\n{lines}}}"

    @property
    def title(self) -> str:
        """What it is called."""
        return self.fields["title"]

    @property
    def venue(self) -> str:
        """Where and when it appeared."""
        place = self.fields.get("booktitle") or self.fields.get("journal", "")
        return f"{place}, {self.fields['year']}" if place else self.fields["year"]


def _paper(key: str, short: str, kind: str, **fields: str) -> Paper:
    return Paper(key=key, short=short, kind=kind, fields=fields)


_USENIX: Final = "USENIX Security Symposium"
_LISTED: Final = (
    _paper(
        "fu2022", "Fu et al. 2022", "inproceedings",
        author="Fu, Chong and Zhang, Xuhong and Ji, Shouling and Chen, Jinyin and Wu, Jingzheng and Guo, Shanqing and "
        "Zhou, Jun and Liu, Alex X. and Wang, Ting",
        title="Label Inference Attacks Against Vertical Federated Learning", booktitle=_USENIX, year="2022",
    ),
    _paper(
        "luo2021", "Luo et al. 2021", "inproceedings",
        author="Luo, Xinjian and Wu, Yuncheng and Xiao, Xiaokui and Ooi, Beng Chin",
        title="Feature Inference Attack on Model Predictions in Vertical Federated Learning",
        booktitle="IEEE International Conference on Data Engineering (ICDE)", year="2021",
    ),
    _paper(
        "takahashi2023", "Takahashi et al. 2023", "misc",
        author="Takahashi, Hideaki and Liu, Jingjing and Liu, Yang",
        title="Eliminating Label Leakage in Tree-Based Vertical Federated Learning", note="Preprint", year="2023",
    ),
    _paper(
        "bai2025", "Bai et al. 2025", "article",
        author="Bai, Li and Zhang, Xinwei and Zhang, Sen and Ye, Qingqing and Hu, Haibo",
        title="{ProVFL}: Property Inference Attacks Against Vertical Federated Learning",
        journal="IEEE Transactions on Information Forensics and Security", volume="20", year="2025",
    ),
    _paper(
        "li2022", "Li et al. 2022", "inproceedings",
        author="Li, Oscar and Sun, Jiankai and Yang, Xin and Gao, Weihao and Zhang, Hongyi and Xie, Junyuan and "
        "Smith, Virginia and Wang, Chong",
        title="Label Leakage and Protection in Two-party Split Learning",
        booktitle="International Conference on Learning Representations (ICLR)", year="2022",
    ),
    _paper(
        "liu2022", "Liu and Lyu 2022", "misc", author="Liu, Junlin and Lyu, Xinchen",
        title="Clustering Label Inference Attack against Practical Split Learning", note="arXiv 2203.05222",
        year="2022",
    ),
    _paper(
        "sun2022", "Sun et al. 2022", "misc",
        author="Sun, Jiankai and Yang, Xin and Yao, Yuanshun and Wang, Chong",
        title="Label Leakage and Protection from Forward Embedding in Vertical Federated Learning",
        note="arXiv 2203.01451", year="2022",
    ),
    _paper(
        "vepakomma2020", "Vepakomma et al. 2020", "inproceedings",
        author="Vepakomma, Praneeth and Singh, Abhishek and Gupta, Otkrist and Raskar, Ramesh",
        title="{NoPeek}: Information leakage reduction to share activations in distributed deep learning",
        booktitle="International Conference on Data Mining Workshops (ICDMW)", year="2020",
    ),
    _paper(
        "zou2023", "Zou et al. 2023", "misc", author="Zou, Tianyuan and Liu, Yang and Zhang, Ya-Qin",
        title="Mutual Information Regularization for Vertical Federated Learning", note="arXiv 2301.01142", year="2023",
    ),
    _paper(
        "zou2022", "Zou et al. 2022", "article",
        author="Zou, Tianyuan and Liu, Yang and Kang, Yan and Liu, Wenhan and He, Yuanqin and Yi, Zhihao and "
        "Yang, Qiang and Zhang, Ya-Qin",
        title="Defending Batch-Level Label Inference and Replacement Attacks in Vertical Federated Learning",
        journal="IEEE Transactions on Big Data", year="2022",
    ),
    _paper(
        "alemi2017", "Alemi et al. 2017", "inproceedings",
        author="Alemi, Alexander A. and Fischer, Ian and Dillon, Joshua V. and Murphy, Kevin",
        title="Deep Variational Information Bottleneck",
        booktitle="International Conference on Learning Representations (ICLR)", year="2017",
    ),
    _paper(
        "dong2022", "Dong et al. 2022", "article", author="Dong, Jinshuo and Roth, Aaron and Su, Weijie J.",
        title="Gaussian Differential Privacy", journal="Journal of the Royal Statistical Society: Series B",
        volume="84", year="2022",
    ),
    _paper(
        "he2019", "He et al. 2019", "inproceedings",
        author="He, Zecheng and Zhang, Tianwei and Lee, Ruby B.",
        title="Model Inversion Attacks Against Collaborative Inference",
        booktitle="Annual Computer Security Applications Conference (ACSAC)", year="2019",
    ),
    _paper(
        "cheng2021", "Cheng et al. 2021", "article",
        author="Cheng, Kewei and Fan, Tao and Jin, Yilun and Liu, Yang and Chen, Tianjian and Papadopoulos, Dimitrios "
        "and Yang, Qiang",
        title="{SecureBoost}: A Lossless Federated Learning Framework", journal="IEEE Intelligent Systems", year="2021",
    ),
    _paper(
        "zhou2003", "Zhou et al. 2003", "inproceedings",
        author="Zhou, Dengyong and Bousquet, Olivier and Lal, Thomas Navin and Weston, Jason and "
        "Sch{\\\"o}lkopf, Bernhard",
        title="Learning with Local and Global Consistency",
        booktitle="Advances in Neural Information Processing Systems (NeurIPS)", year="2003",
    ),
    _paper(
        "forman2008", "Forman 2008", "article", author="Forman, George",
        title="Quantifying counts and costs via classification", journal="Data Mining and Knowledge Discovery",
        volume="17", year="2008",
    ),
    _paper(
        "bella2010", "Bella et al. 2010", "inproceedings",
        author="Bella, Antonio and Ferri, C{\\`e}sar and Hern{\\'a}ndez-Orallo, Jos{\\'e} and Ram{\\'i}rez-Quintana, "
        "Mar{\\'i}a Jos{\\'e}",
        title="Quantification via Probability Estimators",
        booktitle="IEEE International Conference on Data Mining (ICDM)", year="2010",
    ),
    _paper(
        "zhang2021", "Zhang et al. 2021", "inproceedings",
        author="Zhang, Wanrong and Tople, Shruti and Ohrimenko, Olga",
        title="Leakage of Dataset Properties in Multi-Party Machine Learning", booktitle=_USENIX, year="2021",
    ),
    _paper(
        "shokri2015", "Shokri and Shmatikov 2015", "inproceedings",
        author="Shokri, Reza and Shmatikov, Vitaly", title="Privacy-Preserving Deep Learning",
        booktitle="ACM Conference on Computer and Communications Security (CCS)", year="2015",
    ),
    _paper(
        "bernstein2018", "Bernstein et al. 2018", "inproceedings",
        author="Bernstein, Jeremy and Wang, Yu-Xiang and Azizzadenesheli, Kamyar and Anandkumar, Animashree",
        title="{signSGD}: Compressed Optimisation for Non-Convex Problems",
        booktitle="International Conference on Machine Learning (ICML)", year="2018",
    ),
    _paper(
        "ghazi2021", "Ghazi et al. 2021", "inproceedings",
        author="Ghazi, Badih and Golowich, Noah and Kumar, Ravi and Manurangsi, Pasin and Zhang, Chiyuan",
        title="Deep Learning with Label Differential Privacy",
        booktitle="Advances in Neural Information Processing Systems (NeurIPS)", year="2021",
    ),
    _paper(
        "abadi2016", "Abadi et al. 2016", "inproceedings",
        author="Abadi, Mart{\\'i}n and Chu, Andy and Goodfellow, Ian and McMahan, H. Brendan and Mironov, Ilya and "
        "Talwar, Kunal and Zhang, Li",
        title="Deep Learning with Differential Privacy",
        booktitle="ACM Conference on Computer and Communications Security (CCS)", year="2016",
    ),
    _paper(
        "dong2022", "Dong et al. 2022", "article", author="Dong, Jinshuo and Roth, Aaron and Su, Weijie J.",
        title="Gaussian Differential Privacy", journal="Journal of the Royal Statistical Society, Series B",
        volume="84", year="2022",
    ),
    _paper(
        "mao2023", "Mao et al. 2023", "inproceedings",
        author="Mao, Yunlong and Xin, Zexi and Li, Zhenyu and Hong, Jue and Yang, Qingyou and Zhong, Sheng",
        title="Secure Split Learning against Property Inference, Data Reconstruction, and Feature Space Hijacking "
        "Attacks",
        booktitle="European Symposium on Research in Computer Security (ESORICS)", year="2023",
    ),
    _paper(
        "tramer2016", "Tramèr et al. 2016", "inproceedings",
        author="Tramèr, Florian and Zhang, Fan and Juels, Ari and Reiter, Michael K. and Ristenpart, Thomas",
        title="Stealing Machine Learning Models via Prediction {APIs}", booktitle=_USENIX, year="2016",
    ),
    _paper(
        "srivastava2014", "Srivastava et al. 2014", "article",
        author="Srivastava, Nitish and Hinton, Geoffrey and Krizhevsky, Alex and Sutskever, Ilya and "
        "Salakhutdinov, Ruslan",
        title="Dropout: A Simple Way to Prevent Neural Networks from Overfitting",
        journal="Journal of Machine Learning Research", volume="15", year="2014",
    ),
)  # fmt: skip
PAPERS: Final[Mapping[str, Paper]] = {paper.key: paper for paper in _LISTED}

CITES: Final[Mapping[str, tuple[str, ...]]] = {
    "active-completion": ("fu2022",),
    "adjusted-count": ("forman2008", "bella2010"),
    "attribute-inference": ("bai2025",),
    "bounded-equality-solving": ("luo2021",),
    "correlation-augmentation": ("bai2025",),
    "direct-completion": ("fu2022",),
    "distribution-comparison": ("bai2025",),
    "embedding-clustering": ("sun2022",),
    "embedding-inversion": ("he2019",),
    "embedding-regression": ("he2019",),
    "equality-solving": ("luo2021",),
    "generative-regression": ("luo2021",),
    "gradient-direction": ("li2022", "liu2022"),
    "gradient-sign": ("fu2022",),
    "id2graph": ("takahashi2023",),
    "label-chain": ("fu2022",),
    "leaf-labels": ("zhou2003",),
    "linear-probe": ("fu2022",),
    "local-clustering": ("takahashi2023",),
    "model-completion": ("fu2022",),
    "path-restriction": ("luo2021",),
    "prediction-distillation": ("tramer2016",),
    "semi-supervised": ("fu2022",),
    "shadow-models": ("zhang2021", "bai2025"),
    "split-sides": (),
    "union": ("cheng2021", "takahashi2023"),
    "union-clustering": ("takahashi2023",),
    "confusional-autoencoder": ("zou2022",),
    "discrete-gradients": ("fu2022",),
    "distance-correlation": ("vepakomma2020", "sun2022"),
    "embedding-noise": ("dong2022",),
    "information-bottleneck": ("zou2023", "alemi2017"),
    "dropout": ("luo2021", "srivastava2014"),
    "feature-screening": ("luo2021",),
    "first-trees-alone": ("cheng2021", "takahashi2023"),
    "grafting": ("takahashi2023",),
    "gradient-dp": ("abadi2016", "dong2022"),
    "label-dp": ("ghazi2021", "takahashi2023"),
    "laplace-noise": ("fu2022",),
    "marvell": ("li2022",),
    "max-norm": ("li2022",),
    "output-verification": ("luo2021",),
    "privacy-preserving-dl": ("shokri2015", "fu2022"),
    "purity-limit": ("takahashi2023",),
    "randomized-response": ("mao2023", "bai2025"),
    "rounding": ("luo2021",),
    "shuffling": ("bai2025",),
    "sign-gradients": ("bernstein2018", "fu2022"),
    "top-k": ("fu2022",),
    "withdrawal": ("bai2025",),
}
"""Attack or defense → the papers that it comes from; none where it is ours."""


NUMBERED: Final[Mapping[str, str]] = {
    "paper 000": "bai2025",
    "paper 001": "fu2022",
    "paper 002": "luo2021",
    "paper 003": "takahashi2023",
}
"""The four papers that our own texts number."""


def by_author(text: str) -> str:
    """Name papers by author and year in the place of their number.

    >>> by_author("Take the class whose logit is pulled up: the direct label inference attack of paper 001.")
    'Take the class whose logit is pulled up: the direct label inference attack of Fu et al. 2022.'
    """
    for number, key in NUMBERED.items():
        text = text.replace(number, PAPERS[key].short)
    return text


def cited(names: Iterable[str]) -> list[Paper]:
    """Return the papers behind some attacks and defenses, each once.

    >>> [paper.short for paper in cited(["gradient-sign", "top-k", "id2graph", "one from outside"])]
    ['Fu et al. 2022', 'Takahashi et al. 2023']
    """
    return [PAPERS[key] for key in dict.fromkeys(key for name in names for key in CITES.get(name, ()))]


def authors(name: str) -> str:
    """Name the papers behind an attack or a defense by author and year; empty where there are none.

    >>> authors("gradient-direction"), authors("split-sides")
    ('Li et al. 2022; Liu and Lyu 2022', '')
    """
    return "; ".join(PAPERS[key].short for key in CITES.get(name, ()))


def credited(summary: str, name: str) -> str:
    """Return a line about something with the papers that it rests on, by author and year.

    >>> credited("Take the class whose logit is pulled up, as paper 001 does.", "gradient-sign")
    'Take the class whose logit is pulled up, as Fu et al. 2022 does.'
    >>> credited("Find values whose embedding was sent.", "embedding-inversion")
    'Find values whose embedding was sent (He et al. 2019).'
    """
    text, papers = by_author(summary), cited([name])
    if not papers or any(paper.short in text for paper in papers):
        return text
    return f"{text.removesuffix('.')} ({authors(name)})."
