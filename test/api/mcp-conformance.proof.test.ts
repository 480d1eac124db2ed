// Published conformance suite of the Model Context Protocol: the failing scenarios need a test server's tools, or capabilities that we do
// not declare.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

const FOLDER = fileURLToPath(new URL('../conformance/', import.meta.url));
const PROGRAM = [
  '--import',
  join(FOLDER, 'node-20.mjs'),
  join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
  'server',
  '--suite',
  'all',
];

/** Scenarios that we do not pass, with their requirements. */
const NOT_OURS = {
  'the server offers no completions, no log, no subscriptions, and declares none of them': [
    'completion-complete',
    'logging-set-level',
    'resources-subscribe',
    'resources-unsubscribe',
    'tools-call-with-logging',
  ],
  'no tool asks its client for anything': [
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-list-roots',
    'input-required-result-basic-sampling',
    'input-required-result-capability-check',
    'input-required-result-multi-round',
    'input-required-result-multiple-input-requests',
    'input-required-result-non-tool-request',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'tools-call-elicitation',
    'tools-call-sampling',
  ],
  'the extension of tasks is not declared': [
    'tasks-capability-negotiation',
    'tasks-dispatch-and-envelope',
    'tasks-lifecycle',
    'tasks-mrtr-composition',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-request-state-removal',
    'tasks-required-task-error',
    'tasks-wire-fields',
  ],
  // The same calls with our own tools, prompts and resources: mcp.test.ts.
  'a tool, prompt or resource of the test server is named': [
    'http-custom-header-server-validation',
    'json-schema-2020-12',
    'prompts-get-embedded-resource',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-with-image',
    'resources-read-binary',
    'resources-read-text',
    'resources-templates-read',
    'server-stateless',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-error',
    'tools-call-image',
    'tools-call-mixed-content',
    'tools-call-simple-text',
    'tools-call-with-progress',
  ],
};
/** Checks of the stateless scenario that need tools of the test server, or subscriptions. */
const STATELESS_NOT_OURS = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
];

let api: ApiUnderTest;
let url: string;
let close: () => void;
beforeAll(async () => {
  // Untyped, because it runs before anything is installed.
  const { ensurePackages } = (await import(new URL('../../src/packages.mjs', import.meta.url).href)) as {
    ensurePackages: (root: string) => Promise<void>;
  };
  await ensurePackages(FOLDER);
  api = await apiUnderTest();
  const token = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
  const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  // The suite sends no token: this proxy adds it.
  const way = createServer((asked, answer) => {
    const { url: path, method, headers } = asked;
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...headers, authorization: `Bearer ${token}` } }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    asked.pipe(sent);
  });
  await new Promise<void>((listening) => way.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(way.address() as AddressInfo).port}/mcp`;
  close = () => way.close();
});
afterAll(async () => {
  close?.();
  await api?.close();
});

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
}

test('every scenario for our capabilities passes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  // It exits with 1 if anything failed.
  await new Promise((ended) => execFile(process.execPath, [...PROGRAM, '--url', url, '--output-dir', folder], ended));
  const found = readdirSync(folder).map((name) => {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[];
    const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
    return { scenario, failed, passed: checks.filter(({ status }) => status === 'SUCCESS').length };
  });
  expect(found.length).toBeGreaterThan(60);
  const failing = found.filter(({ failed }) => failed.length > 0);
  expect(failing.map(({ scenario }) => scenario).sort()).toEqual(Object.values(NOT_OURS).flat().sort());
  expect(failing.find(({ scenario }) => scenario === 'server-stateless')?.failed.sort()).toEqual(STATELESS_NOT_OURS);
  expect(found.reduce((sum, { passed }) => sum + passed, 0)).toBeGreaterThanOrEqual(110);
  expect(api.defects).toEqual([]);
});
