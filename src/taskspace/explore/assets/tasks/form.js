// The panel of a new task, by the kind of form in the data.

import { GridPanel } from "./grid-form.js";
import { ProgramPanel } from "./program-form.js";
import { ForcePanel, ValuesPanel } from "./values-form.js";

const PANELS = { values: ValuesPanel, force: ForcePanel, grids: GridPanel, program: ProgramPanel };

// The panel for this map, or null if new tasks are not possible.
export function formOf(app) {
  const Panel = PANELS[app.space.formKind];
  return Panel?.worksWith(app.space) ? new Panel(app) : null;
}
