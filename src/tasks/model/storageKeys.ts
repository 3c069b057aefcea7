// The keys of the feature's data in the workspace's state. They are needed when the editor starts, so this file
// contains nothing else.

/** The followed tasks, with an entry for each. */
export const FOLLOWED_ENTRIES = 'errand.tasks.followed';

/** The requests whose reply has not come yet, with an entry for each. */
export const PENDING_ENTRIES = 'errand.tasks.pending';

/** Further prompts that were written and not sent, with an entry for each, by the id of its task. */
export const FOLLOW_UP_ENTRIES = 'errand.tasks.followUps';

/** The prompt that was written and not sent. */
export const DRAFT_KEY = 'errand.tasks.draft';

/** Where the prompt's task should run, as given by a link; absent where the user chooses. */
export const DRAFT_PLACE_KEY = 'errand.tasks.draftPlace';

/** The scratch branches that still exist, with an entry for each, by its name. */
export const SCRATCH_ENTRIES = 'errand.tasks.scratch';

/** The tasks whose work may come on another branch than they go on with, each an entry by the id of its task. */
export const BEHIND_ENTRIES = 'errand.tasks.behind';

/** The logs that are open as documents; absent when there are none. */
export const OPEN_LOGS_KEY = 'errand.tasks.openLogs';
