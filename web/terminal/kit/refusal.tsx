/** A refusal if it happened: what went wrong, and each change that would pass. */
import type { ReactNode } from 'react';
import { forPeople } from '../../words.js';
import { ApiError, NetworkError } from '../api.ts';

/** The first sentence of an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return forPeople(error.detail);
  if (error instanceof NetworkError)
    return `The service did not answer: ${error.message}. The order may still have arrived; sending again places it once.`;
  return error instanceof Error ? error.message : String(error);
}

/** @param props.children Ways out that the caller offers as buttons. */
export function Refusal({ error, children }: { readonly error: unknown; readonly children?: ReactNode }) {
  if (error === null || error === undefined) return null;
  const ways = error instanceof ApiError ? error.wayOut : [];
  return (
    <div className="refusal" role="alert">
      <p>{sentenceOf(error)}</p>
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
