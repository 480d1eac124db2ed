/**
 * Verifies the trail independently: recomputes every hash of every agent's chains of decisions and gate records from the stored rows in
 * order of time, compares every book with its ledger, and names the first altered row. It shares only the hash rules with the code that
 * wrote the rows.
 */
import { DISPOSITIONS } from '../../domain/agents/agent.ts';
import { canonicalHash, sha256Hex } from '../../domain/values/canonical-json.ts';
import type { Observation } from '../../domain/market/cut.ts';
import { compileManifest } from '../../domain/agents/decide.ts';
import { decision, type PackedDecision } from '../../../actors/ticking/resource.ts';
import { type DecisionRow, decisionHash, GENESIS_HASH } from '../../domain/agents/decision.ts';
import { selectColumns } from './resource-rows.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { CutHashes, type Reading, compileReading } from '../../domain/agents/observed-state.ts';
import { HOUR_MS, MINUTE_MS, isoTime } from '../../domain/values/time.ts';
import { EVM_CHAIN_ID } from '../../domain/identity/evm-chain.ts';
import { verifyOutsideProposals } from './agents/outside-verifier.ts';
import { verifySteps } from './actors/step-verifier.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { verifyBooks } from './books/book-verifier.ts';
import { verifyProofs } from './callers/proof-verifier.ts';
import type { Sql, Transaction } from './database.ts';
import { type RouteSearch, searchSignedRoutes } from './orders/route-search.ts';
import { verifyGates } from './gates/gate-verifier.ts';
import { simulatedTime } from './simulated-time.ts';
import { bringBack, hasMoved } from './trail/archived-rows.ts';
import { type CutCorrection, cutCorrections } from './trail/cut-corrections.ts';
import { type SignatureOptions, type SignatureReport, verifySignatures } from './trail/signature-verifier.ts';

const AGENT_TICK_MS = MINUTE_MS;
const TAKE_TICK_MS = 30_000;
/** Milliseconds that are verified at once, so that their observations fit into memory. */
const WINDOW_MS = HOUR_MS;
/** Approximate rows per read. */
const PAGE_ROWS = 20_000;
const MAX_BREAKS = 100;

/** Difference between the trail and what was written. */
interface TrailBreak {
  readonly agentId: string | null;
  /** Slot in ISO 8601; null if the break belongs to none. */
  readonly slot: string | null;
  /** Altered part: `disposition`, `previous_hash`, `observation`, `manifest`, `missing decision`... */
  readonly part: string;
  /** Sentence with the stored and the expected value. */
  readonly detail: string;
}

export interface TrailReport {
  readonly whole: boolean;
  /** Altered rows in order of time, at most 100. */
  readonly breaks: readonly TrailBreak[];
  readonly agents: number;
  readonly decisions: number;
  readonly observations: number;
  readonly manifests: number;
  /** Number of pieces of evidence and changes of stage. */
  readonly gateRecords: number;
  readonly books: number;
  /** Number of trades that outside code proposed. */
  readonly outsideProposals: number;
  /** Number of archived periods that were read. */
  readonly archives: number;
  /** Cuts that the owner marked as wrong. Decisions on them stay; assessments ignore them. */
  readonly corrections: readonly CutCorrection[];
  /** Signed transactions whose routes paid a foreign account. They are reported but are not breaks, because the rows are unaltered. */
  readonly routes: RouteSearch;
  /** Number of wallet proofs that only a contract on the chain can verify; they were not verified. */
  readonly proofsByContracts: number;
  /** Result of verifying signatures; null if the database has no registered writers. */
  readonly signatures: SignatureReport | null;
  /** Start of this sandbox's simulated time (ISO 8601), from which rows are simulated; null if time was never shifted. */
  readonly simulatedSince: string | null;
}

interface VerifyOptions extends SignatureOptions {
  /** Folder of archive files. Without it, archived history counts as a break. */
  readonly archive?: string | null;
  /** EVM chain of signed typed data; default that of the default settings. */
  readonly evmChainId?: number;
}

/** State of one agent's chain during verification. */
interface Chain {
  readonly id: string;
  /** Milliseconds between its ticks on duty. */
  readonly periodMs: number;
  /** Periods on duty according to its steps: from inclusive, until exclusive. */
  readonly duty: readonly { readonly from: number; readonly until: number }[];
  /** Last slot that was ticked. */
  readonly tickedTo: number;
  head: string;
  /** Hash of the last row and its break if the row does not match its hash; else null. */
  doubt: { readonly hash: string; readonly found: Found } | null;
  /** Slot of the last decision; null before the first. */
  lastSlot: number | null;
}

interface StoredManifest {
  readonly hash: string;
  readonly reading: Reading;
  /** Manifest; null if the text is not JSON. */
  readonly manifest: Manifest | null;
}

/** Milliseconds between ticks by kind of actor. */
const PERIODS_MS = { agent: AGENT_TICK_MS, take: TAKE_TICK_MS } as const;

/** Formats a time; a number beyond the calendar, which a forged row may hold, is shown unchanged. */
const iso = (slot: number): string => (Math.abs(slot) <= 8.64e15 ? new Date(slot).toISOString() : String(slot));

/**
 * Verifies the whole trail in one snapshot. `progress` receives the number of verified and of all decisions. @throws Error if the database
 * was never migrated
 */
export async function verifyTrail(
  sql: Sql,
  progress?: (done: number, total: number) => void,
  options: VerifyOptions = { keys: null, since: null },
): Promise<TrailReport> {
  // Only temporary tables with archived rows are written.
  const mode = (await hasMoved(sql)) ? 'isolation level repeatable read' : 'isolation level repeatable read read only';
  return (await sql.begin(mode, (transaction) => walk(transaction, options, progress))) as TrailReport;
}

async function walk(sql: Transaction, options: VerifyOptions, progress?: (done: number, total: number) => void): Promise<TrailReport> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('decisions') is not null as ready`;
  if (ready?.ready !== true) throw new Error('this database has no decision trail: it was never migrated (sevengate migrate)');
  const found: Found[] = [];
  let breaks = 0;
  const complain: Complain = (at, agentId, part, detail, slot = at) => {
    breaks++;
    const one: Found = { at, agentId, slot: slot === null ? null : iso(slot), part, detail };
    // Periods are verified in order of time: the earliest breaks are kept.
    if (found.length < MAX_BREAKS * 10) found.push(one);
    return one;
  };

  const archives = await bringBack(sql, options.archive ?? null, complain);
  // Deleting an agent deletes its chains, but its creation is recorded elsewhere.
  const gone = await sql<{ target: string; at: number }[]>`
    select a.target, floor(extract(epoch from min(a.at)) * 1000)::bigint as at from audit a
    where a.action in ('agent.create', 'take.compile', 'take.fork') and not exists (select 1 from traders g where g.id::text = a.target) group by 1`;
  for (const { target, at } of gone) complain(at, target, 'agent', 'it was created, and nothing of it is on record', null);

  const manifests = await readManifests(sql, complain);
  const chains = await readChains(sql);
  const [extent] = await sql<{ first: number | null; last: number | null; rows: number; observations: number }[]>`
    select (select min(slot) from decisions) as first, (select max(slot) from decisions) as last,
      (select count(*) from decisions) as rows, (select count(*) from observations) as observations`;
  const total = extent?.rows ?? 0;
  let decisions = 0;
  let observations = 0;
  const first = extent?.first ?? null;
  const last = extent?.last ?? null;
  if (first !== null && last !== null) {
    const known = [...chains.values()];
    const strangers = await sql<{ agent_id: string }[]>`
      select distinct d.agent_id from decisions d where not exists (select 1 from traders a where a.id = d.agent_id)`;
    for (const { agent_id } of strangers) complain(first, agent_id, 'agent', 'decisions of an agent that is not on record', null);
    for (let from = Math.floor(first / WINDOW_MS) * WINDOW_MS; from <= last; from += WINDOW_MS) {
      const hashes = await verifyObservations(sql, from, from + WINDOW_MS, complain);
      observations += hashes.count;
      const perPage = Math.max(1, Math.floor(PAGE_ROWS / (WINDOW_MS / TAKE_TICK_MS)));
      for (let page = 0; page < known.length; page += perPage) {
        const part = known.slice(page, page + perPage);
        const rows = await sql<PackedDecision[]>`
          select ${selectColumns(sql, decision, 'd')}
          from unnest(${part.map(({ id }) => id)}::uuid[]) with ordinality as a(id, place)
          cross join lateral (select * from decisions where agent_id = a.id and slot >= ${from} and slot < ${from + WINDOW_MS} order by slot) d
          order by a.place, d.slot`;
        for (const row of rows) verifyDecision(row, chains.get(row.agentId) as Chain, manifests, hashes.bySlot, complain);
        decisions += rows.length;
        progress?.(decisions, total);
      }
      if (breaks >= MAX_BREAKS) break;
    }
  }
  if (breaks < MAX_BREAKS) for (const chain of chains.values()) verifyEnd(chain, complain);
  const beside = await verifyBeside(sql, manifests, options, complain);
  found.sort((a, b) => a.at - b.at);
  const simulatedSince = await readSimulatedSince(sql);
  return {
    whole: breaks === 0,
    breaks: found.slice(0, MAX_BREAKS).map(({ agentId, slot, part, detail }) => ({ agentId, slot, part, detail })),
    agents: chains.size,
    decisions,
    observations,
    manifests: manifests.size,
    archives,
    corrections: await cutCorrections(sql),
    ...beside,
    simulatedSince,
  };
}

/** Verifies everything except the chains of decisions. */
async function verifyBeside(
  sql: Transaction,
  manifests: ReadonlyMap<string, StoredManifest>,
  options: VerifyOptions,
  complain: Complain,
): Promise<Pick<TrailReport, 'gateRecords' | 'books' | 'outsideProposals' | 'routes' | 'proofsByContracts' | 'signatures'>> {
  const tell = (at: number, agentId: string | null, part: string, detail: string): Found => complain(at, agentId, part, detail);
  const gateRecords = await verifyGates(sql, (agentId, version) => manifests.get(`${agentId} ${version}`)?.manifest ?? null, tell);
  const books = await verifyBooks(sql, tell);
  const outsideProposals = await verifyOutsideProposals(sql, tell);
  await verifySteps(sql, tell);
  const proofsByContracts = await verifyProofs(sql, options.evmChainId ?? EVM_CHAIN_ID, tell);
  const signatures = await verifySignatures(sql, options, tell);
  return { gateRecords, books, outsideProposals, routes: await searchSignedRoutes(sql), proofsByContracts, signatures };
}

/** Returns the start of this database's simulated time; null if it was never shifted or predates that record. */
async function readSimulatedSince(sql: Transaction): Promise<string | null> {
  const [known] = await sql<{ there: boolean }[]>`select to_regclass('simulated_time') is not null as there`;
  const simulated = known?.there === true ? await simulatedTime(sql) : null;
  return simulated === null ? null : isoTime(simulated.since);
}

/** Break during verification; the next decision may determine its part more precisely. */
interface Found {
  readonly at: number;
  readonly agentId: string | null;
  readonly slot: string | null;
  part: string;
  readonly detail: string;
}

type Complain = (at: number, agentId: string | null, part: string, detail: string, slot?: number | null) => Found;

async function readManifests(sql: Transaction, complain: Complain): Promise<Map<string, StoredManifest>> {
  const manifests = new Map<string, StoredManifest>();
  const rows = await sql<{ agent_id: string; version: number; hash: string; canonical: string; created: number }[]>`
    select agent_id, version, hash, canonical, floor(extract(epoch from created_at) * 1000)::bigint as created from manifests order by created_at, agent_id, version`;
  for (const row of rows) {
    let reading = compileReading([], []);
    let manifest: Manifest | null = null;
    try {
      manifest = JSON.parse(row.canonical) as Manifest;
      reading = compileManifest(manifest).reading;
      const canonical = canonicalHash(manifest);
      if (sha256Hex(row.canonical) !== row.hash || canonical !== row.hash) {
        complain(
          row.created,
          row.agent_id,
          'manifest',
          `version ${row.version} hashes to ${sha256Hex(row.canonical)}, its row says ${row.hash}`,
          null,
        );
      }
    } catch (error) {
      complain(row.created, row.agent_id, 'manifest', `version ${row.version} is no canonical JSON: ${(error as Error).message}`, null);
    }
    manifests.set(`${row.agent_id} ${row.version}`, { hash: row.hash, reading, manifest });
  }
  return manifests;
}

/** Reads the periods on duty of each agent from its steps. */
async function readChains(sql: Transaction): Promise<Map<string, Chain>> {
  const agents = await sql<{ id: string; kind: 'agent' | 'take'; ticked_to: number }[]>`
    select g.id, g.kind, coalesce(t.last_slot, 0) as ticked_to
    from traders g join actors a on a.id = g.id left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard order by g.id`;
  const periods = new Map(agents.map(({ id, kind }) => [id, PERIODS_MS[kind]]));
  const steps = await sql<{ actor_id: string; at: number; duty: string | null }[]>`
    select s.actor_id, s.at, case when g.kind = 'agent' then s.to_value ->> 'duty' when s.to_value ? 'on_duty' or s.to_value -> 'life' ? 'on_duty' then 'active' end as duty
    from steps s join traders g on g.id = s.actor_id order by s.actor_id, s.version`;
  const duties = new Map<string, { from: number; until: number }[]>();
  for (const { actor_id, at, duty } of steps) {
    let spans = duties.get(actor_id);
    if (spans === undefined) {
      spans = [];
      duties.set(actor_id, spans);
    }
    const open = spans.at(-1);
    const active = open !== undefined && open.until === Number.POSITIVE_INFINITY;
    const periodMs = periods.get(actor_id) as number;
    if (duty === 'active' && !active)
      spans.push({ from: Math.floor(at / periodMs) * periodMs + periodMs, until: Number.POSITIVE_INFINITY });
    else if (duty !== 'active' && active) (open as { until: number }).until = at;
  }
  const chains = new Map<string, Chain>();
  // A quarantine is not a step of the actor, but it ends the duty until the release.
  const quarantines = await sql<{ actor_id: string; at: number }[]>`select actor_id, at from incidents where kind = 'quarantined'`;
  for (const { actor_id, at } of quarantines) {
    const open = duties.get(actor_id)?.find(({ from, until }) => from <= at && at < until);
    if (open !== undefined) open.until = at;
  }
  for (const { id, kind, ticked_to } of agents) {
    const duty = duties.get(id) ?? [];
    chains.set(id, { id, periodMs: PERIODS_MS[kind], duty, tickedTo: ticked_to, head: GENESIS_HASH, doubt: null, lastSlot: null });
  }
  return chains;
}

/** Recomputes the hash of every observation of a period. */
async function verifyObservations(
  sql: Transaction,
  from: number,
  to: number,
  complain: Complain,
): Promise<{ readonly bySlot: ReadonlyMap<number, CutHashes>; readonly count: number }> {
  const bySlot = new Map<number, Map<InstrumentKey, Observation>>();
  let count = 0;
  let after: readonly [number, string] = [from - 1, ''];
  for (;;) {
    const rows = await sql<{ slot: number; instrument: InstrumentKey; hash: string; body: string }[]>`
      select slot, instrument, hash, body from observations
      where slot >= ${from} and slot < ${to} and (slot, instrument) > (${after[0]}, ${after[1]}) order by slot, instrument limit ${PAGE_ROWS}`;
    for (const row of rows) {
      let slot = bySlot.get(row.slot);
      if (slot === undefined) {
        slot = new Map();
        bySlot.set(row.slot, slot);
      }
      const actual = sha256Hex(row.body);
      if (actual !== row.hash)
        complain(row.slot, null, 'observation', `the observation of ${row.instrument} hashes to ${actual}, its row says ${row.hash}`);
      const observation = parsed(row.body);
      if (observation !== null) slot.set(row.instrument, observation);
    }
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) {
      return { bySlot: new Map([...bySlot].map(([slot, observations]) => [slot, new CutHashes({ slot, observations })])), count };
    }
    after = [last.slot, last.instrument];
  }
}

function verifyDecision(
  row: PackedDecision,
  chain: Chain,
  manifests: ReadonlyMap<string, StoredManifest>,
  observed: ReadonlyMap<number, CutHashes>,
  complain: Complain,
): void {
  const { agentId, slot } = row;
  const before = trackBreaks(complain);
  verifySlots(chain, slot, before.complain);
  const manifest = manifests.get(`${agentId} ${row.manifestVersion}`);
  if (manifest === undefined)
    before.complain(slot, agentId, 'manifest_version', `version ${row.manifestVersion} of the manifest is not on record`);
  const expectedObserved = observedHashes(row.observedHash, manifest?.reading, observed.get(slot));
  let risk: DecisionRow['risk'] = null;
  try {
    risk = row.risk === null ? null : (JSON.parse(row.risk) as DecisionRow['risk']);
  } catch (error) {
    before.complain(slot, agentId, 'risk', `it is not JSON: ${(error as Error).message}`);
    chain.head = row.hash;
    chain.doubt = null;
    chain.lastSlot = slot;
    return;
  }
  const parts: Omit<DecisionRow, 'hash'> = { ...row, risk };
  const actual = decisionHash(parts);
  const { doubt } = chain;
  // The next decision was chained to the doubtful row's original hash.
  if (doubt !== null && row.previousHash === doubt.hash) doubt.found.part = 'hash';
  const linked = row.previousHash === chain.head || row.previousHash === doubt?.hash;
  chain.doubt = null;
  if (actual !== row.hash) {
    const part = alteredPart(parts, row.hash, chain.head, manifest?.hash, expectedObserved);
    chain.doubt = { hash: actual, found: before.complain(slot, agentId, part, `the row hashes to ${actual}, it says ${row.hash}`) };
  }
  if (!linked && !before.any) {
    before.complain(slot, agentId, 'previous_hash', `it follows ${row.previousHash}, the decision before it is ${chain.head}`);
  }
  if (manifest !== undefined && manifest.hash !== row.manifestHash && !before.any) {
    before.complain(
      slot,
      agentId,
      'manifest_hash',
      `it names ${row.manifestHash}, version ${row.manifestVersion} on record is ${manifest.hash}`,
    );
  }
  if (manifest !== undefined && !expectedObserved.includes(row.observedHash) && !before.any) {
    before.complain(
      slot,
      agentId,
      'observed state',
      `it saw ${row.observedHash || 'nothing'}, the observations on record combine to ${expectedObserved[0] || 'nothing'}`,
    );
  }
  chain.head = row.hash;
  chain.lastSlot = slot;
}

/**
 * Returns the hashes that a record of this slot may contain: by the present rule and by the first one. A missed slot has no observations.
 */
function observedHashes(named: string, reading: Reading | undefined, cut: CutHashes | undefined): readonly string[] {
  if (named === '' || reading === undefined || cut === undefined) return [''];
  return [cut.observed(reading), cut.observedByFirstRule(reading)];
}

/** Parses the observation of a stored body; null if invalid. */
function parsed(body: string): Observation | null {
  try {
    const observation = JSON.parse(body) as Partial<Observation> | null;
    return typeof observation?.indicators === 'object' && observation.indicators !== null ? (observation as Observation) : null;
  } catch {
    return null;
  }
}

/** Tracks whether this row has a break, so that one alteration is reported once. */
function trackBreaks(complain: Complain): { complain: Complain; readonly any: boolean } {
  let any = false;
  return {
    complain: (...words) => {
      any = true;
      return complain(...words);
    },
    get any() {
      return any;
    },
  };
}

/** Returns the part whose restoration makes the hash match; if there is none, the parts that only the hash covers. */
function alteredPart(
  parts: Omit<DecisionRow, 'hash'>,
  hash: string,
  head: string,
  manifestHash: string | undefined,
  observedHashes: readonly string[],
): string {
  const right = (changes: Partial<DecisionRow>): boolean => decisionHash({ ...parts, ...changes }) === hash;
  if (parts.previousHash !== head && right({ previousHash: head })) return 'previous_hash';
  if (manifestHash !== undefined && parts.manifestHash !== manifestHash && right({ manifestHash })) return 'manifest_hash';
  if (observedHashes.some((observedHash) => parts.observedHash !== observedHash && right({ observedHash }))) return 'observed_hash';
  if (DISPOSITIONS.some((disposition) => disposition !== parts.disposition && right({ disposition }))) return 'disposition';
  return 'one of reason, instrument, outcome, risk, book, hash';
}

/** Checks that every slot on duty between the last decision and this one has a decision. */
function verifySlots(chain: Chain, slot: number, complain: Complain): void {
  if (slot % chain.periodMs !== 0) complain(slot, chain.id, 'slot', `the slot is no multiple of ${chain.periodMs} ms`);
  const span = chain.duty.find(({ from, until }) => slot >= from && slot < until);
  if (span === undefined) complain(slot, chain.id, 'slot', 'a decision at a time at which the agent was not on duty');
  const missing = missingBetween(chain, slot);
  if (missing !== null) complain(missing.first, chain.id, 'missing decision', `${missing.count} decisions are missing before ${iso(slot)}`);
}

/** Checks that decisions exist up to the last ticked slot. */
function verifyEnd(chain: Chain, complain: Complain): void {
  const missing = missingBetween(chain, chain.tickedTo + chain.periodMs);
  if (missing !== null)
    complain(
      missing.first,
      chain.id,
      'missing decision',
      `${missing.count} decisions are missing at the end of the trail, up to ${iso(chain.tickedTo)}`,
    );
}

function missingBetween(chain: Chain, slot: number): { readonly first: number; readonly count: number } | null {
  const after = chain.lastSlot === null ? Number.NEGATIVE_INFINITY : chain.lastSlot + chain.periodMs;
  let first: number | null = null;
  let count = 0;
  for (const { from, until } of chain.duty) {
    const begin = Math.max(from, after);
    const end = Math.min(until, slot);
    if (begin >= end) continue;
    first ??= begin;
    count += Math.ceil((end - begin) / chain.periodMs);
  }
  return first === null ? null : { first, count };
}
