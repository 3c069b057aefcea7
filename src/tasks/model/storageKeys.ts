// The keys of the feature's data in the workspace's state. They are needed when the editor starts, so this file
// contains nothing else.

/** The followed tasks, with an entry for each. */
export const FOLLOWED_ENTRIES = 'errand.tasks.followed';

/** The requests whose reply has not come yet, with an entry for each. */
export const PENDING_ENTRIES = 'errand.tasks.pending';

/** Further prompts that were written but not sent, with an entry for each, by the id of its task. */
export const FOLLOW_UP_ENTRIES = 'errand.tasks.followUps';

/** The prompt that was written in an editor but not sent. */
export const DRAFT_KEY = 'errand.tasks.draft';

/** The place of the next task, as chosen or given by a link; absent if it follows the open repository. */
export const DRAFT_PLACE_KEY = 'errand.tasks.draftPlace';

/** The scratch branches that still exist, with an entry for each, by its name. */
export const SCRATCH_ENTRIES = 'errand.tasks.scratch';

/** The tasks that are archived on this machine, with an entry for each; they are in the editor's state of all workspaces. */
export const ARCHIVED_ENTRIES = 'errand.tasks.archived';

/** True if the list of tasks had any when it was last read; in the editor's state of all workspaces. */
export const HAS_TASKS_KEY = 'errand.tasks.hasTasks';

/** The logs that were open as documents when an earlier version of Errand ended. */
export const OPEN_LOGS_KEY = 'errand.tasks.openLogs';

/** The results whose branches were brought into a repository, with an entry for each. */
export const RESULT_ENTRIES = 'errand.tasks.results';

/** The commits from which tasks were started, with an entry for each, by the id of its task. */
export const START_ENTRIES = 'errand.tasks.starts';

/** The tasks that have ended and that the user has not looked at, with an entry for each. */
export const UNREAD_ENTRIES = 'errand.tasks.ended';

/** The name of the file in the workspace's storage folder with the last application of changes. */
export const LAST_APPLY_FILE = 'lastApply';

/** The name of the file beside it with the application in progress. It outlives a window that closes meanwhile. */
export const RUNNING_APPLY_FILE = 'runningApply';

/** The comments on tasks' changes, with an entry for each task, by its id. */
export const COMMENT_ENTRIES = 'errand.tasks.comments';

/** Prompts made from comments that were not sent yet, with an entry for each, by the key of the result. */
export const COMMENT_PROMPT_ENTRIES = 'errand.tasks.commentPrompts';
