/** The emergency halt asks once more before it is carried out. */
import { h, say } from './dom.js';
import { change } from './http.js';

/**
 * @param {object} options
 * @param {(text: string, kind: 'warning') => void} options.notify
 * @param {(error: unknown) => void} options.fail
 */
export function askHalt({ notify, fail }) {
  const sure = h('button', { type: 'button', class: 'danger', onclick: () => void carryOut() }, 'Halt all agents');
  const dialog = h(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'halt-title', onclose: () => dialog.remove() },
    h('h2', { id: 'halt-title' }, 'Emergency halt'),
    h(
      'p',
      {},
      'Pauses every agent of the organization and cancels pending proposals. No new orders are sent after the halt. Each agent must be resumed by a member with ',
      h('code', {}, 'risk:manage'),
      '.',
    ),
    h('form', { method: 'dialog', class: 'dialog-buttons' }, h('button', { autofocus: true }, 'Cancel'), sure),
  );

  async function carryOut() {
    sure.disabled = true;
    say(sure, 'Halting…');
    try {
      /** @type {{ readonly paused: readonly string[], readonly pausing: number, readonly cancelledProposals: number }} */
      const { paused, pausing, cancelledProposals } = await change('POST', '/v1/agents/emergency-halt');
      const agents = `${paused.length} ${paused.length === 1 ? 'agent' : 'agents'} paused`;
      const more = pausing === 0 ? '' : ` and ${pausing} more being paused`;
      notify(`Halted: ${agents}${more}, ${cancelledProposals} proposals cancelled.`, 'warning');
      dialog.close();
    } catch (error) {
      sure.disabled = false;
      say(sure, 'Retry');
      fail(error);
    }
  }
  document.body.append(dialog);
  dialog.showModal();
}
