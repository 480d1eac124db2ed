// The terminal open for an hour on a running sandbox: heap, nodes, listeners and sockets stay what they were after the first minutes.
// TERMINAL_MINUTES sets another length.
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import {
  type Browser,
  CHROMIUM,
  giveToken,
  openBrowser,
  type ServiceWithPast,
  signIn,
  startServiceWithPast,
  visit,
} from './terminal-fixture.ts';

const MINUTES = Number(process.env['TERMINAL_MINUTES'] ?? 60);
const SAMPLE_EACH_MINUTES = 5;
/** Sample before which the session runs out. */
const HALF_WAY = Math.ceil(MINUTES / 2 / SAMPLE_EACH_MINUTES) * SAMPLE_EACH_MINUTES;
const MINUTE_MS = 60_000;
/** Growth after the first ten minutes, in which caches and lists fill, as a ratio. */
const MOST_GROWTH = 1.1;
/** Pages that are looked at before each sample, which end what they began. */
const ROUND = ['agents', 'quotes', 'rankings', 'proposals', 'portfolio', 'operate'];
const INSTRUMENTS = ['spotexchange:ETHUSDT', 'spotchain:AAPLx', 'spotexchange:BTCUSDT'];

interface Sample {
  /** Objects, lists and texts of the page. The engine's compiled code grows for long, without being held by the page. */
  readonly heldMb: number;
  /** Heap with that code. */
  readonly heapMb: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly documents: number;
  readonly sockets: number;
}

const inMb = (bytes: number): number => Math.round(bytes / 1e4) / 100;

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] } };
  readonly nodes: readonly number[];
}
const HELD = ['object', 'array', 'string', 'concatenated string', 'sliced string', 'closure', 'number'];

/** Returns the size of what the page holds in its heap, from a snapshot. */
async function heldBytes(devtools: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const collect = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk);
  devtools.on('HeapProfiler.addHeapSnapshotChunk', collect);
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  devtools.off('HeapProfiler.addHeapSnapshotChunk', collect);
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as Snapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (HELD.includes(types[0]?.[nodes[at + type] as number] ?? '')) bytes += nodes[at + size] as number;
  return bytes;
}

describe.skipIf(CHROMIUM === null)('the terminal, open for long', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let page: Page;
  let sockets = 0;
  let complaints: readonly string[];
  /** Number of complaints until the session was renewed. */
  let refused = 0;
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: 10 }), openBrowser()]);
    ({ page, complaints } = await browser.page({ width: 1920, height: 1080 }));
    page.on('websocket', (socket) => {
      sockets++;
      socket.on('close', () => sockets--);
    });
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  /** Looks at pages and instruments as a trader does, and ends in the workspace. */
  async function lookAround(): Promise<void> {
    /* oxlint-disable no-await-in-loop -- one page after the other */
    for (const address of ROUND) await visit(page, address);
    for (const key of INSTRUMENTS) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/trade/${encodeURIComponent(key)}`)}`);
      await page.locator('.chart-canvas canvas').first().waitFor();
      await page.locator('.instrument-head', { hasText: key.slice(key.indexOf(':') + 1) }).waitFor();
    }
    /* oxlint-enable no-await-in-loop */
  }

  /** Lets the session run out and signs in again where the page asks for it: a token of the sandbox lives an hour. */
  async function renewSession(): Promise<void> {
    expect(complaints).toEqual([]);
    await page.context().clearCookies();
    await page.evaluate("location.hash = '#/agents'");
    await page.getByLabel('Access token').waitFor();
    await giveToken(page, service.token('operator'));
    await page.getByLabel('Access token').waitFor({ state: 'detached' });
    refused = complaints.length;
  }

  async function sample(devtools: CDPSession): Promise<Sample> {
    // A book that is still being read has no rows.
    await page.locator('.rung').first().waitFor();
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners, documents } = await devtools.send('Memory.getDOMCounters');
    return { heldMb: inMb(await heldBytes(devtools)), heapMb: inMb(usedSize), nodes, listeners: jsEventListeners, documents, sockets };
  }

  test(`after ${MINUTES} minutes it holds what it held after the first ones`, { timeout: (MINUTES + 30) * MINUTE_MS }, async () => {
    const devtools = await page.context().newCDPSession(page);
    await lookAround();
    const samples: Sample[] = [];
    for (let minute = 0; minute <= MINUTES; minute += SAMPLE_EACH_MINUTES) {
      const begun = performance.now();
      // oxlint-disable-next-line no-await-in-loop
      if (minute === HALF_WAY) await renewSession();
      // oxlint-disable-next-line no-await-in-loop
      await lookAround();
      // oxlint-disable-next-line no-await-in-loop
      const now = await sample(devtools);
      samples.push(now);
      console.info(`minute ${minute}: ${JSON.stringify(now)}`);
      const left = begun + SAMPLE_EACH_MINUTES * MINUTE_MS - performance.now();
      // The length of time is what this is about.
      // oxlint-disable-next-line no-await-in-loop
      if (minute < MINUTES && left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
    const first = samples[2] ?? (samples[0] as Sample);
    const last = samples.at(-1) as Sample;
    expect(last.heldMb / first.heldMb).toBeLessThan(MOST_GROWTH);
    expect(last.nodes / first.nodes).toBeLessThan(MOST_GROWTH);
    expect(last.listeners / first.listeners).toBeLessThan(MOST_GROWTH);
    expect(last.documents).toBeLessThanOrEqual(first.documents);
    expect(last.sockets).toBe(first.sockets);
    expect(complaints.slice(0, refused).filter((one) => !one.includes('status of 401'))).toEqual([]);
    expect(complaints.slice(refused)).toEqual([]);
  });
});
