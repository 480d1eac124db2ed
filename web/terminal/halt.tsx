/** The emergency halt: its button, its banner while agents stand still, and the way back. */
import { Button, Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { clockAndZone } from '../words.js';
import { type Alert, api, refresh } from './api.ts';
import { Refusal } from './kit/refusal.tsx';
import { createStore, useStore } from './kit/store.ts';
import { useMay } from './member.ts';
import { useAgents, useAlerts } from './organization.ts';

/** True while the dialog asks. */
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
  const halt = useMutation({
    mutationFn: () => api.emergencyHalt(),
    onSuccess: ({ paused, pausing, cancelledProposals }) => {
      asking.set(false);
      refresh('agents', 'alerts', 'proposals', 'orders');
      notifications.show({
        color: 'red',
        title: 'Halted',
        message: `${count(paused.length + pausing, 'agent')} paused, ${count(cancelledProposals, 'proposal')} cancelled.`,
      });
    },
  });
  const close = () => {
    halt.reset();
    asking.set(false);
  };
  return (
    <Modal opened={isOpen} onClose={close} title="Halt all trading?" closeButtonProps={{ 'aria-label': 'Close' }} centered>
      <p>Every agent of the organization pauses and its pending proposals are cancelled. No new order reaches a venue.</p>
      <p className="faint">A member with risk:manage resumes the agents. Positions stay open.</p>
      <Refusal error={halt.error} />
      <div className="buttons">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color="red.9" loading={halt.isPending} onClick={() => halt.mutate()} data-autofocus>
          Halt all agents
        </Button>
      </div>
    </Modal>
  );
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const isHalt = ({ what }: Alert): boolean => what.includes('halt');

/** Stands above every page while agents are paused by a halt. */
export function HaltBanner() {
  const { data: agents = [] } = useAgents();
  const { data: alerts = [] } = useAlerts();
  const mayResume = useMay('risk:manage');
  const halted = agents.filter(({ pauseCause }) => pauseCause === 'emergency_halt');
  const resume = useMutation({
    mutationFn: async () => {
      for (const { id } of halted) await api.resumeAgent({ id });
    },
    onSettled: () => refresh('agents', 'alerts'),
  });
  if (halted.length === 0) return null;
  const alert = alerts.find(isHalt);
  return (
    <div className="banner" role="alert">
      <strong>Halted</strong>
      <span>
        {alert === undefined ? '' : `at ${clockAndZone(alert.at)} `}· {count(halted.length, 'agent')} paused
      </span>
      <span className="space" />
      {mayResume ? (
        <Button size="compact-xs" variant="white" color="red.9" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume {count(halted.length, 'agent')}
        </Button>
      ) : (
        <span>A member with risk:manage resumes them</span>
      )}
      <Refusal error={resume.error} />
    </div>
  );
}
