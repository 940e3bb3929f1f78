/* Elements from data. A text becomes a text node and nothing else, whatever it says. */

const SVG = 'http://www.w3.org/2000/svg';
const DRAWN = new Set(['svg', 'use', 'path', 'line', 'rect']);

/** An element: h('td.number', {title: 'x'}, 'text', element, …). */
export function h(what, attributes = {}, ...children) {
  const [name, ...classes] = what.split('.');
  const element = DRAWN.has(name)
    ? document.createElementNS(SVG, name)
    : document.createElement(name);
  if (classes.length > 0) {
    element.setAttribute('class', classes.join(' '));
  }
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(attribute, value === true ? '' : String(value));
    }
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== undefined && child !== null && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

export function byId(id) {
  return document.getElementById(id);
}

/** A shape and its word: what a state looks like. */
export function state({ shape, word, grade }) {
  return h(`span.state.${grade}`, {}, mark(shape), ' ', word);
}

export function mark(shape) {
  const drawn = h('svg.shape', { 'aria-hidden': 'true', focusable: 'false' });
  drawn.append(h('use', { href: `#shape-${shape}` }));
  return drawn;
}

/**
 * A table. Roles are said although they are the elements' own: on a phone rows are laid out as
 * blocks, which would end their being rows for who listens to the page.
 *
 * columns: {title, number} each; rows: {key, cells} each, the first cell names the row.
 */
export function table(caption, columns, rows) {
  const head = columns.map((column) =>
    h(column.number ? 'th.number' : 'th', { scope: 'col', role: 'columnheader' }, column.title),
  );
  const body = rows.map(({ key, cells }) =>
    h(
      'tr',
      { role: 'row', 'data-key': key },
      cells.map((cell, i) =>
        i === 0
          ? h('th', { scope: 'row', role: 'rowheader' }, cell)
          : h(
              columns[i].number ? 'td.number' : 'td',
              { role: 'cell', 'data-title': columns[i].title },
              cell,
            ),
      ),
    ),
  );
  return h(
    'table',
    { role: 'table' },
    h('caption.unseen', {}, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, body),
  );
}

/** Makes the children of an element these, and touches only what differs: focus stays. */
export function show(element, ...children) {
  const wanted = element.cloneNode(false);
  wanted.append(...flat(children));
  same(element, wanted);
}

function same(old, wanted) {
  const wantedKeys = new Set([...wanted.childNodes].map(keyOf));
  const kept = new Map();
  for (const child of [...old.childNodes]) {
    const key = keyOf(child);
    if (key !== undefined && !wantedKeys.has(key)) {
      child.remove();
    } else if (key !== undefined) {
      kept.set(key, child);
    }
  }
  let there = old.firstChild;
  for (const child of [...wanted.childNodes]) {
    const key = keyOf(child);
    const match = key === undefined ? unkeyed(there) : kept.get(key);
    if (match && isLike(match, child)) {
      if (match !== there) {
        old.insertBefore(match, there);
      }
      become(match, child);
      there = match.nextSibling;
    } else {
      old.insertBefore(child, there);
    }
  }
  while (there) {
    const next = there.nextSibling;
    there.remove();
    there = next;
  }
}

function unkeyed(node) {
  return node && keyOf(node) === undefined ? node : null;
}

function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? (node.getAttribute('data-key') ?? undefined) : undefined;
}

function isLike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName;
}

function become(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) {
      old.data = wanted.data;
    }
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!wanted.hasAttribute(name) && name !== 'open') {
      old.removeAttribute(name);
    }
  }
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value) {
      old.setAttribute(name, value);
    }
  }
  same(old, wanted);
}

export const UNKNOWN = '–';

/** A number with so many decimals; a dash when it is not known. */
export function number(value, decimals = 0) {
  return typeof value === 'number' && Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : UNKNOWN;
}

/** A time of day. */
export function clock(when) {
  const date = new Date(when);
  return Number.isNaN(date.getTime()) ? UNKNOWN : date.toLocaleTimeString('en-GB');
}

/** How long, in its largest unit. */
export function span(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
