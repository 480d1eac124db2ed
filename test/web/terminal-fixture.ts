/** The terminal in a real browser on a whole running service, whose agents have past decisions and many steps. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { startedProposal } from '../../actors/proposal/initial-proposal.ts';
import { CHECKPOINT_STEPS } from '../../actors/runtime/actor-history.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { seedOrganization } from '../../src/adapters/store/callers/seed-organization.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { AT_ONCE } from '../../src/domain/orders/execution-plan.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { type Order, completeOrder } from '../../src/domain/orders/order.ts';
import type { Quality } from '../../src/domain/market/quote.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { EXAMPLE, EXAMPLE_ORGANIZATION } from '../../src/sandbox/example-organization.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { sampleObservation } from '../actors/agent/sample.ts';
import { testDatabase } from '../harness/postgres.ts';
import { recordPage } from '../harness/recorded-examples.ts';
import { inProof } from '../harness/rounds.ts';
import { LONGEST_MS, waitFor } from '../harness/wait-for.ts';
import { type Client, type Service, startService } from '../journeys/running-service.ts';
import { actorsOn } from '../world/actor-world.ts';

const PLACES = [
  // Chromium without windows, menus and services takes two thirds of its processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const MINUTE = 60_000;

/** Path of a browser on this machine, or null. */
export const CHROMIUM = PLACES.find((path) => existsSync(path)) ?? null;

/** Default number of steps of the agent `Crypto trend`, enough for the pictured step. */
const STEPS = 10_000;
/** Decisions of the agent `Discount hunter` before the service starts. */
export const DECISIONS = 3;

/** A service whose database a test may write to. */
export type ServiceWithPast = Service & { readonly databaseUrl: string };

/** Starts the service on a database in which the example agents have decided, and one has had degraded data. */
export async function startServiceWithPast({
  steps = STEPS,
  env = {},
}: {
  readonly steps?: number;
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<ServiceWithPast> {
  const url = await testDatabase();
  const now = Date.now();
  const first = Math.floor(now / MINUTE) * MINUTE - DECISIONS * MINUTE;
  const clock = createVirtualClock(first - 30_000);
  const sql = openDatabase({ url, name: 'terminal test', connections: 4 });
  try {
    const owner = openDatabase({ url, role: null, name: 'terminal test owner', connections: 2 });
    const newId = () => uuidV7(clock.now(), randomBytes(10));
    const { commands, tick } = actorsOn(sql, clock, newId);
    await seedOrganization(EXAMPLE, { sql, owner, commands, newId }).finally(() => owner.end());
    for (let slot = first; slot < first + DECISIONS * MINUTE; slot += MINUTE) {
      clock.advanceTo(slot + 500);
      // In the last of these minutes one share and the coin have no live quote.
      const quality = slot === first + (DECISIONS - 1) * MINUTE ? 'stale' : 'live';
      const observed = (key: InstrumentKey, mid: string, premiumPct: number | null, of: Quality): [InstrumentKey, Observation] => [
        key,
        sampleObservation(key, slot, { mid, premiumPct, rsi: 20, quality: of }),
      ];
      const observations = new Map([
        observed('spotchain:AAPLx', '180.5', -2, quality),
        observed('spotchain:TSLAx', '180.5', 0, 'live'),
        ...(['NVDAx', 'GOOGLx', 'MSFTx', 'SPYx'] as const).map((name) => observed(`spotchain:${name}`, '180.5', 2, 'live')),
        observed('spotexchange:BTCUSDT', '60000', null, quality),
      ]);
      await tick({ slot, observations });
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
  await giveSteps(url, first, steps);
  return { ...(await startService({ env: { DATABASE_URL: url, QUEUE_BACKEND: 'postgres', ...env } })), databaseUrl: url };
}

/** Creates a pending paper proposal to buy bitcoin on the present quote, as a tick would. Returns its id. */
export async function propose(service: ServiceWithPast, agentId: string, quantity: string): Promise<string> {
  const { body } = await service.get('/v1/quotes?venue=spotexchange&instrument=BTCUSDT');
  // A tenth of a percent above the ask: within the budget of 20 basis points.
  const limitPrice = new Decimal(body.items[0].ask).times('1.001').toFixed(2);
  const instrument = 'spotexchange:BTCUSDT';
  const slot = await newestSlotOf(service.databaseUrl, instrument);
  return proposeOrder(service, service.databaseUrl, agentId, { mode: 'paper', instrument, quantity, limitPrice, maxSlippageBps: 20 }, slot);
}

/** Returns the newest slot whose cut has the instrument, which the cost of its fill needs. A new service has none for a minute. */
async function newestSlotOf(url: string, instrument: string): Promise<number> {
  const sql = openDatabase({ url, name: 'terminal test', connections: 1 });
  try {
    return await waitFor(
      async () =>
        (await sql<{ slot: number | null }[]>`select max(slot) as slot from judged_observations where instrument = ${instrument}`)[0]?.slot,
      { what: `a cut with ${instrument}` },
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Creates a pending proposal to buy of an agent at `confirm`, in the database at `url`. Returns its id. */
export async function proposeOrder(
  service: Service,
  url: string,
  agentId: string,
  wish: Pick<Order, 'mode' | 'instrument' | 'quantity' | 'limitPrice' | 'maxSlippageBps'>,
  slot = Math.floor(Date.now() / MINUTE) * MINUTE,
): Promise<string> {
  const [agent, halt] = await Promise.all([service.get(`/v1/agents/${agentId}`), service.get('/v1/agents/emergency-halt')]);
  const now = Date.now();
  const order = completeOrder({
    ...wish,
    id: uuidV7(now, randomBytes(10)),
    origin: 'proposal',
    bookId: wish.mode === 'live' ? `agent:${agentId}:live` : `agent:${agentId}:paper:${agent.body.manifestVersion}`,
    side: 'buy',
  });
  const { start } = startedProposal({
    duty: {
      id: agentId,
      orgId: EXAMPLE_ORGANIZATION,
      autonomy: 'confirm',
      manifestVersion: agent.body.manifestVersion,
      manifestHash: agent.body.manifestHash,
    },
    row: { slot, disposition: 'propose_entry', risk: { verdict: 'passed', rejections: [] } },
    order,
    execution: AT_ONCE,
    cut: { slot, observations: new Map() },
    readsReference: false,
    epoch: halt.body.epoch,
    approvalMs: 600_000,
    ends: [],
    at: now,
  });
  const sql = openDatabase({ url, name: 'terminal test', connections: 1 });
  try {
    await createActorStore(sql).start(start);
  } finally {
    await sql.end({ timeout: 1 });
  }
  return order.id;
}

/**
 * Writes steps as the runtime does, between live and degraded data, ending with an even one, with their checkpoints. They are
 * not in the trail: no evidence depends on them, and they would be one batch with all else written before the service starts.
 */
async function giveSteps(url: string, at: number, steps: number): Promise<void> {
  const owner = openDatabase({ url, name: 'terminal test', connections: 1, role: null });
  try {
    await owner`alter table steps disable trigger trail_insert`;
    await owner`
      insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
      select a.id, v, ${at}::bigint + v, a.machine,
        jsonb_build_object('type', case when v % 2 = 1 then 'feed.degraded' else 'feed.restored' end, 'venue', 'spotexchange'),
        jsonb_build_object('stage', 'draft', 'duty', 'active', 'feed', case when v % 2 = 1 then 'live' else 'degraded' end),
        jsonb_build_object('stage', 'draft', 'duty', 'active', 'feed', case when v % 2 = 1 then 'degraded' else 'live' end), 'feed'
      from actors a join agents g on g.id = a.id, generate_series(a.version + 1, ${steps}::bigint) v where g.name = 'Crypto trend'`;
    await owner`alter table steps enable always trigger trail_insert`;
    // After every even step the state is as before the first of these.
    await owner`
      insert into actor_checkpoints (actor_id, version, at, machine, snapshot)
      select a.id, v, ${at}::bigint + v, a.machine, a.snapshot
      from actors a join agents g on g.id = a.id, generate_series(${CHECKPOINT_STEPS}::bigint, ${steps}::bigint, ${CHECKPOINT_STEPS}) v
      where g.name = 'Crypto trend'`;
    await owner`
      update actors set version = ${steps}, checkpoint_version = ${steps - (steps % CHECKPOINT_STEPS)}
      where id = (select id from agents where name = 'Crypto trend')`;
  } finally {
    await owner.end({ timeout: 1 });
  }
}

export interface Browser {
  readonly context: BrowserContext;
  page(options?: { readonly width?: number; readonly height?: number }): Promise<Watched>;
  close(): Promise<void>;
}

/** Page with its console errors and requested addresses. */
export interface Watched {
  readonly page: Page;
  readonly complaints: string[];
  readonly asked: string[];
}

/** Opens a browser with a new profile. */
export async function openBrowser({ timezoneId = 'UTC' }: { readonly timezoneId?: string } = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'sevengate-terminal-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM as string,
    headless: true,
    args: FLAGS,
    colorScheme: 'dark',
    timezoneId,
    viewport: { width: 1280, height: 900 },
  });
  return {
    context,
    async page({ width = 1280, height = 900 } = {}) {
      const page = await context.newPage();
      await page.setViewportSize({ width, height });
      page.setDefaultTimeout(LONGEST_MS);
      recordPage(page);
      const complaints: string[] = [];
      const asked: string[] = [];
      page.on('console', (message) => {
        // A busy service answers 503 after ten seconds, and the page retries: that is no fault of a page.
        const crowded = message.text().includes('status of 503');
        // A proposal of `propose` has no decision, which its card requests.
        const undecided = message.text().includes('status of 404') && message.location().url.endsWith('/explain');
        if (['error', 'warning'].includes(message.type()) && !crowded && !undecided)
          complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
      });
      page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
      page.on('request', (request) => asked.push(request.url()));
      page.on('websocket', (socket) => asked.push(socket.url()));
      return { page, complaints, asked };
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Prints what the page showed after a failed test. Call it where the tests are described. */
export function tellWhatFailedShowed(page: () => Page): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const shown = await page().evaluate<string>('`${location.href}\\n${document.body.innerText}`');
    console.log(`"${task.name}" failed at ${shown}`);
  });
}

/** Script that collects layout shifts without user input in `window.shifts`, and what moved. */
export const WATCH_SHIFTS = `window.shifts = []; new PerformanceObserver((list) => {
  const named = ({ node, previousRect: from, currentRect: to }) =>
    [node?.className ?? node?.parentElement?.className, from.x, from.y, 'to', to.x, to.y].join(' ');
  for (const { hadRecentInput, value, sources } of list.getEntries())
    if (!hadRecentInput) window.shifts.push({ value, moved: sources.map(named) });
}).observe({ type: 'layout-shift', buffered: true });`;

/** Returns the cumulative layout shift of a page with {@link WATCH_SHIFTS}, and what moved. */
export async function layoutShift(page: Page): Promise<{ readonly shift: number; readonly moved: string }> {
  const shifts = await page.evaluate<readonly { readonly value: number }[]>('window.shifts');
  return { shift: shifts.reduce((sum, { value }) => sum + value, 0), moved: JSON.stringify(shifts) };
}

/** Windows of a phone, a laptop and a wide screen. */
export const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
] as const;
/** Pages that no menu lists. */
const WITHIN = [
  ...['', '/gates', '/evaluations', '/trades', '/costs', '/state', '/vault', '/versions'].map((tab) => `#/agents/:agent${tab}`),
  '#/actors/:agent',
  '#/runtime/timers',
  '#/launches/new',
];

/** Returns the address of every page: those in the menu, which it opens on a phone, and those of the agent `Crypto trend`. */
export async function everyAddress(page: Page, service: Client): Promise<readonly string[]> {
  const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
  const id = items.find(({ name }) => name === 'Crypto trend')?.id as string;
  await page.setViewportSize(SIZES[0]);
  await page.getByRole('button', { name: 'More' }).click();
  await page.locator('.page-menu a').first().waitFor();
  const inMenu = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.page-menu a[href^="#"]')].map((link) => link.getAttribute('href'))`,
  );
  return [...inMenu, ...WITHIN.map((address) => address.replace(':agent', id))];
}

/** Signs in as a member of the example organization. */
export async function signIn(page: Page, service: Client, subject: string): Promise<void> {
  await page.goto(service.url);
  await giveToken(page, service.token(subject));
  await page.locator('.frame').waitFor();
}

/** Signs in with a token on any page. */
export async function giveToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/**
 * Returns accessibility barriers on a page: controls and pictures without a name, fields without a label, duplicate names, low contrast
 * (WCAG 2.2, 1.4.3), more or fewer than one first-level heading, a page wider than its
 * window.
 */
export function barriers(page: Page): Promise<string[]> {
  return page.evaluate(FIND_BARRIERS);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that another palette may break: contrast of texts and links. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Returns axe's findings on the page by all its rules or by these: rule and element. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in window');
  if (!isThere) await page.evaluate(AXE);
  // Style sheets are needed only for experimental rules, which are not run; reading them takes a quarter of the time.
  const preload = { assets: ['media'] };
  const options = { resultTypes: ['violations'], preload, ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  // Colours in transition are neither value.
  return page.evaluate(`(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map(({ finished }) => finished.catch(() => {})));
    const { violations } = await axe.run(document, ${JSON.stringify(options)});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => id + ' ' + target.join(' ') + ' ' + (any[0]?.message ?? '')));
  })()`);
}

/**
 * Returns findings of axe and of {@link barriers} in dark on a large window, and in light on a phone, each with its place. Restores the
 * window. Light differs from dark by colours only, most of which a phone shows too: light on a large
 * window is checked by `npm run proof`, which runs every file that calls this or {@link troublesOf}.
 */
export async function findingsEverywhere(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  const found: string[] = [];
  const look = async (where: string, rules?: readonly string[]): Promise<void> => {
    const all = [...(await axeFindings(page, rules)), ...(await barriers(page))];
    found.push(...all.map((finding) => `${where}: ${finding}`));
  };
  await look('dark');
  await turnTo(page, 'light');
  if (inProof()) await look('light', OF_COLOURS);
  await page.setViewportSize({ width: 390, height: 844 });
  await look('phone');
  await turnTo(page, 'dark');
  if (size !== null) await page.setViewportSize(size);
  return found;
}

/** Switches the colour scheme and waits: the terminal follows the system's preference in a later task. */
export async function turnTo(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/**
 * Returns texts for machines in place of a name, a time or a shorter number, each with its context:
 * ids, times and long ages in milliseconds, more than eight decimals, and unfilled placeholders.
 * Exact texts are allowed in `code`, `pre`, fields, and numbers that show every digit on focus.
 */
export function unreadableTexts(page: Page): Promise<string[]> {
  return page.evaluate(FIND_UNREADABLE);
}

/** Opens an address of the terminal and waits until nothing is loading. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  let before = '';
  await waitFor(
    async () => {
      // Prices and ages keep changing.
      const [last, now] = [before, (await page.locator('main').innerText()).replace(/\d[\d.,]*/g, '#')];
      before = now;
      return now === last && !/Reading…|Loading…/.test(now);
    },
    // A page that requested too often is answered within the minute it is told to wait.
    { what: `all of ${address}`, deadlineMs: 20_000 },
  );
}

/** Returns problems of a reader on these pages: texts for machines, and {@link findingsEverywhere}, each with its page. */
export async function troublesOf(page: Page, addresses: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    await visit(page, address);
    found.push(...[...(await unreadableTexts(page)), ...(await findingsEverywhere(page))].map((trouble) => `${address}: ${trouble}`));
  }
  return found;
}

const FIND_UNREADABLE = String.raw`(() => {
  const patterns = [
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
    /\bp[me]-[0-9a-f]{8,}/,
    /\b[0-9a-f]{32,}\b/,
    /\b1[5-9]\d{11}\b/,
    /\b\d{5,} ms\b/,
    // For a price far below one, five digits are short.
    /\.(?!0{4,}[1-9]\d{0,4}(?!\d))\d{9,}/,
    /\d(\.\d+)?e[-+]\d/,
    /\b(undefined|NaN|Invalid Date)\b|\[object /,
  ];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest('code, pre, textarea, script, style') !== null) continue;
    if (!patterns.some((pattern) => pattern.test(node.data))) continue;
    if (parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }))
      found.push((parent.closest('[class]')?.className ?? parent.tagName) + ': ' + node.data.slice(0, 160));
  }
  return found;
})()`;

const FIND_BARRIERS = `(async () => {
  // Colours in transition are neither value.
  const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
  await Promise.all(ending.map(({ finished }) => finished.catch(() => {})));
  const found = [];
  const nameOf = (element) => [element.getAttribute('aria-label'), element.innerText ?? element.textContent, element.title, element.placeholder, ...[...(element.labels ?? [])].map((label) => label.innerText)].filter(Boolean).join(' ').trim();
  const visible = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const words = (element) => element.tagName.toLowerCase() + '.' + (element.getAttribute('class') ?? '') + ' "' + (element.textContent ?? '').slice(0, 30) + '"';
  for (const element of document.querySelectorAll('button, a, input, textarea, summary, [role=img], [role=listbox], [role=region]')) {
    if (visible(element) && nameOf(element) === '') found.push('no name: ' + words(element));
  }
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) found.push('no alternative: ' + image.src);
  for (const field of document.querySelectorAll('input:not([type=hidden]), textarea')) {
    if (field.labels.length === 0 && !field.hasAttribute('aria-label')) found.push('no label: ' + words(field));
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push('an id twice: ' + id);
  const firstHeadings = [...document.querySelectorAll('h1')].filter((heading) => heading.checkVisibility());
  if (firstHeadings.length !== 1) found.push('first headings: ' + firstHeadings.length);
  if (document.documentElement.lang === '') found.push('no language');
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window: ' + document.documentElement.scrollWidth);

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const read = new Map();
  const rgba = (colour) => {
    if (!read.has(colour)) read.set(colour, paint(colour));
    return read.get(colour);
  };
  const paint = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((channel, i) => channel * a + below[i] * (1 - a));
  const luminance = (colour) => colour.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const backgroundOf = (element) => {
    if (element === null) return over(rgba(getComputedStyle(document.body).backgroundColor), [255, 255, 255]);
    return over(rgba(getComputedStyle(element).backgroundColor), backgroundOf(element.parentElement));
  };
  const contrast = (a, b) => {
    const [bright, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (bright + 0.05) / (dark + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || !visible(element) || element.closest('.unseen, :disabled, noscript') !== null) continue;
    const style = getComputedStyle(element);
    const drawn = element.closest('svg') !== null;
    const region = element.closest('svg')?.querySelector('rect');
    const below = drawn ? rgba(getComputedStyle(element.parentElement.querySelector('rect') ?? region).fill).slice(0, 3) : backgroundOf(element);
    const ratio = contrast(over(rgba(drawn ? style.fill : style.color), below), below);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push('contrast ' + ratio.toFixed(2) + ': ' + words(element));
  }
  return [...new Set(found)];
})()`;
