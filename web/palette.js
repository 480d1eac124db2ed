/** The command palette: a few letters lead to every page, agent, instrument and deed. */
import { fill, h, mark, say } from './dom.js';
import { commandsAsked, commandsAtHand, matching } from './palette-commands.js';

/** @typedef {import('./palette-commands.js').Command} Command */

const SHOWN = 60;

/** @param {import('./palette-commands.js').Doings & { readonly fail: (error: unknown) => void }} doings */
export function openPalette(doings) {
  const palette = new Palette(commandsAtHand(doings));
  commandsAsked().then((more) => palette.add(more), doings.fail);
}

class Palette {
  /** @type {readonly Command[]} */
  #found = [];
  /** The place of the one that Enter runs. */
  #at = 0;

  /** @param {readonly Command[]} commands */
  constructor(commands) {
    this.commands = commands;
    this.input = h('input', {
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: 'Page, agent, instrument or action',
      'aria-label': 'Find',
      'aria-controls': 'palette-list',
      'aria-expanded': 'true',
      'aria-autocomplete': 'list',
      oninput: () => this.#seek(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
    });
    this.list = h('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results' });
    this.note = h('p', { class: 'faint', role: 'status' });
    this.dialog = h(
      'dialog',
      { class: 'dialog palette', 'aria-label': 'Find', onclose: () => this.dialog.remove() },
      this.input,
      this.list,
      this.note,
    );
    // A click beside the box.
    this.dialog.addEventListener('click', ({ target }) => {
      if (target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#seek();
  }

  /** Others that are known by now; the one that is pointed at stays so. @param {readonly Command[]} more */
  add(more) {
    if (!this.dialog.open) return;
    const before = this.#found[this.#at];
    this.commands = [...this.commands, ...more];
    this.#seek();
    this.#at = Math.max(0, before === undefined ? 0 : this.#found.indexOf(before));
    this.#point();
  }

  #seek() {
    this.#found = matching(this.commands, this.input.value).slice(0, SHOWN);
    this.#at = 0;
    fill(
      this.list,
      this.#found.map((command, index) => this.#option(command, index)),
    );
    say(this.note, this.#found.length === 0 ? 'No matches.' : '');
    this.#point();
  }

  /** @param {Command} command @param {number} index */
  #option({ kind, title, detail }, index) {
    return h(
      'li',
      { role: 'option', id: `palette-${index}`, onclick: () => this.#run(index) },
      h('span', { class: 'palette-kind faint' }, kind),
      h('span', {}, title),
      h('span', { class: 'faint' }, detail),
    );
  }

  #point() {
    for (const [index, row] of [...this.list.children].entries()) mark(row, 'aria-selected', String(index === this.#at));
    mark(this.input, 'aria-activedescendant', this.#found.length === 0 ? null : `palette-${this.#at}`);
    this.list.children[this.#at]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { length } = this.#found;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (event.key === 'Enter') this.#run(this.#at);
    else if (step !== undefined && length > 0) {
      const to = this.#at + step;
      this.#at = Math.abs(step) === 1 ? (to + length) % length : Math.min(Math.max(to, 0), length - 1);
      this.#point();
    } else return;
    event.preventDefault();
  }

  /** @param {number} index */
  #run(index) {
    const command = this.#found[index];
    if (command === undefined) return;
    this.dialog.close();
    command.run();
  }
}
