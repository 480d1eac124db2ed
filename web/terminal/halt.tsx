/** Emergency halt: its button, its banner while agents are paused, and resuming. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { age, dayAndTime, zoneWord } from '../words.js';
import { api, readAll, refresh, useRead } from './api.ts';
import { Dialog } from './kit/ask.tsx';
import { Written } from './kit/form.tsx';
import { Refusal } from './kit/refusal.tsx';
import { createStore, useStore, useTicking } from './kit/store.ts';
import { feed } from './market.ts';
import { useMay } from './member.ts';
import { usePaused } from './organization.ts';

/** True while the dialog is open. */
const asking = createStore(false);
export const askHalt = (): void => asking.set(true);

export function useMayHalt(): boolean {
  const [trades, manages] = [useMay('trade:execute'), useMay('risk:manage')];
  return trades || manages;
}

export function HaltButton() {
  if (!useMayHalt()) return null;
  return (
    <>
      <Button color="red.9" variant="filled" onClick={askHalt} className="halt">
        Halt
      </Button>
      <HaltDialog />
    </>
  );
}

function HaltDialog() {
  const isOpen = useStore(asking);
  const [reason, setReason] = useState('');
  const halt = useMutation({
    mutationFn: () => api.emergencyHalt(reason.trim() === '' ? {} : { body: { reason: reason.trim() } }),
    onSuccess: ({ paused, pausing, cancelledProposals }) => {
      asking.set(false);
      setReason('');
      refresh('halt', 'agents', 'paused', 'alerts', 'proposals', 'orders');
      notifications.show({
        color: 'red',
        title: 'Halted',
        message: `${count(paused.length + pausing, 'agent')} paused, ${count(cancelledProposals, 'proposal')} cancelled.`,
      });
    },
  });
  return (
    <Dialog isOpen={isOpen} close={() => asking.set(false)} title="Halt all trading?" confirm="Halt all agents" change={halt} isDangerous>
      <p>Every agent of the organization pauses and its pending proposals are cancelled. No new order reaches a venue.</p>
      <p className="faint">A member with risk:manage resumes the agents. Positions stay open.</p>
      <Written
        label="Reason (optional)"
        description="All members see it with your name."
        maxLength={500}
        value={reason}
        write={setReason}
      />
    </Dialog>
  );
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Newest halt of the organization. */
export const useLastHalt = () => useRead(['halt'], (call) => api.getHalt({}, call), { enabled: useMay('agent:read') });

/** Agents that an emergency halt paused: their number, and in words `at least 200 agents` until all are read. */
export function useHalted(): { readonly number: number; readonly words: string } {
  const { data } = useLastHalt();
  const { paused, isWhole } = usePaused({ isWanted: data?.haltedAt != null });
  const number = paused.filter(({ pauseCause }) => pauseCause === 'emergency_halt').length;
  return { number, words: `${isWhole ? '' : 'at least '}${count(number, 'agent')}` };
}

/** Resumes agents one by one. @throws ApiError of the first refusal. Those before it stay resumed. */
export async function resumeAll(agents: readonly { readonly id: string }[]): Promise<void> {
  try {
    for (const { id } of agents) await api.resumeAgent({ id });
  } finally {
    refresh('agents', 'paused', 'alerts');
  }
}

/** Resumes every agent that an emergency halt paused, also those beyond the list that the page shows. */
export async function resumeHalted(): Promise<void> {
  const agents = await readAll(api.listAgents.items({ limit: 200 }));
  await resumeAll(agents.filter(({ pauseCause }) => pauseCause === 'emergency_halt'));
}

/** Banner above every page while agents are paused by a halt. */
export function HaltBanner() {
  const { number, words } = useHalted();
  const mayResume = useMay('risk:manage');
  const resume = useMutation({ mutationFn: resumeHalted });
  if (number === 0) return null;
  return (
    <div className="banner" role="alert">
      <strong>Halted</strong>
      <Author />
      <span>{words} paused</span>
      <span className="space" />
      {mayResume ? (
        <Button size="compact-xs" variant="white" color="red.9" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume {words}
        </Button>
      ) : (
        <span>A member with risk:manage resumes them</span>
      )}
      <Refusal error={resume.error} />
    </div>
  );
}

/** Member who halted, the time and the reason. */
function Author() {
  const { data } = useLastHalt();
  useTicking();
  if (data?.haltedAt == null) return null;
  const { haltedAt, haltedBy, reason } = data;
  return (
    <span className="author">
      {haltedBy !== null && (
        <>
          by <strong>{haltedBy}</strong>{' '}
        </>
      )}
      <time dateTime={haltedAt} title={`${dayAndTime(haltedAt)} ${zoneWord()}`}>
        {age(feed.now() - Date.parse(haltedAt))} ago
      </time>
      {reason !== null && <> · “{reason}”</>}
    </span>
  );
}
