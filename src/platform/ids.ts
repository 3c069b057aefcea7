// All ids that package.json contributes, with types. A test compares the two.

export const EXTENSION_ID = 'errand.errand';

export const viewContainers = {
	chat: 'errandChat',
	tasks: 'errand',
} as const;

export const views = {
	chat: 'errand.chat',
	tasks: 'errand.tasks',
} as const;

export const commands = {
	stopReply: 'errand.stopReply',
	newConversation: 'errand.newConversation',
	newEncryptedConversation: 'errand.newEncryptedConversation',
	openConversation: 'errand.openConversation',
	exportConversation: 'errand.exportConversation',
	acceptChange: 'errand.acceptChange',
	refuseChange: 'errand.refuseChange',
	addContext: 'errand.addContext',
	askAboutSelection: 'errand.askAboutSelection',
	startTask: 'errand.startTask',
	openTaskLog: 'errand.openTaskLog',
	stopTask: 'errand.stopTask',
	keepTaskWork: 'errand.keepTaskWork',
	continueTask: 'errand.continueTask',
	refreshTasks: 'errand.refreshTasks',
	filterTasks: 'errand.filterTasks',
	openTaskLogDocument: 'errand.openTaskLogDocument',
	saveTaskLog: 'errand.saveTaskLog',
	showTaskDetails: 'errand.showTaskDetails',
	showTaskSteps: 'errand.showTaskSteps',
	reviewTaskChanges: 'errand.reviewTaskChanges',
	applyTaskChanges: 'errand.applyTaskChanges',
	takeHunk: 'errand.takeHunk',
	compareWithFile: 'errand.compareWithFile',
	undoApply: 'errand.undoApply',
	sendTaskComments: 'errand.sendTaskComments',
	saveComment: 'errand.saveComment',
	cancelComment: 'errand.cancelComment',
	editComment: 'errand.editComment',
	deleteComment: 'errand.deleteComment',
	compareAgents: 'errand.compareAgents',
	newDecision: 'errand.newDecision',
	evaluateDecision: 'errand.evaluateDecision',
	checkoutTaskBranch: 'errand.checkoutTaskBranch',
	openTaskWorktree: 'errand.openTaskWorktree',
	mergeTaskBranch: 'errand.mergeTaskBranch',
	pushTaskBranch: 'errand.pushTaskBranch',
	openTaskPullRequest: 'errand.openTaskPullRequest',
	openTaskDashboard: 'errand.openTaskDashboard',
	copyTaskId: 'errand.copyTaskId',
	deleteTaskBranch: 'errand.deleteTaskBranch',
	archiveTask: 'errand.archiveTask',
	manageKeys: 'errand.manageKeys',
	addService: 'errand.addService',
	switchConnection: 'errand.switchConnection',
	showAttestation: 'errand.showAttestation',
	setUpAgents: 'errand.setUpAgents',
	showCosts: 'errand.showCosts',
	stopLocalService: 'errand.stopLocalService',
	showLog: 'errand.showLog',
} as const;

/** The vendor of the language models that the extension offers to the editor. package.json contributes it. */
export const LANGUAGE_MODEL_VENDOR = 'errand';

/** The scheme of files as a task has left or found them. Menus in package.json match on it. */
export const CHANGE_SCHEME = 'errand-change';

/** The scheme of documents in which a prompt made of comments is written. Menus in package.json match on it. */
export const COMMENT_PROMPT_SCHEME = 'errand-follow-up';

export const MCP_PROVIDER = 'errand.mcp';

/** The scheme of documents that show everything that another agent requests. */
export const ASKED_SCHEME = 'errand-asked';

/** The page that compares agents. package.json has it as the kind of a tab, `errand.<name>`. */
export const COMPARISON_PAGE = 'comparison';

/** The page of the steps of a task. package.json has it as the kind of a tab, `errand.<name>`. */
export const STEPS_PAGE = 'steps';

/** The scheme of documents that show the data that an evaluation sends. */
export const DECISION_SCHEME = 'errand-decision';

/** The id of the controller of comments. Menus in package.json match on it. */
export const COMMENT_CONTROLLER = 'errand.review';

/** The scheme of documents that show a task's log. Menus in package.json match on it. */
export const LOG_SCHEME = 'errand-log';

/**
 * The scheme of documents that show a file as it would be with code of a reply in it. Menus in package.json match on
 * it.
 */
export const PROPOSAL_SCHEME = 'errand-proposal';

/** The scheme of documents that show the result of an agent's step, or the state before it. */
export const STEP_SCHEME = 'errand-step';

/**
 * The scheme of documents that show the change an agent asks for, while it waits for the answer. Menus in package.json
 * match on it.
 */
export const QUESTION_SCHEME = 'errand-question';

/** The scheme of documents with all that a service reports about a task. */
export const TASK_SCHEME = 'errand-task';

/** The language of log documents. package.json has editor defaults for it. */
export const LOG_LANGUAGE = 'errand-log';
/** The scheme of the document in which a task's prompt is written. Menus in package.json match on it. */
export const PROMPT_SCHEME = 'errand-prompt';

/**
 * Commands that only rows, links, buttons, lists and quick fixes run. They are not contributed, so the palette does not
 * offer them.
 */
export const internalCommands = {
	/** Unlike the editor's own command for the view, it also puts the cursor into the composer. */
	focusChat: 'errand.focusChat',
	askForWholeReplies: 'errand.askForWholeReplies',
	selectModel: 'errand.selectModel',
	selectPolicy: 'errand.selectPolicy',
	explainProblem: 'errand.explainProblem',
	startTaskFromSelection: 'errand.startTaskFromSelection',
	startTaskFromPrompt: 'errand.startTaskFromPrompt',
	takePromptToChat: 'errand.takePromptToChat',
	changeServerKey: 'errand.changeServerKey',
	loadMoreTasks: 'errand.loadMoreTasks',
	loadMoreAgentTasks: 'errand.loadMoreAgentTasks',
	readChangesAgain: 'errand.readChangesAgain',
	showMoreFiles: 'errand.showMoreFiles',
	refuseHunk: 'errand.refuseHunk',
	runStepAction: 'errand.runStepAction',
	searchSteps: 'errand.searchSteps',
} as const;

export type CommandId =
	| (typeof commands)[keyof typeof commands]
	| (typeof internalCommands)[keyof typeof internalCommands];

/** The scope of a setting, with the type of its value, which stands in the type alone. */
type Scope<Value> = 'application' | 'machine' | 'window' | { value: Value };
const scope = <Value>(name: 'application' | 'machine' | 'window') => name as Scope<Value>;

/** The scopes of the settings. A repository must never choose a host, start a program or weaken privacy. */
export const settingScopes = {
	'errand.connection': scope<string>('application'),
	'errand.connections': scope<Record<string, unknown>>('application'),
	'errand.chat.model': scope<string>('window'),
	'errand.chat.instructions': scope<string>('application'),
	'errand.chat.useInstructionFiles': scope<boolean>('application'),
	'errand.chat.parameters': scope<Record<string, unknown>>('window'),
	'errand.chat.routing': scope<Record<string, unknown>>('application'),
	'errand.chat.zeroDataRetention': scope<string>('application'),
	'errand.chat.titles': scope<boolean>('application'),
	'errand.chat.notify': scope<boolean>('window'),
	'errand.languageModels.access': scope<string>('application'),
	'errand.tasks.agent': scope<string>('application'),
	'errand.tasks.model': scope<string>('window'),
	'errand.tasks.installDependencies': scope<boolean>('window'),
	'errand.tasks.maxDuration': scope<number>('window'),
	'errand.tasks.maxCost': scope<number>('application'),
	'errand.tasks.notify': scope<boolean>('window'),
	'errand.tasks.refreshInterval': scope<number>('window'),
	'errand.agents.approvals': scope<string>('application'),
	'errand.agents.mcpServers': scope<Record<string, unknown>>('machine'),
	'errand.channel.requireHardwareProof': scope<boolean>('application'),
	'errand.channel.wholeReplies': scope<boolean>('application'),
	'errand.local.upstreams': scope<Record<string, unknown>>('machine'),
	'errand.local.agents': scope<unknown[]>('machine'),
	'errand.local.sandbox': scope<string>('machine'),
	'errand.local.ownAccounts': scope<string>('machine'),
	'errand.local.allowedAccounts': scope<unknown>('machine'),
};
export type SettingId = keyof typeof settingScopes;
export type SettingTypes = {
	[Id in SettingId]: (typeof settingScopes)[Id] extends Scope<infer Value> ? Value : never;
};

/** The context keys that `when` clauses of package.json may name, with the types of their values. */
export interface ContextKeyTypes {
	'errand.isActive': boolean;
	'errand.replying': boolean;
	'errand.chatFocused': boolean;
	/** A model other than the demo answers in the chat. */
	'errand.hasModel': boolean;
	/** A conversation has at some time been stored on this machine. */
	'errand.hasConversations': boolean;
	/** The task list was not empty when it was last read, even by an earlier window. */
	'errand.hasTasks': boolean;
	/** There is an application of changes that can be undone. */
	'errand.canUndoApply': boolean;
	/** A version of a task's file can be seen in an editor. */
	'errand.showsChanges': boolean;
	/** The state that the task tree shows in place of rows. */
	'errand.tasksState': 'loading' | 'empty' | 'error' | 'no-key' | 'key-refused' | 'unsupported' | 'listed';
}
export type ContextKey = keyof ContextKeyTypes;

/** The flags in the context value of a task's row that menus in package.json match on. */
export interface TaskRowFlags {
	/** There is a branch whose changes can be reviewed. */
	branch: boolean;
	/** Several agents got the same prompt. */
	race: boolean;
	/** The task was ended with work that can still be kept. */
	keepable: boolean;
	comments: boolean;
	/** The task ended in a way that needs an explanation. */
	failed: boolean;
	/** The service has kept the files after steps of the task. */
	steps: boolean;
	/** The service names the address of a sandbox. */
	sandbox: boolean;
	/** The connection names a dashboard. */
	dashboard: boolean;
}

/** Returns the context value of a row: a task, or one agent's result in a task with several agents. */
export function rowContext(kind: 'task active' | 'task final' | 'result', flags: Partial<TaskRowFlags>): string {
	const named = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []));
	return [`errand.${kind}`, ...named].join(' ');
}

/** The context value of a changed file's row. */
export const FILE_CONTEXT = 'errand.file';

/** The context value of the row of a task's step. */
export const STEP_CONTEXT = 'errand.step';
