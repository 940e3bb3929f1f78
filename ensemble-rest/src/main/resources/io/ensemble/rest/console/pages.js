/* The page of one site or of one cache, as the address names it: #site/NAME, #cache/NAME. */

import { lag, mode } from './caches.js';
import { offerChanges } from './changes.js';
import { byId, h, number, show, span, state, table, UNKNOWN } from './dom.js';
import { condition, margin, missingAt, shortfall, siteOf } from './federation.js';
import { offerHeat } from './heat.js';
import { cancelButton } from './operations.js';
import { ceiling, plot } from './plot.js';

const WINDOW_MILLIS = 600_000;

/** {page, name} of an address; page is 'overview' for every other address. */
export function route(hash) {
  const [, page, name] = /^#(site|cache)\/(.+)$/.exec(hash) || [];
  try {
    return page ? { page, name: decodeURIComponent(name) } : { page: 'overview' };
  } catch (e) {
    return { page: 'overview' }; // Not encoded as addresses are.
  }
}

/** The address of the page of a site or of a cache. */
export function address(page, name) {
  return `#${page}/${encodeURIComponent(name)}`;
}

export function link(page, name) {
  return h('a', { href: address(page, name) }, name);
}

/** Shows the page of a route; nothing for the overview. */
export function showPage({ page, name }, view, past, at) {
  document.body.dataset.page = page;
  offerHeat(page === 'cache' ? name : '');
  offerChanges(page === 'cache' ? name : '');
  const section = byId('detail');
  section.hidden = page === 'overview';
  if (page === 'overview') {
    show(byId('detail-body'));
    return;
  }
  const one = (page === 'site' ? view.sites : view.caches).find((other) => other.name === name);
  const title = `${page === 'site' ? 'Site' : 'Cache'} ${name}`;
  if (byId('detail-title').textContent !== title) {
    byId('detail-title').textContent = title;
  }
  show(
    byId('detail-body'),
    !one
      ? h('p', {}, `There is no ${page} of this name.`)
      : page === 'site'
        ? site(one, view, past, at)
        : cache(one, view, past, at),
  );
}

function facts(pairs) {
  return h(
    'dl.facts',
    {},
    pairs.map(([name, value]) => h('div', { 'data-key': name }, h('dt', {}, name), h('dd', {}, value))),
  );
}

function site(one, view, past, at) {
  const { load = {}, latency = {}, maintenance } = one;
  const points = past.points(`latency ${one.name}`);
  const most = ceiling(points);
  const labels = Object.entries(one.labels || {}).map(([name, value]) => `${name} ${value}`);
  const there = view.caches.filter((cache) => (one.caches || []).includes(cache.name));
  return [
    facts([
      ['State', state(condition(one))],
      ['Silent for', one.health?.silentMillis > 0 ? span(one.health.silentMillis) : UNKNOWN],
      ['Nodes', (one.nodes || []).join(', ') || UNKNOWN],
      ['Storage', one.storage || UNKNOWN],
      ['Labels', labels.join(', ') || UNKNOWN],
      ['Replicas that answer', load.replicas === undefined ? UNKNOWN : `${load.answered} of ${load.replicas}`],
      ['Entries', number(load.entries)],
      ['Requests/s of all clients', number(load.requestsPerSecond, 1)],
      ['Round trip of checks', milliseconds(load.millis)],
      ['p99 of checks, 10 min', milliseconds(load.p99Millis)],
      ['Mean of this service', milliseconds(latency.millis)],
      ['Longest of this service', milliseconds(latency.longestMillis)],
      ['Failed requests of this service', counted(latency.failed, past, `failed ${one.name}`, at)],
      ['Maintaining process reports', maintained(maintenance, at)],
    ]),
    h('h3', {}, 'Latency ', h('small', {}, 'milliseconds, over the last ten minutes')),
    plot(points, at - WINDOW_MILLIS, at, most, `Latency to ${one.name}, top ${number(most)} ms`),
    h('h3', {}, 'Caches'),
    there.length === 0
      ? h('p', {}, 'No cache is at this site.')
      : table(
          `Caches at ${one.name}`,
          [
            { title: 'Cache' },
            { title: 'Mode' },
            { title: 'Replicas here' },
            { title: 'Can lose' },
            { title: 'Entries', number: true },
            { title: 'Requests/s', number: true },
            { title: 'Lag', number: true },
          ],
          there.map((cache) => {
            const here = replicasAt(cache, one.name);
            return {
              key: cache.name,
              cells: [
                link('cache', cache.name),
                mode(cache),
                here.map((replica) => replicaState(cache, replica, one)),
                state(margin(cache)),
                number(sumOf(cache, here, 'entries')),
                number(sumOf(cache, here, 'requestsPerSecond'), 1),
                lag(cache.lag?.[one.name]),
              ],
            };
          }),
        ),
    h('p.buttons', {}, siteActions(one)),
  ];
}

function siteActions(one) {
  const button = (action, text) =>
    h('button', { type: 'button', 'data-key': action, 'data-do': action, 'data-site': one.name, 'aria-label': `${text} ${one.name}` }, text);
  return [
    button('recover', 'Recover…'),
    one.state === 'draining' ? button('serve', 'Serve again…') : button('drain', 'Drain…'),
  ];
}

function cache(one, view, past, at) {
  const short = shortfall(one);
  const { usage = {} } = one;
  const migration = view.operations.find((operation) => operation.cache === one.name && operation.kind !== 'clear');
  return [
    facts([
      ['Mode', mode(one)],
      ['Guarantee', one.guarantee || UNKNOWN],
      ['Can lose', state(margin(one))],
      ['Replicas', short ? [state(short), h('span.aside', {}, short.reason)] : number((one.replicas || one.sites)?.length)],
      ['Primary', one.primary ? link('site', one.primary) : UNKNOWN],
      ['Acknowledged by', one.acknowledgement || UNKNOWN],
      ['Entries', number(usage.entries)],
      ['Requests/s of all clients', number(usage.requestsPerSecond, 1)],
      ['Unknown outcomes of this service', counted(one.unknownOutcomes, past, `unknown ${one.name}`, at)],
      ['Deadline', one.deadlineMillis === undefined ? UNKNOWN : milliseconds(one.deadlineMillis)],
      ['Migration', migration ? [migration.step || migration.state, ' ', cancelButton(migration)] : UNKNOWN],
    ]),
    one.caches
      ? [
          h('h3', {}, 'Parts'),
          h('ul', {}, one.caches.map((part) => h('li', { 'data-key': part }, link('cache', part)))),
        ]
      : [
          h('h3', {}, 'Replicas'),
          table(
            `Replicas of ${one.name}`,
            [
              { title: 'Replica' },
              { title: 'Site' },
              { title: 'State' },
              { title: 'Entries', number: true },
              { title: 'Requests/s', number: true },
              { title: 'Round trip ms', number: true },
              { title: 'Lag', number: true },
            ],
            (one.replicas || one.sites || []).map((replica) => {
              const at = usage.at?.[replica] || {};
              const of = view.sites.find((site) => site.name === siteOf(replica));
              return {
                key: replica,
                cells: [
                  replica,
                  link('site', siteOf(replica)),
                  replicaState(one, replica, of),
                  number(at.entries),
                  number(at.requestsPerSecond, 1),
                  number(at.millis, 1),
                  lag(one.lag?.[siteOf(replica)]),
                ],
              };
            }),
          ),
        ],
  ];
}

function replicasAt(cache, site) {
  return (cache.replicas || cache.sites || []).filter((replica) => siteOf(replica) === site);
}

function replicaState(cache, replica, site) {
  const gone = missingAt(cache, siteOf(replica)).find((one) => one.replica === replica);
  if (gone) {
    return state({ shape: 'bad', word: gone.reason, grade: 'bad' });
  }
  return state(site ? condition(site) : { shape: 'none', word: 'site not known', grade: 'plain' });
}

function sumOf(cache, replicas, field) {
  const known = replicas.map((replica) => cache.usage?.at?.[replica]?.[field]).filter(Number.isFinite);
  return known.length === 0 ? undefined : known.reduce((all, value) => all + value, 0);
}

function milliseconds(value) {
  return value === undefined ? UNKNOWN : `${number(value, value < 100 ? 1 : 0)} ms`;
}

/** A count and how fast it grows. */
export function counted(count, past, series, at) {
  const more = past.lastMinute(series, at);
  return [number(count), more > 0 ? h('span.aside', {}, ` ${number(more)} in 1 min`) : null];
}

function maintained(notes, at) {
  if (!notes) {
    return 'no process maintains this site';
  }
  const silent = at / 1000 - Number(notes.at || 0);
  return [
    [notes.state?.toLowerCase(), notes.behind === 'perhaps' && 'perhaps behind', notes.doing].filter(Boolean).join(', '),
    silent > 10 ? h('span.aside', {}, ` ${span(silent * 1000)} ago`) : null,
  ];
}
