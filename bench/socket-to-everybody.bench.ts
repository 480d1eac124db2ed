/**
 * From a venue's socket to everybody: real feed and API processes, the Redis bus between them, a venue and the clients in processes of
 * their own. Measures (1) the bytes of a message to the market view, to the stored cut and to a feed client, over many instruments;
 * (2) one quote to many feed clients; (3) many clients that connect again at once. The clients' own reading is part of each figure.
 * `node --import tsx bench/socket-to-everybody.bench.ts [--instruments 5000] [--messages 2000] [--seconds 65] [--clients 10000]
 * [--quotes 40] [--rounds 3] [--parts 1,2,3] [--core 0] [--keep-logs FOLDER]`
 */
import { cpSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../clients/typescript/src/index.ts';
import { openWriterKeys } from '../src/adapters/signing-keys/writer-keys.ts';
import { createMemberStore } from '../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { organization } from '../src/cli/operate/organization.ts';
import { memberToken } from '../src/sandbox/identity/member-tokens.ts';
import { createLiveClock } from '../streams/clock/live-clock.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { type Crowd, digested, type Followed, openCrowd } from './feed-crowd.ts';
import { quantile } from './harness.ts';
import { keepFigures } from './measured.ts';
import { openService, type RoleProcess, type Service } from './role-processes.ts';
import { processSeconds } from './server-cost.ts';
import { openSpotVenue, preciseNow, sinceBid } from './spot-venue.ts';
import { makeTraders } from './traders.ts';

const { values: given } = parseArgs({
  options: {
    instruments: { type: 'string', default: '5000' },
    messages: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '65' },
    clients: { type: 'string', default: '10000' },
    quotes: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
    parts: { type: 'string', default: '1,2,3' },
    core: { type: 'string', default: '' },
    'keep-logs': { type: 'string', default: '' },
  },
});
const wanted = Object.fromEntries(
  (['instruments', 'messages', 'seconds', 'clients', 'quotes', 'rounds'] as const).map((name) => [name, Number(given[name])]),
) as Readonly<Record<'instruments' | 'messages' | 'seconds' | 'clients' | 'quotes' | 'rounds', number>>;
const parts = new Set(given.parts.split(','));
/** True to run before all other work of the machine, which needs root. The figures of a busy machine say little otherwise. */
const FIRST = process.env['BENCH_FIRST'] !== undefined;
const PLACE = FIRST ? ', before the other work of the machine' : '';

const ORGANIZATIONS = 4;
/** Feed connections of a subject; the service allows 20. */
const PER_SUBJECT = 16;
/** Number of clients of which one is measured, in a process that does nothing else. The others run on what is left of the machine. */
const MEASURED = 20;
const CROWDS = 3;
/** Instrument of the single quotes. */
const ONE = 'BTCUSDT';
const SETTLING_MS = 8_000;
/** Changes of agents that the clients miss while they are away, and those a second while they are there. */
const MISSED = 40;
const CHANGES_MS = 500;
const RESUMED_MS = 60_000;

type Figure = Parameters<typeof keepFigures>[1][number];
type Venue = Awaited<ReturnType<typeof openSpotVenue>>;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const told = (figure: Figure): Figure => {
  say(
    `${figure.what}: ${figure.value}${figure.spread === '' ? '' : ` (${figure.spread})`}${figure.goal === '' ? '' : `; goal ${figure.goal}`}`,
  );
  return figure;
};

await withDatabase(measure, { max_connections: '300' });

async function measure(own: OwnDatabase): Promise<void> {
  if (given['keep-logs'] !== '')
    own.ends.push(() => cpSync(own.home, given['keep-logs'], { recursive: true, filter: (file) => !file.includes('postgres') }));
  const venue = await openSpotVenue();
  own.ends.push(() => venue.stop());
  const service = await openService(own, venue.settings);
  await service.start('sandbox');
  const api = await service.start('api');
  const sql = openDatabase({ url: own.server.url, role: null, name: 'bench', connections: 2 });
  own.ends.push(() => sql.end());
  const tokens = await membersOf(own);
  if (parts.has('1'))
    keepFigures(
      `From the bytes of a venue to the cut and to a client, with many instruments${PLACE}`,
      await throughTheService(service, venue, { api, sql, token: tokens[0] as string }),
    );
  if (parts.has('2') || parts.has('3')) {
    const feed = await service.start('feed');
    pin(feed);
    pin(api);
    const crowds = await openCrowds(own, api.port, tokens);
    if (parts.has('2')) keepFigures(`One quote to many clients of the feed${PLACE}`, await oneQuote(venue, crowds, { api }));
    if (parts.has('3'))
      keepFigures(`Many clients of the feed that connect again at once${PLACE}`, await allAgain(service, crowds, { sql, api }));
  }
}

/** Lets a process run before the others of the machine, if that is wanted. A higher place goes before a lower one. */
function letFirst({ pid }: { readonly pid: number }, place = 2): void {
  if (FIRST) execFileSync('chrt', ['-a', '-r', '-p', String(place), String(pid)]);
}

/** Restricts a process to one core, if one is named, and lets it run first, if that is wanted. */
function pin({ pid }: { readonly pid: number }): void {
  letFirst({ pid });
  if (given.core !== '') execFileSync('taskset', ['-a', '-c', '-p', given.core, String(pid)]);
}

/** Creates members of some organizations and returns a token for each client. */
async function membersOf({ home, server }: OwnDatabase): Promise<string[]> {
  const { api } = openWriterKeys(home, ['api']);
  const sql = openDatabase({ url: server.url, role: null, name: 'bench members', connections: 4, writer: api });
  const store = createMemberStore(sql);
  const clock = createLiveClock();
  const subjects = Math.ceil(wanted.clients / PER_SUBJECT);
  for (let index = 0; index < ORGANIZATIONS; index++) await store.ensureOrganization(organization(`scale-${index}`), `scale-${index}`);
  const made = await Promise.all(
    Array.from({ length: subjects }, async (_, index) => {
      const subject = `crowd-${index}`;
      const orgId = organization(`scale-${index % ORGANIZATIONS}`);
      await store.grant(subject, { orgId, name: subject, permissions: ['market:read', 'agent:read'] });
      return memberToken(home, subject, clock);
    }),
  );
  await sql.end();
  return Array.from({ length: wanted.clients }, (_, index) => made[index % subjects] as string);
}

/** Opens a measured process of clients and the crowd, mixed in the order of their connections. */
async function openCrowds({ ends }: OwnDatabase, port: number, tokens: readonly string[]): Promise<readonly Crowd[]> {
  const channel = parts.has('3') ? 'agents' : null;
  const shared = { port, channel, quotes: { instruments: [`spotexchange:${ONE}`] } };
  const isMeasured = (index: number): boolean => index % MEASURED === 0;
  const shares = Array.from({ length: CROWDS }, (_, crowd) => ({
    ...shared,
    address: `127.0.0.${10 + crowd}`,
    yields: !FIRST,
    tokens: tokens.filter((_token, index) => !isMeasured(index) && index % CROWDS === crowd),
  }));
  const measured = { ...shared, address: '127.0.0.9', yields: false, tokens: tokens.filter((_token, index) => isMeasured(index)) };
  const crowds = await Promise.all([measured, ...shares].map(openCrowd));
  ends.push(() => Promise.all(crowds.map((crowd) => crowd.stop())));
  // The crowd still lets the measured processes run first.
  for (const [index, crowd] of crowds.entries()) letFirst(crowd, index === 0 ? 2 : 1);
  return crowds;
}

/** (1) Bytes to the market view, to the cut and to a client, with many instruments. */
async function throughTheService(
  service: Service,
  venue: Venue,
  { api, sql, token }: { api: RoleProcess; sql: Sql; token: string },
): Promise<Figure[]> {
  const wide = await service.startProgram('wide-feed', ['--import', 'tsx', 'bench/wide-feed.ts', String(wanted.instruments)]);
  pin(wide);
  pin(api);
  const client = await openCrowd({ port: api.port, channel: null, quotes: {}, address: '127.0.0.8', yields: false, tokens: [token] });
  for (const one of [client, venue]) letFirst(one);
  while ((await venue.count()).symbols < wanted.instruments) await pause(200);
  venue.flow(wanted.messages);
  await pause(SETTLING_MS);
  await client.delays();
  const before = { sent: (await venue.count()).sent, wide: processSeconds(wide.pid), api: processSeconds(api.pid), at: preciseNow() };
  const stored = await storedSlots(sql, before.at + wanted.seconds * 1_000);
  const delays = await client.delays();
  const seconds = (preciseNow() - before.at) / 1_000;
  const share = (pid: number, since: number): string => `${Math.round(((processSeconds(pid) - since) / seconds) * 100)} %`;
  const used = { wide: share(wide.pid, before.wide), api: share(api.pid, before.api) };
  const sent = (await venue.count()).sent - before.sent;
  venue.flow(0);
  const cuts = await storedCuts(sql, [...stored.keys()]);
  await client.stop();
  await wide.stop();
  const spread = (values: readonly number[]): string => `99 % within ${ms(quantile(values, 0.99))}, all within ${ms(quantile(values, 1))}`;
  const about = `${wanted.instruments} instruments, ${Math.round(sent / seconds)} messages a second`;
  return [
    told({ what: `bytes to the feed's client: ${about}`, value: ms(quantile(delays, 0.5)), spread: spread(delays), goal: '' }),
    told({ what: `quotes that reached it, of ${sent} messages`, value: String(delays.length), spread: '', goal: '' }),
    told({ what: 'bytes to the observation of a cut', value: ms(quantile(cuts.behind, 0.5)), spread: spread(cuts.behind), goal: '' }),
    told({
      what: `end of a slot to its cut in the database, ${stored.size} cuts of ${Math.round(cuts.size)} such instruments`,
      value: ms(quantile([...stored.values()], 0.5)),
      spread: `all within ${ms(quantile([...stored.values()], 1))}`,
      goal: '',
    }),
    told({ what: 'processor time of the feed, share of a core', value: used.wide, spread: `and ${used.api} of the API`, goal: '' }),
  ];
}

/** Waits until a time. Returns the slots whose cut appeared meanwhile, with the milliseconds after each slot until it could be read. */
async function storedSlots(sql: Sql, until: number): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  let last: number | null = null;
  while (preciseNow() < until) {
    const [row] = await sql<{ slot: number }[]>`select coalesce(max(slot), 0)::float8 as slot from cuts where source = 'streams'`;
    const slot = row?.slot ?? 0;
    if (last !== null && slot > last) found.set(slot, preciseNow() - slot);
    last = slot;
    await pause(10);
  }
  return found;
}

/** Reads how late the quotes of cuts were received, in milliseconds after their sending. */
async function storedCuts(sql: Sql, slots: readonly number[]) {
  const rows = await sql<{ slot: number; bid: string; received: number }[]>`
    select slot, body::jsonb #>> '{quote,bid}' as bid, (body::jsonb #>> '{quote,receivedAt}')::float8 as received from observations
    where slot = any(${slots as number[]}::bigint[]) and instrument like 'spotexchange:W%' and body::jsonb #>> '{quote,bid}' is not null`;
  return {
    size: rows.length / Math.max(1, slots.length),
    // Both times are in milliseconds, the later one rounded down.
    behind: rows.map(({ bid, received }) => sinceBid(bid.split('.')[1] as string, received + 1)),
  };
}

/** (2) One quote to every client. */
async function oneQuote(venue: Venue, [measured, ...others]: readonly Crowd[], { api }: { api: RoleProcess }): Promise<Figure[]> {
  await pause(SETTLING_MS);
  await Promise.all([measured, ...others].flatMap((crowd) => crowd?.delays() ?? []));
  const began = processSeconds(api.pid);
  const at: number[] = [];
  for (let n = 0; n < wanted.quotes; n++) {
    venue.sendOne(ONE);
    // Not in step with heartbeats.
    await pause(1_000 + Math.random() * 700);
    const delays = (await measured?.delays()) ?? [];
    if (delays.length !== measured?.clients) say(`quote ${n}: ${delays.length} of ${measured?.clients} measured clients`);
    at.push(...delays);
  }
  const used = processSeconds(api.pid) - began;
  const rest = (await Promise.all(others.map((crowd) => crowd.delays()))).flat();
  say(`everybody, read with what was left of the machine: ${rest.length} deliveries, 99 % within ${ms(quantile(rest, 0.99))}`);
  say(`processor time of the API, for a quote: ${ms((used * 1_000) / wanted.quotes)}`);
  return [
    told({
      what: `one quote to ${wanted.clients} clients, 99 % within`,
      value: ms(quantile(at, 0.99)),
      spread: `half within ${ms(quantile(at, 0.5))}, all within ${ms(quantile(at, 1))}; ${at.length} deliveries of ${wanted.quotes} quotes`,
      goal: '≤ 100 ms',
    }),
  ];
}

/** (3) Every client loses its connection, misses changes, and connects again with all the others. */
async function allAgain(service: Service, crowds: readonly Crowd[], { sql, api }: { sql: Sql; api: RoleProcess }): Promise<Figure[]> {
  const second = await service.start('api');
  const url = `http://127.0.0.1:${second.port}`;
  const before = await lastOf(sql);
  await Promise.all(Array.from({ length: ORGANIZATIONS }, (_, index) => makeTraders(service, url, index, 1)));
  const changes = await changing(service, url);
  await pause(2_000);
  const took: number[][] = [];
  const cost: number[] = [];
  for (let round = 0; round < wanted.rounds; round++) {
    for (const crowd of crowds) crowd.cut();
    await pause(500);
    for (let n = 0; n < MISSED; n++) await changes.one();
    await pause(1_000);
    const target = await lastOf(sql);
    const used = processSeconds(api.pid);
    const began = preciseNow();
    for (const crowd of crowds) crowd.reconnect(Array.from({ length: crowd.clients }, () => target));
    const ongoing = changes.on();
    const followed = await allResumed(crowds, began);
    await ongoing.stop();
    cost.push(((processSeconds(api.pid) - used) * 1_000) / wanted.clients);
    took.push(followed.map(({ resumedAt }) => (resumedAt ?? Number.POSITIVE_INFINITY) - began));
    const refused = followed.reduce((sum, one) => sum + one.refused, 0);
    const times = took.at(-1) as number[];
    say(
      `round ${round}: half within ${ms(quantile(times, 0.5))}, 99 % within ${ms(quantile(times, 0.99))}, all within ${ms(quantile(times, 1))}; ${refused} refusals so far; API ${ms((processSeconds(api.pid) - used) * 1_000)} of processor time; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  await pause(3_000);
  const wrong = await differing(sql, crowds, before);
  const all = took.map((times) => quantile(times, 1));
  return [
    told({
      what: `${wanted.clients} clients that connect again at once: until all have resumed`,
      value: ms(quantile(all, 0.5)),
      spread: `${ms(Math.min(...all))} to ${ms(Math.max(...all))} in ${all.length} rounds; half of them within ${ms(quantile(took.flat(), 0.5))}`,
      goal: '≤ 5000 ms',
    }),
    told({
      what: 'processor time of the API for one of them',
      value: `${quantile(cost, 0.5).toFixed(2)} ms`,
      spread: `${Math.min(...cost).toFixed(2)} to ${Math.max(...cost).toFixed(2)} ms, with all that it did meanwhile`,
      goal: '',
    }),
    told({ what: 'clients with a missing or repeated message', value: String(wrong), spread: '', goal: '0' }),
  ];
}

async function lastOf(sql: Sql): Promise<readonly [number, number]> {
  const [row] = await sql<{ xid: string; seq: number }[]>`
    select xid::text, seq from announcements where channel = 'agents' order by announcements.xid desc, seq desc limit 1`;
  return [Number(row?.xid ?? 0), Number(row?.seq ?? 0)];
}

/** Makes changes of the organizations' agents, one after the other. */
async function changing(service: Service, baseUrl: string) {
  const permissions = 'market:read,agent:read,trade:execute,risk:manage';
  const clients = Array.from({ length: ORGANIZATIONS }, (_, index) =>
    createClient({ baseUrl, token: service.token(permissions, `manager-${index}`, `scale-${index}`) }),
  );
  const agents = await Promise.all(clients.map(async (client) => (await client.listAgents({})).items[0]?.id as string));
  let n = 0;
  const one = async (): Promise<void> => {
    const turn = n++;
    const [client, id] = [clients[turn % ORGANIZATIONS], agents[turn % ORGANIZATIONS] as string];
    if (Math.floor(turn / ORGANIZATIONS) % 2 === 0) await client?.pauseAgent({ id });
    else await client?.resumeAgent({ id });
  };
  return {
    one,
    on() {
      let ends = false;
      const done = (async () => {
        while (!ends) {
          await one();
          await pause(CHANGES_MS);
        }
      })();
      return {
        async stop(): Promise<void> {
          ends = true;
          await done;
        },
      };
    },
  };
}

/** Polls until every client has resumed. */
async function allResumed(crowds: readonly Crowd[], began: number): Promise<readonly Followed[]> {
  for (;;) {
    await pause(2_000);
    const followed = (await Promise.all(crowds.map((crowd) => crowd.followed()))).flat();
    if (followed.every(({ resumedAt }) => resumedAt !== null) || preciseNow() - began > RESUMED_MS) return followed;
  }
}

/** Returns the number of clients that did not receive exactly the stored announcements of their organization, in their order. */
async function differing(sql: Sql, crowds: readonly Crowd[], [xid, seq]: readonly [number, number]): Promise<number> {
  const rows = await sql<{ org: string; xid: string; seq: number }[]>`
    select org_id as org, xid::text, seq from announcements
    where channel = 'agents' and (xid, seq) > (${String(xid)}::text::xid8, ${seq}::bigint) order by announcements.xid, seq`;
  const expected = new Set(
    [...new Set(rows.map(({ org }) => org))].map((org) => {
      const own = rows.filter((row) => row.org === org);
      return `${own.length} ${own.reduce((digest, row) => digested(digest, `${row.xid}.${row.seq}`), 7)}`;
    }),
  );
  const followed = (await Promise.all(crowds.map((crowd) => crowd.followed()))).flat();
  const wrong = followed.filter(({ frames, digest }) => !expected.has(`${frames} ${digest}`));
  say(
    `expected of each organization: ${[...expected].join(', ')}; ${wrong.length} of ${followed.length} differ: ${wrong
      .slice(0, 5)
      .map(({ frames, digest }) => `${frames} ${digest}`)
      .join(', ')}`,
  );
  return wrong.length;
}
