// The map's network: linear layers with ReLU between them, on standardized values.

export function embed({ mean, scale, layers }, values) {
  let found = values.map((value, index) => (value - mean[index]) / scale[index]);
  for (const [number, { weight, bias }] of layers.entries()) {
    const last = number === layers.length - 1;
    found = weight.map((row, out) => {
      const sum = row.reduce((total, by, index) => total + by * found[index], bias[out]);
      return last ? sum : Math.max(sum, 0);
    });
  }
  return found;
}
