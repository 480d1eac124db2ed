/** Tabs: one of several panels is shown; arrow keys go from one to the next, and the address remembers which. */
import { h, mark } from './dom.js';

/**
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.address What stands before the name in the address: `#/agents/<id>`.
 * @param {string} options.chosen The name of the tab that is shown first; the first where there is none of it.
 * @param {readonly { readonly name: string, readonly title: string, readonly content: readonly Node[] }[]} options.tabs
 */
export function tabs({ label, address, chosen, tabs: all }) {
  const parts = all.map(({ name, title, content }) => ({
    name,
    tab: h(
      'button',
      { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, onclick: () => show(name, true) },
      title,
    ),
    panel: h('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, tabindex: '0' }, content),
  }));

  /** @param {string} name @param {boolean} isAsked */
  function show(name, isAsked) {
    for (const part of parts) {
      const isShown = part.name === name;
      part.panel.hidden = !isShown;
      mark(part.tab, 'aria-selected', String(isShown));
      mark(part.tab, 'tabindex', isShown ? '0' : '-1');
      if (isShown && isAsked) part.tab.focus();
    }
    // Without an event: the page stays as it is.
    if (isAsked) history.replaceState(null, '', `${address}/${name}`);
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const at = parts.findIndex(({ tab }) => tab === document.activeElement);
    const next = parts[(at + step + parts.length) % parts.length];
    if (step === 0 || at < 0 || next === undefined) return;
    event.preventDefault();
    show(next.name, true);
  }
  show(parts.find(({ name }) => name === chosen)?.name ?? parts[0]?.name ?? '', false);
  const list = h(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: move },
    parts.map(({ tab }) => tab),
  );
  // Who follows a link to a part wants to see it; the page begins at its top before that.
  if (parts.slice(1).some(({ name }) => name === chosen)) requestAnimationFrame(() => list.scrollIntoView());
  return h(
    'div',
    { class: 'tabbed' },
    list,
    parts.map(({ panel }) => panel),
  );
}
