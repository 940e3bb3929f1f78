/* What happened, the latest first. */

import { byId, clock, h, show, table } from './dom.js';

const MOST = 200;

const kept = [];
let count = 0;

/** Keeps what happened: {kind, of, text}. */
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
          [{ title: 'Time' }, { title: 'What' }, { title: 'Of' }, { title: 'Told' }],
          kept.map((event) => ({
            key: event.number,
            cells: [
              clock(event.at),
              event.kind,
              event.of ?? '',
              event.text ?? '',
            ],
          })),
        ),
  );
}
