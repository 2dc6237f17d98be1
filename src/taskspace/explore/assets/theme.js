// Light or dark theme: that of the system, unless the user chooses one.

const KEY = "taskspace-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function startTheme(button, changed) {
  document.documentElement.dataset.theme = stored() || "";
  const update = () => {
    button.textContent = isDark() ? "☀" : "☾";
    changed();
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    store(theme);
    update();
  });
  system.addEventListener("change", update);
  button.textContent = isDark() ? "☀" : "☾";
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

// A page from disk may have no access to storage.
function stored() {
  try {
    return window.localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(theme) {
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // the choice is lost when the page is closed
  }
}

// A colour of the style sheet by its name.
export function pageColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
