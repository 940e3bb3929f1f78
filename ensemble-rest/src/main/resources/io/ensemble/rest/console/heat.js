/* The heat map of a cache: its hot keys by time, and the load of its sites. And the load of all sites by caches. */

import { byId, clock, h, number, show, span, table } from './dom.js';
import { ask, segment } from './talk.js';

const MINUTES = 60;
const KEYS = 20;
const GRID_MINUTES = 10;
const GRID_MOST = 100;
const GRID_AT_ONCE = 4;
const SHADES = 4;
const WIDTH = 300;
const HEIGHT = 10;

let cacheShown = '';
let asked = 0;
let grids = 0;

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
      map.complete ? null : `Too many processes publish windows: only those since ${clock(Date.parse(map.from))} were read. `,
      h('span.aside', {}, `Read at ${clock(Date.now())}.`),
    ),
    table(
      `Hot keys of ${map.cache}`,
      [{ title: 'Key' }, { title: 'Operations', number: true }, { title: 'At least', number: true }, { title: 'By time, the darkest is the most' }],
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

/** One key over time: a cell for each interval with operations on it. */
function strip(map, i, most) {
  const length = map.intervalSeconds * 1000;
  const from = Date.parse(map.from) - length;
  const to = Date.parse(map.to) + length;
  const x = (at) => ((at - from) / (to - from)) * WIDTH;
  const used = map.intervals.filter((interval) => interval.keys[i] > 0);
  const highest = used.reduce((top, interval) => (interval.keys[i] > top.keys[i] ? interval : top), used[0]);
  const text = highest
    ? `Used in ${used.length} intervals of ${span(length)}, most at ${clock(Date.parse(highest.start))}: ${number(highest.keys[i])} operations`
    : 'In no interval counted by itself';
  return h(
    'svg.heat',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': text },
    used.map((interval) => {
      const at = Date.parse(interval.start);
      return h('rect', {
        x: x(at).toFixed(1),
        y: 0,
        width: (x(at + length) - x(at)).toFixed(1),
        height: HEIGHT,
        'fill-opacity': Math.max(0.12, interval.keys[i] / most).toFixed(2),
      });
    }),
  );
}

function percent(share) {
  return `${number(100 * share, 1)} %`;
}

/** Asks for the heat map of each cache, a few at a time, and shows the requests to each site by caches. */
export async function showGrid(names) {
  grids += 1;
  const turn = grids;
  const body = byId('load-body');
  const waiting = names.slice(0, GRID_MOST);
  const maps = [];
  let failed = 0;
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined && turn === grids; name = waiting.shift()) {
      try {
        maps.push(await ask(`caches/${segment(name)}/heat?minutes=${GRID_MINUTES}&top=1`));
      } catch (e) {
        failed += 1; // Also a cache that the caller must not read.
      }
      if (turn === grids) {
        show(body, h('p', {}, `Reading… ${maps.length + failed} of ${Math.min(names.length, GRID_MOST)}`));
      }
    }
  };
  await Promise.all(Array.from({ length: GRID_AT_ONCE }, work));
  if (turn === grids) {
    show(body, grid(maps), unread(names.length, failed));
  }
}

function unread(all, failed) {
  return [
    failed > 0 ? h('p.refused', {}, `Not available for ${number(failed)} caches.`) : null,
    all > GRID_MOST ? h('p', {}, `Only the first ${GRID_MOST} of ${number(all)} caches were read.`) : null,
  ];
}

/** Sites in columns, caches in rows; replicas of a site together. */
function grid(maps) {
  const used = maps.filter((map) => map.sites.length > 0).sort((one, other) => (one.cache < other.cache ? -1 : 1));
  if (used.length === 0) {
    return h('p', {}, 'No process has published operations in the last ten minutes. Only processes that record their operations do.');
  }
  const loads = used.map((map) => {
    const bySite = new Map();
    for (const { site, reads, writes } of map.sites) {
      const name = site.replace(/\/[1-9][0-9]?$/, '');
      bySite.set(name, (bySite.get(name) || 0) + reads + writes);
    }
    return bySite;
  });
  const sites = [...new Set(loads.flatMap((bySite) => [...bySite.keys()]))].sort();
  const most = Math.max(1, ...loads.flatMap((bySite) => [...bySite.values()]));
  return table(
    'Requests to sites (columns) by caches (rows)',
    [{ title: 'Cache' }, ...sites.map((site) => ({ title: site, number: true })), { title: 'Operations', number: true }],
    used.map((map, i) => ({
      key: map.cache,
      cells: [
        map.cache,
        ...sites.map((site) => {
          const requests = loads[i].get(site) || 0;
          return h(`span.heat.heat${Math.ceil((requests / most) * SHADES)}`, {}, number(requests));
        }),
        number(map.reads + map.writes),
      ],
    })),
  );
}
