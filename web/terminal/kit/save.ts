/** Hands out a text as a file. */
export function saveText(text: string, name: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
