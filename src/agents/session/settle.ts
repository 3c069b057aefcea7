// An addition of our own to the protocol: after a call, Errand's agent waits until the client has dealt with what it has
// reported, for example has kept the files as they are. Other agents go on at once.

/** The agent's request, which has the id of its session and an empty answer. */
export const SETTLE = '_errand/settle';
/** The name in `_meta` of the client's capabilities by which it says that it answers that request. */
export const SETTLES = 'errand/settles';
