/* The changes of a cache as they come, or of one key of it. */

import { byId, clock, h, show, table } from './dom.js';
import { Stream } from './stream.js';
import { segment } from './talk.js';

const MOST = 50;
const LONGEST_VALUE = 200;
const PAUSE = 250; // Between two drawings of changes, in milliseconds.

const COLUMNS = [{ title: 'Received' }, { title: 'Change' }, { title: 'Key' }, { title: 'Value' }, { title: 'Stamp' }];

let cacheShown = '';
let stream = null;
let kept = [];
let count = 0;
let condition = '';
let drawing = null;

/** Offers the changes of the cache whose page is shown; of none where cache is empty. */
export function offerChanges(cache) {
  byId('changes').hidden = cache === '';
  if (cache !== cacheShown) {
    stopChanges();
    cacheShown = cache;
    kept = [];
    condition = '';
    byId('changes-key').value = '';
    draw();
  }
}

/** Follows the changes of one key, or of all keys where key is empty. */
export function followChanges(key) {
  stopChanges();
  kept = [];
  const query = key === '' ? '' : `?key=${encodeURIComponent(key)}`;
  stream = new Stream(
    `caches/${segment(cacheShown)}/events${query}`,
    { event: take, state: become },
    { resumes: true },
  );
  condition = 'Connecting…';
  draw();
  stream.begin();
}

/** Ends the stream; what it has shown stays. */
export function stopChanges() {
  if (stream) {
    stream.stop();
    stream = null;
    condition = `Stopped at ${clock(Date.now())}.`;
    draw();
  }
}

function take(name, data) {
  if (name === 'ready') {
    return;
  }
  count += 1;
  kept.unshift({ name, data, at: Date.now(), number: count });
  kept.length = Math.min(kept.length, MOST);
  drawing ??= setTimeout(draw, PAUSE);
}

function become({ live, why, status }) {
  if (live) {
    condition = 'Live.';
  } else if (status >= 400 && status < 500) {
    stopChanges();
    condition = `Not available: ${why}`;
  } else {
    condition = `Interrupted: ${why}. It is tried again.`;
  }
  draw();
}

function draw() {
  clearTimeout(drawing);
  drawing = null;
  byId('changes-follow').hidden = stream !== null;
  byId('changes-stop').hidden = stream === null;
  byId('changes-state').textContent = condition;
  show(
    byId('changes-body'),
    kept.length === 0
      ? null
      : table(`Changes of ${cacheShown}, the latest first`, COLUMNS, kept.map(row)),
  );
}

function row({ name, data, at, number }) {
  return {
    key: number,
    cells: [
      clock(at),
      name === 'gap' ? `gap: ${data.reason}` : name,
      data.key === undefined ? 'all keys' : h('code', {}, data.key),
      name === 'gap' ? missing(data) : value(data),
      h('code', {}, name === 'gap' ? `${data.after.stamp} to ${data.before.stamp}` : data.stamp),
    ],
  };
}

function missing({ missed }) {
  return missed === undefined ? 'changes may be missing' : `${missed} missing`;
}

function value(data) {
  const text = data.value ?? (data.base64 === undefined ? '' : `base64 ${data.base64}`);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
