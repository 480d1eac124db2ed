/** Helpers for the browser: its width, the focused field, and saving a file. */
import type { FormEvent, KeyboardEvent, MouseEvent } from 'react';

export const PHONE = '(max-width: 760px)';
export const isPhone = (): boolean => matchMedia(PHONE).matches;

/** True in a text field or while a dialog is open: shortcuts of the page do not apply. */
export function isWriting(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])');
}

export function saveText(text: string, name: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Forms whose submission the page has not drawn yet. */
const undrawn = new WeakSet<EventTarget>();

/**
 * Handler of a form that acts in the page instead of leaving it. A dialog's form within another form does not submit that one too, and
 * until the page has drawn what a submission changed, a second one does nothing.
 */
export const submits =
  (act: () => void) =>
  (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    const form = event.currentTarget;
    if (undrawn.has(form)) return;
    undrawn.add(form);
    requestAnimationFrame(() => requestAnimationFrame(() => undrawn.delete(form)));
    act();
  };

/** Ignores a key that is held since before the focus came here: Enter in a form would confirm its question unread. */
export const keyOnce = (event: KeyboardEvent): void => {
  if (event.repeat) event.preventDefault();
};

/** Handler of a button that ignores the second press of a double click: the button may have come under the pointer after the first. */
export const clickOnce =
  (act: () => void = () => {}) =>
  (event: MouseEvent): void => {
    if (event.detail > 1) event.preventDefault();
    else act();
  };
