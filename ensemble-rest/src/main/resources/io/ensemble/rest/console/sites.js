/* The sites, and how far they are. */

import { byId, h, number, show, span, state, table, UNKNOWN } from './dom.js';
import { condition } from './federation.js';
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
  { title: 'Silent', number: true },
  { title: 'Mean ms', number: true },
  { title: 'Longest ms', number: true },
  { title: 'Failed', number: true },
  { title: 'Latency, 10 min' },
  { title: 'Caches', number: true },
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
      site.name,
      [state(condition(site)), doing(site)],
      nodes.length > 0 ? h('span', { title: nodes.join(', ') }, nodes.length) : UNKNOWN,
      site.health?.silentMillis > 0 ? span(site.health.silentMillis) : UNKNOWN,
      number(site.latency?.millis, 1),
      number(site.latency?.longestMillis, 1),
      number(site.latency?.failed),
      h(
        'span.small',
        {},
        plot(points, at - WINDOW_MILLIS, at, most, `Latency to ${site.name}, top ${number(most)} ms`),
        h('span.top', {}, most > 0 ? `${number(most, most < 1 ? 1 : 0)} ms` : ''),
      ),
      number((site.caches || []).length),
      labels.length > 0 ? labels.join(', ') : UNKNOWN,
    ],
  };
}

function doing(site) {
  return site.lacking.length > 0 ? h('span.aside', {}, `of ${site.lacking.join(', ')}`) : null;
}

/** From where (a row) to where (a column). Only this service tells: sites do not know each other. */
function matrix(document) {
  const sites = document.sites.map((site) => site.name);
  if (sites.length === 0) {
    return h('p', {}, 'Nothing to measure.');
  }
  const rows = new Map([['', new Map(document.sites.map((site) => [site.name, site.latency?.millis]))]]);
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
