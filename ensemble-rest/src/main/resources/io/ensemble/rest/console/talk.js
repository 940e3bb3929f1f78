/* How the page asks the service, and the token that it does so with. */

const KEPT = 'ensemble-token';

/** What the service refused, or what nobody answered: {status, title, detail}. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `the service answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/**
 * Takes the token that came in the address, and takes it out of there. 'taken'; 'refused' where the
 * tab has another one, for a link must not make its user somebody else; '' if there was none.
 */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!given) {
    return '';
  }
  history.replaceState(null, '', location.pathname + location.search);
  const kept = sessionStorage.getItem(KEPT);
  if (kept && kept !== given) {
    return 'refused';
  }
  keepToken(given);
  return 'taken';
}

export function keepToken(token) {
  sessionStorage.setItem(KEPT, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEPT);
}

/** A request; the answer if it is one of success, else Refused is thrown. */
export async function request(method, path, options = {}) {
  const token = sessionStorage.getItem(KEPT);
  const headers = { Accept: options.accept || 'application/json' };
  if (token) {
    headers.Authorization = `Bearer ${token}`;
  }
  if (options.lastId) {
    headers['Last-Event-ID'] = options.lastId;
  }
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers,
      signal: options.signal,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
    });
  } catch (e) {
    throw new Refused(0, { title: 'the service does not answer', detail: '' });
  }
  if (!answer.ok) {
    throw new Refused(answer.status, await problem(answer));
  }
  return answer;
}

async function problem(answer) {
  try {
    return await answer.json();
  } catch (e) {
    return { title: `the service answered ${answer.status}` };
  }
}

/** The JSON that a path answers with. */
export async function ask(path, method = 'GET', body = undefined, longest = 30_000) {
  const answer = await request(method, path, { body, signal: AbortSignal.timeout(longest) });
  return answer.status === 204 ? {} : answer.json();
}

/** A segment of a path. */
export function segment(name) {
  // Dots alone would be taken for steps upwards by the browser.
  return /^\.{1,2}$/.test(name) ? name.replaceAll('.', '%2E') : encodeURIComponent(name);
}
