/** Lays the drawings of a state chart out so that all of them are seen at once, as large as their place allows. */

/** Between two drawings, in pixels. */
const GAP = 14;

/**
 * The columns that the sizes are put into, each in its order into the lowest column, and the scale at which all of them fit.
 * @param {readonly { readonly width: number, readonly height: number }[]} sizes
 * @param {number} count Of columns.
 * @param {{ readonly width: number, readonly height: number }} place
 */
export function arranged(sizes, count, place) {
  const columns = Array.from({ length: count }, () => ({ width: 0, height: 0, items: /** @type {number[]} */ ([]) }));
  for (const [index, { width, height }] of sizes.entries()) {
    const lowest = columns.reduce((a, b) => (b.height < a.height ? b : a));
    lowest.width = Math.max(lowest.width, width);
    lowest.height += height;
    lowest.items.push(index);
  }
  const across = (place.width - GAP * (count - 1)) / columns.reduce((sum, { width }) => sum + width, 0);
  // The gaps stay as wide as they are.
  const down = columns.map(({ height, items }) => (place.height - GAP * (items.length - 1)) / Math.max(1, height));
  return { columns: columns.map(({ items }) => items), scale: Math.min(1, across, ...down) };
}

/**
 * Fits the drawings of a chart into a place; called again whenever the place has another size.
 * @param {HTMLElement} chart As `drawChart` made it.
 * @param {{ readonly width: number, readonly height: number }} place
 */
export function fitChart(chart, place) {
  const found = Array.from(chart.querySelectorAll('svg'));
  // In the order in which they were drawn, however they were laid out last.
  for (const [index, drawing] of found.entries()) drawing.dataset['place'] ??= String(index);
  const drawings = found.sort((a, b) => Number(a.dataset['place']) - Number(b.dataset['place']));
  if (drawings.length === 0 || place.width < 100 || place.height < 100) return;
  const sizes = drawings.map(({ viewBox }) => viewBox.baseVal).map(({ width, height }) => ({ width, height }));
  const options = drawings.map((_, index) => arranged(sizes, index + 1, place));
  const best = options.reduce((a, b) => (b.scale > a.scale ? b : a));
  const columns = best.columns.map((items) => {
    const column = document.createElement('div');
    column.className = 'chart-column';
    for (const item of items) {
      const [drawing, size] = [drawings[item], sizes[item]];
      if (drawing === undefined || size === undefined) continue;
      drawing.setAttribute('width', String(Math.floor(size.width * best.scale)));
      drawing.setAttribute('height', String(Math.floor(size.height * best.scale)));
      column.append(drawing);
    }
    return column;
  });
  for (const old of chart.querySelectorAll('.chart-column')) old.remove();
  chart.prepend(...columns);
}
