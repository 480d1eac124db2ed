/**
 * All background loops of the service. `runEvery` and recurring work take their names from this list, so a new loop must be added here. A
 * loop over rows names one row: it handles each in its `ContainedLoop`, and the fault matrix of the tests runs it over poisoned tables. A
 * loop without rows states why no row can stop it.
 */

interface Loop {
  /** Name of one row of the loop, or null if it has none. */
  readonly row: string | null;
  /** Reason why no stored row can stop it. Required if `row` is null. */
  readonly why?: string;
}

const TALLY = 'deletes by age alone, and reads no value of a row';

export const LOOPS = {
  timers: { row: 'a due timer' },
  activities: { row: 'an activity' },
  'renewing activities': { row: null, why: 'renews leases by key' },
  dispatcher: { row: 'a period of slots' },
  'looking for overdue work': { row: null, why: 'carries each piece of work by itself, and reads slots' },
  'renewing work': { row: null, why: 'renews one claim' },
  "comparing this machine's clock": { row: null, why: 'reads the clock of PostgreSQL' },
  breakers: { row: 'a book with live capital' },
  'breakers of Takes': { row: 'a book with live capital' },
  'reading Takes of older readings': { row: 'a Take' },
  'going on with halts': { row: "an organization's halt" },
  'closing positions': { row: 'a book that is to be flat' },
  'orders that rest': { row: 'an order' },
  'following what bridges push': { row: 'a bridge provider' },
  'pricing vaults': { row: 'a vault' },
  'beginning days of manual books': { row: 'a manual book' },
  'booking funding': { row: 'a book' },
  'booking new multipliers': { row: 'a book' },
  'liquidating perpetuals': { row: 'a book' },
  'settling resolved prediction markets': { row: 'a position' },
  'refreshing the leaderboard': { row: 'a wallet' },
  'comparing what vaults claim with what is held': { row: 'an organization' },
  checkpoints: { row: 'an actor' },
  'looking for stalled shards': { row: null, why: 'counts shards and quarantined rows' },
  'replay sessions': { row: null, why: 'looks at sessions in memory' },
  'forgetting old answers': { row: null, why: TALLY },
  'forgetting old announcements': { row: null, why: TALLY },
  'forgetting old inputs': { row: null, why: TALLY },
  'forgetting old activities': { row: null, why: TALLY },
  'forgetting old imports': { row: null, why: TALLY },
  'forgetting old intelligence': { row: null, why: TALLY },
  'moving old history': { row: null, why: 'moves whole days as text that it does not read, and must not leave a row of a day behind' },
  'evaluation runs': { row: null, why: 'claims runs one by one, each with an end of its own' },
  'renewing evaluation runs': { row: null, why: 'renews leases by id' },
  'assessing paper and shadow stages': { row: 'an agent' },
  'the duty of the feed': { row: null, why: 'renews a lease; what it begins reads rows through `what the feed observes`' },
  'what the feed observes': { row: 'a manifest' },
  'measuring shadow orders': { row: 'a shadow order' },
  'reading the listed tokens': { row: null, why: 'a token that cannot stand in the catalog is left out and logged' },
  'reading whose account at the exchange is whose': { row: null, why: 'reads ids and instants' },
  'keeping the log of signed batches': {
    row: null,
    why: 'the log is one chain: a batch that does not follow stops it, and readiness says so',
  },
} as const satisfies Readonly<Record<string, Loop>>;

export type LoopName = keyof typeof LOOPS;

/** Names of recurring work in the queue and the store. The dispatcher looks once per period. */
export type WorkName = LoopName | `slots of ${number} ms`;

/** Loops that handle rows. */
export type RowLoop = { [Name in LoopName]: (typeof LOOPS)[Name]['row'] extends null ? never : Name }[LoopName];
