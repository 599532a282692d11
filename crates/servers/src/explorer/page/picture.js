// The position as a picture for a message: the scene beside the bar of its value, under the name of the game and over what it is worth, as rectangles,
// circles and texts of an SVG, and that as a PNG.

const SVG = "http://www.w3.org/2000/svg";

/** How many pixels of a PNG there are for one of the page. */
const SCALE = 2;

const isClear = (colour) => colour === "transparent" || /, 0\)$|\/ 0\)$/.test(colour);

/** Room around the scene, in pixels: for the bar on the left, and for a line above and one below. */
const [BAR, LINE, EDGE] = [28, 40, 12];

/**
 * The SVG of what is in an element, as text, and its size.
 * @param {HTMLElement} scene
 * @param {{title: string, worth: string, part: number, open: number}} about
 */
function drawn(scene, about) {
  const { left, top, width, height } = scene.getBoundingClientRect();
  const frame = { left: left - BAR - EDGE, top: top - LINE, width: width + BAR + 2 * EDGE, height: height + 2 * LINE };
  const made = [];
  const add = (tag, attributes, text) => {
    const shape = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, typeof value === "number" ? Math.round(value * 100) / 100 : value);
    if (text) shape.textContent = text;
    made.push(shape);
  };
  const box = ({ left, top, width, height }) => ({ x: left - frame.left, y: top - frame.top, width, height });
  const page = getComputedStyle(document.body);
  add("rect", { x: 0, y: 0, width: frame.width, height: frame.height, fill: page.backgroundColor });
  const line = (y, text) => add("text", { x: frame.width / 2, y, "text-anchor": "middle", "dominant-baseline": "central", "font-family": "system-ui, sans-serif", "font-size": 16, fill: page.color }, text);
  line(LINE / 2, about.title);
  line(frame.height - LINE / 2, about.worth);
  const piece = (from, to, name) => add("rect", { x: EDGE, y: LINE + height * (1 - to), width: BAR - EDGE, height: height * (to - from), fill: page.getPropertyValue(name) });
  piece(0, about.part, "--win");
  piece(about.part, about.part + about.open, "--mist");
  piece(about.part + about.open, 1, "--lose");
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (scene.querySelectorAll("*"))) {
    const [style, place] = [getComputedStyle(element), element.getBoundingClientRect()];
    if (place.width < 2 || place.height < 2 || style.visibility === "hidden" || element.closest(".unseen")) continue;
    const { x, y, width, height } = box(place);
    if (element.tagName === "circle") add("circle", { cx: x + width / 2, cy: y + height / 2, r: width / 2, fill: style.fill });
    else if (element.tagName === "rect") add("rect", { x, y, width, height, rx: width / 5, fill: style.fill, stroke: style.stroke });
    else if (element.namespaceURI !== SVG) {
      const line = style.borderTopStyle === "none" ? 0 : Number.parseFloat(style.borderTopWidth);
      const filled = !isClear(style.backgroundColor);
      const corner = Number.parseFloat(style.borderTopLeftRadius) || 0;
      const radius = Math.min(style.borderTopLeftRadius.endsWith("%") ? (corner * width) / 100 : corner, width / 2, height / 2);
      if (filled || line) add("rect", { x: x + line / 2, y: y + line / 2, width: width - line, height: height - line, rx: radius, fill: filled ? style.backgroundColor : "none", ...(line ? { stroke: style.borderTopColor, "stroke-width": line } : {}) });
      if (element.classList.contains("meter")) add("rect", { x, y, width: width * Number(element.style.getPropertyValue("--part")), height, rx: radius, fill: style.color });
      for (const text of element.childNodes) if (text.nodeType === Node.TEXT_NODE) words(text, style, box, add);
    }
  }
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  svg.setAttribute("width", String(frame.width));
  svg.setAttribute("height", String(frame.height));
  svg.append(...made);
  return { text: new XMLSerializer().serializeToString(svg), width: frame.width, height: frame.height };
}

/** Adds the words of a text where they are. */
function words(text, style, box, add) {
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const { x, y, width, height } = box(range.getBoundingClientRect());
    add("text", { x: x + width / 2, y: y + height / 2, "text-anchor": "middle", "dominant-baseline": "central", "font-family": "system-ui, sans-serif", "font-size": Number.parseFloat(style.fontSize), "font-weight": style.fontWeight, fill: style.color }, word);
  }
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves what is in an element as a file of SVG. */
export function saveSvg(scene, about, name) {
  save(new Blob([drawn(scene, about).text], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Saves what is in an element as a file of PNG. */
export async function savePng(scene, about, name) {
  const { text, width, height } = drawn(scene, about);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(await new Promise((done) => canvas.toBlob(done, "image/png")), `${name}.png`);
}
