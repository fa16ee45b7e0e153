"""Small pages made by hand: one that is fine, and parts that break it in one way each."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1b1b; --bar: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e8e8e8; --bar: #7db4f0; } }
body { margin: 0; padding: 16px; background: var(--paper); color: var(--ink); }
body { font: 16px/1.4 "Liberation Sans", sans-serif; }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 12px "Liberation Sans", sans-serif; }
svg .bar { fill: var(--bar); }
table { border-collapse: collapse; white-space: nowrap; }
.ears { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
h1 { line-height: 1.05; margin: 0; }
.mark { display: none; }
@media print { .mark { display: block; position: fixed; top: 0; left: 0; } body { padding-top: 40px; } }
"""

CHART = """
<figure class="chart" id="risk">
  <svg role="img" aria-label="Risk by known items" viewBox="0 0 320 160" width="320" height="160">
    <rect width="320" height="160" fill="none"/>
    <rect class="bar" x="60" y="40" width="60" height="80"/>
    <rect class="bar" x="160" y="60" width="60" height="60"/>
    <text x="90" y="135" text-anchor="middle">one item</text>
    <text x="190" y="135" text-anchor="middle">two items</text>
    <text transform="translate(20 80) rotate(-90)" text-anchor="middle">people found</text>
  </svg>
  <figcaption>How many people are found.</figcaption>
</figure>
"""

# All that looks like a fault and is none: a table that scrolls, a text for ears, a closed fold, a label with a halo,
# close lines, turned texts whose upright boxes meet, and a label that is legible on its bar only.
SOUND = """
<p>A paragraph with <b>bold</b>, <i>italic</i> and x<sup>2</sup>
that goes on for longer than a line of a phone is wide.</p>
<p class="ears">Only read aloud</p>
<div class="wide" tabindex="0"><table><tr><th>Known items</th><th>People who are found</th>
<th>People in all the data</th><th>Share of people who are found</th></tr>
<tr><td>1</td><td>12</td><td>1,000</td><td>1.2 %</td></tr></table></div>
<details><summary>More</summary><p style="position: absolute; top: 0">Hidden in a fold</p></details>
<figure class="chart" id="turned">
  <svg role="img" aria-label="Turned labels" viewBox="0 0 320 160" width="320" height="160">
    <rect x="20" y="10" width="280" height="30" style="fill: #123a66"/>
    <text x="40" y="30" style="fill: #fff">on a bar</text>
    <text x="200" y="30" style="fill: none; stroke: #123a66; stroke-width: 3px">halo</text>
    <text x="200" y="30" style="fill: #fff">halo</text>
    <text transform="translate(120 60) rotate(-45)" text-anchor="end">bread and milk</text>
    <text transform="translate(145 60) rotate(-45)" text-anchor="end">tea with much jam</text>
    <text transform="translate(170 60) rotate(-45)" text-anchor="end">beer</text>
  </svg>
  <figcaption>Labels that only nearly meet.</figcaption>
</figure>
"""


def page(*parts: str, head: str = "", lang: str = ' lang="en"', title: str = "<title>A page</title>") -> str:
    """A page that is fine, but for what is added."""
    return f"""<!doctype html>
<html{lang}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
{title}<style>{STYLE}</style>{head}</head>
<body><div class="mark">Internal: not to be passed on</div>
<h1>A page with a heading of some length that is broken into lines</h1>
{"".join(parts)}</body></html>"""


def drawing(content: str, name: str = "other", label: str = ' role="img" aria-label="A drawing"') -> str:
    """One more chart, with this in it beside a bar."""
    return f"""<figure class="chart" id="{name}">
<svg{label} viewBox="0 0 320 160" width="320" height="160">{content}</svg>
<figcaption>Another chart.</figcaption></figure>"""


BAR = '<rect class="bar" x="10" y="10" width="50" height="20"/>'
