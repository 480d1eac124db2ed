/** Columns of a table as data: title, alignment, format, and the value by which rows are sorted and searched. */
import { type ComponentProps, isValidElement, type ReactNode } from 'react';
import { priceText, quoteText, readSymbol } from '../../words.js';
import { choose } from '../place.ts';
import { Address } from './address.tsx';
import { Ago, At } from './ages.tsx';
import { Change, Gain, Large, Money, Price, Ratio } from './numbers.tsx';

type Text = string | null | undefined;
export type Value = Text | number;

/** Values with a common format. `text` is shown as it is, `long` in several lines. */
interface Formats {
  readonly text: Value;
  readonly long: Text;
  /** Key of an instrument, sorted by its symbol. */
  readonly instrument: string;
  readonly side: string;
  readonly quantity: string;
  readonly money: Text;
  readonly large: Text;
  readonly gain: Text;
  readonly price: Text;
  readonly quote: Text;
  readonly change: number | null | undefined;
  /** Ratio or percentage with two decimals. The title names its unit. */
  readonly ratio: number | null | undefined;
  readonly at: Text;
  readonly ago: Text;
  readonly address: string;
}

/** Button that opens the chart of an instrument, named by its symbol. */
export const Instrument = ({ of: key, children = readSymbol(key) }: { readonly of: string; readonly children?: ReactNode }) => (
  <button type="button" className="plain" onClick={() => choose(key)}>
    {children}
  </button>
);

/** Shows a value of one format. As a method's type, it accepts the values of its own format only. */
type Show = { show(value: Value): ReactNode }['show'];

const SHOWN: { readonly [Format in keyof Formats]: Show } = {
  text: (value) => value,
  long: (text) => <span className="long">{text}</span>,
  instrument: (key: string) => <Instrument of={key} />,
  side: (side) => <span className={side === 'buy' ? 'up' : 'down'}>{side}</span>,
  quantity: (quantity: string) => <span title={quantity}>{priceText(quantity)}</span>,
  money: (usd: Text) => <Money usd={usd} />,
  large: (usd: Text) => <Large usd={usd} />,
  gain: (usd: Text) => <Gain usd={usd} />,
  price: (price: Text) => <Price price={price} />,
  quote: (price: Text) => (price == null ? '–' : <span title={price}>{quoteText(price)}</span>),
  change: (percent: Formats['change']) => <Change percent={percent} />,
  ratio: (value: Formats['ratio']) => <Ratio value={value} />,
  at: (at: Text) => <At at={at} />,
  ago: (at: Text) => <Ago at={at} />,
  address: (address: string) => <Address address={address} />,
};
const FORMATS = Object.keys(SHOWN) as (keyof Formats)[];

/** Attributes of an element, with those that styles and tests select it by. */
export type Attributes<Tag extends 'td' | 'tr'> = ComponentProps<Tag> & {
  readonly [name: `data-${string}`]: string | number | boolean | null | undefined;
};

interface Title<Row> {
  readonly title: string;
  /** Explanation on hover. */
  readonly hint?: string;
  /** Aligned left as text, not right as a number. */
  readonly isText?: boolean;
  /** In the second colour of texts. */
  readonly isFaint?: boolean;
  /** False if its values cannot be compared. */
  readonly isSorted?: boolean;
  /** Names the row. By default, the first column does. */
  readonly isName?: boolean;
  /** True if readers look for it first: a phone shows it beside the name. */
  readonly isFigure?: boolean;
  readonly attributesOf?: (row: Row) => Attributes<'td'>;
}

type Formatted<Row> = {
  readonly [Format in keyof Formats]: { readonly [Name in Format]: (row: Row) => Formats[Format] };
}[keyof Formats];

/** Content without a common format. Its value is its text, unless a component of its own makes that. */
interface Custom<Row> {
  readonly value?: (row: Row) => Value;
  readonly cell: (row: Row) => ReactNode;
}

/** Buttons of a row. The title of their column is for screen readers only. */
interface Buttons<Row> {
  readonly buttons: (row: Row) => ReactNode;
}

export type Column<Row> = Title<Row> & (Formatted<Row> | Custom<Row> | Buttons<Row>);

/** Returns the value by which a row is sorted and found. */
export function readCellValue<Row>(column: Column<Row>, row: Row): Value {
  if ('buttons' in column) return null;
  if ('cell' in column) return column.value === undefined ? readNodeText(column.cell(row)) : column.value(row);
  if ('instrument' in column) return readSymbol(column.instrument(row));
  return findFormat(column).value(row);
}

/** Returns the text inside of elements. What a component makes of its properties is not known. */
function readNodeText(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(readNodeText).join('');
  if (isValidElement<{ readonly children?: ReactNode }>(node)) return readNodeText(node.props.children);
  return typeof node === 'string' || typeof node === 'number' ? String(node) : '';
}

export function renderCell<Row>(column: Column<Row>, row: Row): ReactNode {
  if ('buttons' in column) return column.buttons(row);
  if ('cell' in column) return column.cell(row);
  const { value, show } = findFormat(column);
  return show(value(row));
}

function findFormat<Row>(column: Formatted<Row>): { readonly value: (row: Row) => Value; readonly show: Show } {
  const format = FORMATS.find((name) => name in column) as keyof Formats;
  return { value: (column as Record<keyof Formats, (row: Row) => Value>)[format], show: SHOWN[format] };
}
