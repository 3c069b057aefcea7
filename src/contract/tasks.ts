// Cloud tasks: records, states, the log stream's events and the requests (contract: cloud-tasks.md).
import * as z from 'zod';
import { isFields } from '../base/fields.ts';
import { executionExtrasSchema, taskExtrasSchema } from './agents.ts';
import { lenient, lenientText, manyFields, rowsOf } from './lenient.ts';
import { integerBetween, integerFrom } from './ranges.ts';

/** The documented states (cloud-tasks.md, States and transitions). */
export const TASK_STATES = ['pending', 'processing', 'saving', 'completed', 'error', 'stopped', 'timeout'] as const;

/** contract: not shown. Further states that are public practice (unspecified.md, "other task states"). */
const OTHER_FINAL_STATES = ['failed', 'cancelled', 'interrupted'];

const FINAL_STATES: ReadonlySet<string> = new Set(['completed', 'error', 'stopped', 'timeout', ...OTHER_FINAL_STATES]);
const KNOWN_ACTIVE_STATES: ReadonlySet<string> = new Set(['pending', 'processing', 'saving', 'running', 'queued']);

export function isFinalStatus(status: string | undefined): boolean {
	return status !== undefined && FINAL_STATES.has(status);
}

/** An unknown state counts as active until `completedAt` is set (unspecified.md). */
export function isActiveTask(task: { status?: string | undefined; completedAt?: string | undefined }): boolean {
	if (task.status !== undefined && KNOWN_ACTIVE_STATES.has(task.status)) {
		return true;
	}
	return !isFinalStatus(task.status) && task.completedAt === undefined;
}

const diffStatsSchema = manyFields(
	z.looseObject({
		totalLinesAdded: lenient(z.number()),
		totalLinesRemoved: lenient(z.number()),
		totalFilesChanged: lenient(z.number()),
	}),
);

const selectedAgentSchema = z.looseObject({ agent: lenient(z.string()), model: lenient(z.string()) });

const agentExecutionSchema = z.looseObject({
	agent: lenient(z.string()),
	status: lenient(z.string()),
	branchName: lenient(z.string()),
	/** The changes as a unified diff. */
	gitDiff: lenient(z.string()),
	/** The local service's additions. */
	errand: lenient(executionExtrasSchema),
});

/**
 * The schema of a task in a reply: only `id` is required, and unknown fields are kept. One of them is documented
 * without a fixed name: the deployment settings, whose name begins with that of a deployment host.
 */
export const taskSchema = manyFields(
	z.looseObject({
		id: z.string().min(1),
		userId: lenient(z.string()),
		teamId: lenient(z.string()),
		prompt: lenientText,
		repoUrl: lenient(z.string()),
		selectedAgent: lenient(z.string()),
		selectedModel: lenient(z.string()),
		installDependencies: lenient(z.boolean()),
		/** In seconds. */
		maxDuration: lenient(z.number()),
		status: lenient(z.string()),
		/** In percent, 0 to 100. */
		progress: lenient(z.number()),
		error: lenient(z.string()),
		selectedBranch: lenient(z.string()),
		branchName: lenient(z.string()),
		sandboxUrl: lenient(z.string()),
		sandboxId: lenient(z.string()),
		merged: lenient(z.boolean()),
		diffStats: lenient(diffStatsSchema),
		autoDeployEnabled: lenient(z.boolean()),
		deployments: lenient(z.array(z.unknown())),
		badge: lenient(z.string()),
		batchId: lenient(z.string()),
		/** All three times are in ISO 8601. */
		createdAt: lenient(z.string()),
		updatedAt: lenient(z.string()),
		completedAt: lenient(z.string()),
		creatorName: lenient(z.string()),
		creatorImage: lenient(z.string()),
		prNumber: lenient(z.number()),
		prUrl: lenient(z.string()),
		isEmptyGitUser: lenient(z.boolean()),
		// contract: not shown. The additional fields of a task with several agents (unspecified.md, "several agents on one
		// prompt").
		multiLaunch: lenient(z.boolean()),
		selectedAgents: lenient(rowsOf(selectedAgentSchema).transform(rows => rows.filter(row => row !== undefined))),
		/** The local service's additions. */
		errand: lenient(taskExtrasSchema),
		agentExecutions: lenient(rowsOf(agentExecutionSchema).transform(rows => rows.filter(row => row !== undefined))),
	}),
);
export type Task = z.output<typeof taskSchema>;

export const taskListSchema = z.looseObject({
	tasks: rowsOf(taskSchema),
	hasMore: lenient(z.boolean()),
	offset: lenient(z.number()),
	limit: lenient(z.number()),
});

/** contract: not shown. The reply is `{task: Task}` or a bare Task; stop answers `{message, task}` (unspecified.md). */
export const taskReplySchema = z
	.unknown()
	.transform(value => (isFields(value) && 'task' in value ? value['task'] : value))
	.pipe(taskSchema);

export const TASK_FILTERS = ['all', 'tasks', 'batch'] as const;
export const TASK_STATUS_FILTERS = ['active', 'completed', 'failed', 'stopped'] as const;

export const taskListQuerySchema = z.strictObject({
	limit: integerBetween(1, 100).optional(),
	offset: integerFrom(0).optional(),
	filter: z.enum(TASK_FILTERS).optional(),
	status: z.enum(TASK_STATUS_FILTERS).optional(),
});
export type TaskListQuery = z.input<typeof taskListQuerySchema>;

const promptSchema = z.string().refine(prompt => prompt.trim() !== '', 'must not be empty');

/** contract: not shown. The body of `POST /api/tasks` for one agent (unspecified.md, "create a task"). */
export const taskCreateSchema = z.strictObject({
	prompt: promptSchema,
	repoUrl: z.string().min(1),
	selectedBranch: z.string().min(1).optional(),
	selectedAgent: z.string().min(1).optional(),
	selectedModel: z.string().min(1).optional(),
	installDependencies: z.boolean().optional(),
	/** In seconds. */
	maxDuration: z.number('allowed: a number above 0').positive('allowed: a number above 0').optional(),
});

/** contract: not shown. The same body for one agent or several (unspecified.md, "several agents on one prompt"). */
export const multiAgentTaskCreateSchema = taskCreateSchema
	.extend({
		/** The agents replace `selectedAgent` and `selectedModel`. */
		selectedAgents: z
			.array(z.strictObject({ agent: z.string().min(1), model: z.string().min(1) }))
			.min(1)
			.optional(),
	})
	.refine(
		({ selectedAgent, selectedModel, selectedAgents }) =>
			selectedAgents === undefined || (selectedAgent === undefined && selectedModel === undefined),
		{ path: ['selectedAgents'], error: 'stands in place of selectedAgent and selectedModel, not beside them' },
	);
export type TaskCreateRequest = z.input<typeof multiAgentTaskCreateSchema>;

/** A follow-up to a task. Without an agent or a model, the service uses those of the task. */
export const taskFollowUpSchema = z.strictObject({
	prompt: promptSchema,
	agent: z.string().min(1).optional(),
	model: z.string().min(1).optional(),
	/** The index of the step whose files the agent begins with. Only the local service has steps (taskSteps.ts). */
	fromStep: integerFrom(0).optional(),
});
export type TaskFollowUp = z.input<typeof taskFollowUpSchema>;

/**
 * contract: not shown. The reply is `{success, message}`: a refusal may come with a successful HTTP status
 * (unspecified.md).
 */
export const taskContinueReplySchema = z.looseObject({ success: lenient(z.boolean()) });

/** contract: not shown. The body of `PATCH /api/tasks/{taskId}`. */
export const taskStopSchema = z.strictObject({ action: z.literal('stop') });

/** The steps by which the local service logs what an agent does. */
export const AGENT_LOG_STEPS = [
	'agent_message',
	'agent_thought',
	'agent_plan',
	/** A call has an entry when it begins, and further ones with what it has changed or how it failed. */
	'agent_tool',
	'agent_permission',
	'agent_refused',
	'agent_model',
	'agent_usage',
	'agent_cost',
	'agent_limit',
] as const;

export const logEntrySchema = z.looseObject({
	/** The value is `info`, `error`, `success`, `warning` or `system`. */
	type: lenient(z.string()),
	/** The value is `agentResponse`, `ansi`, `system`, `message` or `plain-text`. */
	contentType: lenient(z.string()),
	message: lenientText,
	/** The time when the entry was created, in ISO 8601. */
	timestamp: lenient(z.string()),
	agent: lenient(z.string()),
	/** Observed values are `git_cloning`, `git_cloned`, `agent_executing` and `git_committed`. */
	step: lenient(z.string()),
});
export type LogEntry = z.output<typeof logEntrySchema>;

/**
 * The shape in which nearly every server sends an event. It is tried first because it costs a tenth of the lenient
 * schema.
 */
const plainLogEventSchema = z.compile(
	z.looseObject({
		index: z.int().min(0),
		log: z.looseObject({
			type: z.string().optional(),
			contentType: z.string().optional(),
			message: z.string().optional(),
			timestamp: z.string().optional(),
			agent: z.string().optional(),
			step: z.string().optional(),
		}),
		timestamp: z.string().optional(),
	}),
);

/** Reads the parsed JSON data of a `log` event. Returns undefined if the index or the entry is missing. */
export function readLogEvent(value: unknown): LogEvent | undefined {
	if (z.validate(plainLogEventSchema, value) && !saysNone(value as LogEvent)) {
		return value as LogEvent;
	}
	return followEventSchemas.log.safeParse(value).data;
}

function saysNone({ log: { type, contentType, timestamp, agent, step }, timestamp: sentAt }: LogEvent): boolean {
	return isNone(type) || isNone(contentType) || isNone(timestamp) || isNone(agent) || isNone(step) || isNone(sentAt);
}

const isNone = (text: string | undefined) => text === 'None';

/**
 * The data of the log stream's events, by event name (cloud-tasks.md, Events). The data of `connected` is not read, and
 * the data of `error` is read like an error body.
 */
export const followEventSchemas = {
	log: z.looseObject({ index: z.int().min(0), log: logEntrySchema, timestamp: lenient(z.string()) }),
	status: z.looseObject({ status: lenient(z.string()), error: lenient(z.string()) }),
	complete: z.looseObject({
		status: lenient(z.string()),
		totalLogs: lenient(z.number()),
		message: lenient(z.string()),
		timestamp: lenient(z.string()),
	}),
};

export type LogEvent = z.output<typeof followEventSchemas.log>;

export const followQuerySchema = z.strictObject({
	fromIndex: integerFrom(0).optional(),
	includeStatus: z.boolean().optional(),
});
