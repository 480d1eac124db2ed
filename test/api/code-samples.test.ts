// Samples of the API document run unchanged: each in its language against a listening API, which understands it.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../clients/typescript/src/client.ts';
import { ApiError } from '../../clients/typescript/src/errors.ts';
import { readExamples } from '../../api/document/examples.ts';
import { documentedRoutes, openApiDocument } from '../../api/document/openapi.ts';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { PYTHON } from '../clients/run-python.ts';
import { isMet } from '../harness/rounds.ts';
import { type ApiUnderTest, apiUnderTest, OURS } from './api-under-test.ts';

interface Sampled {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
}
const { paths } = openApiDocument(documentedRoutes(), '0') as { readonly paths: Record<string, Record<string, Sampled>> };
/** Operations that stay open while a client listens. */
const OPEN = ['openFeeds', 'openInspector', 'streamEvents'];
const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => !OPEN.includes(operationId));
const sourceOf = ({ 'x-codeSamples': samples }: Sampled, lang: string) => samples.find((one) => one.lang === lang)?.source ?? '';
/** Operation whose code was used up when it was recorded. */
const WORKS_ONCE = 'redeemSignInLink';
/** Statuses of requests that were not understood. */
const MISUNDERSTOOD = [400, 401, 405, 406, 411, 413, 415];

let api: ApiUnderTest;
let base: string;
beforeAll(async () => {
  api = await apiUnderTest();
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
});
afterAll(() => api?.close());

/** Issues one token per operation, so that no budget runs out and no sample revokes another's token. */
const freshTokens = (): Promise<string[]> => Promise.all(operations.map(() => api.token(PERMISSIONS, OURS)));

function expectUnderstood(statuses: readonly number[], asked: readonly Sampled[] = operations): void {
  expect(statuses).toHaveLength(asked.length);
  const wrong = asked.flatMap(({ operationId, responses }, index) => {
    const status = statuses[index] as number;
    const mustBeUnderstood = readExamples().operations[operationId] !== undefined && operationId !== WORKS_ONCE;
    return status in responses && !(mustBeUnderstood && MISUNDERSTOOD.includes(status)) ? [] : [`${operationId}: ${status}`];
  });
  expect(wrong).toEqual([]);
}

test('in TypeScript', async () => {
  const tokens = await freshTokens();
  const AsyncFunction = (async () => {}).constructor as new (...words: string[]) => (api: Client) => Promise<unknown>;
  const statuses: number[] = [];
  const noting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    return response;
  };
  for (const [index, operation] of operations.entries()) {
    const run = new AsyncFunction('api', `${sourceOf(operation, 'TypeScript')}\nreturn answer;`);
    const client = createClient({ baseUrl: base, token: tokens[index] as string, fetch: noting, retries: 0 });
    try {
      // One after the other, as a reader runs them.
      // oxlint-disable-next-line no-await-in-loop
      await run(client);
    } catch (error) {
      // The client reads a refusal as a problem.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  expectUnderstood(statuses);
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0)('in curl', async () => {
  // The sample prints the answer; this prints its status instead.
  const own = `U=${base}\ncurl() { command curl -o /dev/null -w '%{http_code}\\n' "$@"; }\n`;
  const tokens = await freshTokens();
  // Each is a process: the suite runs every third.
  const asked = operations.filter((_, row) => isMet(row, 0, 3));
  const script = asked.map((operation, index) => `TOKEN=${tokens[index]}\n${sourceOf(operation, 'Shell')}\n`);
  expectUnderstood(await lines('bash', ['--norc', '-u'], own + script.join('')), asked);
});

test.skipIf(PYTHON === null)('in Python', async () => {
  const tokens = await freshTokens();
  const sources = operations.map((operation, index) => [sourceOf(operation, 'Python'), tokens[index]]);
  const script = `import json, sys
sys.path.insert(0, ${JSON.stringify(fileURLToPath(new URL('../../clients/python', import.meta.url)))})
from sevengate import Client
from sevengate._http import Transport
from sevengate.errors import ApiError
statuses = []
exchange = Transport.exchange
def noting(self, *args, **kwargs):
    answer = exchange(self, *args, **kwargs)
    statuses.append(answer.status)
    return answer
Transport.exchange = noting
for source, token in json.loads(${JSON.stringify(JSON.stringify(sources))}):
    try:
        exec(source, {"client": Client(${JSON.stringify(base)}, token=token, attempts=1)})
    except ApiError:
        pass
    print(statuses[-1])
`;
  expectUnderstood(await lines(PYTHON as string, ['-'], script));
});

/** Runs a script from standard input and returns the numbers it prints, one per line, while the API answers in this process. */
async function lines(command: string, args: readonly string[], script: string): Promise<number[]> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(script);
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(complaints).toBe('');
  return printed.trim().split('\n').map(Number);
}
