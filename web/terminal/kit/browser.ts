/** Asks the browser: where keys go, and to save a file. */
/** True in a field that takes text, and while a dialog waits: keys that come before it has the focus are none for the page beneath. */
export function isWriting(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])');
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
