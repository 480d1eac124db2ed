/** A tick or a cross before what was checked. */

/** @param props.words Words for readers: of what was met, and of what was not. */
export const Mark = ({ passed, words: [yes, no] }: { readonly passed: boolean; readonly words: readonly [string, string] }) => (
  <span className={passed ? 'up' : 'down'} role="img" aria-label={passed ? yes : no}>
    {passed ? '✓' : '✗'}
  </span>
);
