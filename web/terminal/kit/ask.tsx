/** Confirmation dialogs of changes. They may ask for a reason and show a refusal. */
import { Button, Modal, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { refresh } from '../api.ts';
import { clickOnce, keyOnce, submits } from './browser.ts';
import { describeError, Refusal } from './refusal.tsx';

interface DialogProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  /** Text of the confirming button. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** False while its fields are incomplete. */
  readonly isReady?: boolean;
  readonly change: { readonly error: unknown; readonly isPending: boolean; mutate(): void; reset(): void };
  /** Consequences of the change, and its fields. */
  readonly children: ReactNode;
}

/**
 * Dialog that confirms a change. It begins at the field that asks for the focus, or at the confirming button. A refusal that arrives after
 * it was closed is a notification.
 */
export function Dialog({ isOpen, close, title, confirm, isDangerous = false, isReady = true, change, children }: DialogProps) {
  const { error, isPending } = change;
  // Known at once, and not only once the page is drawn again.
  const isUnderWay = useRef(false);
  useEffect(() => {
    isUnderWay.current = isPending;
  }, [isPending, error]);
  const leave = () => {
    if (!isUnderWay.current) change.reset();
    close();
  };
  const confirmed = submits(() => {
    isUnderWay.current = true;
    change.mutate();
  });
  useEffect(() => {
    if (isOpen || error == null) return;
    notifications.show({ color: 'red', title: `${confirm}: not done`, message: describeError(error) });
    change.reset();
  }, [error, isOpen]);
  return (
    <Modal opened={isOpen} onClose={leave} title={title} centered closeButtonProps={{ 'aria-label': 'Close dialog' }}>
      <form className="ask" onSubmit={confirmed}>
        {children}
        <Refusal error={error} />
        <div className="buttons">
          <Button variant="default" onClick={leave}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDangerous ? 'red.9' : 'blue'}
            loading={isPending}
            disabled={!isReady}
            onKeyDown={keyOnce}
            onClick={clickOnce()}
            {...(isReady ? { 'data-autofocus': true } : {})}
          >
            {confirm}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

export interface AskProps extends Pick<DialogProps, 'title' | 'isDangerous' | 'isReady' | 'children'> {
  /** Text of the button. */
  readonly verb: string;
  /** Text of the confirming button, if it differs. */
  readonly confirm?: string;
  /** Accessible name of the button if several rows have the same verb. */
  readonly name?: string;
  /** A reason is asked for and recorded. */
  readonly reason?: 'required' | 'optional';
  readonly done: string;
  /** Names of the queries to read again after the change. */
  readonly changes: readonly string[];
  readonly act: (reason: string) => Promise<unknown>;
  readonly isOff?: boolean;
  /** Called as the dialog opens. */
  readonly begin?: () => void;
}

/** Button with a confirmation dialog. */
export function Ask({
  verb,
  confirm = verb,
  name = verb,
  reason,
  done,
  changes,
  act,
  isOff = false,
  isReady = true,
  begin,
  children,
  ...dialog
}: AskProps) {
  const [isOpen, setOpen] = useState(false);
  const [why, setWhy] = useState('');
  const acting = useMutation({
    mutationFn: () => act(why.trim()),
    onSuccess: () => {
      setOpen(false);
      refresh(...changes);
      notifications.show({ color: 'teal', message: done });
    },
  });
  // Begins anew each time: what was written for a change that was cancelled is not of the next one.
  const open = () => {
    setWhy('');
    begin?.();
    setOpen(true);
  };
  return (
    <>
      <Button size="compact-xs" variant="default" disabled={isOff} aria-label={name} onClick={open}>
        {verb}
      </Button>
      <Dialog
        {...dialog}
        isOpen={isOpen}
        close={() => setOpen(false)}
        confirm={confirm}
        change={acting}
        isReady={isReady && (reason !== 'required' || why.trim() !== '')}
      >
        {children}
        {reason !== undefined && <Reason isRequired={reason === 'required'} why={why} write={setWhy} />}
      </Dialog>
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
