/**
 * Refusal next to the refused action: what went wrong, and each change that would pass. A part of the page that fails to render or load
 * shows its error in place, and the rest keeps working.
 */
import { Button } from '@mantine/core';
import { Component, type ComponentType, lazy, type ReactNode } from 'react';
import { forPeople, rejectionWords } from '../../words.js';
import { ApiError, NetworkError } from '../api.ts';

/** Returns the first sentence of an error. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return forPeople(error.detail);
  if (error instanceof NetworkError) return navigator.onLine ? 'The service did not answer.' : 'This device is offline.';
  return error instanceof Error ? error.message : String(error);
}

interface RefusalProps {
  readonly error: unknown;
  /** True if repeating the request has one effect. */
  readonly isOnce?: boolean;
  /** Further buttons that resolve the refusal. */
  readonly children?: ReactNode;
}

export function Refusal({ error, isOnce = false, children }: RefusalProps) {
  if (error === null || error === undefined) return null;
  const ways = error instanceof ApiError ? error.wayOut : [];
  return (
    <div className="refusal" role="alert">
      <p>
        {describeError(error)}
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

interface RejectionsProps {
  readonly of: readonly (Parameters<typeof rejectionWords>[0] & { readonly code: string })[] | undefined;
}

/** Rejections of an order by risk. */
export const Rejections = ({ of = [] }: RejectionsProps) =>
  of.map((rejection) => (
    <p key={rejection.code} className="rejection">
      {forPeople(rejectionWords(rejection))}
    </p>
  ));

interface State {
  readonly error: Error | null;
}

export class Guarded extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="empty" role="alert">
        <p>This part cannot be shown: {error.message}</p>
        <Button variant="default" onClick={() => this.setState({ error: null })}>
          Try again
        </Button>
      </div>
    );
  }
}

const PAUSE_MS = 1_500;
/** After this many failures while the service answers, the file is gone: another version of the terminal is deployed. */
const MOST_FAILURES = 3;

/** Component whose file is loaded when it is first shown. Loading is retried while the service does not answer. */
export const laterPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadPart(load) }));

/** Loads a file of the terminal, with retries while the service does not answer. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0; ; ) {
    try {
      return await load();
    } catch {
      const isAnswered = await fetch('/terminal/icon.svg', { cache: 'no-store' }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isAnswered && ++failures >= MOST_FAILURES) location.reload();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
