/** Tick or cross in front of a checked condition. */

/** @param props.words Texts for screen readers: passed, and not passed. */
export const Mark = ({ passed, words: [yes, no] }: { readonly passed: boolean; readonly words: readonly [string, string] }) => (
  <span className={passed ? 'up' : 'down'} role="img" aria-label={passed ? yes : no}>
    {passed ? '✓' : '✗'}
  </span>
);
