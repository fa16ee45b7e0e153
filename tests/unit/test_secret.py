"""The steward's secret: made once, read by its owner alone, and refused where it would protect nobody."""

import os
import stat

import pytest

from shoal.errors import InputError
from shoal.randomness import Numbers, Stream, generator, permutation
from shoal.secret import secret_bytes


def kept(path, content=b"0123456789abcdef" * 2, mode=0o600):
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_secret_is_made_on_first_use_for_its_owner_alone_and_then_kept(tmp_path):
    path = tmp_path / "steward.key"
    before = os.umask(0)
    try:
        secret = secret_bytes(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(bytes.fromhex(path.read_text())) == 32
    assert secret == path.read_bytes() == secret_bytes(str(path))
    assert secret_bytes(tmp_path / "other.key") != secret
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other.key", "steward.key"]


def test_a_secret_is_given_as_bytes_or_read_as_it_is(tmp_path):
    assert secret_bytes(b"x" * 32) == b"x" * 32
    assert secret_bytes(kept(tmp_path / "own.key", bytes(range(40)))) == bytes(range(40))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o601, 0o666])
def test_a_secret_that_others_may_read_or_write_is_refused(tmp_path, mode):
    path = kept(tmp_path / "steward.key", mode=mode)
    with pytest.raises(InputError, match=rf"others may read the secret .*steward.key \(mode {mode:04o}\).*chmod 600"):
        secret_bytes(path)


def test_a_secret_that_can_be_guessed_or_is_another_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="the secret has 31 bytes: it needs at least 32"):
        secret_bytes(b"x" * 31)
    with pytest.raises(
        InputError, match=r"short.key has 8 bytes: it needs at least 32 random .*does not exist, and it is created"
    ):
        secret_bytes(kept(tmp_path / "short.key", b"password"))
    with pytest.raises(InputError, match=r"empty.key has 0 bytes"):
        secret_bytes(kept(tmp_path / "empty.key", b""))
    with pytest.raises(InputError, match=r"data.csv has more than 4,096 bytes: is it a secret"):
        secret_bytes(kept(tmp_path / "data.csv", b"x" * 4097))
    with pytest.raises(InputError, match="secret is int: it must be bytes, or the path of a file"):
        secret_bytes(7)


def test_what_is_no_regular_file_is_refused_and_nobody_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("pipe", "."):
        with pytest.raises(InputError, match="is no regular file"):
            secret_bytes(tmp_path / name)
    with pytest.raises(InputError, match="is no regular file"):
        secret_bytes("/dev/null")
    (tmp_path / "link").symlink_to(tmp_path / "nothing" / "there")
    with pytest.raises(InputError, match="it is a link to a missing file"):
        secret_bytes(tmp_path / "link")


def test_a_secret_that_cannot_be_made_is_an_error_that_says_why(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder .*nowhere; make it first"):
        secret_bytes(tmp_path / "nowhere" / "steward.key")


def test_a_secret_inside_of_a_release_is_refused_and_not_made(tmp_path):
    (tmp_path / "release" / "inner").mkdir(parents=True)
    (tmp_path / "release" / "manifest.json").write_text('{"format": "shoal release"}')
    with pytest.raises(InputError, match="is inside of the release"):
        secret_bytes(tmp_path / "release" / "inner" / "steward.key")
    assert not list((tmp_path / "release" / "inner").iterdir())


def test_a_stream_is_that_of_its_secret_and_its_purpose_and_shows_neither():
    def drawn(stream):
        return (
            generator(stream).integers(0, 2**62, 3).tolist(),
            permutation(9, stream, purpose="rows").tolist(),
            Numbers(stream, purpose="flips").take(3).tolist(),
        )

    one = Stream.keyed(b"s" * 32, b"anatomy", b"l=3")
    assert drawn(one) == drawn(Stream.keyed(b"s" * 32, b"anatomy", b"l=3"))
    # Parts are told apart: what ends one of them does not begin the next.
    others = [
        (b"t" * 32, b"anatomy", b"l=3"),
        (b"s" * 32, b"anatom", b"yl=3"),
        (b"s" * 32, b"anatomyl=3"),
        (b"s" * 32,),
    ]
    for other in others:
        assert all(mine != theirs for mine, theirs in zip(drawn(one), drawn(Stream.keyed(*other)), strict=True))
    assert permutation(99, one, purpose="rows").tolist() != permutation(99, one, purpose="groups").tolist()
    numbers = Numbers(one)
    assert numbers.take(3).tolist() != numbers.take(3).tolist()
    assert repr(one) == "Stream()"
