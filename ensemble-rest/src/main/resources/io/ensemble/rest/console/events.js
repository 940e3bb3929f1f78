/* What happened, the latest first. */

import { byId, clock, h, show, state, table } from './dom.js';

const MOST = 200;

const kept = [];
let count = 0;

const SEVERITIES = {
  critical: { shape: 'bad', word: 'critical', grade: 'bad' },
  warning: { shape: 'doubt', word: 'warning', grade: 'doubt' },
  information: { shape: 'ring', word: 'information', grade: 'plain' },
};

export function severity(name) {
  return state(SEVERITIES[name] ?? SEVERITIES.information);
}

/** Keeps what happened: {kind, of, text, severity}. */
export function happened(event) {
  count += 1;
  kept.unshift({ ...event, at: Date.now(), number: count });
  kept.length = Math.min(kept.length, MOST);
  showEvents();
}

export function showEvents() {
  show(
    byId('events-body'),
    kept.length === 0
      ? h('p', {}, 'Nothing happened since this page was opened.')
      : table(
          'Recent events, the latest first',
          [{ title: 'Time' }, { title: 'Severity' }, { title: 'Event' }, { title: 'Resource' }, { title: 'Details' }],
          kept.map((event) => ({
            key: event.number,
            cells: [
              clock(event.at),
              severity(event.severity),
              event.kind,
              event.of ?? '',
              event.text ?? '',
            ],
          })),
        ),
  );
}
