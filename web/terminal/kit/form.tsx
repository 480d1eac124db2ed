/** Forms defined by lists of fields, with refusals shown at their fields. */
import {
  Button,
  NativeSelect,
  SegmentedControl,
  type SegmentedControlProps,
  Textarea,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { capitalized, plain } from '../../words.js';
import { type ApiError, refresh } from '../api.ts';
import { Ask, type AskProps } from './ask.tsx';
import { isAmount } from './decimal.ts';
import { Refusal } from './refusal.tsx';
import { submits } from './browser.ts';

export interface Field<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** Meaning of the field, beneath its label. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** `amount` is a number above zero, `number` any number as text, `code` no spelling, `area` several lines. */
  readonly kind?: 'text' | 'amount' | 'number' | 'code' | 'area';
  readonly choices?: readonly (string | { readonly value: string; readonly label: string })[];
  readonly isOptional?: boolean;
  readonly maxLength?: number;
}

export type Texts<Name extends string> = Readonly<Record<Name, string>>;

interface FieldsProps<Name extends string> {
  readonly fields: readonly Field<Name>[];
  readonly texts: Texts<Name>;
  readonly write: (name: Name, text: string) => void;
  /** Refusal, which may name a field. */
  readonly refused?: ApiError | null;
  readonly isFixed?: boolean;
}

export const Fields = <Name extends string>({ fields, texts, write, refused = null, isFixed = false }: FieldsProps<Name>) =>
  fields.map((field) => (
    <Input
      key={field.name}
      field={field}
      text={texts[field.name]}
      write={(text) => write(field.name, text)}
      problem={findProblem(refused, field.name)}
      isFixed={isFixed}
    />
  ));

const findProblem = (refused: ApiError | null, field: string): string | null =>
  refused?.fields.find(({ path }) => path === `$.${field}` || path.endsWith(`.${field}`))?.problem ?? null;

interface InputProps {
  readonly field: Field<string>;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly problem: string | null;
  readonly isFixed: boolean;
}

function Input({ field: { label, hint, placeholder, kind = 'text', choices, maxLength }, text, write, problem, isFixed }: InputProps) {
  const same = {
    label,
    description: hint,
    value: text,
    error: problem ?? (kind === 'amount' && text !== '' && !isAmount(text) ? 'Enter a number above zero, such as 500.' : null),
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      write(kind === 'amount' || kind === 'number' ? value.trim().replace(/^\$/, '').replaceAll(',', '') : value),
  };
  if (choices !== undefined) return <NativeSelect {...same} data={[...choices]} disabled={isFixed} />;
  const written = { ...same, placeholder, maxLength, readOnly: isFixed };
  if (kind === 'area') return <Textarea {...written} autosize minRows={2} />;
  const isNumber = kind === 'amount' || kind === 'number';
  return <TextInput {...written} spellCheck={kind === 'text'} {...(isNumber ? { inputMode: 'decimal' } : {})} />;
}

interface WrittenProps extends Omit<TextInputProps, 'onChange'> {
  readonly write: (text: string) => void;
}

/** Text field outside of a form. */
export const Written = ({ write, ...field }: WrittenProps) => (
  <TextInput {...field} onChange={({ currentTarget }) => write(currentTarget.value)} />
);

interface SegmentsProps<Value extends string> extends Omit<SegmentedControlProps, 'data' | 'value' | 'onChange'> {
  readonly label: string;
  /** Values, or their texts if those are not the values in words. */
  readonly of: readonly Value[] | Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly choose: (value: Value) => void;
}

/** Choice of one among few, all in sight. */
export const Segments = <Value extends string>({ label, of, choose, ...control }: SegmentsProps<Value>) => (
  <SegmentedControl
    {...control}
    aria-label={label}
    data={Object.entries<string>(Array.isArray(of) ? Object.fromEntries(of.map((one) => [one, capitalized(plain(one))])) : of).map(
      ([value, text]) => ({ value, label: text }),
    )}
    onChange={(value) => choose(value as Value)}
  />
);

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly (Value | { readonly value: Value; readonly label: string })[];
  /** Text of the choice “all”, whose value is empty. */
  readonly every?: string;
  readonly value: Value | '';
  readonly choose: (value: Value) => void;
}

/** Select that filters a page. */
export const Choice = <Value extends string>({ label, choices, every, value, choose }: ChoiceProps<Value>) => (
  <NativeSelect
    aria-label={label}
    data={[
      ...(every === undefined ? [] : [{ value: '', label: every }]),
      ...choices.map((one) => (typeof one === 'string' ? { value: one as string, label: plain(one) } : one)),
    ]}
    value={value}
    onChange={({ currentTarget }) => choose(currentTarget.value as Value)}
  />
);

const isComplete = <Name extends string>(fields: readonly Field<Name>[], texts: Texts<Name>): boolean =>
  fields.every(({ name, kind, isOptional = false }) => {
    const text = texts[name].trim();
    return text === '' ? isOptional : kind !== 'amount' || isAmount(text);
  });

export function useTexts<Name extends string>(first: Texts<Name>) {
  const [texts, setTexts] = useState(first);
  const write = (name: Name, text: string): void => setTexts((before) => ({ ...before, [name]: text }));
  const trimmed = Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, text.trim()])) as Texts<Name>;
  return { texts, trimmed, write, forget: () => setTexts(first) };
}

interface FormProps<Name extends string, Answer> {
  readonly fields: readonly Field<Name>[];
  readonly first: Texts<Name>;
  readonly verb: string;
  readonly send: (texts: Texts<Name>) => Promise<Answer>;
  /** Names of the queries to read again after the change. */
  readonly changes?: readonly string[];
  readonly onDone?: (answer: Answer) => void;
  readonly look?: string;
  /** Further fields. */
  readonly children?: ReactNode;
  /** Shows the answer. */
  readonly answer?: (answer: Answer, forget: () => void) => ReactNode;
}

/** Form on the page. It is emptied after a success; refused input stays. */
export function Form<Name extends string, Answer>(props: FormProps<Name, Answer>) {
  const { fields, first, verb, send, changes = [], onDone, look = 'inline-form address-form bottom', children, answer } = props;
  const { texts, trimmed, write, forget } = useTexts(first);
  const sending = useMutation({
    mutationFn: () => send(trimmed),
    onSuccess: (answered) => {
      forget();
      onDone?.(answered);
    },
    // A request whose answer was lost may have had its effect.
    onSettled: () => refresh(...changes),
  });
  return (
    <>
      <form className={look} onSubmit={submits(() => sending.mutate())}>
        <Fields fields={fields} texts={texts} write={write} />
        {children}
        <Button type="submit" variant="default" className="at-bottom" loading={sending.isPending} disabled={!isComplete(fields, texts)}>
          {verb}
        </Button>
      </form>
      <Refusal error={sending.error} />
      {sending.data !== undefined && answer?.(sending.data, sending.reset)}
    </>
  );
}

interface AskFormProps<Name extends string> extends Omit<AskProps, 'act' | 'children' | 'isReady'> {
  readonly fields: readonly Field<Name>[];
  readonly first: Texts<Name>;
  readonly act: (texts: Texts<Name>) => Promise<unknown>;
  readonly children?: ReactNode;
}

/** A button that asks for fields in a dialog before it acts. */
export function AskForm<Name extends string>({ fields, first, act, children, ...ask }: AskFormProps<Name>) {
  const { texts, trimmed, write, forget } = useTexts(first);
  return (
    <Ask {...ask} begin={forget} isReady={isComplete(fields, texts)} act={() => act(trimmed)}>
      {children}
      <Fields fields={fields} texts={texts} write={write} />
    </Ask>
  );
}

const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Provides idempotency keys: the same request keeps its key until it is over, so that a retry after a lost answer has one effect. */
export const useOnce = () =>
  useMemo(() => {
    let kept: { readonly wish: string; readonly key: string } | null = null;
    return {
      keyOf(wish: unknown): string {
        const text = JSON.stringify(wish);
        if (kept?.wish !== text) kept = { wish: text, key: newKey() };
        return kept.key;
      },
      over(): void {
        kept = null;
      },
    };
  }, []);
