/** Selected place in an actor's history. It follows the newest step, can be moved or played, and can be found by time. */
import { api } from '../api.ts';
import { feed } from '../market.ts';
import { type Step, StepCache } from './steps.ts';

const PLAY_MS = 700;

export interface Place {
  readonly version: number;
  readonly last: number;
  /** True while the newest step is selected. The next one will be selected too. */
  readonly isNewest: boolean;
  readonly isPlaying: boolean;
  /** Time that was clicked, which may be long after the step, or null if a step was chosen. */
  readonly pointedAt: number | null;
  /** Grows with each change of the loaded steps. */
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

  /** Follows the actor's steps until the returned function is called. @param onBegin Called when the actor must be read again. */
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

  /** Records the newest version of the actor. */
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
    // A link may have been followed meanwhile: then the address belongs to another page and stays.
    const own = `#/actors/${this.#id}`;
    if (location.hash.startsWith(own)) history.replaceState(null, '', `${own}${isNewest ? '' : `/${bounded}`}`);
  };

  /** Selects the last step at or before a time. */
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

/** Returns the selected step, null while it is read, or undefined if there is none to that version. */
export const stepAt = ({ cache }: Travel, { version }: Place): Step | null | undefined => cache.at(version);
