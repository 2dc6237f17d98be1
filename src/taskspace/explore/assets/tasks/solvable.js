// Whether a task of BasicKarel has a solution, and how long the shortest one is.
// The same as taskspace.envs.basickarel.shortest: markers do not block the way, so changing a
// marker that is already right never helps.

const SIDE = 4;
const CELLS = SIDE * SIDE;
const HORIZON = 20; // actions in an episode; the last one is `finish`
const STEPS = [
  [-1, 0],
  [1, 0],
  [0, 1],
  [0, -1],
]; // north, south, east, west
const LEFT = [3, 2, 0, 1];
const RIGHT = [2, 3, 1, 0];

// {note} about the shortest solution, or {fault} if there is none.
export function solvable(values) {
  const is = (name) => values[name] > 0.5;
  const ways = waysOf(is);
  const reached = reachable(ways, cellOf(is, "position"));
  if (!reached.has(cellOf(is, "postPosition"))) {
    return { fault: "No agent can solve this task: walls block the way to the goal position." };
  }
  if (wrongMarkers(is).some((cell) => !reached.has(cell))) {
    return {
      fault: "No agent can solve this task: walls block the way to a marker that must change.",
    };
  }
  const actions = shortest(values) + 1; // with `finish`
  if (actions > HORIZON) {
    const limit = `it takes ${actions} actions, but an episode has ${HORIZON}`;
    return { fault: `No agent can solve this task: ${limit}.` };
  }
  return {
    note:
      actions === 1
        ? "The shortest solution has 1 action: finish."
        : `The shortest solution has ${actions} actions, including finish.`,
  };
}

// The length of the shortest solution without `finish`; -1 if there is none. A node of the search
// is the wrong markers left (a bit each), the cell and the heading.
export function shortest(values) {
  const is = (name) => values[name] > 0.5;
  const ways = waysOf(is);
  const wrong = wrongMarkers(is);
  const bits = Array(CELLS).fill(0); // of the cells with a wrong marker
  for (const [number, cell] of wrong.entries()) bits[cell] = 64 << number;
  const count = 64 << wrong.length;
  const lengths = new Int8Array(count).fill(-1);
  const queue = new Int32Array(count);
  const goal = 4 * cellOf(is, "postPosition") + headingOf(is, "postHeading");
  let [head, tail] = [0, 0];
  const visit = (node, length) => {
    if (lengths[node] >= 0) return;
    lengths[node] = length;
    queue[tail++] = node;
  };
  visit(count - 64 + 4 * cellOf(is, "position") + headingOf(is, "heading"), 0);
  while (head < tail && lengths[goal] < 0) {
    const node = queue[head++];
    const [cell, heading, length] = [(node >> 2) & 15, node & 3, lengths[node] + 1];
    const there = ways[cell][heading];
    if (there >= 0) visit(node + 4 * (there - cell), length);
    visit(node - heading + LEFT[heading], length);
    visit(node - heading + RIGHT[heading], length);
    if (node & bits[cell]) visit(node - bits[cell], length);
  }
  return lengths[goal];
}

// The cell ahead of each cell in each heading, -1 where there is a wall or the edge.
function waysOf(is) {
  return Array.from({ length: CELLS }, (_, cell) =>
    STEPS.map(([down, right]) => {
      const [row, column] = [Math.floor(cell / SIDE) + down, (cell % SIDE) + right];
      const inside = row >= 0 && row < SIDE && column >= 0 && column < SIDE;
      return inside && !is(`wall${SIDE * row + column}`) ? SIDE * row + column : -1;
    }),
  );
}

function reachable(ways, start) {
  const found = new Set([start]); // grows while it is gone through
  for (const cell of found) for (const there of ways[cell]) if (there >= 0) found.add(there);
  return found;
}

function wrongMarkers(is) {
  const cells = [...Array(CELLS).keys()];
  return cells.filter((cell) => is(`marker${cell}`) !== is(`postMarker${cell}`));
}

function cellOf(is, group) {
  return [...Array(CELLS).keys()].findIndex((cell) => is(`${group}${cell}`));
}

function headingOf(is, group) {
  return STEPS.findIndex((_, heading) => is(`${group}${heading}`));
}
