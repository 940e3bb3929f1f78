/* The sites, and how far they are. */

import { byId, h, number, show, span, state, table, UNKNOWN } from './dom.js';
import { condition, latencyOf } from './federation.js';
import { counted, link } from './pages.js';
import { ceiling, plot } from './plot.js';

const WINDOW_MILLIS = 600_000;

export function showSites(document, past, at) {
  show(
    byId('sites-body'),
    document.sites.length === 0
      ? h('p', {}, 'No site is registered.')
      : table('Sites of the federation', COLUMNS, document.sites.map((site) => row(site, past, at))),
  );
  show(byId('latency-body'), matrix(document));
}

const COLUMNS = [
  { title: 'Site' },
  { title: 'State' },
  { title: 'Nodes', number: true },
  { title: 'Caches', number: true },
  { title: 'Entries', number: true },
  { title: 'Requests/s', number: true },
  { title: 'Mean ms', number: true },
  { title: 'p99 ms', number: true },
  { title: 'Failed', number: true },
  { title: 'Latency, 10 min' },
  { title: 'Labels' },
];

function row(site, past, at) {
  const points = past.points(`latency ${site.name}`);
  const most = ceiling(points);
  const labels = Object.entries(site.labels || {}).map(([name, value]) => `${name} ${value}`);
  const nodes = site.nodes || [];
  return {
    key: site.name,
    cells: [
      link('site', site.name),
      [state(condition(site)), doing(site)],
      nodes.length > 0 ? h('span', { title: nodes.join(', ') }, nodes.length) : UNKNOWN,
      number((site.caches || []).length),
      number(site.load?.entries),
      number(site.load?.requestsPerSecond, 1),
      number(latencyOf(site), 1),
      number(site.load?.p99Millis, 1),
      counted(site.latency?.failed, past, `failed ${site.name}`, at),
      h(
        'span.small',
        {},
        plot(points, at - WINDOW_MILLIS, at, most, `Latency to ${site.name}, top ${number(most)} ms`),
        h('span.top', {}, most > 0 ? `${number(most, most < 1 ? 1 : 0)} ms` : ''),
      ),
      labels.length > 0 ? labels.join(', ') : UNKNOWN,
    ],
  };
}

function doing(site) {
  const silent = site.health?.silentMillis;
  return [
    silent > 0 ? h('span.aside', {}, `silent for ${span(silent)}`) : null,
    site.lacking.length > 0 ? h('span.aside', {}, `of ${site.lacking.join(', ')}`) : null,
    site.load?.answered < site.load?.replicas
      ? h('span.aside', {}, `${site.load.answered} of ${site.load.replicas} replicas answer`)
      : null,
  ];
}

/** From where (a row) to where (a column). Only this service measures: sites do not know each other. */
function matrix(document) {
  const sites = document.sites.map((site) => site.name);
  if (sites.length === 0) {
    return h('p', {}, 'Nothing to measure.');
  }
  const rows = new Map([['', new Map(document.sites.map((site) => [site.name, latencyOf(site)]))]]);
  const most = Math.max(...[...rows.values()].flatMap((row) => [...row.values()]).filter(Number.isFinite), 0);
  return table(
    'Latency from where (rows) to where (columns), milliseconds',
    [{ title: 'From' }, ...sites.map((site) => ({ title: `to ${site}`, number: true }))],
    [...rows].map(([from, row]) => ({
      key: from,
      cells: [
        from === '' ? 'this service' : from,
        ...sites.map((site) => cell(row.get(site), most)),
      ],
    })),
  );
}

function cell(millis, most) {
  const share = Number.isFinite(millis) && most > 0 ? Math.ceil((millis / most) * 4) : 0;
  return h(`span.heat.heat${share}`, {}, number(millis, 1));
}
