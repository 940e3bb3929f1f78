/* Small plots. The numbers beside them say the same to who does not see them. */

import { h } from './dom.js';

const WIDTH = 300;
const HEIGHT = 48;
const BREAK_MILLIS = 15_000;

/**
 * A line over time, to fill the width that there is.
 *
 * points: {at, value} by time, value null for a gap; most: what is at the top.
 */
export function plot(points, from, to, most, text) {
  const top = most > 0 ? most : 1;
  const x = (at) => (((at - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (value) => (HEIGHT - 1 - (Math.min(value, top) / top) * (HEIGHT - 3)).toFixed(1);
  let path = '';
  let before = null;
  for (const { at, value } of points) {
    if (at < from || value === null) {
      before = null;
      continue;
    }
    path += before === null || at - before > BREAK_MILLIS ? `M${x(at)} ${y(value)}h0.5` : `L${x(at)} ${y(value)}`;
    before = at;
  }
  return h(
    'svg.plot',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': text },
    h('line.base', { x1: 0, y1: HEIGHT - 0.5, x2: WIDTH, y2: HEIGHT - 0.5 }),
    h('path.curve', { d: path }),
  );
}

/** The largest value, rounded up to one that is read at a glance. */
export function ceiling(points) {
  const most = points.reduce((all, { value }) => (value === null ? all : Math.max(all, value)), 0);
  if (most === 0) {
    return 0;
  }
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most);
}
