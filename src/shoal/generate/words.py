"""Names for generated items: any number of shopping list items, without blanks or commas.

Everyday things have plain names (``milk``), rarer ones a quality (``smoked-ham``), still rarer ones a fictional
brand (``brookside-smoked-ham``), and after these the branded names are numbered (``brookside-smoked-ham-2``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice, zip_longest

# An aisle: its products, the everyday ones first, and the qualities that suit all of them.
_AISLES: tuple[tuple[str, str], ...] = (
    (
        "milk butter yoghurt cream eggs cheddar mozzarella cottage-cheese feta kefir sour-cream ricotta brie margarine",
        "organic low-fat farmhouse lactose-free salted fresh large-pack imported mountain value",
    ),
    (
        "bread rolls baguette croissants bagels toast tortillas crispbread pita muffins rusks brioche",
        "wholegrain rye seeded gluten-free sourdough sliced mini toasted oven-ready spelt",
    ),
    (
        "bananas apples oranges lemons grapes strawberries pears melon peaches kiwis plums mango cherries blueberries",
        "ripe seedless local bagged late-season sweet organic loose washed early",
    ),
    (
        "tomatoes potatoes onions carrots cucumber lettuce peppers garlic spinach mushrooms broccoli "
        "celery leeks courgettes",
        "baby washed vine frozen chopped organic bunched winter hothouse loose",
    ),
    (
        "chicken ham bacon sausages mince salami turkey meatballs beef pork lamb liver-paste",
        "smoked free-range lean diced marinated spiced sliced family-pack roast peppered",
    ),
    (
        "tuna salmon prawns cod herring sardines fish-fingers mussels mackerel anchovies trout squid",
        "tinned wild grilled deep-frozen line-caught pickled oven-baked salted filleted atlantic",
    ),
    (
        "pasta rice flour sugar noodles lentils chickpeas couscous oats beans polenta barley quinoa semolina",
        "brown fine quick-cook organic coarse bulk family-pack wholemeal roasted pre-cooked",
    ),
    (
        "coffee tea orange-juice water beer wine cola lemonade apple-juice cocoa oat-milk cider tonic ginger-ale",
        "decaf sparkling iced premium sugar-free bottled canned spiced alcohol-free cloudy",
    ),
    (
        "chocolate biscuits crisps ice-cream peanuts popcorn jelly-babies pretzels almonds cake wafers "
        "marzipan liquorice",
        "dark salted coated crunchy vanilla mini caramel honeyed party-size festive",
    ),
    (
        "olive-oil salt ketchup mustard jam honey vinegar mayonnaise pepper soy-sauce pesto stock-cubes "
        "cinnamon paprika",
        "mild hot extra-fine squeezy organic aged herbed golden refill traditional",
    ),
    (
        "toilet-paper detergent dish-soap bin-bags sponges foil candles batteries bleach napkins matches light-bulbs",
        "scented eco concentrated recycled heavy-duty unscented compact coloured double-pack slim",
    ),
    (
        "toothpaste shampoo soap deodorant nappies razors tissues plasters hand-cream sunscreen cotton-wool vitamins",
        "sensitive travel-size herbal perfumed childrens hypoallergenic gentle daily mint unisex",
    ),
)

# Fictional brands. None is the beginning of another name above: a branded name can never equal a plain one.
_BRANDS = (
    "brookside alderly northgate sunmill greywold harrowby oldbarn tidewell fernlea stonebury larkhill "
    "mossford kingsmere foxglen ashcombe whitmoor eastvale windrush copperfield redthorn millbeck "
    "silverlea hollowdale thistledown marlowe applegarth ravensby quayside elmstead beechford"
)


def item_words(n_items: int) -> list[str]:
    """Names for items, all different, the simplest first; a longer list begins with the shorter one.

    Args:
        n_items: How many names.

    Returns:
        The names: lower-case letters, digits and hyphens only, so that a FIMI line can hold them.

    Example:
        >>> item_words(4)
        ['milk', 'bread', 'bananas', 'tomatoes']
        >>> item_words(1000)[-1]
        'traditional-jam'
    """
    return list(islice(_all_words(), n_items))


def _all_words() -> Iterator[str]:
    """All names, without end."""
    aisles = [(products.split(), qualities.split()) for products, qualities in _AISLES]
    plain = list(_in_turn([products for products, _ in aisles]))
    # Each round takes another quality for the same product, shifted along the shelf: neighbours differ.
    rounds = range(max(len(qualities) for _, qualities in aisles))
    qualified = [
        word
        for shift in rounds
        for word in _in_turn(
            [
                [f"{qualities[(shift + place) % len(qualities)]}-{product}" for place, product in enumerate(products)]
                for products, qualities in aisles
            ]
        )
    ]
    unbranded = list(dict.fromkeys(chain(plain, qualified)))
    yield from unbranded
    brands = _BRANDS.split()
    branded = [f"{brand}-{word}" for word in unbranded for brand in brands]
    yield from branded
    for number in count(2):
        yield from (f"{word}-{number}" for word in branded)


def _in_turn(shelves: list[list[str]]) -> Iterator[str]:
    """One name from each shelf, then the next from each, until all shelves are empty."""
    for row in zip_longest(*shelves):
        yield from (word for word in row if word is not None)
