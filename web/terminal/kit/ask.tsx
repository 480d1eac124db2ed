/** Button with a confirmation dialog, which may ask for a reason and shows a refusal. */
import { Button, Modal, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { refresh } from '../api.ts';
import { Refusal } from './refusal.tsx';

export interface AskProps {
  /** Text of the button and of the confirming one. */
  readonly verb: string;
  /** Accessible name of the button if several rows have the same verb. */
  readonly name?: string;
  readonly title: string;
  readonly isDangerous?: boolean;
  /** A reason is asked for and recorded. */
  readonly reason?: 'required' | 'optional';
  readonly done: string;
  /** Names of the queries to read again after the change. */
  readonly changes: readonly string[];
  readonly act: (reason: string) => Promise<unknown>;
  readonly isOff?: boolean;
  /** False while its fields are incomplete. */
  readonly isReady?: boolean;
  /** Consequences of the action, and its fields. */
  readonly children: ReactNode;
}

export function Ask({
  verb,
  name = verb,
  title,
  isDangerous = false,
  reason,
  done,
  changes,
  act,
  isOff = false,
  isReady = true,
  children,
}: AskProps) {
  const [isOpen, setOpen] = useState(false);
  const [why, setWhy] = useState('');
  const acting = useMutation({
    mutationFn: () => act(why.trim()),
    onSuccess: () => {
      setOpen(false);
      setWhy('');
      refresh(...changes);
      notifications.show({ color: 'teal', message: done });
    },
  });
  const close = () => {
    acting.reset();
    setOpen(false);
  };
  return (
    <>
      <Button size="compact-xs" variant="default" disabled={isOff} aria-label={name} onClick={() => setOpen(true)}>
        {verb}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered closeButtonProps={{ 'aria-label': 'Close dialog' }}>
        <form
          className="ask"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            acting.mutate();
          }}
        >
          {children}
          {reason !== undefined && <Reason isRequired={reason === 'required'} why={why} write={setWhy} />}
          <Refusal error={acting.error} />
          <Answers
            verb={verb}
            color={isDangerous ? 'red.9' : 'blue'}
            isActing={acting.isPending}
            isReady={isReady && (reason !== 'required' || why.trim() !== '')}
            cancel={close}
          />
        </form>
      </Modal>
    </>
  );
}

interface ReasonProps {
  readonly isRequired: boolean;
  readonly why: string;
  readonly write: (why: string) => void;
}

const Reason = ({ isRequired, why, write }: ReasonProps) => (
  <TextInput
    label={isRequired ? 'Reason' : 'Reason (optional)'}
    description="Recorded with your name."
    required={isRequired}
    maxLength={500}
    data-autofocus
    value={why}
    onChange={({ currentTarget }) => write(currentTarget.value)}
  />
);

interface AnswersProps {
  readonly verb: string;
  readonly color: string;
  readonly isActing: boolean;
  readonly isReady: boolean;
  readonly cancel: () => void;
}

const Answers = ({ verb, color, isActing, isReady, cancel }: AnswersProps) => (
  <div className="buttons">
    <Button variant="default" onClick={cancel}>
      Cancel
    </Button>
    <Button type="submit" color={color} loading={isActing} disabled={!isReady}>
      {verb}
    </Button>
  </div>
);
