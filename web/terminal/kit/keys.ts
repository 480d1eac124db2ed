/** Keys that act while nobody is writing. */

/** True in a field that takes text, and in a dialog. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="dialog"]') !== null || target.isContentEditable) return true;
  return target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])');
}
