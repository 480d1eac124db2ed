/** What-if questions: applies events to a copy of the actor at the selected step and shows the branch. Nothing is written. */
import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { countText, eventWord, stateText } from '../../words.js';
import { api, type ActorBranch } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { BranchAccount } from './account.tsx';
import { changed } from './history.tsx';
import type { StateValue, Taken } from './layout.ts';
import { submits } from '../kit/browser.ts';

interface Props {
  readonly id: string;
  readonly version: number;
  /** Events that the machine accepts at the step. */
  readonly takes: readonly string[];
  /** Shows a step of the branch on the chart. Null returns to the selected step. */
  readonly light: (taken: Taken | null) => void;
}

interface BranchEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function WhatIf({ id, version, takes, light }: Props) {
  const [chosen, setChosen] = useState('');
  const [fields, setFields] = useState('');
  const asking = useMutation({
    mutationFn: (events: readonly BranchEvent[]) => api.askWhatIf({ id, body: { version, events } }),
    onSuccess: ({ steps }) => {
      const last = steps.at(-1);
      if (last !== undefined) light(toTaken(last));
    },
  });
  const [events, setEvents] = useState<readonly BranchEvent[]>([]);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => () => light(null), [light]);
  const branch = asking.data;
  const offered = branch?.takes ?? takes;
  const type = offered.includes(chosen) ? chosen : (offered[0] ?? '');
  const ask = submits(() => {
    const more = parseFields(fields);
    setWrong(more === null ? 'The fields must be a JSON object, for example { "cause": "operator" }.' : null);
    if (more === null) return;
    const next = [...(branch === undefined ? [] : events), { ...more, type }];
    setEvents(next);
    asking.mutate(next);
  });
  const discard = () => {
    asking.reset();
    setEvents([]);
    light(null);
  };
  return (
    <form className="what-if" onSubmit={ask} aria-label="What if">
      <p className="faint">Sends an event to a copy of the actor after step {countText(version)}. Nothing is stored or executed.</p>
      <EventFields offered={offered} type={type} choose={setChosen} fields={fields} write={setFields} wrong={wrong} />
      <div className="buttons">
        {branch !== undefined && (
          <Button variant="default" onClick={discard}>
            Discard branch
          </Button>
        )}
        <Button type="submit" disabled={type === ''} loading={asking.isPending}>
          {branch === undefined ? 'What if' : 'And then'}
        </Button>
      </div>
      <Refusal error={asking.error} />
      {branch !== undefined && <Branch branch={branch} light={light} />}
    </form>
  );
}

interface FieldsProps {
  readonly offered: readonly string[];
  readonly type: string;
  readonly choose: (type: string) => void;
  readonly fields: string;
  readonly write: (text: string) => void;
  readonly wrong: string | null;
}

const EventFields = ({ offered, type, choose, fields, write, wrong }: FieldsProps) => (
  <>
    <NativeSelect
      label="Event"
      id="what-if-event"
      disabled={offered.length === 0}
      data={offered.map((value) => ({ value, label: eventWord(value) }))}
      value={type}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
    <Textarea
      label="Event fields (JSON)"
      rows={3}
      spellCheck={false}
      placeholder='{ "cause": "operator" }'
      value={fields}
      error={wrong}
      onChange={({ currentTarget }) => write(currentTarget.value)}
    />
  </>
);

const Branch = ({ branch, light }: { readonly branch: ActorBranch; readonly light: Props['light'] }) => (
  <ol className="branch" aria-label="Branch">
    {branch.steps.map((step, place) => {
      const { from, to, event } = toTaken(step);
      return (
        <li key={`${place} ${event}`} data-taken={step.taken}>
          <button type="button" className="plain" onClick={() => light({ from, to, event })}>
            {eventWord(event)}
          </button>{' '}
          <small>{step.taken && from !== null ? changed(from, to) : `stays ${stateText(to)}`}</small>
          <BranchAccount step={step} />
        </li>
      );
    })}
  </ol>
);

const toTaken = ({ from, to, event }: ActorBranch['steps'][number]): Taken => ({
  from: from as StateValue | null,
  to: to as StateValue,
  event: String(event['type']),
});

/** Returns the parsed fields, or null if the text is not a JSON object. */
function parseFields(text: string): { readonly [field: string]: unknown } | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [field: string]: unknown }) : null;
  } catch {
    return null;
  }
}
