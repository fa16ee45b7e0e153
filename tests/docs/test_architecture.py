"""The picture in ARCHITECTURE.md shows the imports of the code."""

import pytest

from tests.docs.pages import DOCS, ROOT, text_of


@pytest.fixture
def import_graph(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import import_graph

    return import_graph


def test_the_picture_of_imports_is_made_from_the_code(import_graph):
    (shown,) = import_graph.PICTURE.findall(text_of(ROOT / "ARCHITECTURE.md"))
    assert shown == import_graph.picture(), "imports have changed: python docs/import_graph.py"


def test_packages_that_import_each_other_are_noticed(import_graph):
    assert import_graph.layered({"a": {"b"}, "b": set(), "c": {"a", "b"}}) == ["c", "a", "b"]
    with pytest.raises(ValueError, match="in a circle: a, b"):
        import_graph.layered({"a": {"b"}, "b": {"a"}, "c": {"a"}})


def test_the_picture_has_the_wall(import_graph):
    uses = import_graph.arrows(import_graph.build_graph("shoal", exclude_type_checking_imports=True))
    assert uses["audit"] == {"release", "data", "promises"}
    assert not uses["kernels"]
