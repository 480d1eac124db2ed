/** Saved views of a table: its filters, hidden columns and order, under names of the member's choice, in this browser. */
import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMe } from '../member.ts';
import { isPhone } from './browser.ts';
import { pressed, readSort, sortText } from './order-rows.ts';
import { orderOf } from './order-texts.ts';
import { keep, readKept } from './store.ts';

/** Values of the filters. `hidden` has the numbers of hidden columns from 1, and `sort` the order as `sortText` writes it. */
type Values = Readonly<Record<string, string>>;

interface Kept {
  readonly now: Values;
  readonly saved: Readonly<Record<string, Values>>;
}

interface TableValues {
  readonly hidden: string;
  readonly sort: string;
}

export type View = ReturnType<typeof useView>;

/**
 * State of a table. Its order and columns outlive the page, its filters only if they are saved.
 * @param first Values of the filters before any choice.
 * @param withoutOnPhone Columns that a phone leaves out before any choice, so that the figures are in sight.
 */
export function useView<Filters extends Values>(table: string, first: Filters, withoutOnPhone = '') {
  const key = `sevengate.terminal.views.${table}.${useMe().subject}`;
  const [kept, setKept] = useState(() => readViews(key));
  const unchosen: TableValues = { hidden: isPhone() ? withoutOnPhone : '', sort: '' };
  const values = { ...unchosen, ...first, ...kept.now };
  const write = (next: Kept): void => {
    setKept(next);
    keep(key, JSON.stringify(next));
  };
  const sort = readSort(values.sort);
  const set = (change: Partial<Filters & TableValues>): void => write({ ...kept, now: { ...kept.now, ...(change as Values) } });
  return {
    values,
    set,
    saved: Object.keys(kept.saved).toSorted((a, b) => a.localeCompare(b)),
    save: (name: string) => write({ ...kept, saved: { ...kept.saved, [name]: values } }),
    choose: (name: string) => write({ ...kept, now: kept.saved[name] ?? {} }),
    remove: (name: string) => write({ ...kept, saved: Object.fromEntries(Object.entries(kept.saved).filter(([one]) => one !== name)) }),
    /** For the head of the table. */
    sorting: { sort, press: (column: number) => write({ ...kept, now: { ...kept.now, sort: sortText(pressed(sort, column)) } }) },
    /** Returns the rows in the chosen order, by the texts of their cells. */
    inOrder<Row>(rows: readonly Row[], textsOf: (row: Row) => readonly (string | null | undefined)[]): readonly Row[] {
      if (sort === null) return rows;
      const texts = rows.map((row) => textsOf(row)[sort.column] ?? '');
      return orderOf(texts, sort).map((place) => rows[place] as Row);
    },
  };
}

function readViews(key: string): Kept {
  try {
    const { now, saved } = JSON.parse(readKept(key) ?? '{}') as Partial<Kept>;
    // A forgotten filter would hide rows on the next visit.
    const { hidden, sort = '' } = now ?? {};
    return { now: { sort, ...(hidden === undefined ? {} : { hidden }) }, saved: saved ?? {} };
  } catch {
    return { now: {}, saved: {} };
  }
}

interface ViewsProps {
  readonly view: Pick<View, 'values' | 'saved' | 'save' | 'choose' | 'remove'> & {
    set(change: { readonly hidden: string }): void;
  };
  /** Titles of the columns. The first one names the row and stays. */
  readonly titles: readonly string[];
}

/** Button that opens the saved views and the choice of columns. */
export function Views({ view, titles }: ViewsProps) {
  const [name, setName] = useState('');
  const hidden = view.values.hidden.split(' ').filter((place) => place !== '');
  const toggle = (place: string): void =>
    view.set({ hidden: (hidden.includes(place) ? hidden.filter((one) => one !== place) : [...hidden, place]).join(' ') });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    view.save(name.trim());
    setName('');
  };
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default">Views</Button>
      </Popover.Target>
      <Popover.Dropdown className="views" aria-label="Views">
        {view.saved.map((one) => (
          <div key={one} className="part-head">
            <button type="button" className="plain" onClick={() => view.choose(one)}>
              {one}
            </button>
            <span className="space" />
            <Button size="compact-xs" variant="default" aria-label={`Delete view ${one}`} onClick={() => view.remove(one)}>
              Delete
            </Button>
          </div>
        ))}
        <form className="part-head" onSubmit={save}>
          <TextInput
            size="xs"
            aria-label="Name of the view"
            placeholder="Save as"
            maxLength={40}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" size="xs" disabled={name.trim() === ''}>
            Save view
          </Button>
        </form>
        {titles.slice(1).map((title, place) => (
          <Checkbox
            key={title}
            size="xs"
            label={title}
            checked={!hidden.includes(String(place + 2))}
            onChange={() => toggle(String(place + 2))}
          />
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}
