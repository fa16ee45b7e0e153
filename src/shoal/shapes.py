"""The shapes of release: one entry each, which names all code about it.

An entry names code as text (``module:attribute``), which is loaded when it is first used. So nothing is loaded early,
and the auditor stays behind its wall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shoal.loading import loaded

DataKind = Literal["baskets", "table"]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A shape of releases. A release names its shape (``release.shape``), and its manifest the method.

    Fields with a default do not apply to every shape. Fields about risks have no default: an entry must say None.
    """

    name: str
    data: DataKind
    """The kind of data that it is made from."""
    called: str
    """The name of such a release in messages."""
    methods: tuple[str, ...]
    """The methods that make it, as named in manifests."""
    release: str
    """Its class."""
    files: str
    """The module that writes and reads its files."""
    texts: str | None
    """``texts_of(opened)``: every text of its folder, if the auditor searches these for what must not be there."""
    audit: str
    """``check(release, evidence, run)``: the verdict on its promise."""
    emptiness: str
    """``emptiness(release)``: why it is worthless, if it is."""
    at_first_sight: str | None
    """``residuals(release)``: the risks that its files show and no promise covers."""
    attack: str | None
    """``play(release, evidence, adversary, means, run)``: every attack; None: none is known."""
    publish_again: str | None = None
    """``publish_again(release, data, run=)``: the publisher, run again for an attack."""
    advice: str
    """``advice(release, kind)``: what to change if it is worthless."""
    part: Literal["cluster", "group", "row"]
    """What it consists of: ``shoal show`` shows these."""
    reader: str
    """``reader(release)``: what anyone can do with it (:class:`shoal.analyse.reader.Reader`)."""
    group_risk: str | None = None
    """``group_risk(release, support, confidence, limit=, run=)``: what its groups reveal, if it has groups."""
    privacy: str | None = None
    """``privacy(release, weight=, filtered=, min_support=)``: the probabilities of guesses, if it is randomized."""
    evidence: frozenset[str]
    """The fields of :class:`shoal.release.evidence.Evidence` that apply to it."""
    adversary: frozenset[str] = frozenset()
    """The fields of :class:`shoal.audit.attack.adversary.Adversary` that apply to it."""
    with_others: frozenset[str] = frozenset()
    """Those that apply only if other releases of the same people are attacked, too."""
    others: int | None
    """How many other releases of the same people are attacked together with it; None: any number."""
    measure: str
    """``measure(original, release, run=, **options)``: the metrics of what publishing cost."""
    measured_by: frozenset[str]
    """The options of measuring that apply to it."""
    measure_alone: str | None = None
    """``measure_alone(release)``: the metrics that need no original, if there are any."""
    view: str | None = None
    """Baskets: ``view(original, release, hierarchy=, run=)``: what an analyst sees, to compare it with the
    original."""
    item_supports: str | None = None
    """Baskets: the module with ``published(release)`` and ``beside(original, release, hierarchy)``."""
    table_form: str | None = None
    """Tables: the module with ``schema``, ``rows`` and ``own_metrics``: how it is compared with its original."""
    group_values: str | None = None
    """Tables: ``group_values(release, sensitive)``: which sensitive values are in which group, in how many rows."""
    less_work: str
    """What to try if an audit would be too much work."""
    report_reading: str
    """``reading(release)``: how it is read, for a report."""
    report_charts: str
    """``charts(release)``: its charts, for a report."""
    report_risks: str
    """``risks(release, original, before, attacks)``: what an adversary can learn, for a report."""
    report_costs: str
    """``costs(release, evidence, run)``: what publishing cost, compared with the original, for a report."""
    report_alternatives: str | None = None
    """``alternatives(release)``: a chart of other possible settings, for a report without the original."""
    report_attack: str | None = None
    """``attacked_with(release, evidence, adversary)``: both as a report's attacks use them; None: unchanged."""
    usual_hierarchy: str | None = None
    """``usual_hierarchy(release, original)``: its hierarchy, if publishing made that from the original."""

    def load(self, part: str) -> Any:
        """The code that the entry names as ``part``, such as ``audit``; None if it names none."""
        name = getattr(self, part)
        return None if name is None else loaded(name)


BASKET_MEASURES = frozenset({"top", "ranges", "hierarchy", "min_support", "seed"})
"""The options of the metrics that all releases of baskets have."""
TABLE_MEASURES = frozenset(
    {
        "quasi",
        "sensitive",
        "hierarchies",
        "max_attributes",
        "min_support",
        "min_conviction",
        "dim",
        "sel",
        "queries",
        "seed",
    }
)
"""The options of measuring tables."""
_BASKETS = frozenset({"original", "others"})
_TABLE = frozenset({"original", "hierarchies", "others"})

_ENTRIES = (
    Shape(
        name="disassociated",
        data="baskets",
        called="a disassociated release",
        methods=("disassociation",),
        release="shoal.release.disassociated:Disassociated",
        files="shoal.io.disassociated",
        texts=None,
        audit="shoal.audit.disassociated:check",
        emptiness="shoal.audit.disassociated.emptiness:emptiness",
        at_first_sight="shoal.audit.attack.disassociated.first_sight:residuals",
        attack="shoal.audit.attack.disassociated.every_attack:play",
        publish_again="shoal.publish.disassociation.one_cluster:publish_again",
        advice="shoal.publish.advice.disassociated:advice",
        part="cluster",
        reader="shoal.analyse.disassociated.reader:DisassociatedReader",
        evidence=_BASKETS | {"trace"},
        adversary=frozenset({"knows", "victims", "struck", "seed"}),
        others=1,
        measure="shoal.measuring.baskets.utility:measure_disassociated",
        measured_by=frozenset({"top", "ranges", "reconstructions", "hierarchy", "trace", "seed"}),
        view="shoal.measuring.disassociated.view:view",
        item_supports="shoal.measuring.disassociated.item_supports",
        less_work="a smaller m or a smaller --max-cluster-size",
        report_reading="shoal.reporting.of_shape.disassociated:reading",
        report_charts="shoal.reporting.of_shape.disassociated:charts",
        report_risks="shoal.reporting.of_shape.disassociated:risks",
        report_costs="shoal.reporting.costs:basket_costs",
    ),
    Shape(
        name="randomized",
        data="baskets",
        called="a randomized release",
        methods=("mask", "fakes", "hybrid"),
        release="shoal.release.randomized:Randomized",
        files="shoal.io.randomized",
        texts=None,
        audit="shoal.audit.randomized:check",
        emptiness="shoal.audit.randomized.emptiness:emptiness",
        at_first_sight=None,
        attack="shoal.audit.attack.randomized:play",
        publish_again="shoal.publish.randomization:randomize_again",
        advice="shoal.publish.advice.randomized:advice",
        part="row",
        reader="shoal.analyse.randomized.reader:RandomizedReader",
        privacy="shoal.measuring.randomization.privacy:release_privacy",
        evidence=_BASKETS,
        adversary=frozenset({"seed"}),
        with_others=frozenset({"victims"}),
        others=1,
        measure="shoal.measuring.baskets.randomized_utility:measure_randomized",
        measured_by=frozenset({"min_support", "max_length", "runs", "seed"}),
        view="shoal.measuring.randomized.view:view",
        item_supports="shoal.measuring.randomized.item_supports",
        less_work="fewer rows",
        report_reading="shoal.reporting.of_shape.randomized:reading",
        report_charts="shoal.reporting.of_shape.randomized:charts",
        report_risks="shoal.reporting.of_shape.randomized:risks",
        report_costs="shoal.reporting.of_shape.randomized:costs",
        report_alternatives="shoal.reporting.frontier:frontier_chart",
    ),
    Shape(
        name="generalized_baskets",
        data="baskets",
        called="a release of generalized baskets",
        methods=("km-generalization",),
        release="shoal.release.generalized_baskets:GeneralizedBaskets",
        files="shoal.io.generalized_baskets",
        texts=None,
        audit="shoal.audit.generalized_baskets:check",
        emptiness="shoal.audit.generalized_baskets.emptiness:emptiness",
        at_first_sight=None,
        attack="shoal.audit.attack.generalized_baskets:play",
        advice="shoal.publish.advice.generalized_baskets:advice",
        part="row",
        reader="shoal.analyse.generalized_baskets.reader:GeneralizedBasketsReader",
        evidence=frozenset({"original", "hierarchy"}),
        adversary=frozenset({"knows", "victims", "seed"}),
        others=0,
        measure="shoal.measuring.baskets.common_utility:basket_utility",
        measured_by=BASKET_MEASURES,
        view="shoal.measuring.generalized_baskets.view:view",
        item_supports="shoal.measuring.generalized_baskets.item_supports",
        less_work="a smaller m",
        report_reading="shoal.reporting.of_shape.generalized_baskets:reading",
        report_charts="shoal.reporting.of_shape.generalized_baskets:charts",
        report_risks="shoal.reporting.of_shape.generalized_baskets:risks",
        report_costs="shoal.reporting.costs:basket_costs",
        report_attack="shoal.reporting.of_shape.generalized_baskets:attacked_with",
        usual_hierarchy="shoal.reporting.of_shape.generalized_baskets:usual_hierarchy",
    ),
    Shape(
        name="noisy_baskets",
        data="baskets",
        called="a release of noisy counts",
        methods=("diffpart",),
        release="shoal.release.noisy_baskets:NoisyBaskets",
        files="shoal.io.noisy_baskets",
        texts=None,
        audit="shoal.audit.noisy_baskets:check",
        emptiness="shoal.audit.noisy_baskets.emptiness:emptiness",
        at_first_sight=None,
        attack=None,
        advice="shoal.publish.advice.noisy_baskets:advice",
        part="row",
        reader="shoal.analyse.noisy_baskets.reader:NoisyBasketsReader",
        evidence=frozenset({"original"}),
        others=0,
        measure="shoal.measuring.baskets.common_utility:basket_utility",
        measured_by=BASKET_MEASURES,
        view="shoal.measuring.noisy_baskets.view:view",
        item_supports="shoal.measuring.noisy_baskets.item_supports",
        less_work="a smaller hierarchy",
        report_reading="shoal.reporting.of_shape.noisy_baskets:reading",
        report_charts="shoal.reporting.of_shape.noisy_baskets:charts",
        report_risks="shoal.reporting.of_shape.noisy_baskets:risks",
        report_costs="shoal.reporting.costs:basket_costs",
    ),
    Shape(
        name="bucketized",
        data="table",
        called="a bucketized release",
        methods=("anatomy", "injector"),
        release="shoal.release.bucketized:Bucketized",
        files="shoal.io.bucketized",
        texts=None,
        audit="shoal.audit.bucketized:check",
        emptiness="shoal.audit.bucketized.emptiness:emptiness",
        at_first_sight="shoal.audit.attack.bucketized.first_sight:residuals",
        attack="shoal.audit.attack.bucketized:play",
        advice="shoal.publish.advice.bucketized:advice",
        part="group",
        reader="shoal.analyse.bucketized.reader:BucketizedReader",
        evidence=_TABLE | {"rules"},
        adversary=frozenset({"min_expectation", "min_confidence", "max_attributes"}),
        others=None,
        measure="shoal.measuring.tables.utility:table_utility",
        measured_by=TABLE_MEASURES - {"hierarchies"},
        table_form="shoal.measuring.bucketized.table_form",
        group_values="shoal.measuring.bucketized.group_values:group_values",
        less_work="fewer rules: a higher --min-expectation or a smaller --max-attributes",
        report_reading="shoal.reporting.of_shape.bucketized:reading",
        report_charts="shoal.reporting.of_shape.bucketized:charts",
        report_risks="shoal.reporting.of_shape.bucketized:risks",
        report_costs="shoal.reporting.of_shape.bucketized:costs",
    ),
    Shape(
        name="generalized",
        data="table",
        called="a generalized release",
        methods=("bottom-up", "mondrian"),
        release="shoal.release.generalized:Generalized",
        files="shoal.io.generalized",
        texts="shoal.io.generalized_texts:texts_of",
        audit="shoal.audit.generalized:check",
        emptiness="shoal.audit.generalized.emptiness:emptiness",
        at_first_sight="shoal.audit.attack.generalized.first_sight:residuals",
        attack="shoal.audit.attack.generalized:play",
        advice="shoal.publish.advice.generalized:advice",
        part="group",
        reader="shoal.analyse.generalized.reader:GeneralizedReader",
        group_risk="shoal.measuring.risk.groups:group_risk",
        evidence=_TABLE,
        adversary=frozenset({"fill"}),
        others=None,
        measure="shoal.measuring.tables.utility:table_utility",
        measured_by=TABLE_MEASURES,
        measure_alone="shoal.measuring.tables.generalization:generalization",
        table_form="shoal.measuring.generalized.table_form",
        group_values="shoal.measuring.generalized.group_values:group_values",
        less_work="fewer sensitive columns or a higher --support",
        report_reading="shoal.reporting.of_shape.generalized:reading",
        report_charts="shoal.reporting.of_shape.generalized:charts",
        report_risks="shoal.reporting.of_shape.generalized:risks",
        report_costs="shoal.reporting.of_shape.generalized:costs",
        report_attack="shoal.reporting.of_shape.generalized:attacked_with",
    ),
)

SHAPES: dict[str, Shape] = {shape.name: shape for shape in _ENTRIES}
"""Every shape, by its name."""
OF_METHOD: dict[str, Shape] = {method: shape for shape in _ENTRIES for method in shape.methods}
"""Every shape, by the methods that make it."""
