/** Controls the tape and provides its time, which is the time of the whole page. */
import { queries } from '../api.ts';
import { createStore } from '../kit/store.ts';
import { IS_REPLAY, type Replay } from './mode.ts';

const ASK_MS = 500;

interface Known {
  readonly replay: Replay;
  /** Browser's time of the answer, in milliseconds. */
  readonly heardAt: number;
}

export const known = createStore<Known | null>(null);
/** Reason why the last move was refused, or null. */
export const refusedMove = createStore<string | null>(null);
const jumps = new Set<() => void>();

/** Calls back when the time has jumped or another tape was loaded: shown data is invalid. */
export const onJump = (listener: () => void): void => void jumps.add(listener);

/** Returns the tape's time, extrapolated between two answers. */
export function tapeTime(): number {
  const state = known.get();
  if (state === null) return 0;
  const { replay, heardAt } = state;
  const ran = replay.mode === 'playing' ? (Date.now() - heardAt) * replay.speed : 0;
  return Math.min(Date.parse(replay.to), Math.round(Date.parse(replay.at) + ran));
}

function take(replay: Replay): void {
  const before = known.get()?.replay;
  known.set({ replay, heardAt: Date.now() });
  if (before === undefined || (before.moves === replay.moves && before.tape === replay.tape)) return;
  for (const listener of jumps) listener();
  void queries.resetQueries();
}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const sent = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/v1/replay${path}`, sent);
  const answer = (await response.json()) as Answer & { readonly detail?: string };
  if (!response.ok) throw new Error(answer.detail ?? `The tape's server answered ${response.status}.`);
  return answer;
}

/** Controls the tape: play, pause, step, seek, set the speed, or load another tape. */
export async function move(what: 'play' | 'pause' | 'step' | 'seek' | 'speed' | 'load', body: object = {}): Promise<void> {
  try {
    take(await ask<Replay>(`/${what}`, body));
    refusedMove.set(null);
  } catch (error) {
    refusedMove.set(error instanceof Error ? error.message : String(error));
  }
}

export const readTapes = () => ask<{ readonly items: readonly { readonly name: string; readonly bytes: number }[] }>('/tapes');

async function look(): Promise<void> {
  try {
    take(await ask<Replay>(''));
  } catch {
    // The connection indicator shows that the server does not answer.
  }
}

if (IS_REPLAY) {
  void look();
  setInterval(() => {
    if (!document.hidden) void look();
  }, ASK_MS);
}
