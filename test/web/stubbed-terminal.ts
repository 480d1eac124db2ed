/** The terminal in a real browser, with answers and frames that a test gives. An operation without an answer gives its recorded example. */
import fastify from 'fastify';
import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { readExamples } from '../../api/document/examples.ts';
import { registerTerminal } from '../../api/terminal.ts';
import { OPERATION_NAMES, type OperationName, readOperation } from '../../clients/typescript/src/operation.ts';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { LONGEST_MS } from '../harness/wait-for.ts';
import { openBrowser } from './terminal-fixture.ts';

export interface Asked {
  readonly name: OperationName;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answer of an operation: a body, or what happens to the request. */
type Answer = object | ((asked: Asked, route: Route) => object | undefined | Promise<object | undefined>);
type Answers = { [Name in OperationName]?: Answer };

export interface StubbedTerminal {
  readonly page: Page;
  /** Answers by operation, which a test may change while the page is open. */
  readonly answers: Answers;
  /** Requests of the page that are no reads, without those of settings. */
  readonly changes: Asked[];
  /** Opens a page anew by its address after `#/`. */
  open(address: string, answers: Answers): Promise<void>;
  /** Sends a frame of the feed. Its time defaults to now. */
  send(frame: object): void;
  close(): Promise<void>;
}

/** Returns the example answer of an operation, typed by the test that changes it. */
export function exampleAnswer(name: OperationName): never {
  const { answers = {} } = readExamples().operations[name] ?? {};
  const answer = structuredClone(Object.entries(answers).find(([status]) => status.startsWith('2'))?.[1] ?? {}) as object;
  // Every page of a list would be the same one.
  return ('nextCursor' in answer ? { ...answer, nextCursor: null } : answer) as never;
}

const PLACES = OPERATION_NAMES.map((name) => {
  const { method, template } = readOperation(name);
  // A fixed segment before a parameter: `/v1/agents/emergency-halt` is no agent.
  return { name, method, rank: template.split('{').length, path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
}).sort((a, b) => a.rank - b.rank);

function readAsked(route: Route): Asked | null {
  const request = route.request();
  const { pathname, searchParams } = new URL(request.url());
  const found = PLACES.find(({ method, path }) => method === request.method() && path.test(pathname));
  if (found === undefined) return null;
  const text = request.postData();
  return { name: found.name, query: searchParams, body: text?.startsWith('{') === true ? JSON.parse(text) : text };
}

/** A member with every permission. */
const MEMBER = { ...(exampleAnswer('getMe') as object), permissions: PERMISSIONS, viewerOnly: false };

export async function openStubbedTerminal(size = { width: 1440, height: 900 }): Promise<StubbedTerminal> {
  if (TERMINAL.kept() === null) await TERMINAL.bundle();
  const server = fastify();
  registerTerminal(server, TERMINAL);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const browser = await openBrowser();
  // Not a watched page: what it records are answers of the service.
  const page = await browser.context.newPage();
  await page.setViewportSize(size);
  page.setDefaultTimeout(LONGEST_MS);
  const answers: Answers = {};
  const changes: Asked[] = [];
  let feed: WebSocketRoute | null = null;
  let seq = 0;
  const send = (frame: object): void => feed?.send(JSON.stringify({ seq: ++seq, cursor: null, at: new Date().toISOString(), ...frame }));
  await page.addInitScript(`localStorage.setItem('sevengate.signedInUntil', '2099-01-01T00:00:00.000Z')`);
  await page.route('**/v1/**', async (route) => {
    const asked = readAsked(route);
    if (asked === null) return route.fulfill({ status: 404, json: {} });
    if (route.request().method() !== 'GET' && asked.name !== 'keepSetting') changes.push(asked);
    const answer = answers[asked.name] ?? { getMe: MEMBER, listSettings: { items: [] } }[asked.name as string] ?? exampleAnswer(asked.name);
    const json = typeof answer === 'function' ? await answer(asked, route) : answer;
    if (json !== undefined) await route.fulfill({ json }).catch(() => {});
  });
  await page.routeWebSocket(/\/v1\/feeds/, (socket) => {
    feed = socket;
    socket.onMessage((message) => {
      const { op, id } = JSON.parse(String(message)) as { op: string; id: number };
      if (op === 'subscribe') send({ type: 'subscribed', id });
    });
  });
  return {
    page,
    answers,
    changes,
    async open(address, given) {
      await page.goto('about:blank');
      for (const name of Object.keys(answers)) delete answers[name as OperationName];
      Object.assign(answers, given);
      changes.splice(0);
      await page.goto(`${url}/#/${address}`);
    },
    send,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Answer of a refused call. */
export const refuse =
  (status: number, code: string, detail: string) =>
  async (_: Asked, route: Route): Promise<undefined> => {
    const problem = { type: 'about:blank', title: code, code, status, detail, requestId: 'r' };
    await route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify(problem) }).catch(() => {});
  };
