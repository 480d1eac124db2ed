/** A dialog that asks for a few fields before something is done, and shows the API's own words beside them where it is refused. */
import { h } from './dom.js';
import { createProblemNote } from './problem-note.js';

/**
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.text What it will do.
 * @param {readonly Node[]} options.fields
 * @param {string} options.confirm The word on the button.
 * @param {boolean} [options.isDangerous]
 * @param {() => Promise<void>} options.carryOut Closes the dialog where it succeeds.
 * @param {(error: unknown) => void} options.fail
 */
export function askDialog({ title, text, fields, confirm, isDangerous = false, carryOut, fail }) {
  const note = createProblemNote(fail);
  const sure = h('button', { type: 'submit', class: isDangerous ? 'danger' : 'primary' }, confirm);
  const form = h(
    'form',
    { class: 'dialog-form', onsubmit: (/** @type {Event} */ event) => void submit(event) },
    h('h2', { id: 'ask-title' }, title),
    h('p', {}, text),
    fields,
    note.element,
    h('div', { class: 'dialog-buttons' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), sure),
  );
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'ask-title', onclose: () => dialog.remove() }, form);

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    sure.disabled = true;
    note.clear();
    try {
      await carryOut();
      dialog.close();
    } catch (error) {
      note.show(error);
    } finally {
      sure.disabled = false;
    }
  }
  document.body.append(dialog);
  dialog.showModal();
}
