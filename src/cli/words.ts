/** Parsers of command-line arguments and printers of results. */
import { InvalidArgumentError } from 'commander';
import { PERMISSIONS, type Permission } from '../domain/agents/agent.ts';
import { Decimal } from '../domain/values/decimal.ts';
import { type Unit, wholeQuantity } from '../domain/values/quantity.ts';
import { unseenIn } from '../domain/values/shown-text.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Prints a result to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Creates a parser of ids. @throws InvalidArgumentError naming `what` */
export const uuid =
  (what: string) =>
  (text: string): string => {
    if (!UUID.test(text)) throw new InvalidArgumentError(`${what} is a UUID, for example b36a8930-5b1e-8c00-a000-000000000001`);
    return text.toLowerCase();
  };

/** Parses permissions separated by commas. */
export function permissions(list: string): Permission[] {
  return list.split(',').map((word) => {
    const permission = PERMISSIONS.find((known) => known === word.trim());
    if (!permission) throw new InvalidArgumentError(`${JSON.stringify(word)} is not one of ${PERMISSIONS.join(', ')}`);
    return permission;
  });
}

/** Creates a parser of names with 1 to `most` characters. @throws InvalidArgumentError naming `what` */
export const named =
  (what: string, most = 255) =>
  (text: string): string => {
    if (text.trim() === '' || text.length > most || !text.isWellFormed())
      throw new InvalidArgumentError(`${what} has 1 to ${most} characters, and here are ${text.trim() === '' ? 'none' : text.length}`);
    const unseen = unseenIn(text);
    if (unseen !== null) throw new InvalidArgumentError(`${what} has ${unseen}, an invisible character`);
    return text;
  };

/** Parses a port. @throws InvalidArgumentError if it is invalid */
export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535)) throw new InvalidArgumentError('a port from 0 to 65535 is needed.');
  return number;
}

/** Units of typed numbers: the default unit, the accepted units, and how many of them make one default unit. */
const TYPED = {
  number: { units: ['number', 'thousands'], per: 1 },
  usd: { units: ['number', 'thousands', 'usd'], per: 1 },
  percent: { units: ['number', 'percent'], per: 1 },
  hours: { units: ['number', 'hours'], per: 1 },
  days: { units: ['number', 'hours'], per: 24 },
} as const satisfies Record<string, { readonly units: readonly Unit[]; readonly per: number }>;

/**
 * Creates a parser of numbers as people write them, for example "1,000", "$1k", "10 %" or "2 weeks", read as in a thesis.
 * @param wanted describes valid values in the error, such as "a number of days from 1 to 90"
 * @throws InvalidArgumentError if the text is invalid or ambiguous
 */
export const quantity =
  (unit: keyof typeof TYPED, wanted: string, isAllowed: (value: number) => boolean = () => true) =>
  (text: string): number => {
    const { units, per } = TYPED[unit];
    const found = wholeQuantity(text, units);
    if ('question' in found) throw new InvalidArgumentError(`${found.question} Needed: ${wanted}.`);
    const value = new Decimal(found.value).div(found.unit === 'hours' ? per : 1).toNumber();
    if (!isAllowed(value)) throw new InvalidArgumentError(`${JSON.stringify(text)} is out of range. Needed: ${wanted}.`);
    return value;
  };

/** Creates a parser of integers as people write them, from `least` to `most`. @throws InvalidArgumentError if the text is invalid */
export const count = (least: number, most: number, unit: keyof typeof TYPED = 'number') =>
  quantity(
    unit,
    `a whole number${unit === 'number' ? '' : ` of ${unit}`} from ${least} to ${most}`,
    (value) => Number.isInteger(value) && value >= least && value <= most,
  );
