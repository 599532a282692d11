// Elements of the page: made, and put in place of others.

/** Sets attributes and adds children; handlers are attributes that begin with `on`. */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) made.style.setProperty(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** Makes an element of the page. */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** Makes an element of a drawing. */
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/**
 * The element with this name; an input or a dialog, if it is used so.
 * @type {(id: string) => HTMLInputElement & HTMLDialogElement}
 */
export const $ = (id) => /** @type {any} */ (document.getElementById(id));

/**
 * All elements that a selector finds.
 * @returns {HTMLElement[]}
 */
export const all = (selector) => [...document.querySelectorAll(selector)];

/**
 * The element that has the focus, if it is one that can lose it.
 * @returns {HTMLElement | null}
 */
export const inFocus = () => (document.activeElement instanceof HTMLElement ? document.activeElement : null);
