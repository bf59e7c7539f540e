"""The published bins: they obey the laws of difficulty, and shares, figures and examples follow from them.

Source: Lucie Gianola, Hicham El Boukkouri, Cyril Grouin, Thomas Lavergne, Patrick Paroubek, Pierre Zweigenbaum,
Differential Evaluation: a Qualitative Analysis of Natural Language Processing System Behavior Based Upon Data
Resistance to Processing (Eval4NLP 2021). Tables 1 to 4 give the true positives of each system in bin 0, bin 1 …, and
their sum; the last row gives the size of each bin. Tables 5 and 6 give the same as Tables 3 and 4 in per cent, without
the first bin and the last, and recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

import slicewise
from slicewise import Evaluation
from slicewise.stats.patterns import Bins

if TYPE_CHECKING:
    from support.commands import Write


TABLE_1 = """
A       0  21  33  93 104 271  311  652  645  765  829 3800  7524
B1      0  69 163 224 472 648 1005 1245 1774 1390 3890 3800 14680
B2      0  31 126 172 434 575  959 1211 1760 1373 3886 3800 14327
C1      0   2   8  11  24  89  208  306  958  813 3658 3800  9877
C2      0   7  11  14  31  83  189  327 1005  660 3445 3800  9572
D1      0   9  55 105 331 463  823 1168 1608 1344 3884 3800 13590
D2      0  24  67 143 351 474  795 1073 1543 1284 3827 3800 13381
E1      0   6  60  77 183 289  639  982 1549 1327 3886 3800 12798
E2      0   2  60  78 184 312  665 1003 1557 1337 3886 3800 12884
F1      0   4  20  27  49 105  291  444  919 1125 3854 3800 10638
F2      0  10  29  34  57 131  289  458  930 1110 3855 3800 10703
Total 305 185 316 326 555 688 1029 1267 1781 1392 3890 3800 15534
"""
TABLE_2 = """
G1       0 104  555  655 2855 4760 11246 37654 9034 26324 93187
G2       0 116  542  642 2828 4700 11239 37659 9028 26324 93078
H1       0  72  381  375 2001 3471 10080 37367 8749 26324 88820
H2       0  62  380  394 2019 3606 10620 37525 8985 26324 89915
I1       0  45  333  538 1375 2877 10293 36748 8980 26324 87513
I2       0  67  366  519 1356 2400 10208 36575 8695 26324 86510
J        0 136  126  364  557 2986  3331 37024 2134 26324 72982
K1       0  19   46   73  140  285   832  1693 8460 26324 37872
K2       0   7   45   40   89  215   947  1508 8303 26324 37478
Total 1442 628 1387 1200 3305 5060 11466 37679 9046 26324 97537
"""
TABLE_3 = """
Enh.CharBertFromGenN2V   0 12  65  72 155 148 156 176 223 294 465 852 3894 6512
CharBertFromGen          0  9  70  75 147 147 158 174 228 287 477 868 3894 6534
CharBertGenN2V           0  1  10  41 107 112 139 168 199 282 466 868 3894 6287
CharBertGen              0  3   7  41 103 113 131 163 205 285 463 853 3894 6261
fastTextGigawordN2V      0  6   7   7  28  61  77 110 164 244 446 869 3894 5913
fastTextGigaword         0  0   3   7  19  60  78 111 106 196 343 812 3894 5629
fastTextMimicN2V         0  0   9  14  29  43  59  91 165 235 450 862 3894 5851
fastTextMimic            0  2  10   9  20  53  56  88 128 190 413 830 3894 5693
fastTextPubMedN2V        0  4  12  21  47  51  87 113 190 254 453 830 3894 5956
fastTextPubMed           0  3  10  29  39  83 101 116 182 247 449 862 3894 6015
fastTextRandomN2V        0  0   5  11  28  39  39  77 106 161 322 792 3894 5474
fastTextRandom           0  1   2   9  18  30  41  62  56 106 143 338 3894 4700
Total                  178 41 105 112 185 188 187 207 244 309 489 876 3894 7015
"""
TABLE_4 = """
Enh.CharBertFromGenN2V   0  16  70  74 124 115 159 181 256 296 389 800 3617 6097
CharBertFromGen          0  44  89  92 142 123 164 179 247 289 389 791 3617 6166
CharBertGenN2V           0  14  29  66 106 110 137 166 238 278 378 795 3617 5934
CharBertGen              0  24  32  57 110 107 137 162 234 287 387 802 3617 5956
fastTextGigawordN2V      0   3  22  36  59  70 112 141 224 288 403 803 3617 5778
fastTextGigaword         0   5   7  17  25  50  72  91 126 205 311 730 3617 5256
fastTextMimicN2V         0   6  12  25  39  54 103 144 207 257 359 791 3617 5614
fastTextMimic            0  13  12  29  33  51  85  94 145 200 325 746 3617 5350
fastTextPubMedN2V        0   6  15  32  64  65 141 162 236 292 408 814 3617 5852
fastTextPubMed           0   5  12  29  50  53 103 118 182 204 332 764 3617 5469
fastTextRandomN2V        0  10  27  41  52  52  85 112 177 223 314 717 3617 5427
fastTextRandom           0  10   9  24  28  40  58  60  96 124 195 489 3617 4750
Total                  340 156 168 174 208 178 226 230 296 327 419 822 3617 7161
"""
TABLE_5 = """
Enh.CharBertFromGenN2V 29 62 64 84 79 83 85 91 95 95 97 92.83
CharBertFromGen        22 67 67 79 78 84 84 93 93 98 99 93.14
CharBertGenN2V          2 10 37 58 60 74 81 82 91 95 99 89.62
CharBertGen             7  7 37 56 60 70 79 84 92 95 97 89.25
fastTextGigawordN2V    15  7  6 15 32 41 53 67 79 91 99 84.29
fastTextGigaword        0  3  6 10 32 42 54 43 63 70 93 80.24
fastTextMimicN2V        0  9 12 16 23 32 44 68 76 92 98 83.41
fastTextMimic           5 10  8 11 28 30 43 52 61 84 95 81.15
fastTextPubMedN2V      10 11 19 25 27 47 55 78 82 93 95 84.90
fastTextPubMed          7 10 26 21 44 54 56 75 80 92 98 85.74
fastTextRandomN2V       0  5 10 15 21 21 37 43 52 66 90 78.03
fastTextRandom          2  2  8 10 16 22 30 23 34 29 39  67.0
"""
TABLE_6 = """
Enh.CharBertFromGenN2V 10 42 43 60 65 70 79 86 91 93 97 85.14
CharBertFromGen        28 53 53 68 69 73 78 83 88 93 96 86.11
CharBertGenN2V          9 17 38 51 62 61 72 80 85 90 97 82.87
CharBertGen            15 19 33 53 60 61 70 79 88 92 98 83.17
fastTextGigawordN2V     2 13 21 28 39 50 61 76 88 96 98 80.69
fastTextGigaword        3  4 10 12 28 32 40 43 63 74 89 73.40
fastTextMimicN2V        4  7 14 19 30 46 63 70 79 86 96 78.40
fastTextMimic           8  7 17 16 29 38 41 49 61 78 91 74.71
fastTextPubMedN2V       4  9 18 31 37 62 70 80 89 97 99 81.72
fastTextPubMed          3  7 17 24 30 46 51 61 62 79 93 76.37
fastTextRandomN2V       6 16 24 25 29 38 49 60 68 75 87 75.79
fastTextRandom          6  5 14 13 22 26 26 32 38 47 59 66.33
"""
"""The sixth row of Table 4 is printed as a second fastTextGigawordN2V, a slip: in Table 6 it is fastTextGigaword."""


@dataclass(frozen=True)
class Table:
    """The rows of a table."""

    systems: tuple[str, ...]
    found: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    true_positives: tuple[int, ...]
    """What is printed as the sum of each system's row."""
    units: int
    """What is printed as the sum of all bins."""

    @classmethod
    def read(cls, text: str) -> Table:
        names, *columns = zip(*(line.split() for line in text.strip().split("\n")), strict=True)
        *rows, last = zip(*(tuple(map(int, column)) for column in columns), strict=True)
        return cls(names[:-1], tuple(row[:-1] for row in rows), last[:-1], tuple(row[-1] for row in rows), last[-1])

    @property
    def bins(self) -> Bins:
        return Bins(np.array(self.totals), np.array(self.found))

    def row(self, system: str) -> tuple[int, ...]:
        return self.found[self.systems.index(system)]


TABLES = {
    "Italian": Table.read(TABLE_1),
    "Hungarian": Table.read(TABLE_2),
    "chemicals": Table.read(TABLE_3),
    "diseases": Table.read(TABLE_4),
}
ITALIAN, HUNGARIAN = TABLES["Italian"], TABLES["Hungarian"]
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


def test_the_tables_are_whole() -> None:
    assert [(len(t.systems), len(t.totals), t.units) for t in TABLES.values()] == [
        (11, 12, 15_534),
        (9, 10, 97_537),
        (12, 13, 7_015),
        (12, 13, 7_161),
    ]
    assert all(len(set(table.systems)) == len(table.systems) for table in TABLES.values())


# ------------------------------------------------------------------ laws


@every_table
def test_the_laws_hold(table: Table) -> None:
    size = len(table.systems)
    assert [row[0] for row in table.found] == [0] * size
    assert [row[size] for row in table.found] == [table.totals[size]] * size
    for n, total in enumerate(table.totals):
        assert sum(row[n] for row in table.found) == n * total
    assert [sum(row) for row in table.found] == list(table.true_positives)
    assert sum(table.totals) == table.units
    table.bins.check()


@every_table
def test_one_figure_that_is_off_by_one_breaks_a_law(table: Table) -> None:
    """But for the size of bin 0, of which the laws say nothing."""
    for by in (-1, 1):
        for n in range(1, len(table.totals)):
            totals = np.array(table.totals)
            totals[n] += by
            with pytest.raises(ValueError, match="law"):
                Bins(totals, np.array(table.found)).check()
        for place in np.ndindex(len(table.systems), len(table.totals)):
            found = np.array(table.found)
            found[place] += by
            with pytest.raises(ValueError, match="law"):
                Bins(np.array(table.totals), found).check()


@every_table
def test_two_figures_that_make_up_for_each_other_break_none(table: Table) -> None:
    """The laws say nothing of who has a unit; they do say that nobody has more than there is."""
    found = np.array(table.found)
    found[0, 2] += 1
    found[1, 2] -= 1
    Bins(np.array(table.totals), found).check()
    found[0, 2] += table.totals[2]
    found[1, 2] -= table.totals[2]
    with pytest.raises(ValueError, match="law"):
        Bins(np.array(table.totals), found).check()


# ------------------------------------------------------------------ what follows from the bins


@every_table
def test_leaving_one_out(table: Table) -> None:
    """Without a system, the units of bin n that it has fall into bin n − 1, and the others stay."""
    totals, found = table.bins.leave_one_out()
    size = len(table.systems)
    assert totals.shape == found.shape == (size, size)
    for i, (row, true_positives) in enumerate(zip(table.found, table.true_positives, strict=True)):
        for n in range(size):
            stay, fall = table.totals[n] - row[n], row[n + 1]
            assert (totals[i, n], found[i, n]) == (stay + fall, fall)
        assert totals[i].sum() == table.units
        assert found[i].sum() == true_positives
        assert (np.arange(size) * totals[i]).sum() == sum(table.true_positives) - true_positives
        assert (found[i] <= totals[i]).all()


@every_table
def test_shares(table: Table) -> None:
    shares = table.bins.shares()
    for row, own in zip(table.found, shares, strict=True):
        assert own.tolist() == [part / whole for part, whole in zip(row, table.totals, strict=True)]
    for n, total in enumerate(table.totals):
        assert total  # no bin is empty
        assert shares[:, n].sum() == pytest.approx(n)


@pytest.mark.parametrize(("table", "printed"), [("chemicals", TABLE_5), ("diseases", TABLE_6)])
def test_shares_are_those_of_the_tables_in_per_cent(table: str, printed: str) -> None:
    own = TABLES[table]
    lines = [line.split() for line in printed.strip().split("\n")]
    assert tuple(name for name, *_ in lines) == own.systems
    shares = own.bins.shares()[:, 1:-1]
    assert np.rint(100 * shares).astype(int).tolist() == [[int(x) for x in line[1:-1]] for line in lines]
    for line, true_positives in zip(lines, own.true_positives, strict=True):
        assert 100 * true_positives / own.units == pytest.approx(float(line[-1]), abs=0.0051)


def test_what_single_systems_contribute() -> None:
    """What the text says of bin 1, in sections 3.1.1 and 3.1.2."""
    assert sum(ITALIAN.row(system)[1] for system in ITALIAN.systems) == ITALIAN.totals[1] == 185
    four = sorted(ITALIAN.systems, key=lambda system: -ITALIAN.row(system)[1])[:4]
    shares = dict(zip(ITALIAN.systems, ITALIAN.bins.shares()[:, 1], strict=True))
    assert four == ["B1", "B2", "D2", "A"]
    assert sum(shares[system] for system in four) == pytest.approx(145 / 185)  # most of it is theirs
    assert max(HUNGARIAN.systems, key=lambda system: HUNGARIAN.row(system)[1]) == "J"
    easy = dict(zip(HUNGARIAN.systems, HUNGARIAN.bins.shares()[:, 8], strict=True))
    assert round(easy.pop("J"), 2) == 0.24
    assert min(easy.values()) > 0.9
    totals, found = HUNGARIAN.bins.leave_one_out()
    for i, system in enumerate(HUNGARIAN.systems):  # what a system alone finds is what nobody else does
        assert found[i, 0] == HUNGARIAN.row(system)[1]
        assert totals[i, 0] == HUNGARIAN.totals[0] + HUNGARIAN.row(system)[1]


# ------------------------------------------------------------------ the examples

FIGURE_1 = """
item,A,B,C,D,E,F
762_levodopa,1,1,1,1,1,1
1004_cyclophosphamide,1,1,1,1,1,1
1032_cyclophosphamide,1,1,1,1,1,1
1034_cyp,1,1,1,1,0,0
1105_cyp,1,0,1,1,0,0
1128_cyp,1,0,0,1,0,1
""".lstrip()
FIGURE_2 = "ABBCBCCBFBDBCD"
"""Which of six systems misses each of the 14 instances that five find."""
CALCIUM = (0, 1, 0, 0, 1, 1, 0, 0, 0, 2, 1, 0, 29)
"""Table 7: how many mentions of the word so many of twelve systems find."""


def test_figure_1(write: Write) -> None:
    found = slicewise.difficulty(slicewise.load(matrix=write("figure.csv", FIGURE_1)), resamples=0).to_dict()["result"]
    assert found["gold"]["totals"] == [0, 0, 0, 2, 1, 0, 3]
    assert found["gold"]["systems"]["A"] == [0, 0, 0, 2, 1, 0, 3]
    assert found["gold"]["systems"]["B"] == [0, 0, 0, 0, 1, 0, 3]
    assert found["gold"]["systems"]["F"] == [0, 0, 0, 1, 0, 0, 3]


def test_figure_2() -> None:
    scores = {system: [float(system != missing) for missing in FIGURE_2] for system in "ABCDEF"}
    found = slicewise.difficulty(Evaluation.from_scores(scores), resamples=0).to_dict()["result"]["gold"]
    assert found["totals"] == [0, 0, 0, 0, 0, 14, 0]
    assert [found["systems"][system][5] for system in "ABCDEF"] == [13, 8, 10, 12, 14, 13]
    assert [round(100 * found["shares"][system][5]) for system in "ABCDEF"] == [93, 57, 71, 86, 100, 93]
    assert found["shares"]["A"][6] is None


def test_the_spread_of_calcium() -> None:
    """Which systems find a mention is not published; it does not matter here."""
    bins = [n for n, times in enumerate(CALCIUM) for _ in range(times)]
    systems = {f"s{k}": [["B-C" if k < n else "O"] for n in bins] for k in range(12)}
    words = [["calcium"] for _ in bins]
    evaluation = Evaluation.from_tags(words, [["B-C"] for _ in bins], systems, task="tokens")
    (spread,) = slicewise.difficulty(evaluation, resamples=0).to_dict()["result"]["spread"]
    assert (spread["surface"], spread["n"], tuple(spread["bins"])) == ("calcium", 35, CALCIUM)
    assert spread["lost"] == pytest.approx((11 + 8 + 7 + 3 + 3 + 2) / 12)
