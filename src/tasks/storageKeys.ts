// What the feature keeps in the workspace's state. Looked at when the editor starts, so nothing else is in this file.

/** The followed tasks; absent when there are none. */
export const FOLLOWED_KEY = 'errand.tasks.followed';

/** The request whose reply has not come yet; absent when there is none. */
export const PENDING_KEY = 'errand.tasks.pending';

/** Further prompts that were written and not sent, by the ids of their tasks; absent when there are none. */
export const FOLLOW_UPS_KEY = 'errand.tasks.followUps';

/** The prompt that was written and not sent. */
export const DRAFT_KEY = 'errand.tasks.draft';

/** Where the prompt's task is to run, as a link has said; absent where the user chooses. */
export const DRAFT_PLACE_KEY = 'errand.tasks.draftPlace';

/** The scratch branches that are still there; absent when there are none. */
export const SCRATCH_KEY = 'errand.tasks.scratch';

/** The logs that are open as documents; absent when there are none. */
export const OPEN_LOGS_KEY = 'errand.tasks.openLogs';
