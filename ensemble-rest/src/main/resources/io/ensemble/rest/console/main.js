/* The page: one document of the federation, shown again whenever it is told anew. */

import { act, isAction } from './actions.js';
import { showCaches, showLag } from './caches.js';
import { followChanges, stopChanges } from './changes.js';
import { byId, clock, h, number, show, span, state } from './dom.js';
import { happened, severity, showEvents } from './events.js';
import { condition, Known, latencyOf, lags, margin, Past, SECTIONS, shortfall } from './federation.js';
import { findings } from './findings.js';
import { showGrid, showHeat } from './heat.js';
import { lookUp, showVersions } from './lookup.js';
import { showOperations } from './operations.js';
import { address, route, showPage } from './pages.js';
import { showSites } from './sites.js';
import { told } from './story.js';
import { Stream } from './stream.js';
import { forgetToken, keepToken, takeToken } from './talk.js';

const SAMPLE_MILLIS = 2_000;
const DRAW_MILLIS = 200;
const MOST_SAID = 5;
const MOST_TROUBLE = 5;
const OLD_MILLIS = 10_000;

const known = new Known();
const past = new Past();
let begun = false;
let drawing = null;
let saying = [];
let age = 0; // Of what the service saw last, when it last said so, in milliseconds.

/** Takes what the stream tells. */
function take(name, data) {
  const before = age;
  age = name === 'beat' ? data.ageMillis : 0;
  if (name === 'beat') {
    if (before > OLD_MILLIS || age > OLD_MILLIS) {
      showDoubt(known.view().catalog);
    }
    return;
  }
  if (name === 'state') {
    known.begin(data, begun ? tell : () => {});
    if (!begun) {
      begun = true;
      sample();
    }
  } else if (SECTIONS.includes(name)) {
    const was = known.put(name, data.name, data.now);
    tell(name, data.name, was, data.now);
  } else {
    return;
  }
  if (drawing === null) {
    drawing = setTimeout(draw, DRAW_MILLIS);
  }
}

function tell(section, name, was, now) {
  const story = told(section, name, was, now);
  if (story) {
    happened(story);
    saying.push([story.of, story.kind, story.text].filter(Boolean).join(': '));
  }
}

function say(sentences) {
  if (sentences.length > 0) {
    const rest = sentences.length > MOST_SAID ? [`and ${sentences.length - MOST_SAID} more`] : [];
    byId('said').textContent = [...sentences.slice(0, MOST_SAID), ...rest].join('. ');
  }
}

/** What plots are made of, at even steps. */
function sample() {
  if (!stream.state.live) {
    return;
  }
  const at = Date.now();
  const view = known.view();
  const kept = new Set();
  const keep = (name, value) => {
    kept.add(name);
    past.add(name, at, value ?? null);
  };
  view.sites.forEach((site) => {
    keep(`latency ${site.name}`, latencyOf(site));
    keep(`failed ${site.name}`, site.latency?.failed);
  });
  view.caches.forEach((cache) => keep(`unknown ${cache.name}`, cache.unknownOutcomes));
  lags(view).forEach((lag, site) => keep(`lag ${site}`, lag));
  past.forgetAllBut(kept);
  draw();
}

function draw() {
  clearTimeout(drawing);
  drawing = null;
  const at = Date.now();
  const view = known.view();
  showSummary(view);
  showDoubt(view.catalog);
  showTrouble(view);
  showSites(view, past, at);
  showCaches(view, past, at);
  showLag(past, at);
  showOperations(view, at);
  showPage(route(location.hash), view, past, at);
  say(saying);
  saying = [];
}

/** The causes of the present trouble, each with a link to its site or cache. */
function showTrouble(view) {
  const found = findings(view);
  byId('trouble').hidden = found.length === 0;
  byId('trouble').dataset.severity = found[0]?.severity ?? '';
  show(
    byId('trouble-body'),
    found.slice(0, MOST_TROUBLE).map(({ severity: grave, text, page, name }) =>
      h(
        'li',
        { 'data-key': `${page} ${name}` },
        severity(grave),
        ' ',
        text,
        ' ',
        h('a', { href: address(page, name), 'aria-label': `Details of ${page} ${name}` }, 'Details'),
      ),
    ),
    found.length > MOST_TROUBLE ? h('li', { 'data-key': 'rest' }, `and ${found.length - MOST_TROUBLE} more`) : null,
  );
}

/** What is shown may not be what is, although the page is live. */
function showDoubt(catalog) {
  const why = [];
  if (catalog && !catalog.readable) {
    why.push('The service cannot read the catalog: sites, caches and migrations are those of the last read, or missing.');
  }
  if (catalog?.unreadable?.length > 0) {
    why.push(`Omitted, because their records cannot be read: ${catalog.unreadable.join(', ')}.`);
  }
  if (age > OLD_MILLIS) {
    why.push(`The state of the federation is ${span(age)} older than the last message of the service.`);
  }
  const bar = byId('doubt');
  bar.hidden = why.length === 0;
  if (bar.textContent !== why.join(' ')) {
    bar.textContent = why.join(' ');
  }
}

function showSummary(document) {
  const away = document.sites.filter((site) => condition(site).grade !== 'good').length;
  const tight = document.caches.filter((cache) => ['doubt', 'bad'].includes(margin(cache).grade)).length;
  const short = document.caches.filter((cache) => shortfall(cache)).length;
  const margins = tight > 0 ? `${tight} can lose no further site` : 'all can lose a site';
  const told = document.caches.map((cache) => cache.unknownOutcomes).filter((count) => count !== undefined);
  const toldOf = told.length > 0 || document.caches.length === 0;
  const unknown = toldOf ? told.reduce((sum, count) => sum + count, 0) : undefined;
  const rates = document.sites.map((site) => site.load?.requestsPerSecond).filter(Number.isFinite);
  const requests = rates.length > 0 ? rates.reduce((all, rate) => all + rate, 0) : undefined;
  const fact = (key, name, value, aside, decimals = 0) =>
    h(
      'div',
      { 'data-key': key },
      h('dt', {}, name),
      h('dd', {}, h('b', {}, number(value, decimals)), ' ', h('span.aside', {}, aside)),
    );
  show(
    byId('summary'),
    fact('sites', 'Sites', document.sites.length, away > 0 ? `${away} ${away === 1 ? 'needs' : 'need'} attention` : 'all serving'),
    fact('caches', 'Caches', document.caches.length, short > 0 ? `${margins}, ${short} ${short === 1 ? 'lacks' : 'lack'} replicas` : margins),
    fact('operations', 'Migrations', (document.operations || []).length, 'in progress'),
    fact('requests', 'Requests/s', requests, 'at the sites, of all clients', 1),
    fact('unknown', 'Unknown outcomes', unknown, 'of this service'),
  );
}

const stream = new Stream('events', {
  event: take,
  state(now) {
    if (now.live) {
      happened({ kind: 'live', of: 'this page', text: 'receives events' });
    } else if (document.body.dataset.live === 'yes') {
      past.gap(Date.now());
      happened({ kind: 'not live', of: 'this page', text: now.why, severity: 'warning' });
    }
    showStream(now);
    if (now.wanted) {
      openToken('The service requires authentication. The token is kept in this tab only, until the tab is closed.');
    }
  },
});

function showStream(now) {
  document.body.dataset.live = now.live ? 'yes' : 'no';
  const stale = !now.live && begun;
  const text = now.live ? 'live' : stale ? `not live since ${clock(now.since)}` : `not connected: ${now.why}`;
  show(byId('stream-state'), state({ shape: now.live ? 'good' : 'bad', word: text, grade: now.live ? 'good' : 'bad' }));
  const alarm = byId('alarm');
  alarm.hidden = !stale;
  const why = stale ? `Not live since ${clock(now.since)}: ${now.why}. The page shows the last received state. Retrying.` : '';
  if (alarm.textContent !== why) {
    alarm.textContent = why; // Said once, not at every try.
  }
  document.title = stale ? 'Not live – Ensemble' : 'Ensemble';
}

function tick() {
  const { heard } = stream;
  byId('stream-time').textContent = heard === 0 ? '' : `last message ${clock(heard)}, ${span(Date.now() - heard)} ago`;
}

function openToken(why) {
  const dialog = byId('token');
  byId('token-why').textContent = why;
  if (!dialog.open) {
    dialog.showModal();
    byId('token-text').focus();
  }
}

function listen() {
  byId('token-open').addEventListener('click', () => openToken('The token is kept in this tab only, until the tab is closed.'));
  byId('token-close').addEventListener('click', () => byId('token').close());
  byId('token-forget').addEventListener('click', () => {
    forgetToken();
    byId('token-text').value = '';
    byId('token').close();
    stream.begin();
  });
  byId('token-form').addEventListener('submit', () => {
    const text = byId('token-text').value.trim();
    byId('token-text').value = '';
    if (text) {
      keepToken(text);
      stream.begin();
    }
  });
  byId('lookup-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const cache = byId('lookup-cache').value;
    const mode = known.view().caches.find((one) => one.name === cache)?.consistency;
    lookUp(cache, byId('lookup-key').value, mode === 'MWMR'); // Versions live in such caches.
  });
  byId('changes-form').addEventListener('submit', (event) => {
    event.preventDefault();
    followChanges(byId('changes-key').value);
  });
  document.addEventListener('click', (event) => {
    const pressed = event.target.closest('[data-do]');
    if (pressed?.dataset.do === 'pick') {
      byId('lookup-cache').value = pressed.dataset.cache;
      byId('lookup-key').focus();
    } else if (pressed?.dataset.do === 'versions') {
      showVersions(pressed.dataset.cache, pressed.dataset.of);
    } else if (pressed?.dataset.do === 'heat') {
      showHeat();
    } else if (pressed?.dataset.do === 'grid') {
      showGrid(known.view().caches.map((cache) => cache.name));
    } else if (pressed?.dataset.do === 'stop-changes') {
      stopChanges();
    } else if (isAction(pressed?.dataset.do)) {
      const of = pressed.dataset.of ?? pressed.dataset.site;
      act({ ...pressed.dataset }, (text) => {
        say([text]);
        happened({ kind: 'requested here', of, text });
      });
    }
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // The address names the page that is shown.
    byId('main').focus();
  });
  window.addEventListener('hashchange', () => {
    if (arrive()) {
      stream.begin();
    }
    go();
  });
}

/** Shows the page that the address names, and moves the focus there. */
function go() {
  draw();
  if (route(location.hash).page !== 'overview') {
    scrollTo(0, 0);
    byId('detail-title').focus();
  } else if (/^#[a-z]+$/.test(location.hash)) {
    byId(location.hash.slice(1))?.scrollIntoView(); // The part was hidden when the link was followed.
  }
}

/** What the address brings; whether it was a token. */
function arrive() {
  const token = takeToken();
  if (token === 'refused') {
    say(['The link contains another token: this tab keeps its own; remove it first to use the other']);
  }
  return token === 'taken';
}

arrive();
listen();
document.body.dataset.page = route(location.hash).page;
showEvents();
showStream(stream.state);
setInterval(tick, 1_000);
setInterval(sample, SAMPLE_MILLIS);
stream.begin();
