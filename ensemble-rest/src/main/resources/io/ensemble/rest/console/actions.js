/* Changes that the page asks the service for, each after a confirmation. */

import { byId } from './dom.js';
import { ask, segment } from './talk.js';

/** By data-do of a button: what the confirmation says, and what follows. */
const ACTIONS = {
  cancel: ({ operation, kind, of }) => ({
    title: 'Cancel the migration?',
    text:
      kind === 'drain'
        ? `${of}: the site serves again and accepts caches. Caches that have moved stay where they are, and the present move continues.`
        : `${of}: the change is undone, and the cache stays unchanged. Copied keys are discarded.`,
    no: 'Continue it',
    yes: 'Cancel it',
    path: `operations/${segment(operation)}/cancel`,
    done: () => `The migration of ${of} is cancelled.`,
    refused: (why) => `The migration of ${of} continues: ${why}`,
  }),
  drain: ({ site }) => ({
    title: `Drain ${site}?`,
    text: `All caches move away from ${site}, one after another, while they are used. The site accepts no further caches until it serves again.`,
    no: 'Do not drain',
    yes: 'Drain it',
    path: `sites/${segment(site)}/drain`,
    done: () => `The drain of ${site} has begun.`,
    refused: (why) => `${site} is not drained: ${why}`,
  }),
  serve: ({ site }) => ({
    title: `Let ${site} serve again?`,
    text: `${site} accepts caches again. Caches that have moved away stay where they are.`,
    no: 'Leave it',
    yes: 'Serve again',
    path: `sites/${segment(site)}/serve`,
    done: () => `${site} accepts caches again.`,
    refused: (why) => `${site} does not serve again: ${why}`,
  }),
  recover: ({ site }) => ({
    title: `Recover ${site}?`,
    text: `For each cache whose store ${site} has lost, the site gets a new store, which is filled from other sites. Intact stores stay as they are.`,
    no: 'Do not recover',
    yes: 'Recover it',
    path: `sites/${segment(site)}/recover`,
    body: { timeoutSeconds: 600 },
    done: async (operation) => {
      const { state, results, detail } = await ended(operation);
      return state === 'failed'
        ? `The recovery of ${site} has failed: ${detail ?? 'no reason'}`
        : `${site}: ${recovered(results ?? [])}.`;
    },
    refused: (why) => `The result of the recovery of ${site} is not known: ${why}`,
  }),
};

/** Asks for an operation every second, until it has ended. */
async function ended(operation) {
  let latest = operation;
  while (latest.state === 'running') {
    await new Promise((resume) => setTimeout(resume, 1_000));
    latest = await ask(`operations/${segment(operation.id)}`, 'GET');
  }
  return latest;
}

function recovered(caches) {
  const of = (outcome) => caches.filter((cache) => cache.outcome === outcome);
  const failed = of('failed').map(({ cache, detail }) => `${cache} failed (${detail ?? 'no reason'})`);
  return [`${of('recovered').length} recovered`, `${of('unharmed').length} intact`, ...failed].join(', ');
}

/** Whether a button asks for an action. */
export function isAction(name) {
  return Object.hasOwn(ACTIONS, name ?? '');
}

/** Asks for a confirmation, then the service; reports the outcome as a sentence. */
export function act(data, said) {
  const action = ACTIONS[data.do](data);
  const dialog = byId('confirm');
  byId('confirm-title').textContent = action.title;
  byId('confirm-text').textContent = action.text;
  byId('confirm-no').textContent = action.no;
  byId('confirm-yes').textContent = action.yes;
  byId('confirm-no').onclick = () => dialog.close();
  byId('confirm-yes').onclick = async () => {
    dialog.close();
    try {
      said(await action.done(await ask(action.path, 'POST', action.body, action.longest)));
    } catch (e) {
      said(action.refused(e.message));
    }
  };
  dialog.showModal();
  byId('confirm-no').focus();
}
