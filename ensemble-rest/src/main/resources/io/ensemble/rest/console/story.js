/* What a change means to people: a sentence, or none. */

import { condition, margin, shortfall } from './federation.js';

const TOLD = {
  sites(name, was, now) {
    if (!was) {
      return { kind: 'site registered', text: (now.nodes || []).join(', ') };
    }
    if (!now) {
      return { kind: 'site removed', text: '' };
    }
    return was.state === now.state ? null : { kind: 'site changed', text: `state ${now.state}` };
  },

  health(name, was, now) {
    const before = was?.state ?? 'reachable';
    const after = now?.state ?? 'reachable';
    return !now || before === after
      ? null
      : { kind: `site ${condition({ health: now }).word}`.replace('serving', 'answers again'), text: '' };
  },

  caches(name, was, now) {
    if (!was) {
      return { kind: 'cache created', text: placed(now) };
    }
    if (!now) {
      return { kind: 'cache deleted', text: '' };
    }
    if (placed(was) !== placed(now)) {
      return { kind: 'cache altered', text: `${placed(was)} → ${placed(now)}` };
    }
    const short = shortfall(now);
    if (shortfall(was)?.reason !== short?.reason) {
      return short
        ? { kind: 'replicas missing', text: `${short.word}; ${short.reason}` }
        : { kind: 'replicas complete again', text: `can lose ${margin(now).word}` };
    }
    const { word, grade } = margin(now);
    return margin(was).word === word
      ? null
      : { kind: 'cache changed', text: grade === 'bad' ? word : `can lose ${word}` };
  },

  operations(name, was, now) {
    if (!was) {
      return { kind: `${now.kind} began`, of: of(now), text: now.step ?? '' };
    }
    if (!now) {
      return { kind: `${was.kind} ended`, of: of(was), text: '' };
    }
    if (was.state === now.state && was.step === now.step) {
      return null;
    }
    return { kind: `${now.kind} continues`, of: of(now), text: now.step ?? now.state };
  },

  terms(name, was, now) {
    return was?.primary && now?.primary && was.primary !== now.primary
      ? { kind: 'primary moved', text: `${was.primary} → ${now.primary}` }
      : null;
  },

  unknown(name, was, now) {
    const more = (now?.count ?? 0) - (was?.count ?? 0);
    return more > 0 ? { kind: 'unknown outcome', text: `${more} more` } : null;
  },

  catalog(name, was, now) {
    return !was || was.readable === now?.readable
      ? null
      : { kind: 'catalog', text: now.readable ? 'readable again' : 'not readable' };
  },
};

function of(operation) {
  return operation.cache ?? operation.site ?? '';
}

function placed(cache) {
  return cache.caches
    ? `over ${cache.caches.join(', ')}`
    : `${cache.consistency} at ${(cache.sites || []).join(', ')}`;
}

/** {kind, of, text, severity} of a change of a thing of a section; null if it needs no report. */
export function told(section, name, was, now) {
  const story = TOLD[section]?.(name, was, now);
  return story ? { of: name, severity: severity(section, now), ...story } : null;
}

/** How grave the new state is: 'critical', 'warning' or 'information'. */
function severity(section, now) {
  if (section === 'health') {
    return { down: 'critical', suspected: 'warning' }[now?.state] ?? 'information';
  }
  if (section === 'caches' && now) {
    return now.served === false ? 'critical' : shortfall(now) ? 'warning' : 'information';
  }
  if (section === 'catalog') {
    return now?.readable ? 'information' : 'critical';
  }
  return section === 'unknown' ? 'warning' : 'information';
}
