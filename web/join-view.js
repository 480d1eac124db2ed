/** Joining an organization by an invitation: its code stands behind the # of the address, which no server is sent, and is taken out of it at once. */
import { h } from './dom.js';
import { change } from './http.js';
import { createProblemNote } from './problem-note.js';

/**
 * @param {import('./shell.js').Context} context
 * @param {string} code
 * @returns {import('./shell.js').View}
 */
export function joinView({ me, fail }, code) {
  history.replaceState(null, '', '#/join');
  const note = createProblemNote(fail);
  const isMember = me.orgId !== null;
  const join = h('button', { type: 'button', class: 'primary', disabled: isMember || code === '', onclick: () => void accept() }, 'Join');

  async function accept() {
    join.disabled = true;
    note.clear();
    try {
      await change('POST', '/v1/invitations/accept', { code });
      // Who one is and what one may do is read anew, with everything that follows from it.
      location.hash = '#/';
      location.reload();
    } catch (error) {
      note.show(error);
      join.disabled = false;
    }
  }

  return {
    element: h(
      'section',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Join an organization')),
      h(
        'div',
        { class: 'panel panel-words' },
        h('p', {}, 'You are signed in as ', h('strong', {}, me.name ?? me.subject), '. You will join with this identity.'),
        isMember ? h('p', {}, 'You already belong to an organization. Leave it before you join another.') : null,
        code === '' && !isMember ? h('p', {}, 'The invitation code is missing from the address. Open the invitation link again.') : null,
        join,
        note.element,
      ),
    ),
    title: 'Join an organization',
    end: () => {},
  };
}
