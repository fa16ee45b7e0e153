"""What pages say is what holds: links, promises of methods, tutorials, questions, decisions, threats, pictures."""

import json
import re
import shlex

import pytest

from tests.docs.pages import BLOCK, DOCS, PAGES, ROOT, blocks, check_promises, name_of, sections, text_of
from tests.running.commands import paper

# --- links -----------------------------------------------------------------------------------------------------------


def anchors(page):
    """The anchors that a code forge and the built pages give to headings."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text_of(page)), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "]", heading)).strip().lower() for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize(
    "page", [*PAGES, *(ROOT / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "SECURITY"))], ids=name_of
)
def test_no_link_is_dead(page):
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", BLOCK.sub("", text_of(page))):
        other = page.parent / target if target else page
        assert other.exists(), f"{name_of(page)} links to {target}"
        assert not anchor or anchor in anchors(other), f"{name_of(page)} links to {target}#{anchor}"


def listed_below(page):
    """The pages in the tables of contents of a page, and in theirs."""
    for contents in re.findall(r"^```\{toctree\}\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE):
        for line in contents.splitlines():
            if line.strip() and not line.startswith(":"):
                entry = (page.parent / f"{line.strip()}.md").resolve()
                yield entry
                yield from listed_below(entry)


def test_every_page_is_in_the_table_of_contents_and_the_readme_leads_to_the_main_ones():
    listed = list(listed_below(DOCS / "index.md"))
    assert sorted(listed) == sorted({*PAGES[1:]} - {DOCS / "index.md"})
    links = re.findall(r"\]\((docs/[^)#]+)", text_of(PAGES[0]))
    main = ["index", "tutorials/baskets", "tutorials/tables", "choose", "threat-model", "faq", "verify", "attack"]
    assert not {f"docs/{name}.md" for name in main} - set(links)
    assert "](SECURITY.md)" in text_of(PAGES[0])


def test_messages_and_docstrings_name_pages_that_exist():
    for file in [
        *ROOT.glob("src/**/*.py"),
        *ROOT.glob("papers/**/*.py"),
        *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob("tests/**/*.py"),
    ]:
        for name in re.findall(r"\bdocs/[\w/-]+\.md", text_of(file)):
            assert (ROOT / name).exists(), f"{file} names {name}"


PROGRAM = re.compile(r"\bpython -m papers\.(\w+)((?: (?:DATA|--?[a-z]+|[\w,]+))*)`")


def test_programs_of_papers_that_pages_name_exist_with_their_options(capfd):
    found = {}
    for page in PAGES:
        assert "shoal reproduce" not in text_of(page), f"{name_of(page)} names a command that is gone"
        for paper_name, words in PROGRAM.findall(text_of(page)):
            found.setdefault(paper_name, set()).update(words.split())
    assert sorted(found) == sorted(file.parent.name for file in (ROOT / "papers").glob("*/__main__.py"))
    for name, words in found.items():
        code, out, _ = paper(capfd, name, "--help")
        assert code == 0
        for word in [word for word in words if word == "DATA" or word.startswith("-")]:
            assert re.search(rf"(?<![\w-]){word}(?![\w-])", out), f"python -m papers.{name} has no {word}"


# --- methods ---------------------------------------------------------------------------------------------------------

HEADINGS = [
    "What it promises",
    "Against whom",
    "What it does not promise",
    "Use it",
    "What it costs",
    "Paper",
    "Deviations",
]
METHOD_PAGES = {
    "disassociate": "disassociation",
    "dls": "local-suppression",
    "disassociate-l": "sensitive-items",
    "km-generalization": "km-generalization",
    "diffpart": "diffpart",
    "mask": "mask",
    "fakes": "fakes",
    "hybrid": "hybrid",
    "anatomy": "anatomy",
    "injector": "injector",
    "bottom-up": "k-anonymity",
    "bottom-up-hidden": "k-anonymity",
    "mondrian": "k-anonymity",
    "mondrian-hidden": "k-anonymity",
    "k-anonymity": "k-anonymity",  # as a command
}


def test_every_method_has_a_page_with_the_same_headings(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from generated_reference import commands

    from shoal.methods import METHODS

    published = {name.removeprefix("shoal publish ") for name, _, _ in commands() if name.startswith("shoal publish ")}
    assert len(published) >= 9
    assert {*METHODS, *published} == {*METHOD_PAGES}
    pages = {page.stem: page for page in (DOCS / "methods").glob("*.md")}
    assert {*pages} == {*METHOD_PAGES.values()}
    for method, name in METHOD_PAGES.items():
        assert [*sections(pages[name])] == HEADINGS
        # By the name of the command, of the function, or of the method in comparisons.
        assert method in text_of(pages[name]), f"{name} does not say {method}"
        assert "](../papers.md#" in text_of(pages[name]), f"{name} does not lead to what became of its paper"


def test_a_page_that_says_something_else_is_noticed(tmp_path):
    promise = {"words": "At least 5 records.", "not_promised": ["nothing about attributes"]}
    (tmp_path / "manifest.json").write_text(json.dumps({"promises": [promise]}))
    page = tmp_path / "page.md"
    page.write_text(
        "## What it promises\n\n> At least 5\n> records.\n\n"
        "## What it does not promise\n\n* nothing about\n  attributes;\n"
    )
    check_promises(page, tmp_path)
    page.write_text(page.read_text().replace("5", "6"))
    with pytest.raises(AssertionError, match="At least 5"):
        check_promises(page, tmp_path)


# --- tutorials and questions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["baskets", "tables"])
def test_a_tutorial_goes_from_steward_to_auditor_to_analyst_to_what_is_not_promised(name):
    parts = [re.match(r"The \w+|[\w ]+", heading)[0] for heading in sections(DOCS / "tutorials" / f"{name}.md")]
    assert list(dict.fromkeys(parts)) == ["The steward", "The auditor", "The analyst", "What was not promised"]
    shown = [shown for _, _, shown in blocks(text_of(DOCS / "tutorials" / f"{name}.md")) if shown]
    assert len(shown) >= 12
    assert any("FAILS" in text for text in shown)


def test_sixteen_questions_are_answered_and_some_with_no():
    asked = sections(DOCS / "faq.md")
    assert len(asked) == 16
    assert all(question.endswith("?") for question in asked)
    assert sum("**No**" in answer or answer.startswith("No") for answer in asked.values()) >= 4


# --- how to choose ---------------------------------------------------------------------------------------------------


def advised_rows():
    """The lines of the decision tables: kind of data, options of ``shoal advise``, and the method that is named."""
    text = text_of(DOCS / "choose.md")
    for kind in ("Baskets", "Tables"):
        table = text.split(f"### {kind}\n")[1].split("\n### ")[0]
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 6 and cells[2].startswith("`--against"):
                yield kind, cells[2].strip("`"), re.match(r"`([\w-]+)`|none$", cells[3])[1]


def test_the_decision_tables_have_lines():
    rows = list(advised_rows())
    assert len(rows) == len({row[:2] for row in rows}) >= 16
    assert {kind for kind, _, method in rows if method is None} == {"Tables"}


OUTCOMES = {}


def run_once(job, original, measuring, **options):
    """One run of a method in a process of its own; lines of the table that ask for the same share it."""
    from dataclasses import replace

    from shoal.study.running import run_job

    key = (original.about, job.method, repr(sorted(job.settings.items())), repr(measuring))
    if key not in OUTCOMES:
        OUTCOMES[key] = run_job(job, original, measuring, **options)
    return replace(OUTCOMES[key], job=job)


@pytest.mark.xdist_group("advice")
@pytest.mark.parametrize(("kind", "options", "method"), list(advised_rows()), ids=str)
def test_shoal_advise_says_what_the_decision_table_says(kind, options, method, tmp_path, monkeypatch):
    import shoal
    from shoal.cli.main import run
    from shoal.study import advise

    # Which numbers are proposed is not what the table is about, and takes most of the time.
    monkeypatch.setattr(advise, "_settings", lambda *_arguments: (None, ""))
    monkeypatch.setattr("shoal.study.compare.run_job", run_once)
    monkeypatch.chdir(tmp_path)
    assert run(["generate", "sample", "baskets", "-o", "baskets.dat"]) == 0
    assert run(["generate", "people", "--rows", "2000", "--seed", "1", "-o", "people.csv"]) == 0
    words = shlex.split(options.replace("--exact-items", "--exact-items yes"))
    given = dict(zip(words[::2], words[1::2], strict=True))
    needs = {
        "needs": shoal.Needs(tuple(given["--against"].split(",")), "--exact-items" in given, given["--for"]),
        "sensitive": [given["--sensitive"]] if "--sensitive" in given else [],
        "run": shoal.Run(chance=1),
    }
    if method == "diffpart":
        needs["epsilon"] = 30.0  # of so few records a smaller one leaves no basket, which is never proposed
    if kind == "Baskets":
        data = shoal.read("baskets.dat")
    else:
        data = shoal.read_table("people.csv", quasi=["age", "sex", "education"], sensitive="occupation")
    if method is None:
        with pytest.raises(shoal.errors.Infeasible, match="no method for tables serves all of these needs"):
            shoal.advise(data, **needs)
        return
    assert shoal.advise(data, **needs).choice.method == method


# --- the threat model ------------------------------------------------------------------------------------------------


def promises_of_methods():
    """What is promised by each line of the tables of the threat model, and the name of the method in the registry."""
    from shoal import promises as p

    km, hidden = p.KmAnonymity(5, 2), p.HiddenAssociations(("diagnosis",), 0.1, 0.5, resists_filling=True)
    mixed = ((1, 1.0),)
    return {
        "Disassociation": ("disassociate", [km]),
        "with local suppression": ("dls", [p.SuppressedKm(5, 2)]),
        "with sensitive items": ("disassociate-l", [km, p.LDiversity(3, ("hiv",))]),
        "k^m by generalization": ("km-generalization", [p.KmGeneralized(5, 2)]),
        "MASK": ("mask", [p.Randomization(0.9, 0)]),
        "Fake transactions": ("fakes", [p.Randomization(1, 2, mixed)]),
        "Hybrid": ("hybrid", [p.Randomization(0.9, 2, mixed)]),
        "DiffPart": ("diffpart", [p.UnboundedDifferentialPrivacy(1.0)]),
        "Anatomy": ("anatomy", [p.FrequencyDiversity(3, "diagnosis")]),
        "Injector": ("injector", [p.MatchingDiversity(3, "diagnosis", 0.9)]),
        "k-anonymity": ("mondrian", [p.KAnonymity(5, ("age",))]),
        "with `--hide resistant`": ("mondrian-hidden", [p.KAnonymity(5, ("age",)), hidden]),
    }


SERVED = {"finds by a little": "identity", "wants a fact": "attributes", "asks who is in it": "membership"}
"""Columns of what a method is made for, and how the registry of methods calls it."""
SAID = {
    "knows more": "knows more (than|of a person)|knows (many )?items of a person|who is in the data is not hidden",
    "knows other people": "nearly all the other records|values of other people",
    "runs it backwards": "backwards",
    "second release": "second release|further release",
    "learns": "learns across|outside statistics|guesses better|other things than these rules|agree with most|"
    "look different|nothing about (attributes|sensitive values)",
}
"""Columns of what a manifest must say that it does not promise, if the table says no, and in which words."""
SILENT = {("k^m by generalization", "knows other people")}
"""Where the table says no, and the manifest nothing."""


def threats():
    text = text_of(DOCS / "threat-model.md")
    for kind in ("Baskets", "Tables"):
        lines = text.split(f"### {kind}\n")[1].strip().split("\n\n")[0].splitlines()
        heads, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        for row in rows[1:]:
            name = re.match(r"\[(.*?)\]", row[0])[1]
            yield from ((name, head, cell) for head, cell in zip(heads[1:], row[1:], strict=True))


def test_the_threat_model_says_what_promises_and_methods_say():
    from shoal.methods import METHODS

    cells = list(threats())
    known = promises_of_methods()
    assert {name for name, _, _ in cells} == {*known}
    assert {head for _, head, _ in cells} == {*SERVED, *SAID}
    for name, head, cell in cells:
        method, promises = known[name]
        answer = re.match(r"(yes|no|partly)\b", cell)[1]
        assert answer != "partly" or ":" in cell, f"{name}, {head}: what is covered?"
        if head in SERVED:
            served = SERVED[head] in METHODS[method].serves
            assert (answer == "yes") == served, f"{name}, {head}: {cell}"
        else:
            said = any(re.search(SAID[head], words) for promise in promises for words in promise.not_promised)
            agrees = said or (name, head) in SILENT if answer == "no" else answer == "partly" or not said
            assert agrees, f"{name}, {head}: {cell}"


def test_the_attacks_of_the_threat_model_are_described():
    text = text_of(DOCS / "threat-model.md").split("## What `shoal attack` plays")[1].split("\n## ")[0]
    described = text_of(DOCS / "attack.md")
    named = [re.sub(r" \(.*\)", "", name) for line in text.splitlines() for name in line.split(" | ")[1:2]]
    attacks = {part.strip() for names in named[1:] for part in names.split(",")}
    assert len(attacks) >= 14
    for attack in attacks - {"attack", "---"}:
        assert re.search(rf"^\| .*\b{attack}\b.* \|", described, re.MULTILINE), attack


def test_no_page_calls_a_release_anonymous():
    for page in PAGES:
        for line in text_of(page).splitlines():
            for word in re.findall(
                r"\b(?:fully |truly |completely )anonym\w+|cannot be identified|impossible to identify", line
            ):
                raise AssertionError(f"{name_of(page)}: {word}")


# --- pictures --------------------------------------------------------------------------------------------------------


def test_every_picture_is_shown_with_a_text_that_stands_for_it():
    shown = set()
    for page in PAGES:
        text = text_of(page)
        for alternative, target in re.findall(r"!\[(.*?)\]\((.*?)\)", text, re.DOTALL):
            assert len(alternative.split()) > 4, f"{name_of(page)}: {target}"
            shown.add((page.parent / target).resolve())
        for target in re.findall(r'srcset="(.*?)"', text):
            shown.add((page.parent / target).resolve())
    assert shown == {path.resolve() for path in (DOCS / "pictures").glob("*.png")}


# --- length ----------------------------------------------------------------------------------------------------------


def test_the_readme_sells_in_six_hundred_words():
    prose = re.sub(r"^```.*?^```$", "", text_of(PAGES[0]), flags=re.DOTALL | re.MULTILINE)
    words = [word for line in prose.splitlines() if not line.startswith("|") for word in line.split()]
    assert len(words) <= 600
