/** Bounds of a failure: a part of the page that cannot be drawn says so in its place, and the rest goes on. */
import { Button } from '@mantine/core';
import { Component, type ComponentType, lazy, type ReactNode } from 'react';

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
/** After so many failures beside an answer of the service the file is gone: another version of the terminal runs. */
const MOST_FAILURES = 3;

/** A part whose file is read at its first showing, again and again while the service does not answer. */
export const laterPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadPart(load) }));

/** Reads a file of the terminal, again and again while the service does not answer. */
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
