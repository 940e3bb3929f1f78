/* What is wrong now, and why: the causes, each with what it affects. Draws nothing. */

import { condition, margin, missingAt, shortfall } from './federation.js';

const MOST_NAMED = 4;

/**
 * The causes of trouble, the gravest first: {severity, text, page, name} each, severity 'critical'
 * or 'warning'. A cache whose replicas are missing because their site is away is named with that
 * site, and has no finding of its own.
 */
export function findings(view) {
  const found = [];
  const explained = new Set();
  for (const site of view.sites) {
    const { rank, word } = condition(site);
    if (!AWAY.has(word)) {
      if (site.load?.replicas > 0 && site.load.answered === 0 && !view.caches.some((cache) => missingAt(cache, site.name).length > 0)) {
        found.push({
          severity: 'warning',
          rank: 9,
          text: `Site ${site.name} does not answer this service: none of its ${site.load.replicas} replicas reports its load.`,
          page: 'site',
          name: site.name,
        });
      }
      continue;
    }
    const there = view.caches.filter((cache) => (cache.sites || []).includes(site.name));
    there.forEach((cache) => explained.add(`${cache.name} ${site.name}`));
    found.push({
      severity: word === 'suspected' && there.every((cache) => cache.served !== false) ? 'warning' : 'critical',
      rank: 10 + rank,
      text: `Site ${site.name} is ${word}${effects(there)}.`,
      page: 'site',
      name: site.name,
    });
  }
  for (const site of view.sites) {
    if (site.lacking?.length > 0) {
      site.lacking.forEach((cache) => explained.add(`${cache} ${site.name}`));
      found.push({
        severity: 'warning',
        rank: 8,
        text: `Site ${site.name} has lost its store of ${list(site.lacking)}. If it is not refilled, recover the site.`,
        page: 'site',
        name: site.name,
      });
    }
  }
  for (const cache of view.caches) {
    const short = shortfall(cache);
    const sites = new Set((cache.redundancy?.missing || []).map(({ replica }) => replica.replace(/\/\d+$/, '')));
    const own = [...sites].filter((site) => !explained.has(`${cache.name} ${site}`));
    if (short && own.length > 0) {
      const reasons = own.flatMap((site) => missingAt(cache, site)).map(({ replica, reason }) => `${replica}: ${reason}`);
      found.push({
        severity: cache.served === false ? 'critical' : 'warning',
        rank: cache.served === false ? 12 : 7,
        text: `Cache ${cache.name} has ${short.word}, ${loss(cache)}: ${reasons.join('; ')}.`,
        page: 'cache',
        name: cache.name,
      });
    } else if (cache.served === false && sites.size === 0) {
      found.push({ severity: 'critical', rank: 12, text: `Cache ${cache.name} does not answer.`, page: 'cache', name: cache.name });
    }
  }
  return found.sort((one, other) => order(one) - order(other));
}

const AWAY = new Set(['suspected', 'unreachable']);

function order({ severity, rank }) {
  return (severity === 'critical' ? 0 : 100) - rank;
}

/** What the loss of a site does to the caches there. */
function effects(caches) {
  const stopped = caches.filter((cache) => cache.served === false);
  const tight = caches.filter((cache) => cache.served !== false && margin(cache).number === 0);
  const parts = [
    stopped.length > 0 && `${list(stopped.map(named))} ${stopped.length === 1 ? 'does' : 'do'} not answer`,
    tight.length > 0 && `${list(tight.map(named))} can lose no further site`,
  ].filter(Boolean);
  return parts.length > 0 ? `: ${parts.join('; ')}` : '';
}

function loss(cache) {
  return cache.served === false ? 'and does not answer' : `and can lose ${margin(cache).word}`;
}

function named({ name }) {
  return name;
}

function list(names) {
  const rest = names.length - MOST_NAMED;
  return rest > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${rest} more` : names.join(', ');
}
