/** Bar above every page of a replay: the tape, its time, and its controls. */
import { Button, NativeSelect } from '@mantine/core';
import { useEffect, useState } from 'react';
import { remaining } from '../../words.js';
import { useStore } from '../kit/store.ts';
import { known, move, refusedMove, tapeTime } from './control.ts';
import type { Replay } from './mode.ts';

const DRAW_MS = 100;
const SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_000];
const TOGGLES = { playing: 'Pause', paused: 'Play', ended: 'Restart', failed: 'Play' } as const;

export function ReplayBar() {
  const state = useStore(known);
  const refused = useStore(refusedMove);
  const now = useTapeTime();
  const [held, setHeld] = useState<number | null>(null);
  if (state === null) return <section className="replay-bar" aria-label="Replay" />;
  const { replay } = state;
  const { tape, mode, from, to, speed, failure } = replay;
  const at = held ?? now;
  const letGo = () => {
    if (held !== null) void move('seek', { at: new Date(held).toISOString() });
    setHeld(null);
  };
  return (
    <section className="replay-bar" aria-label="Replay" data-mode={mode}>
      <strong>REPLAY</strong>
      <a href="#/replay">{failure === null ? tape : `${tape}: ${failure}`}</a>
      <output className="num replay-time">{clockText(at)}</output>
      <Button onClick={() => void move(mode === 'playing' ? 'pause' : 'play')}>{TOGGLES[mode]}</Button>
      <Button variant="default" onClick={() => void move('step')}>
        Step
      </Button>
      <NativeSelect
        aria-label="Speed"
        data={[...new Set([...SPEEDS, speed])].sort((a, b) => a - b).map((factor) => ({ value: String(factor), label: `× ${factor}` }))}
        value={String(speed)}
        onChange={({ currentTarget }) => void move('speed', { speed: Number(currentTarget.value) })}
      />
      <input
        type="range"
        aria-label="Tape time"
        step={1_000}
        min={Date.parse(from)}
        max={Date.parse(to)}
        value={at}
        onChange={({ currentTarget }) => setHeld(Number(currentTarget.value))}
        onPointerUp={letGo}
        onKeyUp={letGo}
        onBlur={letGo}
      />
      <span className="num replay-left">{leftText(replay, at)}</span>
      {refused !== null && <span className="refusal">{refused}</span>}
    </section>
  );
}

/** Renders again ten times a second. */
function useTapeTime(): number {
  const [now, setNow] = useState(tapeTime);
  useEffect(() => {
    const drawing = setInterval(() => setNow(tapeTime()), DRAW_MS);
    return () => clearInterval(drawing);
  }, []);
  return now;
}

/** Formats the rest of the tape and its duration at this speed: `3:59 left, 0:24 at × 10`. A looping replay has no end. */
function leftText({ to, speed, mode, loop }: Replay, at: number): string {
  if (mode === 'ended' || mode === 'failed') return '';
  if (loop) return 'restarts at the end';
  const ms = Math.max(0, Date.parse(to) - at);
  return `${remaining(ms)} left, ${remaining(ms / speed)} at × ${speed}`;
}

const clockText = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
