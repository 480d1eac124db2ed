/** A refusal if it happened: what went wrong, and each change that would pass. */
import type { ReactNode } from 'react';
import { forPeople } from '../../words.js';
import { ApiError, NetworkError } from '../api.ts';

/** The first sentence of an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return forPeople(error.detail);
  if (error instanceof NetworkError) return navigator.onLine ? 'The service did not answer.' : 'This device is offline.';
  return error instanceof Error ? error.message : String(error);
}

interface RefusalProps {
  readonly error: unknown;
  /** The same order has one effect, however often it is sent. */
  readonly isOnce?: boolean;
  /** Ways out that the caller offers as buttons. */
  readonly children?: ReactNode;
}

export function Refusal({ error, isOnce = false, children }: RefusalProps) {
  if (error === null || error === undefined) return null;
  const ways = error instanceof ApiError ? error.wayOut : [];
  return (
    <div className="refusal" role="alert">
      <p>
        {sentenceOf(error)}
        {isOnce && error instanceof NetworkError && ' Send it again: it is placed once.'}
      </p>
      {ways.length > 0 && (
        <ul>
          {ways.map((way) => (
            <li key={way}>{forPeople(way)}</li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}
