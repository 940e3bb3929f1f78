/* What is known of the federation, and what follows from it. Draws nothing. */

/** The sections of the state that the page uses: of each, things by their names. */
export const SECTIONS = ['sites', 'health', 'latency', 'load', 'maintenance', 'caches', 'usage', 'operations', 'terms', 'unknown', 'lag', 'catalog'];

/** What is known, as it was told. Names are the service's, so these are maps: no name is special. */
export class Known {
  constructor() {
    this.sections = new Map(SECTIONS.map((section) => [section, new Map()]));
  }

  /** The whole state. Calls changed(section, name, was, now) for what differs. */
  begin(state, changed) {
    for (const section of SECTIONS) {
      const now = new Map(Object.entries(state[section] || {}));
      const before = this.sections.get(section);
      this.sections.set(section, now);
      new Set([...before.keys(), ...now.keys()]).forEach((name) =>
        changed(section, name, before.get(name), now.get(name)),
      );
    }
  }

  /** One thing that came, changed or went. Says what it was. */
  put(section, name, now) {
    const things = this.sections.get(section);
    const was = things.get(name);
    if (now === undefined) {
      things.delete(name);
    } else {
      things.set(name, now);
    }
    return was;
  }

  /** As it is shown: {sites, caches, operations}, by name, each with what is known of it, and {catalog}. */
  view() {
    const of = (section) => this.sections.get(section);
    const named = (section) => [...of(section)].sort(([one], [other]) => (one < other ? -1 : 1));
    const caches = named('caches').map(([name, cache]) => ({
      ...cache,
      name,
      lag: of('lag').get(name),
      usage: of('usage').get(name),
      primary: of('terms').get(name)?.primary,
      unknownOutcomes: of('unknown').get(name)?.count,
    }));
    const sites = named('sites').map(([name, site]) => ({
      ...site,
      name,
      health: of('health').get(name),
      latency: of('latency').get(name),
      load: of('load').get(name),
      maintenance: of('maintenance').get(name),
      lacking: caches
        .filter((cache) => missingAt(cache, name).some(({ state }) => STORELESS.has(state)))
        .map((cache) => cache.name),
    }));
    const operations = named('operations').map(([id, one]) => ({ ...one, id }));
    return { sites, caches, operations, catalog: of('catalog').get('catalog') };
  }
}

/** States of a replica whose site answers and has no store of it. */
const STORELESS = new Set(['lost', 'no_store', 'left_out']);

/** The replicas of a cache at a site that are missing: {replica, state, reason} each. */
export function missingAt(cache, site) {
  return missing(cache).filter(({ replica }) => siteOf(replica) === site);
}

function missing(cache) {
  return cache.redundancy?.missing || [];
}

/** The site that holds a replica: lyon/2 is at lyon. */
export function siteOf(replica) {
  return replica.replace(/\/[1-9][0-9]?$/, '');
}

/** What a cache has less than it was asked to have: {word, reason, shape, grade}; null if nothing. */
export function shortfall(cache) {
  const gone = missing(cache);
  if (gone.length === 0) {
    return null;
  }
  const { whole, asked } = cache.redundancy;
  return {
    word: `${whole} of ${asked} replicas`,
    reason: gone.map(({ replica, reason }) => `${replica}: ${reason}`).join('; '),
    shape: cache.served === false ? 'bad' : 'doubt',
    grade: cache.served === false ? 'bad' : 'doubt',
  };
}

const KEPT_MILLIS = 600_000;
const LEAST_STEP_MILLIS = 1_500;

const CONDITIONS = {
  reachable: { word: 'serving', shape: 'good', grade: 'good', rank: 0 },
  draining: { word: 'draining', shape: 'half', grade: 'doubt', rank: 1 },
  recovering: { word: 'store missing', shape: 'turn', grade: 'doubt', rank: 2 },
  suspected: { word: 'suspected', shape: 'doubt', grade: 'doubt', rank: 3 },
  down: { word: 'unreachable', shape: 'bad', grade: 'bad', rank: 4 },
};

/** How a site is: one word, with a shape. The worst that is true of it. */
export function condition(site) {
  const seen = site.health?.state;
  if (seen === 'down') {
    return CONDITIONS.down;
  }
  if (seen === 'suspected') {
    return CONDITIONS.suspected;
  }
  if (site.lacking?.length > 0) {
    return CONDITIONS.recovering;
  }
  return site.state === 'draining' ? CONDITIONS.draining : CONDITIONS.reachable;
}

/** How many more sites a cache can lose: {number, word, shape, grade}. */
export function margin(cache) {
  if (cache.served === false) {
    return { number: undefined, word: 'does not answer', shape: 'bad', grade: 'bad' };
  }
  const number = cache.canLose;
  if (typeof number !== 'number') {
    return { number: undefined, word: 'not known', shape: 'none', grade: 'plain' };
  }
  if (number <= 0) {
    return { number: 0, word: 'no further site', shape: 'doubt', grade: 'doubt' };
  }
  return { number, word: number === 1 ? 'one further site' : `${number} further sites`, shape: 'good', grade: 'good' };
}

/** The present latency of a site: of this service's requests if there are any, else of its checks. */
export function latencyOf(site) {
  return site.latency?.millis ?? site.load?.millis;
}

/** The lag of one cache: undefined if it has none to tell, null if nobody knows. */
export function lagOf(cache) {
  return cache.lag ? sum(Object.values(cache.lag)) : undefined;
}

function sum(lags) {
  return lags.some((lag) => !lag.known) ? null : lags.reduce((all, { entries }) => all + entries, 0);
}

/** The writes that each site may lack, of all caches: a map of site to number; null where nobody knows. */
export function lags(view) {
  const all = new Map();
  for (const cache of view.caches) {
    for (const [site, lag] of Object.entries(cache.lag || {})) {
      all.set(site, [...(all.get(site) || []), lag]);
    }
  }
  return new Map([...all].map(([site, of]) => [site, sum(of)]));
}

/** Series of samples over the last ten minutes, by name. */
export class Past {
  constructor() {
    this.series = new Map();
  }

  /** Keeps one value of a series; null for a gap. */
  add(name, at, value) {
    const points = this.series.get(name) || [];
    const last = points.at(-1);
    if (last && at - last.at < LEAST_STEP_MILLIS && last.value !== null && value !== null) {
      last.value = value;
    } else {
      points.push({ at, value });
    }
    while (points.length > 0 && points[0].at < at - KEPT_MILLIS) {
      points.shift();
    }
    this.series.set(name, points);
  }

  /** A gap in every series: nothing was heard. */
  gap(at) {
    for (const name of this.series.keys()) {
      this.add(name, at, null);
    }
  }

  points(name) {
    return this.series.get(name) || [];
  }

  /** How much a count has grown in the last minute; 0 if that is not known. */
  lastMinute(name, at) {
    const last = this.points(name).filter((point) => point.value !== null && point.at > at - 60_000);
    return last.length < 2 ? 0 : Math.max(0, last.at(-1).value - last[0].value);
  }

  names(prefix) {
    return [...this.series.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  forgetAllBut(kept) {
    for (const name of [...this.series.keys()]) {
      if (!kept.has(name)) {
        this.series.delete(name);
      }
    }
  }
}
