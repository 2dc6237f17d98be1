// The map's network: linear layers with ReLU between them, on standardized values.

export function embedded({ mean, scale, layers }, values) {
  let found = values.map((value, place) => (value - mean[place]) / scale[place]);
  for (const [number, { weight, bias }] of layers.entries()) {
    const last = number === layers.length - 1;
    found = weight.map((row, out) => {
      const sum = row.reduce((total, by, place) => total + by * found[place], bias[out]);
      return last ? sum : Math.max(sum, 0);
    });
  }
  return found;
}
