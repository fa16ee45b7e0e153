"""Made-up people: every dependency that the module promises, and that streaming changes nothing."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest

from shoal.errors import InputError
from shoal.generate.people import _Chances, people, write_people

MORE_THAN_A_BLOCK = 70_000


@pytest.fixture(scope="module")
def crowd() -> dict[str, np.ndarray]:
    """Two hundred thousand people, as arrays."""
    table = people(200_000, seed=5)
    columns = {name: table[name].to_numpy() for name in table.column_names}
    columns["region"] = pc.utf8_slice_codeunits(table["postcode"], 0, 1).to_numpy(zero_copy_only=False)
    return columns


def _csv(n_rows: int, seed: int | None) -> bytes:
    file = io.BytesIO()
    write_people(file, n_rows, seed=seed)
    return file.getvalue()


def test_equal_seeds_equal_bytes_and_others_differ() -> None:
    assert _csv(500, 1) == _csv(500, 1)
    assert _csv(500, 1) != _csv(500, 2)
    assert _csv(500, None) != _csv(500, None)


@pytest.mark.parametrize("n_rows", [1, 2, 65_536, MORE_THAN_A_BLOCK])
def test_the_number_of_rows_is_exact(n_rows: int) -> None:
    assert people(n_rows, seed=1).num_rows == n_rows
    assert _csv(n_rows, 1).count(b"\n") == n_rows + 1


def test_a_longer_table_begins_with_the_shorter_one() -> None:
    assert people(MORE_THAN_A_BLOCK, seed=3).slice(0, 66_000).equals(people(66_000, seed=3))


def test_no_block_repeats_another() -> None:
    table = people(2 * 65_536, seed=3)
    assert not table.slice(0, 65_536).equals(table.slice(65_536))


class _Always:
    """A source of chance that always says the same."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self, n: int) -> np.ndarray:
        return np.full(n, self.number)


@pytest.mark.parametrize(("number", "value"), [(0.0, 1), (0.49, 1), (0.51, 3), (np.nextafter(1, 0), 3)])
def test_an_impossible_value_is_never_drawn_at_either_end(number: float, value: int) -> None:
    chances = _Chances([[0, 1, 0, 1]] * 5_000)
    rows = np.array([0, 1, 4_999])
    assert chances.draw(_Always(number), rows).tolist() == [value] * 3  # type: ignore[arg-type]


def test_the_streamed_files_hold_what_is_made_in_memory(tmp_path: Path) -> None:
    table = people(MORE_THAN_A_BLOCK, seed=4)
    write_people(tmp_path / "p.csv", MORE_THAN_A_BLOCK, seed=4)
    write_people(str(tmp_path / "p.parquet"), MORE_THAN_A_BLOCK, seed=4)
    as_text = pyarrow.csv.ConvertOptions(column_types={"postcode": pa.string()})
    from_csv = pyarrow.csv.read_csv(tmp_path / "p.csv", convert_options=as_text)
    assert from_csv.combine_chunks().equals(table.combine_chunks())
    assert pyarrow.parquet.read_table(tmp_path / "p.parquet").combine_chunks().equals(table.combine_chunks())


def test_a_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_people("-", 20, seed=1)
    assert capfdbinary.readouterr().out == _csv(20, 1)


def test_every_row_has_as_many_fields_as_the_header() -> None:
    lines = _csv(5_000, 2).decode().splitlines()
    assert {line.count(",") for line in lines} == {5}
    assert not any('"' in line or ",," in line for line in lines)


def test_values_are_plain(crowd: dict[str, np.ndarray]) -> None:
    assert people(10, seed=1).schema.field("age").type == pa.int64()
    assert crowd["age"].min() == 18
    assert crowd["age"].max() == 95
    assert set(crowd["sex"]) == {"female", "male"}
    assert set(crowd["region"]) == set("12345678")
    assert {len(code) for code in crowd["postcode"]} == {5}


def test_no_woman_has_a_prostate_and_no_man_is_pregnant(crowd: dict[str, np.ndarray]) -> None:
    prostate = np.char.startswith(crowd["diagnosis"].astype(str), "prostate")
    pregnancy = crowd["diagnosis"] == "pregnancy-complication"
    assert prostate.sum() > 1_000
    assert pregnancy.sum() > 1_000
    assert set(crowd["sex"][prostate]) == {"male"}
    assert crowd["age"][prostate].min() >= 40
    assert set(crowd["sex"][pregnancy]) == {"female"}
    assert crowd["age"][pregnancy].max() <= 49


@pytest.mark.parametrize(
    ("education", "youngest"), [("bachelor", 21), ("master", 23), ("doctorate", 26), ("primary", 18)]
)
def test_a_degree_takes_years(crowd: dict[str, np.ndarray], education: str, youngest: int) -> None:
    assert crowd["age"][crowd["education"] == education].min() == youngest


def test_physicians_and_lawyers_have_studied(crowd: dict[str, np.ndarray]) -> None:
    studied = crowd["education"][np.isin(crowd["occupation"], ["physician", "lawyer"])]
    assert set(studied) == {"master", "doctorate"}


def test_students_are_young_and_the_retired_are_not(crowd: dict[str, np.ndarray]) -> None:
    assert crowd["age"][crowd["occupation"] == "student"].max() < 35
    assert crowd["age"][crowd["occupation"] == "retired"].min() >= 55
    assert np.mean(crowd["occupation"][crowd["age"] >= 67] == "retired") > 0.9


@pytest.mark.parametrize(
    ("column", "value", "given", "among", "at_least"),
    [
        ("diagnosis", "asthma", "region", ["7", "8"], 4),
        ("diagnosis", "tick-borne-fever", "region", ["1"], 4),
        ("occupation", "farmer", "region", ["1", "2"], 4),
        ("occupation", "fisher", "region", ["3"], 4),
        ("diagnosis", "back-pain", "occupation", ["builder", "nurse", "driver"], 1.8),
        ("diagnosis", "dementia", "age", list(range(80, 96)), 20),
        ("diagnosis", "sports-injury", "age", list(range(18, 31)), 5),
        ("diagnosis", "osteoporosis", "sex", ["female"], 3),
        ("diagnosis", "migraine", "sex", ["female"], 1.8),
        ("occupation", "cleaner", "education", ["primary"], 4),
        ("occupation", "scientist", "education", ["doctorate"], 20),
        ("education", "primary", "age", list(range(70, 96)), 2),
    ],
)
def test_what_goes_together(
    crowd: dict[str, np.ndarray], column: str, value: str, given: str, among: list[object], at_least: float
) -> None:
    """A value is so many times as common among some as among the others."""
    inside = np.isin(crowd[given], among)
    has = crowd[column] == value
    assert has[inside].mean() >= at_least * has[~inside].mean() > 0


def test_what_does_not_go_together(crowd: dict[str, np.ndarray]) -> None:
    """The other side: a pair of columns that the module keeps apart shows no association."""
    female = crowd["sex"] == "female"
    shares = [female[crowd["region"] == region].mean() for region in "12345678"]
    assert max(shares) - min(shares) < 0.025


@pytest.mark.parametrize("n_rows", [0, -1, 2.0, "3", True, None])
def test_wrong_numbers_of_rows(n_rows: object) -> None:
    with pytest.raises(InputError, match=r"n_rows is .*whole number from 1 on"):
        people(n_rows)  # type: ignore[arg-type]


def test_a_wrong_seed_and_a_wrong_place_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="seed"):
        write_people(tmp_path / "p.csv", 10, seed=-1)
    with pytest.raises(InputError, match=r"cannot write .*nowhere.*No such file"):
        write_people(tmp_path / "nowhere" / "p.csv", 10)
    assert list(tmp_path.iterdir()) == []
