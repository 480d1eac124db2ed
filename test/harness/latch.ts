/** Promise that a test resolves when it lets the held work continue. */
export function latch(): { readonly released: Promise<void>; release(): void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release: () => release() };
}
