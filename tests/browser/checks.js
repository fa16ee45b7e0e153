// What a reader of a page could stumble over, asked of the page itself. Each check returns sentences; none means fine.

const SLACK = 1; // px by which a box may leave another: fractions are rounded, and letters lean
const TOUCH = 1.5; // px by which two texts may reach into each other
const SHAPES = "path, rect, circle, ellipse, line, polyline, polygon, image, use";
const NOT_PAINTED =
  "defs, clipPath, mask, marker, pattern, symbol, linearGradient, radialGradient, title, desc, metadata";

// ---- names ----------------------------------------------------------------------------------------------------------

const short = (text) => {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length > 60 ? `${words.slice(0, 57)}...` : words;
};

const nameOf = (element) => {
  const tag = element.tagName.toLowerCase();
  if (element.id) return `<${tag} id="${element.id}">`;
  const classes = element.getAttribute("class");
  return classes ? `<${tag} class="${classes}">` : `<${tag}>`;
};

const placeOf = (element) => {
  const home = element.closest("[id]") ?? element.closest("section, figure, table, header, footer, main");
  return home && home !== document.body ? ` in ${nameOf(home)}` : "";
};

// ---- colours --------------------------------------------------------------------------------------------------------

const paint = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
  willReadFrequently: true,
});
const knownColours = new Map();

// Any notation of a colour as [red, green, blue, alpha], the last from 0 to 1: the browser itself paints it.
const rgba = (colour) => {
  if (!knownColours.has(colour)) {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = "#000";
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    knownColours.set(colour, [red, green, blue, alpha / 255]);
  }
  return knownColours.get(colour);
};

const over = (above, below) => [0, 1, 2].map((i) => above[i] * above[3] + below[i] * (1 - above[3])).concat(1);
const faded = (colour, opacity) => [...colour.slice(0, 3), colour[3] * opacity];
const hex = (colour) => `#${colour.slice(0, 3).map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

const luminance = (colour) => {
  const [red, green, blue] = colour
    .slice(0, 3)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

// The ratio of WCAG 2: from 1, no contrast, to 21, black on white.
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const inWords = (ink, behind, least) =>
  `${hex(ink)} on ${hex(behind)} has a contrast of ${contrast(ink, behind).toFixed(2)}, below ${least}`;

const opacityOf = (element) => {
  let product = 1;
  for (let at = element; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
  return product;
};

// A fill or stroke as it is painted, or null where none is. Of a gradient the colours are not known: it counts as grey.
const painted = (element, what) => {
  const style = getComputedStyle(element);
  if (style[what] === "none" || (what === "stroke" && parseFloat(style.strokeWidth) === 0)) return null;
  const plain = style[what].startsWith("url(") ? [128, 128, 128, 1] : rgba(style[what]);
  const colour = faded(plain, Number(style[`${what}Opacity`]) * opacityOf(element));
  return colour[3] > 0.02 ? colour : null;
};

// What a page without any background is painted on, which its colour scheme decides.
const canvasColour = (() => {
  const probe = document.createElement("i");
  probe.style.color = "Canvas";
  document.documentElement.append(probe);
  const colour = rgba(getComputedStyle(probe).color);
  probe.remove();
  return colour;
})();

const coversPoint = (shape, x, y) => {
  const matrix = shape.getScreenCTM?.();
  if (!matrix || !shape.isPointInFill) return false;
  return shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
};

// What lies behind an element at a point: backgrounds of what it is in and, in a drawing, shapes painted before it.
const backgroundAt = (element, x, y, shapes = null) => {
  const layers = [];
  const svg = outerDrawing(element);
  if (svg) {
    for (const shape of shapes ?? svg.querySelectorAll(SHAPES)) {
      if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      if (!shown(shape) || shape.closest(NOT_PAINTED) || !coversPoint(shape, x, y)) continue;
      const fill = painted(shape, "fill");
      if (fill) layers.unshift(fill);
    }
  }
  let image = false;
  for (let at = svg ?? element; at; at = at.parentElement) {
    if (layers.at(-1)?.[3] >= 0.999) break;
    const style = getComputedStyle(at);
    if (style.backgroundImage !== "none") image = true;
    layers.push(faded(rgba(style.backgroundColor), opacityOf(at)));
  }
  return { image, colour: layers.reverse().reduce((below, above) => over(above, below), canvasColour) };
};

// ---- what is visible ------------------------------------------------------------------------------------------------

const outerDrawing = (element) => {
  let found = null;
  for (let at = element; at; at = at.parentElement) if (at.localName === "svg") found = at;
  return found;
};

// Closed details, display: none, visibility: hidden and opacity: 0 are not shown.
const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

// For ears only: the usual pixel that keeps a text for screen readers.
const forEarsOnly = (element) => {
  for (let at = element; at && at !== document.body; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (style.position !== "absolute" || !hiding(style.overflowX)) continue;
    if (at.clientWidth <= 1 && at.clientHeight <= 1) return true;
  }
  return false;
};

// ---- boxes of text --------------------------------------------------------------------------------------------------

// Corners in order, so that a box may be turned.
const corners = (left, top, right, bottom) => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];

const around = (points) => {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
};

// How far letters stay below the top and above the bottom of the box that their font reserves. Lines may be set so
// close that these boxes meet, and letters do not.
const airOf = (element, text) => {
  const style = getComputedStyle(element);
  paint.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const size = paint.measureText(style.textTransform === "uppercase" ? text.toUpperCase() : text);
  return {
    top: Math.max(0, size.fontBoundingBoxAscent - size.actualBoundingBoxAscent),
    bottom: Math.max(0, size.fontBoundingBoxDescent - size.actualBoundingBoxDescent),
  };
};

// The box of a text of a drawing, turned and scaled as the drawing turns and scales it.
const drawnBox = (parent, air) => {
  let box = null;
  for (let i = 0; i < parent.getNumberOfChars(); i += 1) {
    const { x, y, width, height } = parent.getExtentOfChar(i);
    if (width === 0) continue;
    const next = { left: x, top: y, right: x + width, bottom: y + height };
    box = box
      ? {
          left: Math.min(box.left, next.left),
          top: Math.min(box.top, next.top),
          right: Math.max(box.right, next.right),
          bottom: Math.max(box.bottom, next.bottom),
        }
      : next;
  }
  const matrix = parent.getScreenCTM();
  if (!box || !matrix) return null;
  return corners(box.left, box.top + air.top, box.right, box.bottom - air.bottom).map((point) =>
    new DOMPoint(point.x, point.y).matrixTransform(matrix),
  );
};

// Every text that is seen: its words, the element it is in, and the corners of its letters, line by line.
const texts = () => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, template, noscript")) continue;
    if (parent.closest(NOT_PAINTED) || !shown(parent) || forEarsOnly(parent)) continue;
    const inDrawing = parent instanceof SVGTextContentElement;
    if (inDrawing ? !painted(parent, "fill") : rgba(getComputedStyle(parent).color)[3] === 0) continue;
    const air = airOf(parent, node.data);
    if (inDrawing) {
      const alone = parent.childNodes.length === 1;
      const box = alone ? drawnBox(parent, air) : uprightBox(node);
      if (box) found.push({ words: node.data, node, parent, box });
    } else {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        if (rect.width < 0.5 || rect.height < 0.5) continue;
        const box = corners(rect.left, rect.top + air.top, rect.right, rect.bottom - air.bottom);
        found.push({ words: node.data, node, parent, box });
      }
    }
  }
  return found;
};

// Where text and tspans are mixed, the upright box around each piece.
const uprightBox = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const { left, top, right, bottom, width } = range.getBoundingClientRect();
  return width > 0 ? corners(left, top, right, bottom) : null;
};

// ---- overlapping ----------------------------------------------------------------------------------------------------

// How far two boxes reach into each other, by the theorem of separating axes: 0 where some line parts them.
const depth = (one, other) => {
  let least = Infinity;
  for (const box of [one, other]) {
    for (const [from, to] of [[box[0], box[1]], [box[1], box[2]]]) {
      const length = Math.hypot(to.x - from.x, to.y - from.y);
      if (length === 0) return 0;
      const axis = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
      const along = (points) => points.map((point) => point.x * axis.x + point.y * axis.y);
      const [first, second] = [along(one), along(other)];
      least = Math.min(least, Math.max(...first) - Math.min(...second), Math.max(...second) - Math.min(...first));
      if (least <= 0) return 0;
    }
  }
  return least;
};

const padding = (element) => {
  const box = element.getBoundingClientRect();
  return {
    left: box.left + element.clientLeft,
    top: box.top + element.clientTop,
    right: box.left + element.clientLeft + element.clientWidth,
    bottom: box.top + element.clientTop + element.clientHeight,
  };
};

// What may clip an element, from the inside out. What is positioned leaves all that its containing block is in.
const clippers = function* (element) {
  let position = getComputedStyle(element).position;
  for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
    const style = getComputedStyle(at);
    const holds = style.position !== "static" || style.transform !== "none" || style.contain.includes("paint");
    const leaves = (position === "absolute" && !holds) || (position === "fixed" && style.transform === "none");
    if (leaves && at !== element) continue;
    // What body says is said of the page, unless html says something else.
    const ofPage = at === document.body && getComputedStyle(document.documentElement).overflowX === "visible";
    const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
    if (clips && !ofPage && style.display !== "inline" && !(at instanceof SVGElement)) yield { element: at, style };
    position = style.position;
  }
};

const fixed = (element) => {
  for (let at = element; at; at = at.parentElement) if (getComputedStyle(at).position === "fixed") return at;
  return null;
};

const scrolling = (overflow) => overflow === "auto" || overflow === "scroll";
const hiding = (overflow) => overflow === "hidden" || overflow === "clip";

// The part of a box that is neither clipped nor scrolled away; null where nothing is left.
const remaining = (text) => {
  const whole = around(text.box);
  let { left, top, right, bottom } = whole;
  const clip = (edge, sideways, upright) => {
    if (sideways) [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
    if (upright) [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
  };
  const svg = outerDrawing(text.parent);
  if (svg && getComputedStyle(svg).overflow !== "visible") clip(svg.getBoundingClientRect(), true, true);
  for (const { element, style } of clippers(text.parent)) {
    clip(padding(element), style.overflowX !== "visible", style.overflowY !== "visible");
  }
  if (right - left <= TOUCH || bottom - top <= TOUCH) return null;
  const untouched = right - left === whole.right - whole.left && bottom - top === whole.bottom - whole.top;
  return untouched ? text.box : corners(left, top, right, bottom);
};

const overlapping_texts = () => {
  const seen = [];
  for (const text of texts()) {
    const box = remaining(text);
    if (!box) continue;
    const held = fixed(text.parent);
    const covering = held !== null && rgba(getComputedStyle(held).backgroundColor)[3] > 0.99;
    seen.push({ ...text, box, edge: around(box), covering });
  }
  seen.sort((a, b) => a.edge.top - b.edge.top);
  const problems = new Set();
  for (let i = 0; i < seen.length; i += 1) {
    const one = seen[i];
    for (let j = i + 1; j < seen.length && seen[j].edge.top < one.edge.bottom - TOUCH; j += 1) {
      const other = seen[j];
      if (other.edge.left > one.edge.right - TOUCH || one.edge.left > other.edge.right - TOUCH) continue;
      if (one.covering !== other.covering) continue; // scrolling parts them, and neither shines through
      const by = depth(one.box, other.box);
      if (by <= TOUCH) continue;
      // The same words twice in the same place are one text with a halo.
      const moved = Math.hypot(one.edge.left - other.edge.left, one.edge.top - other.edge.top);
      if (one.words === other.words && one.parent !== other.parent && moved < 0.5) continue;
      const same = one.node === other.node;
      if (same && Math.abs(one.edge.top - other.edge.top) < 0.5) continue; // pieces of one line
      const pair = same ? "lines of one text" : `"${short(other.words)}"`;
      problems.add(`"${short(one.words)}" and ${pair} overlap by ${by.toFixed(1)} px${placeOf(one.parent)}`);
    }
  }
  return [...problems];
};

// ---- cut ------------------------------------------------------------------------------------------------------------

const outside = (box, edge, sideways = true, upright = true) => {
  const by = Math.max(
    sideways ? Math.max(edge.left - box.left, box.right - edge.right) : 0,
    upright ? Math.max(edge.top - box.top, box.bottom - edge.bottom) : 0,
  );
  return by > SLACK ? by : 0;
};

const clipOfDrawing = (element) => {
  const id = getComputedStyle(element).clipPath.match(/url\(["']?#([^"')]+)/)?.[1];
  const clip = id && document.getElementById(id);
  const matrix = element.getScreenCTM?.();
  if (!clip || !matrix || clip.clipPathUnits.baseVal !== SVGUnitTypes.SVG_UNIT_TYPE_USERSPACEONUSE) return null;
  const edges = [...clip.children].filter((child) => child.getBBox).map((child) => {
    const { x, y, width, height } = child.getBBox();
    return corners(x, y, x + width, y + height).map((point) => new DOMPoint(point.x, point.y).matrixTransform(matrix));
  });
  return edges.length ? around(edges.flat()) : null;
};

const cut_texts = () => {
  const problems = new Set();
  const page = document.documentElement;
  const width = page.clientWidth;
  if (page.scrollWidth > width || document.body.scrollWidth > Math.max(width, document.body.clientWidth)) {
    const wide = [...document.body.querySelectorAll("*")].filter((element) => {
      const box = element.getBoundingClientRect();
      const away = [...clippers(element)].some((clipper) => clipper.element !== element);
      return shown(element) && box.right > width + 0.5 && !away && outerDrawing(element.parentElement) === null;
    });
    const culprit = wide.length ? `: ${nameOf(wide.at(-1))} is too wide` : "";
    problems.add(`the page is ${page.scrollWidth} px wide and the window ${width} px${culprit}`);
  }
  for (const text of texts()) {
    const { parent, words } = text;
    const said = `"${short(words)}"${placeOf(parent)}`;
    let box = around(text.box);
    let away = false;
    for (let at = parent; at instanceof SVGElement; at = at.parentElement) {
      if (at.localName === "svg") {
        const by = outside(box, at.getBoundingClientRect());
        if (by) problems.add(`${said} leaves its drawing by ${by.toFixed(1)} px`);
      }
      const clip = clipOfDrawing(at);
      if (clip && outside(box, clip)) problems.add(`${said} is cut by the clip path of ${nameOf(at)}`);
    }
    for (const { element, style } of clippers(parent)) {
      const edge = padding(element);
      const scrolls = { x: scrolling(style.overflowX), y: scrolling(style.overflowY) };
      const hides = { x: hiding(style.overflowX), y: hiding(style.overflowY) };
      const by = outside(box, edge, hides.x, hides.y);
      if (by) problems.add(`${said} is cut by ${nameOf(element)}, by ${by.toFixed(1)} px`);
      const beyond = outside(box, edge, scrolls.x, scrolls.y);
      if (beyond) {
        const reach = {
          left: edge.left - element.scrollLeft,
          top: edge.top - element.scrollTop,
          right: edge.left - element.scrollLeft + element.scrollWidth,
          bottom: edge.top - element.scrollTop + element.scrollHeight,
        };
        if (outside(box, reach)) problems.add(`${said} is out of reach of scrolling ${nameOf(element)}`);
        if (element.tabIndex < 0) {
          problems.add(`${nameOf(element)} scrolls, but not with the keyboard: it has no tabindex`);
        }
      }
      if (style.textOverflow !== "clip" && hides.x && element.scrollWidth > element.clientWidth + SLACK) {
        problems.add(`${said} ends in an ellipsis`);
      }
      if (scrolls.x || scrolls.y || by) {
        box = {
          left: Math.max(box.left, edge.left),
          top: Math.max(box.top, edge.top),
          right: Math.min(box.right, edge.right),
          bottom: Math.min(box.bottom, edge.bottom),
        };
        away = box.right <= box.left || box.bottom <= box.top;
        if (away) break;
      }
    }
    if (!away && outside(box, { left: 0, right: width }, true, false)) {
      problems.add(`${said} leaves the window, which is ${width} px wide`);
    }
  }
  return [...problems];
};

// ---- contrast -------------------------------------------------------------------------------------------------------

// The size of letters as they are seen, in px: a drawing may have been scaled.
const sizeOf = (element) => {
  const matrix = element instanceof SVGElement ? element.getScreenCTM() : null;
  return parseFloat(getComputedStyle(element).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
};

const tiny_texts = (least) => {
  const tiny = texts().filter(({ parent }) => sizeOf(parent) < least - 0.05);
  const said = tiny.map(({ words, parent }) => {
    const size = sizeOf(parent).toFixed(1);
    return `"${short(words)}"${placeOf(parent)} is ${size} px high, below ${least}`;
  });
  return [...new Set(said)];
};

const low_contrast = () => {
  const problems = new Set();
  for (const { words, parent, box } of texts()) {
    const { left, right, top, bottom } = around(box);
    const style = getComputedStyle(parent);
    const drawn = parent instanceof SVGElement;
    const { colour: behind, image } = backgroundAt(parent, (left + right) / 2, (top + bottom) / 2);
    if (image) {
      problems.add(`"${short(words)}"${placeOf(parent)} stands on an image, whose colours are not known`);
      continue;
    }
    const ink = over(drawn ? painted(parent, "fill") : faded(rgba(style.color), opacityOf(parent)), behind);
    const size = sizeOf(parent);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const [ratio, least] = [contrast(ink, behind), large ? 3 : 4.5];
    if (ratio < least) {
      problems.add(`"${short(words)}"${placeOf(parent)}: ${inWords(ink, behind, least)}`);
    }
  }
  return [...problems];
};

// ---- charts ---------------------------------------------------------------------------------------------------------

// What shows data. Vega says so of its marks; in other drawings it is every shape that is no background.
const marksOf = (svg) => {
  const painted = [...svg.querySelectorAll(`${SHAPES}, text`)].filter((shape) => !shape.closest(NOT_PAINTED));
  if (svg.querySelector(".role-frame")) {
    return painted.filter((shape) => shape.closest(".role-mark") && !shape.matches(".background, .foreground"));
  }
  const whole = svg.getBoundingClientRect();
  return painted.filter((shape) => {
    const box = shape.getBoundingClientRect();
    const all = box.width >= whole.width - 1 && box.height >= whole.height - 1 && shape.localName === "rect";
    return shape.localName !== "text" && !shape.matches(".background") && !all;
  });
};

// The marks of a drawing, and all other shapes.
const partsOf = (svg) => {
  const marks = new Set(marksOf(svg));
  return [[...marks], [...svg.querySelectorAll(SHAPES)].filter((shape) => !marks.has(shape))];
};

// The colours of a mark, and what it lies on, if it takes any room within its drawing.
const lookOf = (mark, svg, grounds) => {
  if (!shown(mark)) return null;
  const { width, height } = mark.getBBox();
  const fill = width > 0 && height > 0 ? painted(mark, "fill") : null;
  const stroke = width > 0 || height > 0 ? painted(mark, "stroke") : null;
  const [box, whole] = [mark.getBoundingClientRect(), svg.getBoundingClientRect()];
  const within = box.left < whole.right && box.right > whole.left && box.top < whole.bottom && box.bottom > whole.top;
  if (!within || (!fill && !stroke)) return null;
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const behind = backgroundAt(mark, x, y, grounds).colour;
  return { behind, inks: [fill, stroke].filter(Boolean).map((ink) => over(ink, behind)) };
};

const differs = (ink, behind) => [0, 1, 2].some((i) => Math.abs(ink[i] - behind[i]) > 24);
const charts = () =>
  [...document.querySelectorAll("figure.chart")].filter((figure) => !figure.closest("details:not([open])"));
const called = (figure) => (figure.id ? `the chart ${figure.id}` : "a chart without an id");

const charts_not_drawn = (names) => {
  const problems = names
    .filter((name) => !document.querySelector(`figure.chart[id="${CSS.escape(name)}"]`))
    .map((name) => `the chart ${name} is missing`);
  for (const figure of charts()) {
    const svg = figure.querySelector("svg");
    const box = svg?.getBoundingClientRect();
    const page = document.documentElement;
    if (!svg) problems.push(`${called(figure)} has no drawing`);
    else if (!shown(svg)) problems.push(`${called(figure)} is not shown`);
    else if (box.width < 1 || box.height < 1) problems.push(`${called(figure)} has no size`);
    else if (box.right <= 0 || box.left >= page.clientWidth || box.bottom + scrollY <= 0) {
      problems.push(`${called(figure)} is out of view`);
    } else {
      const [marks, grounds] = partsOf(svg);
      let any = false;
      let seen = false;
      for (const mark of marks) {
        const look = lookOf(mark, svg, grounds);
        any ||= look !== null;
        seen = look !== null && look.inks.some((ink) => differs(ink, look.behind));
        if (seen) break; // one will do, and there may be thousands
      }
      if (!any) problems.push(`${called(figure)} has no mark`);
      else if (!seen) problems.push(`${called(figure)} has only marks of the colour of their background`);
    }
  }
  return problems;
};

const faint_marks = (least) => {
  const problems = new Set();
  for (const figure of charts()) {
    const svg = figure.querySelector("svg");
    const [marks, grounds] = svg && shown(svg) ? partsOf(svg) : [[], []];
    for (const mark of marks) {
      const look = mark.localName === "text" ? null : lookOf(mark, svg, grounds);
      if (!look) continue;
      const ratios = look.inks.map((ink) => contrast(ink, look.behind));
      const best = Math.max(...ratios);
      if (best >= least) continue;
      const ink = look.inks[ratios.indexOf(best)];
      problems.add(`${called(figure)}: a mark in ${inWords(ink, look.behind, least)}`);
    }
  }
  return [...problems];
};

// ---- labels ---------------------------------------------------------------------------------------------------------

const spoken = (element) => {
  const by = element.getAttribute("aria-labelledby");
  const others = by ? by.trim().split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "") : [];
  const title = [...element.children].find((child) => child.localName === "title");
  return [...others, element.getAttribute("aria-label") ?? "", title?.textContent ?? ""].join(" ").trim();
};

const unlabelled = () => {
  const problems = [];
  if (!document.documentElement.lang) problems.push("the page does not say its language");
  if (!document.title.trim()) problems.push("the page has no title");
  const viewport = document.querySelector('meta[name="viewport"]')?.content ?? "";
  if (!viewport.includes("width=device-width")) problems.push("the page has no viewport as wide as the device");
  for (const svg of document.querySelectorAll("svg")) {
    if (outerDrawing(svg) !== svg || svg.closest('[aria-hidden="true"]')) continue;
    const where = `${nameOf(svg)}${placeOf(svg)}`;
    if (svg.getAttribute("role") !== "img") problems.push(`${where} is not said to be an image`);
    if (!spoken(svg)) problems.push(`${where} has no label`);
  }
  for (const image of document.querySelectorAll("img:not([alt])")) problems.push(`${nameOf(image)} has no alt`);
  for (const figure of document.querySelectorAll("figure")) {
    if (!figure.querySelector("figcaption")?.textContent.trim()) problems.push(`${nameOf(figure)} has no caption`);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("th")) problems.push(`${nameOf(table)}${placeOf(table)} has no headings`);
  }
  let before = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const level = Number(heading.localName[1]);
    const words = short(heading.textContent);
    if (!words) problems.push(`a heading h${level} is empty`);
    if (level === 1 && before > 0) problems.push(`"${words}" is a second h1, or not the first heading`);
    if (level > before + 1) problems.push(`"${words}" is an h${level} after ${before ? `an h${before}` : "none"}`);
    before = level;
  }
  if (before === 0) problems.push("the page has no heading");
  return problems;
};

// Drawings that were made one by one often name their clip paths alike: the first of a name then clips them all.
const repeated_ids = () => {
  const seen = new Map();
  for (const { id } of document.querySelectorAll("[id]")) seen.set(id, (seen.get(id) ?? 0) + 1);
  return [...seen].filter(([, count]) => count > 1).map(([id, count]) => `the id ${id} is given ${count} times`);
};

// Hints that open a connection, although no request is made.
const connections_announced = () =>
  [...document.querySelectorAll("link[href]")]
    .filter((link) => /preconnect|prefetch|prerender/.test(link.rel))
    .filter((link) => /^(https?:)?\/\//.test(link.getAttribute("href")))
    .map((link) => `the page announces a connection to ${link.href}`);
