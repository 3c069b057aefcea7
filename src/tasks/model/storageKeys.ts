// What the feature keeps in the workspace's state. Looked at when the editor starts, so nothing else is in this file.

/** The followed tasks, each an entry. */
export const FOLLOWED_ENTRIES = 'errand.tasks.followed';

/** The requests whose reply has not come yet, each an entry. */
export const PENDING_ENTRIES = 'errand.tasks.pending';

/** Further prompts that were written and not sent, each an entry by the id of its task. */
export const FOLLOW_UP_ENTRIES = 'errand.tasks.followUps';

/** The prompt that was written and not sent. */
export const DRAFT_KEY = 'errand.tasks.draft';

/** Where the prompt's task is to run, as a link has said; absent where the user chooses. */
export const DRAFT_PLACE_KEY = 'errand.tasks.draftPlace';

/** The scratch branches that are still there, each an entry by its name. */
export const SCRATCH_ENTRIES = 'errand.tasks.scratch';

/** The logs that are open as documents; absent when there are none. */
export const OPEN_LOGS_KEY = 'errand.tasks.openLogs';
