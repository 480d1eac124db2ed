/** True if this console shows a recorded tape instead of the present: the tape's server marks its page. */
export const IS_REPLAY = document.documentElement.hasAttribute('data-replay');
