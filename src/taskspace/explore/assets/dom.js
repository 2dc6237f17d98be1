// Creates elements in one call. Text is always set as text, never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export function el(name, given = {}, ...children) {
  return filled(document.createElement(name), given, children);
}

export function svg(name, given = {}, ...children) {
  return filled(document.createElementNS(SVG, name), given, children);
}

// `text` is the text content, functions are listeners (`onclick`), all else is an attribute; null
// and false are skipped.
function filled(element, given, children) {
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(text, onclick, given = {}) {
  return el("button", { type: "button", text, onclick, ...given });
}

export function select(label, choices, chosen, onchange) {
  const options = choices.map(([value, text]) => el("option", { value, text }));
  const box = el(
    "select",
    { "aria-label": label, onchange: () => onchange(box.value) },
    ...options,
  );
  box.value = chosen;
  return box;
}

// Arrow keys move the focus among the buttons inside; `across` is the number per row.
export function arrowKeys(container, across = 1) {
  container.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
    const step = steps[event.key];
    if (step === undefined) return;
    const items = [...container.querySelectorAll("button")];
    const next = items[items.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

// A number in few characters: 0.123, 12.3, 1,234.
export function figure(value) {
  if (value === null || Number.isNaN(value)) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits).replace("-", "−");
}

// A number without the rounding errors of single precision; integers stay as they are.
export function short(value, digits = 4) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(digits));
}

export function percent(value) {
  return Number.isNaN(value) ? "–" : `${Math.round(100 * value)} %`.replace("-", "−");
}
