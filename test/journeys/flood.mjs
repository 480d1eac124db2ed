/**
 * Client that ignores `Retry-After`, in a process of its own. Reads a plan from standard input (`{url, requests, connections, perSecond,
 * seconds}`, requests as `{method, path, headers, body}`), sends that many requests a second, and prints the count of each status at the
 * end.
 */
import { request as ask, Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { url, requests, connections, perSecond, seconds } = JSON.parse(await text(process.stdin));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const until = Date.now() + seconds * 1_000;
const counts = {};
let next = 0;

await Promise.all(Array.from({ length: connections }, ownTurn));
agent.destroy();
console.log(JSON.stringify(counts));

/** Sends the next request of the plan until the time is over. */
async function ownTurn() {
  const paceMs = (connections * 1_000) / perSecond;
  for (let due = Date.now(); Date.now() < until; due = Math.max(due + paceMs, Date.now() - paceMs)) {
    await pause(Math.max(0, due - Date.now()));
    const status = await answerTo(requests[next++ % requests.length]);
    counts[status] = (counts[status] ?? 0) + 1;
  }
}

/** Returns the status of the answer, or `cut` if the connection ended before it. */
function answerTo({ method, path, headers, body }) {
  return new Promise((resolve) => {
    const asked = ask(`${url}${path}`, { method, headers, agent }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
      answer.on('error', () => resolve('cut'));
    });
    asked.on('error', () => resolve('cut'));
    asked.end(body);
  });
}
