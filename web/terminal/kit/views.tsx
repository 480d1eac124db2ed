/** Saved views of a table: its filters, hidden columns and order, under names of the member's choice. */
import { Button, Checkbox, Popover } from '@mantine/core';
import { useState } from 'react';
import { openSetting } from '../kept-settings.ts';
import { useMe } from '../member.ts';
import { submits } from './browser.ts';
import { keep, readKept, useStore } from './store.ts';
import { useOrder } from './table-order.ts';
import { Written } from '../kit/form.tsx';

/** Values of the filters. `hidden` has the numbers of hidden columns from 1, and `sort` the order as `3down`. */
type Values = Readonly<Record<string, string>>;

type Saved = ReadonlyMap<string, Values>;
type Choices = Readonly<Record<string, readonly string[]>>;

interface TableValues {
  readonly hidden: string;
  readonly sort: string;
}

const UNCHOSEN: TableValues = { hidden: '', sort: '' };

export type View = ReturnType<typeof useView>;

/**
 * State of a table. Its order and columns outlive the page in this browser. Saved views follow the member, with the filters.
 * @param first Values of the filters before any choice.
 * @param choices Values of filters that the page must know.
 */
export function useView<Filters extends Values>(table: string, first: Filters, choices: Choices = {}) {
  const key = `sevengate.terminal.views.${table}.${useMe().subject}`;
  const setting = openSetting(`views-${table}`);
  const saved = readSaved(useStore(setting));
  const [now, setNow] = useState(() => readNow(key));
  const values = { ...UNCHOSEN, ...first, ...now };
  const write = (next: Values): void => {
    setNow(next);
    keep(key, JSON.stringify(next));
  };
  const keepSaved = (next: Saved): void => setting.set(JSON.stringify(Object.fromEntries(next)));
  const order = useOrder(values.sort, (sort) => write({ ...now, sort }));
  const set = (change: Partial<Filters & TableValues>): void => write({ ...now, ...(change as Values) });
  return {
    values,
    set,
    saved: [...saved.keys()].toSorted((a, b) => a.localeCompare(b)),
    save: (name: string) => keepSaved(new Map(saved).set(name, values)),
    choose: (name: string) => write(possible(saved.get(name) ?? {}, choices)),
    remove: (name: string) => keepSaved(new Map([...saved].filter(([one]) => one !== name))),
    order,
  };
}

/** Reads the order and columns. A forgotten filter would hide rows on the next visit. */
function readNow(key: string): Values {
  const { hidden, sort = '' } = valuesIn(parsed(readKept(key) ?? ''));
  return { sort, ...(hidden === undefined ? {} : { hidden }) };
}

const readSaved = (text: string): Saved => new Map(Object.entries(parsed(text)).map(([name, values]) => [name, valuesIn(values)]));

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

const valuesIn = (found: unknown): Values =>
  Object.fromEntries(Object.entries(Object(found) as object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Leaves out values of filters that they do not have. */
const possible = (values: Values, choices: Choices): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !Object.hasOwn(choices, name) || choices[name]?.includes(value)));

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
  const save = submits(() => {
    view.save(name.trim());
    setName('');
  });
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
          <Written size="xs" aria-label="Name of the view" placeholder="Save as" maxLength={40} value={name} write={setName} />
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
