/** Whether this console shows a recorded tape instead of the present: the server of a tape marks its page so. */
export const IS_REPLAY = document.documentElement.hasAttribute('data-replay');
