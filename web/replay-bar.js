/** The bar above every page of a replay: that it is one, of which tape, at which time, and what moves it. */
import { h, mark, say } from './dom.js';
import { change, read } from './http.js';
import { remaining } from './words.js';

/** @typedef {{ readonly tape: string, readonly mode: 'playing' | 'paused' | 'ended' | 'failed', readonly at: string, readonly from: string, readonly to: string, readonly speed: number, readonly loop: boolean, readonly events: number, readonly moves: number, readonly failure: string | null, readonly instruments: readonly string[] }} Replay */

const ASK_MS = 500;
const DRAW_MS = 100;
const SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_000];

/**
 * @param {object} options
 * @param {Replay} options.first How the replay stands.
 * @param {() => void} options.onMoved Its time has jumped, or another tape was loaded: what is shown holds no more.
 * @param {(error: unknown) => void} options.fail
 */
export function createReplayBar({ first, onMoved, fail }) {
  let state = first;
  let stateAt = Date.now();
  /** @param {string} what @param {object} [body] */
  const move = async (what, body = {}) => {
    try {
      take(await change('POST', `/v1/replay/${what}`, body));
    } catch (error) {
      fail(error);
    }
  };
  const parts = barParts(first.speed, { mode: () => state.mode, move });

  /** @param {Replay} next */
  function take(next) {
    const jumped = next.moves !== state.moves || next.tape !== state.tape;
    state = next;
    stateAt = Date.now();
    parts.draw(state, now());
    if (jumped) onMoved();
  }

  /** The time of the tape, between two answers as it should have run. */
  function now() {
    const ran = state.mode === 'playing' ? (Date.now() - stateAt) * state.speed : 0;
    return Math.min(Date.parse(state.to), Math.round(Date.parse(state.at) + ran));
  }

  parts.draw(state, now());
  const asking = setInterval(() => {
    if (!document.hidden) read('/v1/replay').then(take, () => {});
  }, ASK_MS);
  const running = setInterval(() => parts.draw(state, now()), DRAW_MS);
  return {
    element: parts.element,
    now,
    end() {
      clearInterval(asking);
      clearInterval(running);
    },
  };
}

/**
 * Creates the parts of the bar and their drawing.
 * @param {number} ownSpeed
 * @param {{ mode(): Replay['mode'], move(what: string, body?: object): Promise<void> }} replay
 */
function barParts(ownSpeed, { mode, move }) {
  let isHeld = false;
  const time = h('output', { class: 'number replay-time' });
  const left = h('span', { class: 'number replay-left' });
  const name = h('span', { class: 'replay-tape' });
  const toggle = h('button', { type: 'button', onclick: () => void move(mode() === 'playing' ? 'pause' : 'play') });
  const step = h('button', { type: 'button', onclick: () => void move('step') }, 'Step');
  const speed = h(
    'select',
    { 'aria-label': 'Speed', onchange: () => void move('speed', { speed: Number(speed.value) }) },
    speedsWith(ownSpeed).map((factor) => h('option', { value: factor }, `× ${factor}`)),
  );
  const hold = () => {
    isHeld = true;
    say(time, clock(Number(place.value)));
  };
  const letGo = () => {
    isHeld = false;
    void move('seek', { at: new Date(Number(place.value)).toISOString() });
  };
  const place = h('input', { type: 'range', 'aria-label': 'Tape time', step: 1_000, oninput: hold, onchange: letGo });
  const title = h('a', { href: '#/replay' }, name);
  const element = h(
    'section',
    { class: 'replay-bar', 'aria-label': 'Replay' },
    h('strong', {}, 'REPLAY'),
    title,
    time,
    toggle,
    step,
    speed,
    place,
    left,
  );
  return {
    element,
    /** @param {Replay} state @param {number} at */
    draw(state, at) {
      say(name, state.failure === null ? state.tape : `${state.tape}: ${state.failure}`);
      say(toggle, state.mode === 'playing' ? 'Pause' : state.mode === 'ended' ? 'Restart' : 'Play');
      mark(element, 'data-mode', state.mode);
      speed.value = String(state.speed);
      if (isHeld) return;
      place.min = String(Date.parse(state.from));
      place.max = String(Date.parse(state.to));
      place.value = String(at);
      say(time, clock(at));
      say(left, leftWords(state, at));
    },
  };
}

/**
 * Describes the rest of the tape, and its time at this speed: `3:59 left, 0:24 at × 10`. A looping replay has no end.
 * @param {Replay} state
 * @param {number} at
 */
function leftWords({ to, speed, mode, loop }, at) {
  if (mode === 'ended' || mode === 'failed') return '';
  if (loop) return 'restarts at the end';
  const ms = Math.max(0, Date.parse(to) - at);
  return `${remaining(ms)} left, ${remaining(ms / speed)} at × ${speed}`;
}

/** @param {number} own */
function speedsWith(own) {
  return [...new Set([...SPEEDS, own])].sort((a, b) => a - b);
}

/** @param {number} at */
function clock(at) {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
