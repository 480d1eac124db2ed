/** Actions on a Take: arm, disarm, close its position, fork, publish, create an agent or a launch. */
import { Button, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { forPeople } from '../../words.js';
import { api, refresh, type Take } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Segments } from '../kit/form.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { goTo } from '../place.ts';

const CHANGES = ['takes', 'take', 'take-history'] as const;

export function TakeActions({ take }: { readonly take: Take }) {
  const { id, symbol, state, reason, onDuty, published } = take;
  const mayTrade = useMay('trade:execute');
  const mayManage = useMay('risk:manage');
  const mayStop = mayTrade || mayManage;
  const isHolding = state === 'filled' || (state === 'disarmed' && reason !== 'closing');
  return (
    <div className="agent-actions">
      {mayStop && onDuty && (
        <Ask verb="Disarm" title={`Disarm the Take on ${symbol}?`} done="Disarmed." changes={CHANGES} act={() => api.disarmTake({ id })}>
          <p>It is no longer evaluated. An open position stays open until you close it.</p>
        </Ask>
      )}
      {mayStop && isHolding && (
        <Ask
          verb="Close position"
          title={`Close the position in ${symbol}?`}
          isDangerous
          done="Its position is being sold."
          changes={CHANGES}
          act={() => api.closeTake({ id })}
        >
          <p>Its position is sold at the market, within its slippage budget.</p>
        </Ask>
      )}
      {mayTrade && (
        <>
          <Ask
            verb="Fork"
            title="Fork this Take?"
            done="Forked into a new draft."
            changes={CHANGES}
            act={async () => goTo(`takes/${(await api.forkTake({ body: { takeId: id } })).id}`)}
          >
            <p>Creates a draft with the same conditions that names this Take as its source.</p>
          </Ask>
          {!published && (
            <Ask
              verb="Publish"
              title="Publish this Take?"
              done="Published."
              changes={[...CHANGES, 'published-takes']}
              act={() => api.publishTake({ id })}
            >
              <p>Members of every organization can read its thesis and conditions, and copy it. This cannot be undone.</p>
            </Ask>
          )}
          <Make take={take} />
        </>
      )}
    </div>
  );
}

/** Readings that the author must confirm, each with its checkbox. */
const Open = ({
  open,
  ticked,
  tick,
}: {
  readonly open: readonly string[];
  readonly ticked: readonly string[];
  readonly tick: (one: string) => void;
}) => (
  <fieldset className="open-points">
    <legend>Confirm each reading that your thesis left open</legend>
    {open.map((one) => (
      <Checkbox key={one} label={forPeople(one)} checked={ticked.includes(one)} onChange={() => tick(one)} />
    ))}
  </fieldset>
);

function useTicked(open: readonly string[]) {
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const tick = (one: string) => setTicked((before) => (before.includes(one) ? before.filter((other) => other !== one) : [...before, one]));
  return { ticked, tick, isComplete: open.every((one) => ticked.includes(one)) };
}

/** Form that arms a Take. It is on the page itself, so that nothing is overlooked. */
export function Arm({ take: { id, symbol, open, state } }: { readonly take: Take }) {
  const [mode, setMode] = useState<'paper' | 'live'>('paper');
  const { ticked, tick, isComplete } = useTicked(open);
  const mayTrade = useMay('trade:execute');
  const arming = useMutation({
    mutationFn: () => api.armTake({ body: { takeId: id, mode, ...(open.length === 0 ? {} : { confirm: open }) } }),
    onSuccess: () => notifications.show({ color: 'teal', message: `The Take on ${symbol} is armed.` }),
    onSettled: () => refresh(...CHANGES),
  });
  if (!mayTrade || (state !== 'draft' && state !== 'disarmed')) return null;
  return (
    <section className={`card claims stack ${mode === 'live' ? 'is-live' : ''}`} aria-label="Arm">
      <h2>Arm it</h2>
      {open.length > 0 && <Open open={open} ticked={ticked} tick={tick} />}
      <div className="inline-form">
        <Segments label="Money" of={{ paper: 'On paper', live: 'With real money' }} value={mode} choose={setMode} />
        <Button
          color={mode === 'live' ? 'red.9' : 'blue'}
          loading={arming.isPending}
          disabled={!isComplete}
          onClick={() => arming.mutate()}
        >
          {mode === 'live' ? 'Arm with real money' : 'Arm on paper'}
        </Button>
        <span className="faint">{isComplete ? 'An armed Take is evaluated every 30 seconds.' : 'Tick what is open first.'}</span>
      </div>
      <Refusal error={arming.error} />
    </section>
  );
}

/** Creates an agent from the Take, or starts the launch of a token for it. */
function Make({ take: { id, open } }: { readonly take: Take }) {
  const { ticked, tick, isComplete } = useTicked(open);
  const confirm = open.length === 0 ? {} : { confirm: open };
  return (
    <>
      <Ask
        verb="Make an agent"
        title="Make an agent of this Take?"
        done="Draft agent created."
        changes={['agents']}
        isReady={isComplete}
        act={async () => {
          const { agent } = await api.tokenizeTake({ body: { takeId: id, as: 'agent', ...confirm } });
          if (agent !== null) goTo(`agents/${agent.id}`);
        }}
      >
        <p>Its conditions become the rules of a draft agent, which goes through the gates before it trades live.</p>
        {open.length > 0 && <Open open={open} ticked={ticked} tick={tick} />}
      </Ask>
      <Button size="compact-xs" variant="default" component="a" href={`#/launches/new?take=${id}`}>
        Launch a token
      </Button>
    </>
  );
}
