// Light or dark: as the system says, until somebody says otherwise.

const KEY = "taskspace-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function startTheme(button, changed) {
  document.documentElement.dataset.theme = kept() || "";
  const update = () => {
    button.textContent = isDark() ? "☀" : "☾";
    changed();
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    keep(theme);
    update();
  });
  system.addEventListener("change", update);
  button.textContent = isDark() ? "☀" : "☾";
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

// A page from disk may not be allowed to remember anything.
function kept() {
  try {
    return window.localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(theme) {
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // then only this page knows
  }
}

// The colour of the page that has this name in its style.
export function pageColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
