/** Input of one field of a manifest, by its kind. */
import { type ComboboxRenderPillInput, MultiSelect, Pill, Select, TextInput } from '@mantine/core';
import { capitalized, plain } from '../../../words.js';
import { type Field, objectionTo } from './manifest-form.ts';

interface FieldInputProps {
  readonly field: Field;
  readonly label: string;
  readonly text: string | readonly string[];
  readonly change: (text: string | readonly string[]) => void;
  /** Problem reported by the service, or null. */
  readonly problem: string | null;
}

const UNITS: Readonly<Record<string, string>> = { pct: '%', usd: 'USD', rsi: 'RSI', ema: 'EMA' };

/** `maxCapitalUsd` is `Max capital (USD)`, and `stop_loss_pct` is `Stop loss (%)`. */
export function spaced(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const shown = words.replace(/\w+/g, (word) => UNITS[word] ?? word);
  return capitalized(shown.replace(/ (%|USD|bps|hours)$/, ' ($1)'));
}

/** One of several chosen values. Its remove button has a name. */
export const chosenPill = ({ option: { label, value }, onRemove = () => {} }: ComboboxRenderPillInput) => (
  <Pill withRemoveButton onRemove={onRemove} removeButtonProps={{ 'aria-label': `Remove ${label ?? String(value)}` }}>
    {label ?? String(value)}
  </Pill>
);

export function FieldInput({ field, label, text, change, problem }: FieldInputProps) {
  const { kind, choices, isRequired, allowed, meaning } = field;
  const common = { size: 'xs', label, error: problem, title: meaning, wrapperProps: { 'data-field': field.name } } as const;
  if (kind === 'choices')
    return (
      <MultiSelect
        {...common}
        data={choices.map((value) => ({ value, label: plain(value).toLowerCase() }))}
        renderPill={chosenPill}
        value={typeof text === 'string' ? [] : [...text]}
        onChange={change}
      />
    );
  if (kind === 'choice' || kind === 'boolean')
    return (
      <Select
        {...common}
        clearable={!isRequired}
        clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
        allowDeselect={!isRequired}
        placeholder={allowed === '' ? 'not set' : plain(allowed)}
        data={
          kind === 'boolean'
            ? [
                { value: 'true', label: 'yes' },
                { value: 'false', label: 'no' },
              ]
            : choices.map((value) => ({ value, label: plain(value) }))
        }
        value={text === '' ? null : String(text)}
        onChange={(value) => change(value ?? '')}
      />
    );
  const shown = String(text);
  return (
    <TextInput
      {...common}
      placeholder={allowed}
      inputMode={kind === 'number' || kind === 'decimal' ? 'decimal' : 'text'}
      value={shown}
      error={problem ?? (shown === '' ? null : objectionTo(field, shown))}
      onChange={({ currentTarget }) => change(kind === 'text' ? currentTarget.value : currentTarget.value.trim())}
    />
  );
}
