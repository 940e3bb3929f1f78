/* The heat map of a cache: its hot keys by time, and the load of its sites. */

import { byId, clock, h, number, show, table } from './dom.js';
import { ask, segment } from './talk.js';

const MINUTES = 60;
const MINUTE_MILLIS = 60_000;
const KEYS = 20;
const WIDTH = 300;
const HEIGHT = 10;

let cacheShown = '';
let asked = 0;

/** Offers the heat map of the cache whose page is shown; of none where cache is empty. */
export function offerHeat(cache) {
  byId('heat').hidden = cache === '';
  if (cache !== cacheShown) {
    cacheShown = cache;
    asked += 1;
    show(byId('heat-body'));
  }
}

/** Asks for the heat map of the last hour. */
export async function showHeat() {
  asked += 1;
  const turn = asked;
  const body = byId('heat-body');
  show(body, h('p', {}, 'Reading…'));
  let found;
  try {
    found = heat(await ask(`caches/${segment(cacheShown)}/heat?minutes=${MINUTES}&top=${KEYS}`));
  } catch (e) {
    found = h('p.refused', {}, `Not available: ${e.message}`);
  }
  if (turn === asked) {
    show(body, found);
  }
}

function heat(map) {
  const all = map.reads + map.writes;
  if (all === 0) {
    return h('p', {}, 'No process has published operations on this cache in the last hour. Only processes that record their operations do.');
  }
  const most = Math.max(1, ...map.intervals.flatMap((interval) => interval.keys));
  const sizes = map.valueBytes;
  return [
    h(
      'p',
      {},
      `${number(all)} operations of ${number(map.processes)} processes, ${percent(map.writes / all)} of them writes, on about ${number(map.distinctKeys.estimate)} keys. `,
      sizes ? `Values: half have at most ${number(sizes.p50)} bytes, 99 % at most ${number(sizes.p99)}. ` : null,
      h('span.aside', {}, `Read at ${clock(Date.now())}.`),
    ),
    table(
      `Hot keys of ${map.cache}`,
      [{ title: 'Key' }, { title: 'Operations', number: true }, { title: 'At least', number: true }, { title: 'By minute, the darkest is the most' }],
      map.keys.map(({ key, operations }, i) => ({
        key,
        cells: [h('code', {}, key), number(operations.estimate), number(operations.lower), strip(map, i, most)],
      })),
    ),
    table(
      `Requests to the sites of ${map.cache}`,
      [{ title: 'Site' }, { title: 'Reads', number: true }, { title: 'Writes', number: true }, { title: 'Share', number: true }],
      map.sites.map(({ site, reads, writes, share }) => ({
        key: site,
        cells: [site, number(reads), number(writes), percent(share)],
      })),
    ),
  ];
}

/** One key over time: a cell for each minute with operations on it. */
function strip(map, i, most) {
  const from = Date.parse(map.from) - MINUTE_MILLIS;
  const to = Date.parse(map.to) + MINUTE_MILLIS;
  const x = (at) => ((at - from) / (to - from)) * WIDTH;
  const used = map.intervals.filter((interval) => interval.keys[i] > 0);
  const highest = used.reduce((top, interval) => (interval.keys[i] > top.keys[i] ? interval : top), used[0]);
  const text = highest
    ? `Used in ${used.length} minutes, most at ${clock(Date.parse(highest.start))}: ${number(highest.keys[i])} operations`
    : 'In no minute counted by itself';
  return h(
    'svg.heat',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': text },
    used.map((interval) => {
      const at = Date.parse(interval.start);
      return h('rect', {
        x: x(at).toFixed(1),
        y: 0,
        width: (x(at + MINUTE_MILLIS) - x(at)).toFixed(1),
        height: HEIGHT,
        'fill-opacity': Math.max(0.12, interval.keys[i] / most).toFixed(2),
      });
    }),
  );
}

function percent(share) {
  return `${number(100 * share, 1)} %`;
}
