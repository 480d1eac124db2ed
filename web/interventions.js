/** Retrying an activity, counting attempts anew, ending a quarantine: each is asked for with its reason. */
import { actorWord } from './actors-panel.js';
import { askDialog } from './ask-dialog.js';
import { h } from './dom.js';
import { change } from './http.js';

/** @typedef {{ readonly actorId: string, readonly actorKind: string, readonly actorName: string | null, readonly actorStatus: string }} OfActor */
/** @typedef {ReturnType<typeof createInterventions>} Interventions */

const MEANING = {
  retry: 'Retries the activity now and resets its attempt count.',
  reset: 'Retries all pending activities of the actor now and resets their attempt counts.',
  release: 'The actor continues from its last state. An agent stays paused until somebody other than its creator resumes it.',
};

/**
 * @param {import('./shell.js').Context} context
 * @param {() => void} onDone
 */
export function createInterventions({ me, notify, fail }, onDone) {
  const may = me.permissions.includes('risk:manage');

  /** @param {keyof typeof MEANING} action @param {OfActor} actor @param {string | null} activity */
  function ask(action, actor, activity) {
    const why = h('textarea', { name: 'reason', rows: 3, maxlength: 500, required: true });
    const whom = actorWord(actor);
    askDialog({
      title: `${TITLES[action]} ${activity === null ? whom : `an activity of ${whom}`}`,
      text: `${MEANING[action]} Your name and reason are recorded.`,
      fields: [h('label', {}, 'Reason', why)],
      confirm: TITLES[action],
      fail,
      async carryOut() {
        await change('POST', `/v1/actors/${actor.actorId}/${action}`, { ...(activity === null ? {} : { activity }), reason: why.value });
        notify(`${TITLES[action]}: done and recorded.`);
        onDone();
      },
    });
  }

  return {
    may,
    /**
     * Creates the actions for an actor as a whole.
     * @param {OfActor} actor
     */
    ofActor(actor) {
      if (!may || actor.actorStatus === 'done') return null;
      const action = actor.actorStatus === 'quarantined' ? 'release' : 'reset';
      return h('button', { type: 'button', class: 'small', onclick: () => ask(action, actor, null) }, TITLES[action]);
    },
    /**
     * Creates the actions for an activity.
     * @param {import('./api.ts').WaitingActivity} activity
     */
    ofActivity(activity) {
      if (!may || activity.actorStatus === 'done') return null;
      if (activity.actorStatus === 'quarantined') return this.ofActor(activity);
      if (activity.state === 'given_up' && activity.isLeft) return h('span', { class: 'faint' }, 'actor has moved on');
      return h('button', { type: 'button', class: 'small', onclick: () => ask('retry', activity, activity.key) }, TITLES.retry);
    },
  };
}

const TITLES = { retry: 'Retry', reset: 'Reset', release: 'Release' };
