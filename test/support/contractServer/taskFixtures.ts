import { absentText, deployHost, service } from './fixtures.ts';

/**
 * The values in the answers of the task service and the look-ups. Every documented field is present and every value
 * differs.
 */

export interface Task {
	id: string;
	status: string;
	batchId: string | null;
	[field: string]: unknown;
}

export interface LogEntry {
	type: string;
	contentType: string;
	message: string;
	timestamp: string;
	agent: string;
	step: string;
}

/** Returns the moment `seconds` after a fixed one, in ISO 8601. */
export function moment(seconds: number): string {
	return new Date(Date.UTC(2025, 5, 30, 8, 0, 0) + seconds * 1000).toISOString();
}

export const taskIds = {
	/** Every field has a value; its log has an entry of every type and content type. */
	completed: 'task-completed-a1',
	/** Its log stream runs to its end when it is first read: processing, saving, completed. */
	processing: 'task-processing-b2',
	pending: 'task-pending-c3',
	saving: 'task-saving-d4',
	failed: 'task-error-e5',
	stopped: 'task-stopped-f6',
	timedOut: 'task-timeout-g7',
	batch: 'task-batch-h8',
	/** Nullable fields are null. */
	nulls: 'task-null-i9',
	/** Nullable fields are the text None. */
	nones: 'task-none-j10',
	/** Its first log stream ends after half the entries without `complete`; the next runs to the end. */
	cut: 'task-cut-k11',
	/** Its log stream sends two entries and an `error` event with details, and closes; the next runs to the end. */
	streamError: 'task-stream-error-l12',
	/** `complete` counts one entry more than its first log stream sends; the next stream sends it. */
	late: 'task-late-m13',
	/** Its first log stream leaves out one entry; the next one sends it. */
	gap: 'task-gap-n14',
	/** It belongs to a team of the caller and is not in the list. */
	team: 'task-team-o15',
	/** It belongs to a stranger, is public and is not in the list. */
	public: 'task-public-p16',
	/** `GET /api/tasks/{id}` answers with a bare task. */
	bare: 'task-bare-q17',
	/** Its id must be percent-encoded in a path. */
	encoded: 'task/with space-r18',
};

/** The id of a stranger's task that is not public, which the service treats as if it did not exist. */
export const strangersTaskId = 'task-private-s19';

/** The name of a field that differs for each deployment host. */
export const deploymentSettings = `${deployHost}DeploymentSettings`;

const whole: Task = {
	id: taskIds.completed,
	userId: 'skipper@quillon.example',
	teamId: 'team-tide-4',
	prompt: 'Add the tide table to the harbour page',
	repoUrl: 'https://forge.example/skipper/harbour.git',
	selectedAgent: 'mason',
	selectedModel: 'mason-large',
	installDependencies: true,
	maxDuration: 1800,
	status: 'completed',
	progress: 100,
	error: 'A warning that stayed: no licence file',
	selectedBranch: 'main',
	branchName: 'agent/tide-table-77',
	sandboxUrl: 'https://sandbox-12.quillon.invalid',
	sandboxId: 'sandbox-12',
	merged: true,
	diffStats: { totalLinesAdded: 143, totalLinesRemoved: 21, totalFilesChanged: 6 },
	autoDeployEnabled: true,
	[deploymentSettings]: { project: 'harbour-site', region: 'north-2' },
	deployments: [{ url: 'https://harbour-preview.invalid', state: 'ready' }],
	badge: 'first-voyage',
	batchId: null,
	createdAt: moment(0),
	updatedAt: moment(640),
	completedAt: moment(639),
	creatorName: 'Sam Skipper',
	creatorImage: 'https://avatars.quillon.invalid/sam.png',
	prNumber: 318,
	prUrl: 'https://forge.example/skipper/harbour/pull/318',
	isEmptyGitUser: false,
};

/** The names of a task's fields, in the order of the contract's table. */
export const taskFields = Object.keys(whole);

const nullable = [
	'teamId',
	'error',
	'branchName',
	'sandboxUrl',
	'sandboxId',
	'diffStats',
	'autoDeployEnabled',
	deploymentSettings,
	'deployments',
	'badge',
	'batchId',
	'completedAt',
	'creatorName',
	'creatorImage',
	'prNumber',
	'prUrl',
];

function blank(value: unknown): Partial<Task> {
	return Object.fromEntries(nullable.map(field => [field, value]));
}

/** Returns a task like a new one, without any results. */
export function newTask(id: string, number: number, fields: Partial<Task>): Task {
	return {
		...whole,
		...blank(null),
		id,
		prompt: `Prompt of task ${number}`,
		status: 'pending',
		progress: 0,
		merged: false,
		createdAt: moment(-3600 * number),
		updatedAt: moment(-3600 * number + 7),
		creatorName: 'Sam Skipper',
		...fields,
	};
}

const final = (seconds: number) => ({ completedAt: moment(seconds), updatedAt: moment(seconds + 1) });

/** The account's task list, newest first. */
export const tasks: Task[] = [
	whole,
	newTask(taskIds.processing, 2, {
		status: 'processing',
		progress: 42,
		teamId: 'team-tide-4',
		sandboxId: 'sandbox-13',
	}),
	newTask(taskIds.pending, 3, { selectedAgent: 'weaver', selectedModel: 'weaver-3' }),
	newTask(taskIds.saving, 4, { status: 'saving', progress: 93 }),
	newTask(taskIds.failed, 5, {
		status: 'error',
		progress: 57,
		error: 'The build failed with code 2',
		...final(-17_000),
	}),
	newTask(taskIds.stopped, 6, { status: 'stopped', progress: 31, ...final(-21_000) }),
	newTask(taskIds.timedOut, 7, {
		status: 'timeout',
		progress: 88,
		error: 'Longer than 1800 seconds',
		...final(-24_000),
	}),
	newTask(taskIds.batch, 8, { status: 'completed', progress: 100, batchId: 'batch-61', ...final(-28_000) }),
	newTask(taskIds.nulls, 9, { status: 'completed', progress: 100, creatorName: null }),
	newTask(taskIds.nones, 10, {
		...(blank(absentText) as Partial<Task>),
		status: 'completed',
		progress: 100,
		isEmptyGitUser: true,
	}),
	newTask(taskIds.cut, 11, { status: 'processing', progress: 12 }),
	newTask(taskIds.streamError, 12, { status: 'processing', progress: 23 }),
	newTask(taskIds.late, 13, { status: 'processing', progress: 34 }),
	newTask(taskIds.gap, 14, { status: 'processing', progress: 45 }),
	newTask(taskIds.bare, 15, { status: 'completed', progress: 100, ...final(-52_000) }),
	newTask(taskIds.encoded, 16, { status: 'completed', progress: 100, ...final(-55_000) }),
];

/** Tasks that can be read by id but are not in the list. */
export const unlistedTasks: Task[] = [
	newTask(taskIds.team, 17, {
		status: 'completed',
		teamId: 'team-tide-4',
		userId: 'mate@quillon.example',
		...final(-60_000),
	}),
	newTask(taskIds.public, 18, { status: 'completed', userId: 'stranger@else.example', ...final(-63_000) }),
];

/** The task list of the account with many tasks. */
export const manyTasks: Task[] = Array.from({ length: 230 }, (_, index) =>
	newTask(`task-many-${index}`, index + 1, { status: 'completed', progress: 100 }),
);

/** Log entries with every type, every content type and every observed step. */
export const logEntries: LogEntry[] = [
	{ type: 'system', contentType: 'system', message: 'Cloning harbour', step: 'git_cloning' },
	{ type: 'success', contentType: 'message', message: 'Cloned in 3.2 s', step: 'git_cloned' },
	{
		type: 'info',
		contentType: 'agentResponse',
		message: 'I will add a **table**.\nThen I test.',
		step: 'agent_executing',
	},
	{
		type: 'warning',
		contentType: 'ansi',
		message: '\u001b[33mwarn\u001b[0m licence is missing',
		step: 'agent_executing',
	},
	{ type: 'error', contentType: 'plain-text', message: 'npm error code 1', step: 'agent_executing' },
	{ type: 'success', contentType: 'plain-text', message: 'Committed 4f1c9a7 ⚓', step: 'git_committed' },
].map((entry, index) => ({ ...entry, timestamp: moment(index * 10 + 1), agent: 'mason' }));

export const organisations = [
	{ login: 'harbour-crew', name: 'Harbour Crew', avatar_url: 'https://avatars.forge.invalid/harbour.png' },
	{ login: 'tide-lab', name: 'Tide Laboratory', avatar_url: 'https://avatars.forge.invalid/tide.png' },
];

/** Repositories by owner. The second one's nullable fields are null, and the third one's are the text None. */
export const repositories = {
	'harbour-crew': [
		{
			name: 'harbour',
			full_name: 'harbour-crew/harbour',
			description: 'The harbour page',
			private: true,
			clone_url: 'https://forge.example/harbour-crew/harbour.git',
			updated_at: moment(-7200),
			language: 'TypeScript',
		},
		{
			name: 'buoys',
			full_name: 'harbour-crew/buoys',
			description: null,
			private: false,
			clone_url: 'https://forge.example/harbour-crew/buoys.git',
			updated_at: moment(-8300),
			language: null,
		},
		{
			name: 'ropes',
			full_name: 'harbour-crew/ropes',
			description: absentText,
			private: false,
			clone_url: 'https://forge.example/harbour-crew/ropes.git',
			updated_at: moment(-9400),
			language: absentText,
		},
	],
	'tide-lab': [],
};

/** The branches of every repository. */
export const branches = [
	{ name: 'main', protected: true, isDefault: true },
	{ name: 'release/2025', protected: true, isDefault: false },
	{ name: 'feature/tide#4', protected: false, isDefault: false },
];

/** The agent tasks, newest first, one in every state. */
export const agentTasks = ['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted'].map(
	(status, index) => ({
		taskId: `agent-task-${index + 1}`,
		runId: `run-${index + 101}`,
		status,
		model: `${service}-agent-${index + 1}`,
		createdAt: moment(-1000 * index - 30),
		startedAt: status === 'queued' ? null : moment(-1000 * index - 20),
		completedAt: ['queued', 'running'].includes(status) ? null : moment(-1000 * index - 10),
	}),
);
