/** Store of books. Fills and transfers are booked in double entry together with the book's state, in the transaction of their step. */
import type { SentPart } from '../../../../actors/proposal/protocol.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import {
  accountPays,
  applyBroughtIn,
  applyFill,
  applyFunding,
  applyRescaling,
  applySettlement,
  applyTransfer,
  broughtInBy,
  emptyBook,
  type Fill,
  type OpenProposal,
  type Position,
  readBookId,
  type Rescaling,
  settledByAccount,
  type Settlement,
  type TradingBook,
} from '../../../domain/books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import {
  type LedgerEntry,
  ledgerOfBroughtIn,
  ledgerOfFill,
  ledgerOfFunding,
  ledgerOfOpening,
  ledgerOfRescaling,
  ledgerOfSettlement,
  ledgerOfTransfer,
} from '../../../domain/books/ledger.ts';
import type { FundingPayment } from '../../../domain/orders/funding.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { writeShadowOrders } from '../gates/shadow-store.ts';
import { UnreadableRow } from '../../../domain/values/value-text.ts';
import { type Sql, send, type Transaction } from '../database.ts';
import type { Query } from '../queries.ts';

/** Owner of a book, without its state. */
export interface BookHead {
  readonly id: string;
  readonly orgId: string;
  /** Null for a manual book. */
  readonly agentId: string | null;
  readonly mode: ExecutionMode;
  /** Manifest version of an agent's paper book; null for other books. */
  readonly manifestVersion: number | null;
}

/** Book as stored. `version` counts bookings; 0 means none. */
export interface StoredBook extends BookHead {
  readonly version: number;
  readonly state: TradingBook;
}

/** Content of a `fill` record. The first fill opens a book: an agent's paper book with its manifest's capital, any other with nothing. */
export interface FillRecord extends ActorRecord {
  readonly type: 'fill';
  readonly orgId: string;
  readonly fill: Fill;
  /** Required version of the book, if given. */
  readonly expectedVersion?: number;
  /** Sent and filled part of the order. At the shadow stage it is measured. */
  readonly sent?: SentPart;
}

/** Content of a `ledger` record: a payment into the book (positive) or out of it (negative). */
export interface LedgerRecord extends ActorRecord {
  readonly type: 'ledger';
  readonly orgId: string;
  readonly bookId: string;
  readonly amountUsd: DecimalString;
  /** Unique name of the transfer, which is booked once. */
  readonly reference: string;
  readonly at: EpochMs;
  readonly expectedVersion?: number;
}

/** Content of a `book_day` record: the equity at the first mark of a UTC day. Later ones of the same day are ignored. */
export interface BookDayRecord extends ActorRecord {
  readonly type: 'book_day';
  readonly bookId: string;
  readonly day: EpochMs;
  readonly dayStartEquityUsd: DecimalString;
  /** Version of the valued book; absent if it cannot have changed. */
  readonly version?: number;
}

/** Thrown if a book is not at the decision's version. Nothing of the step is written. */
export class BookMoved extends Error {
  readonly bookId: string;

  constructor(bookId: string, expected: number, found: number) {
    super(`book ${bookId} is at version ${found}, not ${expected}`);
    this.bookId = bookId;
  }
}

/** Figures of a book as stored. */
export interface BookFigures {
  capital_usd: string;
  cash_usd: string;
  holdings: readonly Position[];
  realized_pnl_usd: string;
  fees_usd: string;
  funding_usd: string;
  fills: number;
  turnover_usd: string;
  slippage_usd: string;
}

/** Converts a stored book's figures to the domain's. */
export function toBookFigures(row: BookFigures) {
  return {
    capitalUsd: plainDecimal(row.capital_usd),
    cashUsd: plainDecimal(row.cash_usd),
    holdings: row.holdings,
    realizedPnlUsd: plainDecimal(row.realized_pnl_usd),
    feesUsd: plainDecimal(row.fees_usd),
    fundingUsd: plainDecimal(row.funding_usd),
    fills: row.fills,
    turnoverUsd: plainDecimal(row.turnover_usd),
    slippageUsd: plainDecimal(row.slippage_usd),
  };
}

interface BookRow extends BookFigures {
  id: string;
  org_id: string;
  agent_id: string | null;
  mode: ExecutionMode;
  manifest_version: number | null;
  version: number;
  day: number | null;
  day_start_equity_usd: string | null;
}

/** @throws Error for figures that no fills and transfers can produce */
function requireSound(row: BookRow, openProposals: readonly OpenProposal[]): void {
  const money = [row.capital_usd, row.cash_usd, row.realized_pnl_usd, row.fees_usd, row.funding_usd, row.turnover_usd, row.slippage_usd];
  const amounts = [
    ...row.holdings.flatMap(({ quantity, costUsd }) => [quantity, costUsd]),
    ...openProposals.map(({ notionalUsd }) => notionalUsd),
  ];
  for (const figure of [...money, ...amounts]) if (!new Decimal(figure).isFinite()) throw new Error(`${figure} is not an amount`);
  for (const { instrument, quantity } of row.holdings)
    if (!new Decimal(quantity).gt(0)) throw new Error(`it holds ${quantity} ${instrument}`);
  if (row.fills > 0 && !new Decimal(row.turnover_usd).gt(0))
    throw new Error(`${row.fills} fills came to a turnover of ${row.turnover_usd}`);
}

function storedBook(row: BookRow, openProposals: readonly OpenProposal[]): StoredBook {
  requireSound(row, openProposals);
  return {
    id: row.id,
    orgId: row.org_id,
    agentId: row.agent_id,
    mode: row.mode,
    manifestVersion: row.manifest_version,
    version: row.version,
    state: {
      id: row.id,
      mode: row.mode,
      ...toBookFigures(row),
      day: row.day,
      dayStartEquityUsd: row.day_start_equity_usd === null ? null : plainDecimal(row.day_start_equity_usd),
      openProposals,
    },
  };
}

const COLUMNS = [
  'id',
  'org_id',
  'agent_id',
  'mode',
  'manifest_version',
  'version',
  'capital_usd',
  'cash_usd',
  'holdings',
  'realized_pnl_usd',
  'fees_usd',
  'funding_usd',
  'fills',
  'turnover_usd',
  'slippage_usd',
  'day',
  'day_start_equity_usd',
];

interface OpenRow {
  book_id: string;
  org_id: string;
  agent_id: string;
  mode: ExecutionMode;
  manifest_version: number;
  capital_usd: string;
  id: string;
  instrument: OpenProposal['instrument'];
  side: OpenProposal['side'];
  quantity: string;
  notional_usd: string;
  /** False for the paper book of an earlier manifest version. */
  is_active: boolean;
}

type Found = { readonly books: readonly BookRow[]; readonly open: readonly OpenRow[] };

/** Receives an unreadable book; null stands for the manual book. */
type OnUnreadable = (agentId: string | null, row: UnreadableRow) => void;

const refuseUnreadable: OnUnreadable = (_, row) => {
  throw row;
};

/** Joins books with their open proposals. A book without bookings is returned in its opening state. */
function joined({ books, open }: Found, onUnreadable: OnUnreadable = refuseUnreadable): StoredBook[] {
  const waiting = new Map<string, OpenProposal[]>();
  const untouched = new Map<string, StoredBook>();
  const known = new Set(books.map(({ id }) => id));
  for (const row of open) {
    const { id, instrument, side, quantity, notional_usd } = row;
    const others = waiting.get(row.book_id) ?? [];
    others.push({ id, instrument, side, quantity, notionalUsd: plainDecimal(notional_usd) });
    waiting.set(row.book_id, others);
    if (known.has(row.book_id)) continue;
    const paper = row.mode === 'paper';
    untouched.set(row.book_id, {
      id: row.book_id,
      orgId: row.org_id,
      agentId: row.agent_id,
      mode: row.mode,
      manifestVersion: paper ? row.manifest_version : null,
      version: 0,
      state: { ...emptyBook(row.book_id, row.mode, paper ? row.capital_usd : '0'), openProposals: others },
    });
  }
  const stored = books.flatMap((row) => {
    try {
      return [storedBook(row, waiting.get(row.id) ?? [])];
    } catch (error) {
      onUnreadable(row.agent_id, new UnreadableRow(`the book ${row.id}`, error));
      return [];
    }
  });
  return [...stored, ...untouched.values()];
}

/**
 * Reads the books in which agents trade now, by book id: the live one and the active manifest version's paper one. Leaves out books without
 * bookings and open proposals.
 */
export async function readTradedBooks(
  sql: Sql | Transaction,
  agentIds: readonly string[],
  onUnreadable?: OnUnreadable,
): Promise<ReadonlyMap<string, StoredBook>> {
  if (agentIds.length === 0) return new Map();
  const ids = agentIds as string[];
  const books = await sql<BookRow[]>`
    select ${sql(COLUMNS.map((column) => `b.${column}`))} from books b join traders a on a.id = b.agent_id
    where b.agent_id = any(${ids}::uuid[]) and (b.mode = 'live' or b.manifest_version = a.manifest_version)`;
  const open = await openProposals(sql, sql`a.id = any(${ids}::uuid[])`);
  return new Map(joined({ books, open }, onUnreadable).map((book) => [book.id, book]));
}

/** Reads every book of agents by book id, including the paper books of earlier manifest versions, whose positions can still be closed. */
export async function readAllBooks(sql: Sql, agentIds: readonly string[]): Promise<ReadonlyMap<string, StoredBook>> {
  const ids = agentIds as string[];
  const books = await sql<BookRow[]>`select ${sql(COLUMNS)} from books where agent_id = any(${ids}::uuid[])`;
  const open = await openProposals(sql, sql`a.id = any(${ids}::uuid[])`, true);
  return new Map(joined({ books, open }).map((book) => [book.id, book]));
}

/** Reads a book without open proposals, as a manual one is; null if nothing was booked to it. */
export function bookById(sql: Sql | Transaction, orgId: string, bookId: string): Query<StoredBook | null> {
  return {
    statement: sql`
      select id, org_id, agent_id, mode, manifest_version, version, capital_usd::text, cash_usd::text, holdings, realized_pnl_usd::text,
        fees_usd::text, funding_usd::text, fills, turnover_usd::text, slippage_usd::text, day, day_start_equity_usd::text
      from books where id = ${bookId} and org_id = ${orgId}`,
    read: ([row]: BookRow[]) => (row === undefined ? null : storedBook(row, [])),
  };
}

/** Reads manual books whose last day began before a UTC day, one by one, because one may be unreadable. */
export async function manualBooksBefore(sql: Sql, day: EpochMs): Promise<readonly { id: string; orgId: string; read: () => StoredBook }[]> {
  const rows = await sql<BookRow[]>`select ${sql(COLUMNS)} from books where agent_id is null and (day is null or day < ${day}) order by id`;
  return rows.map((row) => ({ id: row.id, orgId: row.org_id, read: () => storedBook(row, []) }));
}

/**
 * Reads the books of organizations in one mode, for weights and duplicate exposure. Leaves out paper books of inactive manifest versions,
 * and unreadable books, which `onUnreadable` receives: the next tick quarantines their agents.
 */
export async function booksOfOrganizations(
  sql: Sql | Transaction,
  orgIds: readonly string[],
  mode: ExecutionMode,
  onUnreadable: OnUnreadable = () => {},
): Promise<readonly StoredBook[]> {
  if (orgIds.length === 0) return [];
  const ids = orgIds as string[];
  const books = await sql<BookRow[]>`
    select ${sql(COLUMNS.map((column) => `b.${column}`))} from books b left join traders a on a.id = b.agent_id
    where b.org_id = any(${ids}::uuid[]) and b.mode = ${mode} and (b.manifest_version is null or b.manifest_version = a.manifest_version)
    order by b.number`;
  const open = await openProposals(sql, sql`a.org_id = any(${ids}::uuid[]) and p.mode = ${mode}`);
  return joined({ books, open }, onUnreadable);
}

/** Reads the books of an organization in one mode, with paper books of earlier manifest versions that still hold positions. */
export async function readHeldBooks(sql: Sql, orgId: string, mode: ExecutionMode): Promise<readonly StoredBook[]> {
  const books = await sql<BookRow[]>`
    select ${sql(COLUMNS.map((column) => `b.${column}`))} from books b left join traders a on a.id = b.agent_id
    where b.org_id = ${orgId} and b.mode = ${mode}
      and (b.manifest_version is null or b.manifest_version = a.manifest_version or b.holdings <> '[]')
    order by b.number`;
  const held = new Set(books.map(({ id }) => id));
  const open = await openProposals(sql, sql`a.org_id = ${orgId} and p.mode = ${mode}`, true);
  const shown = open.filter((row) => row.is_active || held.has(row.book_id));
  return joined({ books, open: shown }, () => {});
}

/**
 * Reads open proposals of agents, of the active manifest version unless `everyVersion`. The states are literals to match a partial index; a
 * test compares them with the domain's.
 */
async function openProposals(sql: Sql | Transaction, whose: ReturnType<Sql>, everyVersion = false): Promise<readonly OpenRow[]> {
  return sql<OpenRow[]>`
    select p.book_id, p.org_id, p.agent_id, p.mode, p.manifest_version, coalesce(readable_json(m.canonical)->>'maxCapitalUsd', '0') as capital_usd,
      p.id, p.instrument, p.order_body->>'side' as side, coalesce(p.execution->>'left', p.order_body->>'quantity') as quantity, p.notional_usd,
      (p.mode = 'live' or p.manifest_version = a.manifest_version) as is_active
    from traders a join proposals p on p.agent_id = a.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')
    join manifests m on m.agent_id = p.agent_id and m.version = p.manifest_version
    where ${whose} and (${everyVersion} or p.mode = 'live' or p.manifest_version = a.manifest_version) order by p.number`;
}

/** Booking of one fill, transfer, settlement, payment of funding or change of a multiplier. */
interface Booking {
  readonly orgId: string;
  readonly bookId: string;
  readonly entry: LedgerEntry;
  readonly apply: (state: TradingBook) => TradingBook;
  readonly fill: Fill | null;
  readonly expectedVersion: number | undefined;
  /** Id of the decision. All bookings of a decision expect the version that the first one finds. */
  readonly decision: string;
}

function bookingsOfFills(records: readonly ActorRecord[]): readonly Booking[] {
  return (records as readonly FillRecord[]).map(
    ({ orgId, fill, expectedVersion }): Booking => ({
      orgId,
      bookId: fill.bookId,
      entry: ledgerOfFill(fill),
      apply: (state) => applyFill(state, fill),
      fill,
      expectedVersion,
      decision: fill.orderId,
    }),
  );
}

/**
 * Locks the book of fills that are written later and passes it to `writeFills`. Several books are locked in order when they are written.
 */
export async function lockBookOfFills(transaction: Transaction, records: readonly ActorRecord[]): Promise<LockedBooks | null> {
  const bookings = bookingsOfFills(records);
  return bookings.every(({ bookId }) => bookId === bookings[0]?.bookId) ? lockedStates(transaction, bookings) : null;
}

/** Books fills: their rows, ledger legs and the book's new state. @throws BookMoved */
export async function writeFills(transaction: Transaction, records: readonly ActorRecord[], ahead?: LockedBooks | null): Promise<void> {
  await writeBookings(transaction, bookingsOfFills(records), ahead);
  await writeShadowOrders(transaction, records as readonly FillRecord[]);
}

/** Books transfers. Opens a missing live or manual book with nothing. @throws BookMoved */
export async function writeTransfers(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  const bookings = (records as readonly LedgerRecord[]).map(
    ({ orgId, bookId, amountUsd, reference, at, expectedVersion }): Booking => ({
      orgId,
      bookId,
      entry: ledgerOfTransfer(bookId, amountUsd, reference, at),
      apply: (state) => applyTransfer(state, amountUsd),
      fill: null,
      expectedVersion,
      decision: '',
    }),
  );
  await writeBookings(transaction, bookings);
}

/** Cash of a manual book that belonged to no account. */
export interface CorrectedBook {
  readonly bookId: string;
  readonly orgId: string;
  readonly mode: ExecutionMode;
  readonly cashUsd: DecimalString;
}

/** Pays out the cash of manual books by a correcting entry each. Books that were opened with a mandate's capital hold some. */
export async function correctManualBooks(transaction: Transaction, at: EpochMs): Promise<readonly CorrectedBook[]> {
  const rows = await transaction<{ id: string; org_id: string; mode: ExecutionMode; version: number; cash_usd: string }[]>`
    select id, org_id, mode, version, cash_usd from books where agent_id is null and cash_usd <> 0 order by id for update`;
  const records = rows.map(
    ({ id: bookId, org_id: orgId, version, cash_usd }): LedgerRecord => ({
      type: 'ledger',
      orgId,
      bookId,
      amountUsd: plainDecimal(new Decimal(cash_usd).neg()),
      reference: `correction:${bookId}:${version}`,
      at,
    }),
  );
  await writeTransfers(transaction, records);
  return rows.map(({ id, org_id, mode, cash_usd }) => ({ bookId: id, orgId: org_id, mode, cashUsd: plainDecimal(cash_usd) }));
}

/** Books payouts of resolved markets. @throws Error if one was settled before, or the book's holding differs */
export async function writeSettlements(
  transaction: Transaction,
  settled: readonly { readonly orgId: string; readonly settlement: Settlement }[],
): Promise<void> {
  const bookings = settled.map(
    ({ orgId, settlement }): Booking => ({
      orgId,
      bookId: settlement.bookId,
      entry: ledgerOfSettlement(settlement),
      apply: (state) => applySettlement(state, settlement),
      fill: null,
      expectedVersion: undefined,
      decision: '',
    }),
  );
  await writeBookings(transaction, bookings);
}

/** Books funding of held hours. The caller locks the book and leaves out hours that are already booked. */
export async function writeFunding(
  transaction: Transaction,
  { orgId, bookId }: { readonly orgId: string; readonly bookId: string },
  payments: readonly FundingPayment[],
  at: EpochMs,
): Promise<void> {
  const bookings = payments.map(
    (payment): Booking => ({
      orgId,
      bookId,
      entry: ledgerOfFunding(bookId, payment, at),
      apply: (state) => applyFunding(state, payment.paidUsd),
      fill: null,
      expectedVersion: undefined,
      decision: '',
    }),
  );
  await writeBookings(transaction, bookings);
}

/** Books a new multiplier of a token. The caller locks the book and computes the quantity. */
export async function writeRescaling(transaction: Transaction, orgId: string, rescaling: Rescaling): Promise<void> {
  const booking: Booking = {
    orgId,
    bookId: rescaling.bookId,
    entry: ledgerOfRescaling(rescaling),
    apply: (state) => applyRescaling(state, rescaling),
    fill: null,
    expectedVersion: undefined,
    decision: '',
  };
  await writeBookings(transaction, [booking]);
}

/** Starts UTC days of books. Skips books that are not open, which are still at their capital. */
export async function writeBookDays(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  const days = records as readonly BookDayRecord[];
  await transaction`
    update books set day = r.day, day_start_equity_usd = r."dayStartEquityUsd"
    from (select b.id, r.day, r."dayStartEquityUsd"
      from jsonb_to_recordset(${transaction.json(days)}) as r("bookId" text, day bigint, "dayStartEquityUsd" numeric, version int)
      join books b on b.id = r."bookId" and b.version = coalesce(r.version, b.version) order by b.id for update of b) r
    where books.id = r.id and (books.day is null or books.day < r.day)`;
}

interface LockedBook {
  readonly version: number;
  readonly state: TradingBook;
  /** Existing accounts as `<kind> <asset>`: all in dollars, and those of the booked assets. */
  readonly accounts: readonly string[];
}

/** Locked books by id. */
type LockedBooks = Map<string, LockedBook>;

/**
 * Writes bookings in order. Books are locked in order of their ids, so that two transactions cannot deadlock, and read after locking. (A
 * step with several kinds of bookings locks kind after kind; a deadlock is then retried.)
 */
async function writeBookings(transaction: Transaction, bookings: readonly Booking[], ahead: LockedBooks | null = null): Promise<void> {
  const { opened, states } = await openedAndLocked(transaction, bookings, ahead);
  const last = new Map<string, Booking>();
  const entries: LedgerEntry[] = [];
  for (const booking of bookings) {
    const { bookId, entry, apply, fill, expectedVersion, decision } = booking;
    const { version, state, accounts } = states.get(bookId) as LockedBook;
    const before = last.get(bookId);
    const goesOn = before !== undefined && before.decision === decision && before.expectedVersion === expectedVersion;
    if (expectedVersion !== undefined && expectedVersion !== version && !goesOn) throw new BookMoved(bookId, expectedVersion, version);
    last.set(bookId, booking);
    const broughtIn = fill === null ? null : broughtInBy(fill, state);
    if (fill !== null && broughtIn !== null) entries.push(ledgerOfBroughtIn(bookId, broughtIn, fill.id));
    const booked = apply(broughtIn === null ? state : applyBroughtIn(state, broughtIn));
    entries.push(entry, ...entriesOfAccount(entry, booked));
    states.set(bookId, { version: version + 1, state: isManual(bookId) ? settledByAccount(booked) : booked, accounts });
  }
  writeEntries(transaction, [...opened, ...entries], states);
  writeStates(transaction, bookings, states);
  const fills = bookings.flatMap(({ fill }) => (fill === null ? [] : [fill]));
  if (fills.length > 0) insertFills(transaction, fills);
}

function isManual(bookId: string): boolean {
  return readBookId(bookId)?.agentId === null;
}

/** Returns the payments of a manual book's account for the last booking. */
function entriesOfAccount({ id, bookId, at }: LedgerEntry, booked: TradingBook): readonly LedgerEntry[] {
  const amountUsd = accountPays(booked);
  return isManual(bookId) && amountUsd !== '0' ? [ledgerOfTransfer(bookId, amountUsd, id, at)] : [];
}

/**
 * Locks books. Missing ones are opened first, with the ledger entries of their capital. A single book needs no order and is looked up by
 * its lock.
 */
async function openedAndLocked(
  transaction: Transaction,
  bookings: readonly Booking[],
  ahead: LockedBooks | null,
): Promise<{ readonly opened: readonly LedgerEntry[]; readonly states: LockedBooks }> {
  const ids = [...new Set(bookings.map(({ bookId }) => bookId))];
  const locked = ids.length === 1 ? (ahead ?? (await lockedStates(transaction, bookings))) : null;
  if (locked !== null && locked.size > 0) return { opened: [], states: locked };
  const known = new Set((await transaction<{ id: string }[]>`select id from books where id = any(${ids}::text[])`).map(({ id }) => id));
  const opened = await openBooks(
    transaction,
    bookings.filter(({ bookId }) => !known.has(bookId)),
  );
  return { opened, states: await lockedStates(transaction, bookings) };
}

/** Opens books by their ids and returns the ledger entries of their capital. */
async function openBooks(transaction: Transaction, bookings: readonly Booking[]): Promise<readonly LedgerEntry[]> {
  if (bookings.length === 0) return [];
  const first = new Map<string, Booking>();
  for (const booking of bookings) if (!first.has(booking.bookId)) first.set(booking.bookId, booking);
  const rows = [...first.values()].map(({ orgId, bookId, entry }) => {
    const name = readBookId(bookId);
    if (name === null || (name.orgId ?? orgId) !== orgId) throw new Error(`${bookId} names no book of organization ${orgId}`);
    return { ...name, id: bookId, orgId, at: entry.at };
  });
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  const opened = await transaction<{ id: string; capital_usd: string; opened_at: number }[]>`
    insert into books (id, org_id, agent_id, mode, manifest_version, capital_usd, cash_usd, opened_at, changed_at)
    select r.id, r."orgId", r."agentId", r.mode, r."manifestVersion", c.capital, c.capital, r.at, r.at
    from jsonb_to_recordset(${transaction.json(rows)})
      as r(id text, "orgId" uuid, "agentId" uuid, mode text, "manifestVersion" int, at bigint)
    left join manifests m on m.agent_id = r."agentId" and m.version = r."manifestVersion",
    lateral (select coalesce((m.canonical::jsonb->>'maxCapitalUsd')::numeric, 0) as capital) c
    order by r.id on conflict (id) do nothing returning id, capital_usd, opened_at`;
  return opened.flatMap(({ id, capital_usd, opened_at }) => ledgerOfOpening(id, plainDecimal(capital_usd), opened_at) ?? []);
}

async function lockedStates(transaction: Transaction, bookings: readonly Booking[]): Promise<LockedBooks> {
  const owners = new Map(bookings.map(({ bookId, orgId }) => [bookId, orgId]));
  const assets = [...new Set(bookings.flatMap(({ entry }) => entry.legs.map(({ asset }) => asset)))];
  const rows = await transaction<(BookRow & { accounts: readonly string[] | null })[]>`
    select ${transaction(COLUMNS)}, (
      select array_agg(a.kind || ' ' || a.asset) from ledger_accounts a
      where a.book_id = books.id and (a.kind in ('cash', 'capital', 'fees') or a.asset = any(${assets}::text[]))
    ) as accounts
    from books where id = any(${[...owners.keys()]}::text[]) order by id for update`;
  const states = new Map<string, LockedBook>();
  for (const row of rows) {
    if (owners.get(row.id) !== row.org_id) throw new Error(`book ${row.id} belongs to another organization`);
    states.set(row.id, { version: row.version, state: storedBook(row, []).state, accounts: row.accounts ?? [] });
  }
  return states;
}

/** Sends transactions, new accounts and legs, with one statement each. */
function writeEntries(transaction: Transaction, entries: readonly LedgerEntry[], books: ReadonlyMap<string, LockedBook>): void {
  const legs = entries.flatMap(({ id, bookId, legs: parts }) =>
    parts.map(({ kind, asset, amount }, index) => ({ transactionId: id, bookId, leg: index + 1, kind, asset, amount })),
  );
  send(
    transaction,
    transaction`
    insert into ledger_transactions (id, book_id, kind, at, legs)
    select id, "bookId", kind, at, legs from jsonb_to_recordset(${transaction.json(entries.map(({ id, bookId, kind, at, legs: { length } }, order) => ({ id, bookId, kind, at, legs: length, order })))})
      as r(id text, "bookId" text, kind text, at bigint, legs int, "order" int) order by "order"`,
  );
  const fresh = legs.filter(({ bookId, kind, asset }) => books.get(bookId)?.accounts.includes(`${kind} ${asset}`) !== true);
  if (fresh.length > 0)
    send(
      transaction,
      transaction`
      insert into ledger_accounts (book_id, kind, asset)
      select distinct "bookId", kind, asset from jsonb_to_recordset(${transaction.json(fresh)}) as r("bookId" text, kind text, asset text)
      on conflict do nothing`,
    );
  send(
    transaction,
    transaction`
    insert into ledger_legs (transaction_id, leg, account_id, amount)
    select r."transactionId", r.leg, (select a.id from ledger_accounts a where a.book_id = r."bookId" and a.kind = r.kind and a.asset = r.asset), r.amount
    from jsonb_to_recordset(${transaction.json(legs)})
      as r("transactionId" text, "bookId" text, leg int, kind text, asset text, amount numeric)`,
  );
}

function insertFills(transaction: Transaction, fills: readonly Fill[]): void {
  send(
    transaction,
    transaction`
    insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
    select id, "orderId", "bookId", instrument, side, quantity, "fillPrice", "feeUsd", "notionalUsd", "decisionPrice", "slippageBps", at, quotes
    from jsonb_to_recordset(${transaction.json(fills.map((fill, order) => ({ ...fill, order })))})
      as r(id text, "orderId" text, "bookId" text, instrument text, side text, quantity numeric, "fillPrice" numeric, "feeUsd" numeric,
        "notionalUsd" numeric, "decisionPrice" numeric, "slippageBps" float8, at bigint, quotes jsonb, "order" int) order by "order"`,
  );
}

function writeStates(transaction: Transaction, bookings: readonly Booking[], states: ReadonlyMap<string, LockedBook>): void {
  const lastAt = new Map(bookings.map(({ bookId, entry }) => [bookId, entry.at]));
  const rows = [...states.entries()].map(([id, { version, state }]) => ({ ...state, id, version, at: lastAt.get(id) }));
  send(
    transaction,
    transaction`
    update books set version = r.version, capital_usd = r."capitalUsd", cash_usd = r."cashUsd", holdings = r.holdings,
      realized_pnl_usd = r."realizedPnlUsd", fees_usd = r."feesUsd", funding_usd = r."fundingUsd", fills = r.fills, turnover_usd = r."turnoverUsd",
      slippage_usd = r."slippageUsd", day_start_equity_usd = r."dayStartEquityUsd", changed_at = r.at
    from jsonb_to_recordset(${transaction.json(rows)})
      as r(id text, version bigint, "capitalUsd" numeric, "cashUsd" numeric, holdings jsonb, "realizedPnlUsd" numeric, "feesUsd" numeric,
        "fundingUsd" numeric, fills int, "turnoverUsd" numeric, "slippageUsd" numeric, "dayStartEquityUsd" numeric, at bigint)
    where books.id = r.id and books.id = any(${rows.map(({ id }) => id)}::text[])`,
  );
}
