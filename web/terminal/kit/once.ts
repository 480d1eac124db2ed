/** Keys under which a change has one effect, however often it is sent after a lost answer. */
import { useMemo } from 'react';

const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The same wish has the same key, until it is over: answered or refused. */
export function useOnce() {
  return useMemo(() => {
    let kept: { readonly wish: string; readonly key: string } | null = null;
    return {
      keyOf(wish: unknown): string {
        const text = JSON.stringify(wish);
        if (kept?.wish !== text) kept = { wish: text, key: newKey() };
        return kept.key;
      },
      over(): void {
        kept = null;
      },
    };
  }, []);
}
