/** Control endpoint of the sandbox: an HTTP server on loopback that shows and sets the faults of every simulator. */
import http from 'node:http';
import type { FaultSettings, FaultSwitch } from './faults.ts';
import { guarded, listenLocally, readTarget } from './local-server.ts';

/** Chain controls of the endpoint. Verbs throw RangeError if their input makes no sense. */
export interface ChainClient {
  status(): unknown;
  readonly verbs: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => unknown>>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly allow?: string;
}

const MAX_BODY_BYTES = 16 * 1024;

/**
 * Opens the endpoint on 127.0.0.1. `GET /faults` returns the settings of all simulators, `GET /faults/<simulator>` those of one. `PUT
 * /faults/<simulator>` with `{ "freeze": true, … }` changes the named settings and returns all. `DELETE /faults/<simulator>` and `DELETE
 * /faults` switch faults off. `GET /chain` returns the state of the primary chain, and `POST /chain/<verb>` changes it
 * (src/sandbox/solana/chain-verbs.ts). A refused request changes nothing.
 */
export async function openSandboxControl(options: {
  readonly faults: Readonly<Record<string, FaultSwitch>>;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Controls of the primary chain. */
  readonly chain?: ChainClient;
}) {
  const { faults, chain } = options;
  const known = Object.keys(faults);
  const all = (): Record<string, FaultSettings> => Object.fromEntries(known.map((name) => [name, (faults[name] as FaultSwitch).settings]));

  function answer(method: string, path: string, body: string): Answer {
    const [, root, name, ...rest] = path.split('/');
    if (root === 'chain' && chain !== undefined && rest.length === 0) return chainAnswer(chain, method, name, body);
    if (root !== 'faults' || rest.length > 0)
      return { status: 404, body: { error: 'there is /faults and /faults/<simulator> here, and /chain and /chain/<verb>' } };
    if (name === undefined) {
      if (method === 'DELETE') for (const one of Object.values(faults)) one.reset();
      else if (method !== 'GET') return { status: 405, body: { error: 'GET or DELETE all faults' }, allow: 'GET, DELETE' };
      return { status: 200, body: all() };
    }
    const one = Object.hasOwn(faults, name) ? faults[name] : undefined;
    if (!one) return { status: 404, body: { error: `there is no simulator ${JSON.stringify(name)}; there are ${known.join(', ')}` } };
    if (method === 'DELETE') one.reset();
    else if (method === 'PUT') {
      const change = settingsIn(body);
      if (change === null) return { status: 400, body: { error: 'the body should be a JSON object such as { "freeze": true }' } };
      try {
        one.set(change);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return { status: 400, body: { error: error.message } };
      }
    } else if (method !== 'GET')
      return { status: 405, body: { error: 'GET, PUT or DELETE the faults of a simulator' }, allow: 'GET, PUT, DELETE' };
    return { status: 200, body: one.settings };
  }

  const server = http.createServer((incoming, response) => {
    const respond = ({ status, body, allow }: Answer): void => {
      if (response.headersSent || response.destroyed) return;
      response.writeHead(status, { 'content-type': 'application/json', ...(allow === undefined ? {} : { allow }) });
      response.end(`${JSON.stringify(body)}\n`);
    };
    // Rejects other host names: a web page whose name resolves to loopback could otherwise call this server (DNS rebinding).
    const host = incoming.headers.host ?? '';
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) {
      incoming.resume();
      return respond({
        status: 403,
        body: { error: `this endpoint answers to 127.0.0.1 only, not to ${JSON.stringify(host.slice(0, 100))}` },
      });
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    incoming.on('error', () => response.destroy());
    incoming.on('end', () => {
      if (bytes > MAX_BODY_BYTES) return respond({ status: 413, body: { error: `at most ${MAX_BODY_BYTES} bytes` } });
      const target = readTarget(incoming);
      if (target === null) return respond({ status: 400, body: { error: 'that is not an address' } });
      guarded(response, () => respond(answer(incoming.method ?? 'GET', target.path, Buffer.concat(chunks).toString('utf8'))));
    });
  });
  const { port, close } = await listenLocally(server, options.port);
  return {
    /** `http://127.0.0.1:<port>` */
    url: `http://127.0.0.1:${port}`,
    close,
  };
}

function chainAnswer(chain: ChainClient, method: string, verb: string | undefined, text: string): Answer {
  if (verb === undefined)
    return method === 'GET'
      ? { status: 200, body: chain.status() }
      : { status: 405, body: { error: 'GET where the chain stands' }, allow: 'GET' };
  const run = Object.hasOwn(chain.verbs, verb) ? chain.verbs[verb] : undefined;
  if (run === undefined)
    return { status: 404, body: { error: `the chain has no ${JSON.stringify(verb)}; there are ${Object.keys(chain.verbs).join(', ')}` } };
  if (method !== 'POST') return { status: 405, body: { error: 'POST what should be done' }, allow: 'POST' };
  const body = text === '' ? {} : objectIn(text);
  if (body === null) return { status: 400, body: { error: 'the body should be a JSON object such as { "slots": 32 }' } };
  try {
    return { status: 200, body: run(body) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { status: 400, body: { error: error.message } };
  }
}

/** Parses fault settings from JSON, or returns null. The switch itself checks names and values. */
function settingsIn(text: string): Partial<FaultSettings> | null {
  return objectIn(text);
}

/** Parses a JSON object, or returns null if the text is not one. */
function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
