from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.io.opening import HEAD_BYTES, opened


class Trickle(io.RawIOBase):
    """A source that returns one byte at a time, as a slow pipe may."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self.content.read(min(size, 1) if size >= 0 else 1)


def test_a_source_that_trickles_is_read_whole_and_gzip_is_still_seen() -> None:
    content = b"tea milk\n" * 200
    for payload in (content, gzip.compress(content)):
        with opened(Trickle(payload)) as source:
            assert source.head == content
            assert source.stream.read() == content


def test_gzip_of_several_members_is_one_text(tmp_path: Path) -> None:
    path = tmp_path / "two"
    path.write_bytes(gzip.compress(b"tea\n") + gzip.compress(b"milk\n"))
    with opened(path) as source:
        assert source.stream.read() == b"tea\nmilk\n"
        assert source.path is None  # what is on disk is not what is read


def test_the_head_is_bounded_and_nothing_is_consumed() -> None:
    content = b"0123456789" * 20_000
    with opened(io.BytesIO(content)) as source:
        assert source.head == content[:HEAD_BYTES]
        assert source.stream.read() == content


def test_a_byte_order_mark_is_skipped_also_inside_gzip() -> None:
    for payload in (b"\xef\xbb\xbftea", gzip.compress(b"\xef\xbb\xbftea")):
        with opened(io.BytesIO(payload)) as source:
            assert source.head == b"tea"
            assert source.stream.read() == b"tea"


def test_files_opened_here_are_closed_here_and_others_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"tea")
    made: list[io.BufferedReader] = []
    real = Path.open

    def remembering(self: Path, mode: str) -> Any:
        made.append(real(self, mode))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(Path, "open", remembering)
    with opened(path) as source:
        assert source.name == str(path)
        assert source.path == path
    assert made[0].closed
    given = io.BytesIO(b"tea")
    with opened(given) as source:
        assert source.name == "the given file"
    assert not given.closed


def test_standard_input_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"tea")))
    with opened("-") as source:
        assert (source.name, source.head, source.path) == ("standard input", b"tea", None)


def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=rf"^no such file: {tmp_path}/absent$"), opened(tmp_path / "absent"):
        pass
    with (
        pytest.raises(InputError, match=rf"^{tmp_path} is a directory: give the file inside it"),
        opened(tmp_path),
    ):
        pass
    with pytest.raises(InputError, match=r"cannot be opened: .*null"), opened("a\0b"):
        pass
    with pytest.raises(InputError, match=r"cannot be opened: .*too long"), opened("x" * 5000):
        pass

    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", forbidden)  # the tests may run as root, whom no mode stops
    with (
        pytest.raises(InputError, match=r"secret\.dat may not be read: permission denied"),
        opened("secret.dat"),
    ):
        pass


def test_file_objects_that_do_not_give_bytes(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"tea")
    with (
        path.open() as text,
        pytest.raises(InputError, match=r"data is open as text: open it in binary mode"),
        opened(text),
    ):
        pass
    closed = io.BytesIO(b"tea")
    closed.close()
    with pytest.raises(InputError, match=r"the given file cannot be read: .*closed"), opened(closed):
        pass


@pytest.mark.parametrize("broken", ["checksum", "cut", "garbage"])
def test_damaged_gzip(broken: str) -> None:
    whole = gzip.compress(b"tea milk\n" * 1000)
    payload = {
        "checksum": whole[:-8] + b"\0\0\0\0" + whole[-4:],
        "cut": whole[:-9],
        "garbage": whole[:20] + b"\xff" * 20 + whole[40:],
    }[broken]
    with (
        pytest.raises(InputError, match=r"the given file is a damaged gzip file \(.*\): compress or download"),
        opened(io.BytesIO(payload)) as source,
    ):
        source.stream.read()


def test_a_source_that_fails_while_it_is_read() -> None:
    class Failing(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError("disk on fire")

    with pytest.raises(InputError, match="the given file cannot be read: disk on fire"), opened(Failing()):
        pass
