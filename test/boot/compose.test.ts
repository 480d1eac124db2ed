// The compose file is well formed, and starts this service's own roles on the official images.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { expect, test } from 'vitest';
import { isConfig, readConfig } from '../../src/boot/config.ts';

interface Service {
  readonly build?: string;
  readonly image: string;
  readonly command?: string[];
  readonly network_mode?: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: { test: string[] };
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const text = read('docker-compose.yml');
const compose = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === 'sevengate');

/** Interpolates variables like Compose, in the two forms that the file uses. */
function interpolate(value: string, env: Record<string, string>): string {
  return value.replace(/\$\{(\w+)(:-|:\?)([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const given = env[name];
    if (given) return given;
    if (kind === ':-') return rest;
    throw new Error(`${name}: ${rest}`);
  });
}
function environmentOf(service: Service, env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(service.environment ?? {}).map(([name, value]) => [name, interpolate(String(value), env)]));
}
const PASSWORDS = { POSTGRES_PASSWORD: 'p1', REDIS_PASSWORD: 'r1' };

test('it follows the keys and forms of the Compose Specification', () => {
  const validate = new Ajv({ allErrors: true, strictTuples: false, allowUnionTypes: true }).compile(
    JSON.parse(read('test/fixtures/compose/compose.schema.json')) as object,
  );
  validate(compose);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...compose, services: { api: { image: 'x', commands: [] } } })).toBe(false);
});

test('it runs each role as a process of its own, and the migrations once before them', () => {
  expect(Object.fromEntries(ours.map(([name, { command }]) => [name, command?.join(' ')]))).toEqual({
    migrate: 'migrate',
    sandbox: 'start --role sandbox',
    api: 'start --role api',
    worker: 'start --role worker',
    feed: 'start --role feed',
  });
  for (const [name, { depends_on }] of ours) {
    if (name !== 'migrate') expect(depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
  }
});

test('dependencies of a service exist, and can become healthy if required', () => {
  for (const [name, { depends_on = {}, network_mode, volumes = [] }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const found = compose.services[other];
      expect(found, `${name} waits for ${other}`).toBeDefined();
      if (condition === 'service_healthy') expect(found?.healthcheck, `${other}'s healthcheck`).toBeDefined();
    }
    if (network_mode) expect(Object.keys(compose.services)).toContain(network_mode.replace('service:', ''));
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  }
});

test('every process of the service has the state folder, whose keys sign its changes', () => {
  for (const [name, { volumes }] of ours) expect(volumes, name).toEqual(['state:/var/lib/sevengate']);
});

test('every image is an official one or built here from an official one', () => {
  expect(services.filter(([, { build }]) => !build).map(([, { image }]) => image)).toEqual(['postgres:18', 'redis:8']);
  expect(read('Dockerfile').match(/^FROM .*/gm)).toEqual(['FROM node:24']);
});

test('every role accepts the settings it is given, with the passwords alone and with a real venue', () => {
  for (const [name, service] of ours) {
    expect(isConfig(readConfig(environmentOf(service, PASSWORDS))), name).toBe(true);
    const real = { ...PASSWORDS, SPOTEXCHANGE_URL: 'https://x.example', SPOTEXCHANGE_STREAM_URL: 'wss://x.example' };
    expect(isConfig(readConfig(environmentOf(service, real))), name).toBe(true);
  }
});

test('every setting of the environment can be given, and no two roles that share a network share a port', () => {
  const api = environmentOf(compose.services['api'] as Service, PASSWORDS);
  const all = Object.keys(readConfig({})).sort();
  // The image sets the home; both stores are here, so there is no choice of a queue.
  expect(all.filter((name) => !(name in api))).toEqual(['QUEUE_BACKEND', 'SEVENGATE_HOME']);
  const ports = ours.flatMap(([, { environment }]) => environment?.['PORT'] ?? []);
  expect(new Set(ports).size).toBe(ports.length);
});

test('the file has no secret, and does not start without the passwords', () => {
  const secrets = services.flatMap(([, { environment = {} }]) =>
    Object.entries(environment).filter(([name]) => /PASSWORD|KEY|AUTH|_URL$/.test(name)),
  );
  for (const [name, value] of secrets)
    expect(value, name).toMatch(/^(\$\{|postgres:\/\/sevengate:\$\{POSTGRES_PASSWORD:\?|redis:\/\/:\$\{REDIS_PASSWORD:\?)/);
  expect(() => environmentOf(compose.services['api'] as Service, {})).toThrow('POSTGRES_PASSWORD: set it to letters and digits');
});

test('the queue keeps its data: append-only, no eviction', () => {
  const command = compose.services['redis']?.command?.join(' ');
  for (const setting of ['--appendonly yes', '--appendfsync everysec', '--maxmemory-policy noeviction', '--requirepass'])
    expect(command).toContain(setting);
});
