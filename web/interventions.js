/** Retrying an activity, counting attempts anew, ending a quarantine: each is asked for with its reason. */
import { actorWord } from './actors-panel.js';
import { askDialog } from './ask-dialog.js';
import { h } from './dom.js';
import { change } from './http.js';

/** @typedef {{ readonly actorId: string, readonly actorKind: string, readonly actorName: string | null, readonly actorStatus: string }} OfActor */
/** @typedef {ReturnType<typeof createInterventions>} Interventions */

const MEANING = {
  retry: 'The activity is tried at once, and its attempts are counted from none.',
  reset: 'All pending activities of the actor are tried at once, and their attempts are counted from none.',
  release: 'The actor goes on where it stood; an agent is paused then, until somebody other than its creator resumes it.',
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
      text: `${MEANING[action]} Who did it and why is kept for good.`,
      fields: [h('label', {}, 'Why', why)],
      confirm: TITLES[action],
      fail,
      async carryOut() {
        await change('POST', `/v1/actors/${actor.actorId}/${action}`, { ...(activity === null ? {} : { activity }), reason: why.value });
        notify(`${TITLES[action]}: done, and on record.`);
        onDone();
      },
    });
  }

  return {
    may,
    /**
     * What can be done with an actor as a whole.
     * @param {OfActor} actor
     */
    ofActor(actor) {
      if (!may || actor.actorStatus === 'done') return null;
      const action = actor.actorStatus === 'quarantined' ? 'release' : 'reset';
      return h('button', { type: 'button', class: 'small', onclick: () => ask(action, actor, null) }, TITLES[action]);
    },
    /**
     * What can be done with an activity.
     * @param {import('./api.ts').WaitingActivity} activity
     */
    ofActivity(activity) {
      if (!may || activity.actorStatus === 'done') return null;
      if (activity.actorStatus === 'quarantined') return this.ofActor(activity);
      if (activity.state === 'given_up' && activity.isLeft) return h('span', { class: 'faint' }, 'its actor has gone on');
      return h('button', { type: 'button', class: 'small', onclick: () => ask('retry', activity, activity.key) }, TITLES.retry);
    },
  };
}

const TITLES = { retry: 'Retry', reset: 'Reset', release: 'Release' };
