/* The operations in progress. */

import { byId, h, number, show, table, UNKNOWN } from './dom.js';
import { link } from './pages.js';

const COLUMNS = [
  { title: 'Resource' },
  { title: 'Kind' },
  { title: 'Step' },
  { title: 'Progress' },
  { title: 'Keys/s', number: true },
  { title: 'From → to' },
  { title: 'Action' },
];

/** The steps of a change in which there is a way back. */
const BEFORE_SEALING = new Set(['preparing', 'copying']);

const rates = new Map();

export function showOperations(document, at) {
  const all = document.operations || [];
  for (const id of [...rates.keys()]) {
    if (!all.some((one) => one.id === id)) {
      rates.delete(id);
    }
  }
  show(
    byId('operations-body'),
    all.length === 0
      ? h('p', {}, 'No migration is in progress.')
      : table('Migrations in progress', COLUMNS, all.map((one) => row(one, at))),
  );
}

function row(operation, at) {
  const of = operation.cache || operation.site || operation.id;
  return {
    key: operation.id,
    cells: [
      operation.cache ? link('cache', of) : operation.site ? link('site', of) : of,
      { change: 'change of a cache', parts: 'change of parts', drain: 'drain of a site', recover: 'recovery of a site', clear: 'removal of all entries' }[operation.kind] || operation.kind,
      operation.step || operation.state || UNKNOWN,
      progress(operation),
      number(rate(operation, at)),
      way(operation),
      cancelButton(operation) ?? UNKNOWN,
    ],
  };
}

/** A button that cancels an operation; null if it cannot be cancelled. */
export function cancelButton(operation) {
  const of = operation.cache || operation.site || operation.id;
  return isCancellable(operation)
    ? h(
        'button',
        { type: 'button', 'data-do': 'cancel', 'data-operation': operation.id, 'data-kind': operation.kind, 'data-of': of, 'aria-label': `Cancel the ${operation.kind} of ${of}` },
        'Cancel…',
      )
    : null;
}

/** Drains always; changes until they seal; changes of parts never. */
function isCancellable({ kind, state, step }) {
  return state === 'running' && (kind === 'drain' || (kind === 'change' && BEFORE_SEALING.has(step)));
}

function progress(operation) {
  if (operation.kind === 'drain') {
    const left = (operation.caches || []).length;
    return `${number(left)} ${left === 1 ? 'cache' : 'caches'} left`;
  }
  if (operation.kind === 'recover') {
    const done = (operation.results || []).length;
    return `${number(done)} ${done === 1 ? 'cache' : 'caches'} done`;
  }
  if (operation.kind === 'clear') {
    const { removed = 0 } = operation;
    return `${number(removed)} ${removed === 1 ? 'entry' : 'entries'} removed`;
  }
  const { copied = 0, of } = operation;
  if (!(of > 0)) {
    return `${number(copied)} ${copied === 1 ? 'key' : 'keys'} copied`;
  }
  const percent = Math.min(100, Math.floor((copied * 100) / of));
  return [
    h('progress', { max: of, value: Math.min(copied, of), 'aria-label': `Copied of ${operation.cache}` }),
    ` ${number(copied)} of ${number(of)} keys, ${percent} %`,
  ];
}

/** Keys a second between the last two times that we looked. */
function rate(operation, at) {
  if (operation.copied === undefined) {
    return undefined;
  }
  const before = rates.get(operation.id);
  if (!before) {
    rates.set(operation.id, { at, copied: operation.copied, rate: undefined });
    return undefined;
  }
  if (at - before.at < 1_000) {
    return before.rate;
  }
  const rate = Math.max(0, ((operation.copied - before.copied) * 1000) / (at - before.at));
  rates.set(operation.id, { at, copied: operation.copied, rate });
  return rate;
}

function way(operation) {
  const { from, to } = operation;
  if (!to) {
    return UNKNOWN;
  }
  const placed = (one) =>
    one === undefined ? '' : [one.consistency, (one.sites || one.caches || []).join(', ')].filter(Boolean).join(' ');
  return `${placed(from)} → ${placed(to)}`;
}
