/** The place in an actor's history that is looked at: it follows the newest step, is moved, played, and found by an instant. */
import { api } from '../api.ts';
import { feed } from '../market.ts';
import { type Step, StepCache } from './steps.ts';

const PLAY_MS = 700;

export interface Place {
  readonly version: number;
  readonly last: number;
  /** The newest step is looked at, and the next one will be. */
  readonly isNewest: boolean;
  readonly isPlaying: boolean;
  /** Instant that was pointed at; it may lie long after the step. Null if a step was chosen. */
  readonly pointedAt: number | null;
  /** Grows with each change of the steps that are here. */
  readonly revision: number;
  readonly error: unknown;
}

const START: Place = { version: 0, last: 0, isNewest: true, isPlaying: false, pointedAt: null, revision: 0, error: null };

export class Travel {
  readonly cache: StepCache;
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #place = START;
  #playing: ReturnType<typeof setInterval> | undefined;

  constructor(id: string) {
    this.#id = id;
    this.cache = new StepCache({
      fetch: (from, to) => api.listActorSteps({ id, from, to }),
      onChange: () => this.#become({ last: this.cache.last, revision: this.#place.revision + 1 }),
      onError: (error) => this.#become({ error }),
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): Place => this.#place;

  /** Follows the actor's steps until the returned function is called. @param onBegin Called when the actor must be read anew. */
  follow(onBegin: () => void): () => void {
    const stop = feed.subscribe({
      channel: 'inspect',
      params: { actorId: this.#id },
      begin: onBegin,
      receive: ({ at, data }) => {
        if (data.version <= this.cache.last) return;
        const { version, machine, event, from, to } = data;
        this.cache.add({ version, at, machine, event, from, to, cause: null });
        if (this.#place.isNewest) this.look(this.cache.last);
      },
    });
    return () => {
      stop();
      clearInterval(this.#playing);
    };
  }

  /** Takes in how far the actor has come. */
  reach(version: number): void {
    this.cache.reach(version);
    this.look(this.#place.isNewest ? this.cache.last : this.#place.version);
  }

  readonly look = (version: number): void => {
    const { last } = this.cache;
    const bounded = Math.min(Math.max(1, Math.round(version)), Math.max(1, last));
    const isNewest = bounded === last;
    this.cache.want(bounded, bounded);
    this.#become({ version: bounded, last, isNewest, pointedAt: null, error: null });
    // A link may have been followed in this moment: then the address is that of another page, and stays.
    const own = `#/actors/${this.#id}`;
    if (location.hash.startsWith(own)) history.replaceState(null, '', `${own}${isNewest ? '' : `/${bounded}`}`);
  };

  /** Looks at the step that an instant found the actor in. */
  readonly lookAt = async (at: number): Promise<void> => {
    try {
      this.look(await this.cache.versionAt(at));
      this.#become({ pointedAt: at });
    } catch (error) {
      this.#become({ error });
    }
  };

  readonly playOrPause = (): void => {
    clearInterval(this.#playing);
    const { isPlaying, isNewest } = this.#place;
    if (isPlaying) return this.#become({ isPlaying: false });
    if (isNewest) this.look(1);
    this.#become({ isPlaying: true });
    this.#playing = setInterval(() => {
      if (this.#place.version >= this.cache.last) this.playOrPause();
      else this.look(this.#place.version + 1);
    }, PLAY_MS);
  };

  #become(change: Partial<Place>): void {
    this.#place = { ...this.#place, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The step that is looked at; null while it is read, undefined if none led to that version. */
export const stepAt = ({ cache }: Travel, { version }: Place): Step | null | undefined => cache.at(version);
