// Every id that package.json contributes, typed. A test compares the two.

export const EXTENSION_ID = 'errand.errand';

export const VIEW_CONTAINER = 'errand';

export const views = {
	chat: 'errand.chat',
	tasks: 'errand.tasks',
} as const;

export const commands = {
	focusChat: 'errand.focusChat',
	stopReply: 'errand.stopReply',
	newConversation: 'errand.newConversation',
	newEncryptedConversation: 'errand.newEncryptedConversation',
	openConversation: 'errand.openConversation',
	renameConversation: 'errand.renameConversation',
	deleteConversation: 'errand.deleteConversation',
	exportConversation: 'errand.exportConversation',
	selectModel: 'errand.selectModel',
	selectPolicy: 'errand.selectPolicy',
	editParameters: 'errand.editParameters',
	applyProposal: 'errand.applyProposal',
	discardProposal: 'errand.discardProposal',
	addContext: 'errand.addContext',
	addSelection: 'errand.addSelection',
	addFile: 'errand.addFile',
	addFolder: 'errand.addFolder',
	addProblems: 'errand.addProblems',
	addChanges: 'errand.addChanges',
	addTerminalOutput: 'errand.addTerminalOutput',
	addOpenEditors: 'errand.addOpenEditors',
	askAboutSelection: 'errand.askAboutSelection',
	explainProblem: 'errand.explainProblem',
	startTask: 'errand.startTask',
	startTaskFromSelection: 'errand.startTaskFromSelection',
	startTaskFromPrompt: 'errand.startTaskFromPrompt',
	followTask: 'errand.followTask',
	openTaskLog: 'errand.openTaskLog',
	stopTask: 'errand.stopTask',
	continueTask: 'errand.continueTask',
	refreshTasks: 'errand.refreshTasks',
	filterTasks: 'errand.filterTasks',
	openTaskLogDocument: 'errand.openTaskLogDocument',
	saveTaskLog: 'errand.saveTaskLog',
	loadEarlierLog: 'errand.loadEarlierLog',
	loadLaterLog: 'errand.loadLaterLog',
	showLogEnd: 'errand.showLogEnd',
	manageKeys: 'errand.manageKeys',
	switchConnection: 'errand.switchConnection',
	addConnection: 'errand.addConnection',
	showAttestation: 'errand.showAttestation',
	stopLocalService: 'errand.stopLocalService',
	showLog: 'errand.showLog',
} as const;

/** The scheme of documents that show a task's log. Menus in package.json match on it. */
export const LOG_SCHEME = 'errand-log';

/**
 * The scheme of documents that show a file as it would be with code of a reply in it. Menus in package.json match on
 * it.
 */
export const PROPOSAL_SCHEME = 'errand-proposal';

/** The language of log documents. package.json has editor defaults for it. */
export const LOG_LANGUAGE = 'errand-log';
/** The scheme of the document in which a task's prompt is written. Menus in package.json match on it. */
export const PROMPT_SCHEME = 'errand-prompt';

/**
 * Commands that only tree rows run. They are not contributed, so that neither the palette nor a key binding offers
 * them.
 */
export const internalCommands = {
	loadMoreTasks: 'errand.loadMoreTasks',
	loadMoreAgentTasks: 'errand.loadMoreAgentTasks',
} as const;

export type CommandId =
	| (typeof commands)[keyof typeof commands]
	| (typeof internalCommands)[keyof typeof internalCommands];

/** Setting ids with the types of their values. */
export interface SettingTypes {
	'errand.connection': string;
	'errand.connections': Record<string, unknown>;
	'errand.chat.model': string;
	'errand.chat.instructions': string;
	'errand.chat.parameters': Record<string, unknown>;
	'errand.chat.routing': Record<string, unknown>;
	'errand.chat.zeroDataRetention': string;
	'errand.tasks.agent': string;
	'errand.tasks.model': string;
	'errand.tasks.installDependencies': boolean;
	'errand.tasks.maxDuration': number;
	'errand.tasks.notify': boolean;
	'errand.tasks.refreshInterval': number;
	'errand.channel.requireHardwareProof': boolean;
	'errand.channel.wholeReplies': boolean;
	'errand.local.upstreams': Record<string, unknown>;
}
export type SettingId = keyof SettingTypes;

/** Where a setting may be set. A repository must never choose a host, start a program or weaken privacy. */
export const settingScopes: Record<SettingId, 'application' | 'machine' | 'window' | 'resource'> = {
	'errand.connection': 'application',
	'errand.connections': 'application',
	'errand.chat.model': 'window',
	'errand.chat.instructions': 'application',
	'errand.chat.parameters': 'window',
	'errand.chat.routing': 'application',
	'errand.chat.zeroDataRetention': 'application',
	'errand.tasks.agent': 'window',
	'errand.tasks.model': 'window',
	'errand.tasks.installDependencies': 'window',
	'errand.tasks.maxDuration': 'window',
	'errand.tasks.notify': 'window',
	'errand.tasks.refreshInterval': 'window',
	'errand.channel.requireHardwareProof': 'application',
	'errand.channel.wholeReplies': 'application',
	'errand.local.upstreams': 'machine',
};

/** The context keys that `when` clauses of package.json may name, with the types of their values. */
export interface ContextKeyTypes {
	/** A reply is streaming. */
	'errand.replying': boolean;
	'errand.chatFocused': boolean;
	/** What the task tree shows when it has no rows. */
	'errand.tasksState': 'loading' | 'empty' | 'error' | 'no-key' | 'key-refused' | 'unsupported' | 'listed';
}
export type ContextKey = keyof ContextKeyTypes;

/** The context values of task rows, which menus in package.json match on. */
export const taskContextValue = { active: 'errand.task.active', final: 'errand.task.final' } as const;
