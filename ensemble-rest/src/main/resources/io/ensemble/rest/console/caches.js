/* Which cache lives where, how, and what it can lose; and what sites may lack of it. */

import { byId, h, mark, number, show, state, table, UNKNOWN } from './dom.js';
import { condition, lagOf, margin, missingAt, shortfall } from './federation.js';
import { counted, link } from './pages.js';
import { ceiling, plot } from './plot.js';

const WINDOW_MILLIS = 600_000;

const COLUMNS = [
  { title: 'Cache' },
  { title: 'Mode' },
  { title: 'Can lose' },
  { title: 'Sites' },
  { title: 'Requests/s', number: true },
  { title: 'Lag', number: true },
  { title: 'Unknown outcomes', number: true },
  { title: 'Acknowledged by' },
  { title: 'Migration' },
  { title: 'Action' },
];

export function showCaches(document, past, at) {
  const sites = document.sites;
  show(
    byId('caches-body'),
    document.caches.length === 0
      ? h('p', {}, 'There is no cache.')
      : [
          table('Caches of the federation', COLUMNS, document.caches.map((cache) => row(cache, sites, past, at))),
          h(
            'p.legend',
            {},
            [mark('lead'), ' primary  '],
            [mark('good'), ' copy  '],
            [mark('doubt'), ' copy at a site that is suspected or draining  '],
            [mark('bad'), ' copy at a site that is unreachable, or lost'],
          ),
        ],
  );
  fill(byId('lookup-cache'), document.caches.map((cache) => cache.name));
}

/** Keeps what is chosen. */
function fill(select, names) {
  const chosen = select.value;
  show(select, names.map((name) => h('option', { 'data-key': name, value: name }, name)));
  if (names.includes(chosen)) {
    select.value = chosen;
  }
}

function row(cache, sites, past, at) {
  const all = lagOf(cache);
  const unknown = counted(cache.unknownOutcomes, past, `unknown ${cache.name}`, at);
  return {
    key: cache.name,
    cells: [
      link('cache', cache.name),
      h('span', { title: cache.guarantee || '' }, mode(cache)),
      [state(margin(cache)), replicas(cache)],
      places(cache, sites),
      number(cache.usage?.requestsPerSecond, 1),
      lag(all === null ? { known: false } : { known: true, entries: all }),
      cache.unknownOutcomes > 0 ? h('span.state.doubt', {}, mark('doubt'), ' ', unknown) : unknown,
      cache.acknowledgement || UNKNOWN,
      cache.operation ? 'in progress' : UNKNOWN,
      h(
        'button',
        { type: 'button', 'data-do': 'pick', 'data-cache': cache.name, 'aria-label': `Look up a key of ${cache.name}` },
        'Look up',
      ),
    ],
  };
}

/** A mark where replicas are missing, with which and why. */
function replicas(cache) {
  const short = shortfall(cache);
  return short
    ? h(
        'div',
        { title: short.reason, 'data-key': 'replicas' },
        state(short),
        h('span.unseen', {}, ` (${short.reason})`),
      )
    : null;
}

/** The lag of a cache at a site: {known, entries}; a dash without it. */
export function lag(one) {
  return one && !one.known
    ? h('span', { title: 'unknown until the next anti-entropy: a site has lost its memory' }, '?')
    : number(one?.entries);
}

export function mode(cache) {
  if (cache.caches) {
    return `distributed over ${cache.caches.length}`;
  }
  return cache.consistency + (cache.siblings > 1 ? ' siblings' : '');
}

/** A place for each site, in the same order in every row, so that columns can be read. */
function places(cache, sites) {
  if (cache.caches) {
    return h('span.aside', {}, cache.caches.join(', '));
  }
  const at = new Set(cache.sites || []);
  return h(
    'span.places',
    {},
    sites.map((site) => place(cache, site, at.has(site.name))),
    [...at].filter((name) => !sites.some((site) => site.name === name)).map((name) => place(cache, { name, health: { state: 'down' } }, true)),
  );
}

function place(cache, site, here) {
  if (!here) {
    return h('span.place.absent', { 'data-key': site.name, 'aria-hidden': 'true' }, mark('none'));
  }
  const { word, grade } = condition(site);
  const gone = missingAt(cache, site.name).filter((replica) => replica.state !== 'site_down');
  const lost = gone.length > 0;
  const primary = cache.primary === site.name;
  const shape = lost || grade === 'bad' ? 'bad' : grade === 'doubt' ? 'doubt' : primary ? 'lead' : 'good';
  const why = gone.map(({ replica, reason }) => (replica === site.name ? reason : `${replica}: ${reason}`));
  const said = [primary && 'primary', ...why, grade !== 'good' && word].filter(Boolean).join(', ');
  return h(
    `span.place.${lost ? 'bad' : grade}`,
    { 'data-key': site.name, title: site.name + (said ? `: ${said}` : '') },
    mark(shape),
    ' ',
    site.name,
    said ? h('span.unseen', {}, ` (${said})`) : null,
  );
}

/** One plot for each site that WEAK caches are at. */
export function showLag(past, at) {
  const names = past.names('lag ');
  show(
    byId('lag-body'),
    names.length === 0
      ? h('p', {}, 'No WEAK cache is in use here: SWMR and MWMR caches leave no lag, a majority has each write.')
      : h('div.plots', {}, names.map((name) => lagPlot(name, past.points(name), at))),
  );
}

function lagPlot(name, points, at) {
  const site = name.slice('lag '.length);
  const last = points.at(-1)?.value;
  const most = ceiling(points);
  const now = last === null || last === undefined ? 'not known' : `${number(last)} now`;
  return h(
    'figure',
    { 'data-key': name },
    h('figcaption', {}, h('b', {}, site), ' ', h('span.figure', {}, now)),
    plot(points, at - WINDOW_MILLIS, at, most, `Lag of ${site}: ${now}, top ${number(most)}`),
    h('p.axis', {}, h('span', {}, '10 min ago'), h('span', {}, `top ${number(most)}`), h('span', {}, 'now')),
  );
}
