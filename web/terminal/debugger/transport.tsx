/** Controls to move through an actor's history: buttons, a slider and the arrow keys. */
import { ActionIcon } from '@mantine/core';
import { useEffect } from 'react';
import { isWriting } from '../kit/browser.ts';
import type { Place, Travel } from './travel.ts';

interface Props {
  readonly travel: Travel;
  readonly place: Place;
  readonly moment: string;
}

export function Transport({ travel, place: { version, last, isNewest, isPlaying }, moment }: Props) {
  useTravelKeys(travel);
  return (
    <div className="card transport" role="group" aria-label="Steps">
      <Move sign="⇤" name="First step" keys="Home" isOff={version <= 1} act={() => travel.look(1)} />
      <Move sign="‹" name="One step earlier" keys="ArrowLeft" isOff={version <= 1} act={() => travel.look(version - 1)} />
      <Move sign={isPlaying ? '❚❚' : '▶'} name={isPlaying ? 'Pause' : 'Play'} keys="Space" isOff={last < 2} act={travel.playOrPause} />
      <Move sign="›" name="One step later" keys="ArrowRight" isOff={isNewest} act={() => travel.look(version + 1)} />
      <Move sign="⇥" name="Newest step" keys="End" isOff={isNewest} act={() => travel.look(last)} />
      <input
        type="range"
        aria-label="Step"
        min={1}
        max={Math.max(1, last)}
        value={Math.max(1, version)}
        onChange={({ currentTarget }) => travel.look(Number(currentTarget.value))}
      />
      <p className={isNewest ? 'moment' : 'moment warn'} role="status">
        {moment}
      </p>
    </div>
  );
}

interface MoveProps {
  readonly sign: string;
  readonly name: string;
  readonly keys: string;
  readonly isOff: boolean;
  readonly act: () => void;
}

const Move = ({ sign, name, keys, isOff, act }: MoveProps) => (
  <ActionIcon variant="default" size="sm" aria-label={name} title={name} aria-keyshortcuts={keys} disabled={isOff} onClick={act}>
    {sign}
  </ActionIcon>
);

function useTravelKeys(travel: Travel): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const { version, last } = travel.get();
      const moves: { readonly [key: string]: () => void } = {
        ArrowLeft: () => travel.look(version - 1),
        ArrowRight: () => travel.look(version + 1),
        Home: () => travel.look(1),
        End: () => travel.look(last),
        ' ': travel.playOrPause,
      };
      // The space bar presses a focused button, and arrow keys choose among radio buttons.
      const own = event.key === ' ' ? 'button, summary, a, input' : 'input';
      const found = (event.target as HTMLElement).closest(own) === null ? moves[event.key] : undefined;
      if (found === undefined) return;
      event.preventDefault();
      found();
    };
    addEventListener('keydown', move);
    return () => removeEventListener('keydown', move);
  }, [travel]);
}
