/** Asks the browser: where keys go, and to save a file. */
/** True in a field that takes text, and in a dialog. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="dialog"]') !== null || target.isContentEditable) return true;
  return target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])');
}

/** Hands out a text as a file. */
export function saveText(text: string, name: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
