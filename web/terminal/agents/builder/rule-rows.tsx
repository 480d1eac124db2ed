/** Rules of one side of a manifest as rows: indicator, comparison and value. */
import { Button, Select } from '@mantine/core';
import { plain } from '../../../words.js';
import { FieldInput, spaced } from './field-input.tsx';
import { conditionForm, emptyRow, moved, type RuleRow, type Side } from './manifest-draft.ts';
import { type ManifestForm, splitConditionType } from './manifest-form.ts';
import { conditionSentence } from '../rules.ts';

interface RuleRowsProps {
  readonly side: Side;
  readonly form: ManifestForm;
  readonly rows: readonly RuleRow[];
  readonly change: (rows: readonly RuleRow[]) => void;
  /** Problem reported by the service at a path below the list, such as `[0].pct`. */
  readonly problemOf: (path: string) => string | null;
}

const TITLES = { entry: 'Buys when all are true', exit: 'Sells when any is true' } as const;

export function RuleRows({ side, form, rows, change, problemOf }: RuleRowsProps) {
  const set = (at: number, row: RuleRow) => change(rows.with(at, row));
  return (
    <section className="rule-side" data-side={side} aria-label={TITLES[side]}>
      <h2>{TITLES[side]}</h2>
      {rows.length === 0 && <p className="empty">No rule yet. Add one below.</p>}
      <ol>
        {rows.map((row, at) => (
          // Rows keep no state of their own, so the index is a safe key.
          <li key={`${at} of ${side}`} className="rule">
            <Rule side={side} form={form} row={row} change={(next) => set(at, next)} problemOf={(path) => problemOf(`[${at}]${path}`)} />
            <div className="rule-buttons">
              <Place label={`Move up: ${row.type}`} sign="↑" isOff={at === 0} act={() => change(moved(rows, at, at - 1))} />
              <Place label={`Move down: ${row.type}`} sign="↓" isOff={at === rows.length - 1} act={() => change(moved(rows, at, at + 1))} />
              <Place label={`Remove: ${row.type}`} sign="×" isOff={false} act={() => change(rows.toSpliced(at, 1))} />
            </div>
          </li>
        ))}
      </ol>
      <Select
        aria-label={side === 'entry' ? 'Add a rule to buy' : 'Add a rule to sell'}
        placeholder="Add a rule"
        searchable
        data={form[side].map(({ type }) => ({ value: type, label: spaced(type) }))}
        value={null}
        onChange={(type) => type !== null && change([...rows, emptyRow(form, side, type)])}
      />
    </section>
  );
}

interface PlaceProps {
  readonly label: string;
  readonly sign: string;
  readonly isOff: boolean;
  readonly act: () => void;
}

const Place = ({ label, sign, isOff, act }: PlaceProps) => (
  <Button size="compact-xs" variant="default" disabled={isOff} onClick={act} aria-label={plain(label)}>
    {sign}
  </Button>
);

interface RuleProps {
  readonly side: Side;
  readonly form: ManifestForm;
  readonly row: RuleRow;
  readonly change: (row: RuleRow) => void;
  readonly problemOf: (path: string) => string | null;
}

function Rule({ side, form, row, change, problemOf }: RuleProps) {
  const { type, texts } = row;
  const { fields, meaning } = conditionForm(form, side, type);
  const [subject, operator] = splitConditionType(type);
  const all = form[side].map((one) => splitConditionType(one.type));
  const operators = all.filter(([name]) => name === subject).map(([, compared]) => compared);
  /** Changes the type and keeps the fields that both types have. */
  const turn = (name: string, compared: string) => {
    const next = emptyRow(form, side, compared === '' ? name : `${name}_${compared}`);
    const kept = Object.entries(texts).filter(([field]) => field in next.texts);
    change({ ...next, texts: { ...next.texts, ...Object.fromEntries(kept) } });
  };
  const problem = problemOf('') ?? problemOf('.type');
  return (
    <div className="rule-fields">
      <Select
        label="Condition"
        searchable
        title={meaning}
        data={[...new Set([subject, ...all.map(([name]) => name)])].map((value) => ({ value, label: spaced(value) }))}
        value={subject}
        onChange={(name) => {
          if (name === null || name === subject) return;
          const possible = all.filter(([one]) => one === name).map(([, compared]) => compared);
          turn(name, possible.includes(operator) ? operator : (possible[0] ?? ''));
        }}
      />
      {operators.length > 1 && (
        <Select
          label="Is"
          data={operators.map((value) => ({ value, label: plain(value) }))}
          value={operator}
          onChange={(compared) => compared !== null && turn(subject, compared)}
        />
      )}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          label={spaced(field.name)}
          text={texts[field.name] ?? ''}
          change={(text) => change({ ...row, texts: { ...texts, [field.name]: text } })}
          problem={problemOf(`.${field.name}`)}
        />
      ))}
      <p className="faint rule-sentence">{conditionSentence({ type, ...texts, ...row.more })}</p>
      {problem !== null && <p className="rejection">{problem}</p>}
    </div>
  );
}
