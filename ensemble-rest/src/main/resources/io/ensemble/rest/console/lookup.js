/* One key: what each site holds of it, and the versions that it had. */

import { byId, clock, h, number, show, state, table, UNKNOWN } from './dom.js';
import { ask, segment } from './talk.js';

const COLUMNS = [
  { title: 'Site' },
  { title: 'Answer' },
  { title: 'Stamp' },
  { title: 'Agreement' },
  { title: 'Bytes', number: true },
  { title: 'Digest' },
  { title: 'Expires' },
  { title: 'ms', number: true },
];

const MOST_VERSIONS = 50;
const WIDTH = 300;

let asked = 0;

/** Asks every site for a key. */
export async function lookUp(cache, key, hasVersions) {
  asked += 1;
  const turn = asked;
  const body = byId('lookup-body');
  show(body, h('p', {}, 'Asking the sites…'));
  try {
    const seen = await ask(`caches/${segment(cache)}/explain/${segment(key)}`);
    if (turn === asked) {
      show(body, sites(seen), hasVersions ? versionsButton(cache, key) : null);
    }
  } catch (e) {
    if (turn === asked) {
      show(body, failed(e));
    }
  }
}

/** Asked for by itself: only who reads a cache by versions has it look for them. */
function versionsButton(cache, key) {
  return h(
    'div',
    { id: 'versions-body' },
    h('button', { type: 'button', 'data-do': 'versions', 'data-cache': cache, 'data-of': key }, 'Show its versions'),
  );
}

/** The latest versions of a key, on a line of time and in a list. */
export async function showVersions(cache, key) {
  const turn = asked;
  let found;
  try {
    found = timeline(await ask(`caches/${segment(cache)}/versions/${segment(key)}/history?limit=${MOST_VERSIONS}`));
  } catch (e) {
    found = failed(e);
  }
  if (turn === asked) {
    show(document.getElementById('versions-body'), found);
  }
}

function failed(e) {
  return h('p.refused', {}, `Not available: ${e.message}`);
}

function sites(seen) {
  const stamps = new Set(seen.sites.filter((site) => site.stamp).map((site) => site.stamp));
  return [
    h('p', {}, agreement(seen, stamps), ' ', h('span.aside', {}, `Asked at ${clock(Date.now())}.`)),
    table(
      `What each site holds of ${seen.key}`,
      COLUMNS,
      seen.sites.map((site) => ({
        key: site.site,
        cells: [
          site.site,
          answer(site),
          h('code', {}, site.stamp || UNKNOWN),
          agrees(site),
          number(site.bytes),
          h('code', {}, site.digest || UNKNOWN),
          site.expires ? new Date(site.expires).toLocaleString('en-GB') : UNKNOWN,
          number(site.millis, 1),
        ],
      })),
    ),
  ];
}

function agreement(seen, stamps) {
  const silent = seen.sites.filter((site) => !site.answered).length;
  const rest = silent > 0 ? `; ${silent} of ${seen.sites.length} sites did not answer` : '';
  if (stamps.size === 0) {
    return `No site that answered has the key${rest}.`;
  }
  const missing = seen.sites.some((site) => site.answered && !site.stamp);
  return (stamps.size === 1 && !missing ? 'All sites that answered hold the same write' : 'Sites hold different writes') + `${rest}.`;
}

function answer(site) {
  if (!site.answered) {
    return [state({ shape: 'bad', word: 'none', grade: 'bad' }), h('span.aside', {}, site.why || '')];
  }
  return { value: 'value', removed: 'removed', absent: 'absent' }[site.state] || site.state;
}

function agrees(site) {
  if (!site.answered) {
    return UNKNOWN;
  }
  return site.latest
    ? state({ shape: 'good', word: 'latest', grade: 'good' })
    : state({ shape: 'half', word: site.stamp ? 'older' : 'not there', grade: 'doubt' });
}

function timeline(found) {
  const versions = found.versions;
  if (versions.length === 0) {
    return h('p', {}, 'The key has no version.');
  }
  const newest = Date.parse(versions[0].time);
  const oldest = Date.parse(versions.at(-1).time);
  const when = (version) => new Date(version.time).toLocaleString('en-GB');
  return [
    h('h3', {}, 'Versions ', h('small', {}, found.cursor ? `the latest ${versions.length}` : `all ${versions.length}`)),
    h(
      'svg.plot.strip',
      { viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Versions from ${when(versions.at(-1))} to ${when(versions[0])}` },
      h('line.base', { x1: 0, y1: 5, x2: WIDTH, y2: 5 }),
      versions.map(({ time }) => {
        const x = newest === oldest ? WIDTH : ((Date.parse(time) - oldest) / (newest - oldest)) * WIDTH;
        return h('line.curve', { x1: x, y1: 1, x2: x, y2: 9 });
      }),
    ),
    h('p.axis', {}, h('span', {}, when(versions.at(-1))), h('span', {}, when(versions[0]))),
    h(
      'ol.timeline',
      { reversed: true, tabindex: 0, 'aria-label': 'Versions, the newest first' },
      versions.map((one) =>
        h('li', { 'data-key': one.version }, h('code', {}, one.version), ' ', h('span.aside', {}, when(one))),
      ),
    ),
  ];
}
