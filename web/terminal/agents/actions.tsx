/** Actions on one agent: pause, resume, release, close positions, set autonomy, sign off. Irreversible ones ask for confirmation. */
import { Button, Menu, Select, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { plain, readSymbol } from '../../words.js';
import { type Agent, api } from '../api.ts';
import { Dialog } from '../kit/ask.tsx';
import { isAmount } from '../kit/decimal.ts';
import { Written } from '../kit/form.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { refreshAgent, useBooks } from './data.ts';

type Asked = 'pause' | 'close' | 'autonomy' | 'signOff' | null;

const LEVELS = ['research', 'suggest', 'confirm', 'risk_only', 'policy_auto', 'autonomous'] as const;

/** Makes a change, then reads the agent again, also after a failure. */
export const useChange = (change: () => Promise<unknown>, done: string, after?: () => void) =>
  useMutation({
    mutationFn: change,
    onSuccess: () => {
      notifications.show({ color: 'teal', message: done });
      after?.();
    },
    onSettled: refreshAgent,
  });

export function Actions({ agent }: { readonly agent: Agent }) {
  const { id, paused, pauseCause, stage } = agent;
  // A dialog begins anew each time: a choice that was cancelled is not the present one.
  const [{ asked, opening }, setAsked] = useState<{ readonly asked: Asked; readonly opening: number }>({ asked: null, opening: 0 });
  const ask = (what: Asked) => setAsked((before) => ({ asked: what, opening: before.opening + 1 }));
  const [mayTrade, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  const resume = useChange(() => api.resumeAgent({ id }), 'Resumed.');
  const release = useChange(() => api.releaseAgent({ id }), 'Released. It stays paused until you resume it.');
  const close = () => setAsked((before) => ({ ...before, asked: null }));
  const mayStop = mayTrade || mayManage;
  return (
    <div className="agent-actions">
      {pauseCause === 'quarantine' && mayManage && (
        <Button variant="default" loading={release.isPending} onClick={() => release.mutate()}>
          Release
        </Button>
      )}
      {paused && mayManage && (
        <Button color="teal.9" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {!paused && mayStop && (
        <Button variant="default" onClick={() => ask('pause')}>
          Pause
        </Button>
      )}
      {mayTrade && (
        <Button component="a" variant="default" href={`#/agents/${id}/edit`}>
          Edit rules
        </Button>
      )}
      <More id={id} ask={ask} mayTrade={mayTrade} mayStop={mayStop} maySign={mayManage && stage === 'limited_live'} />
      <Refusal error={resume.error ?? release.error} />
      <PauseDialog agent={agent} isOpen={asked === 'pause'} close={close} />
      <CloseDialog key={`close ${opening}`} agent={agent} isOpen={asked === 'close'} close={close} />
      <AutonomyDialog key={`${agent.autonomy} ${opening}`} agent={agent} isOpen={asked === 'autonomy'} close={close} />
      <SignOffDialog key={`sign off ${opening}`} agent={agent} isOpen={asked === 'signOff'} close={close} />
    </div>
  );
}

interface MoreProps {
  readonly id: string;
  readonly ask: (what: Asked) => void;
  readonly mayTrade: boolean;
  readonly mayStop: boolean;
  readonly maySign: boolean;
}

const More = ({ id, ask, mayTrade, mayStop, maySign }: MoreProps) => (
  <Menu position="bottom-end" withinPortal={false}>
    <Menu.Target>
      <Button variant="default">More</Button>
    </Menu.Target>
    <Menu.Dropdown>
      {mayTrade && <Menu.Item onClick={() => ask('autonomy')}>Set autonomy</Menu.Item>}
      {maySign && <Menu.Item onClick={() => ask('signOff')}>Sign off live capital</Menu.Item>}
      {mayTrade && (
        <Menu.Item component="a" href={`#/agents/${id}/clone`}>
          Clone
        </Menu.Item>
      )}
      {mayStop && (
        <Menu.Item color="red" onClick={() => ask('close')}>
          Close positions
        </Menu.Item>
      )}
      <Menu.Item component="a" href={`#/actors/${id}`}>
        Time travel
      </Menu.Item>
      <Menu.Item component="a" href={`#/launches/new?agent=${id}`}>
        Launch a token
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

interface DialogProps {
  readonly agent: Agent;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function PauseDialog({ agent: { id, name }, isOpen, close }: DialogProps) {
  const change = useChange(() => api.pauseAgent({ id }), 'Paused.', close);
  return (
    <Dialog isOpen={isOpen} close={close} title={`Pause ${name}?`} confirm="Pause" change={change}>
      <p>It stops deciding and its pending proposals are cancelled. Its positions stay open.</p>
    </Dialog>
  );
}

function CloseDialog({ agent: { id, name }, isOpen, close }: DialogProps) {
  const { data: books = [] } = useBooks(id);
  const held = [...new Set(books.flatMap(({ positions }) => positions.map(({ instrument }) => instrument)))];
  const [instrument, setInstrument] = useState<string | null>(null);
  const [limitPrice, setLimit] = useState('');
  const body = { ...(instrument === null ? {} : { instrument }), ...(limitPrice === '' ? {} : { limitPrice }) };
  const change = useChange(() => api.closeAgentPositions({ id, body }), 'Paused. Its positions are being sold.', close);
  const isWrong = limitPrice !== '' && !isAmount(limitPrice);
  return (
    <Dialog
      isOpen={isOpen}
      close={close}
      title={`Close the positions of ${name}?`}
      confirm="Close positions"
      change={change}
      isDangerous
      isReady={!isWrong}
    >
      <p>
        {held.length === 0
          ? 'It holds nothing. It is paused, and anything that still fills is sold.'
          : 'It is paused and its positions are sold, with another try each minute until all are closed. Resuming it cancels this.'}
      </p>
      <Select
        label="Sell"
        placeholder="All positions"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear what is sold' }}
        data={held.map((key) => ({ value: key, label: readSymbol(key) }))}
        value={instrument}
        onChange={setInstrument}
      />
      <Written
        label="Min price"
        description="Leave it empty to sell at the market price."
        inputMode="decimal"
        value={limitPrice}
        error={isWrong ? 'Enter a number above zero.' : null}
        write={(text) => setLimit(text.trim())}
      />
    </Dialog>
  );
}

function AutonomyDialog({ agent: { id, autonomy: now }, isOpen, close }: DialogProps) {
  const [autonomy, setAutonomy] = useState<(typeof LEVELS)[number]>(now);
  const change = useChange(() => api.setAgentAutonomy({ id, body: { autonomy } }), `Autonomy set to ${plain(autonomy)}.`, close);
  return (
    <Dialog isOpen={isOpen} close={close} title="Autonomy" confirm="Set" change={change}>
      <p>At research it places no orders, at confirm it asks before each one, at autonomous it never asks.</p>
      <Select
        label="Level"
        data={LEVELS.map((value) => ({ value, label: plain(value) }))}
        value={autonomy}
        onChange={(value) => value !== null && setAutonomy(value)}
      />
    </Dialog>
  );
}

function SignOffDialog({ agent: { id, name }, isOpen, close }: DialogProps) {
  const [word, setWord] = useState<'approve' | 'refuse'>('approve');
  const [comment, setComment] = useState('');
  const approved = word === 'approve';
  const change = useChange(
    () => api.signOffAgent({ id, body: { approved, comment: comment.trim() } }),
    approved ? 'Signed off.' : 'Refused.',
    close,
  );
  return (
    <Dialog
      isOpen={isOpen}
      close={close}
      title={`Live capital for ${name}`}
      confirm={approved ? 'Approve' : 'Refuse'}
      change={change}
      isDangerous={!approved}
    >
      <p>The newest sign-off counts. It holds for this manifest and this stay at limited live only.</p>
      <Select
        label="Decision"
        data={[
          { value: 'approve', label: 'Approve live capital' },
          { value: 'refuse', label: 'Refuse live capital' },
        ]}
        value={word}
        onChange={(value) => setWord(value === 'refuse' ? 'refuse' : 'approve')}
      />
      <Textarea
        label="Reason"
        autosize
        minRows={3}
        maxLength={2_000}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
      />
    </Dialog>
  );
}
