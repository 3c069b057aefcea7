import {
	type Check,
	checkedBody,
	checkedQuery,
	filledText,
	flag,
	isObject,
	type JsonObject,
	list,
	number,
	oneOf,
	queryInteger,
	refuse,
	shape,
} from './checks.ts';
import { type Call, jsonReply, Refusal, type Reply, type Route } from './exchange.ts';
import { absentText, agents, specialKeys } from './fixtures.ts';
import { logStream } from './logStream.ts';
import { type Task, taskIds } from './taskFixtures.ts';
import { isActive, statesOf, type TaskStore } from './taskStore.ts';

/** Returns `{error}`, like the log stream's own errors. Those of the task list are not shown. */
function taskError(_status: number, message: string): unknown {
	return { error: message };
}

/** contract: not shown, beyond the list and the stream. */
export function taskRoutes(store: TaskStore): Route[] {
	const endpoint = (method: string, path: string, handle: (call: Call) => Reply): Route => ({
		hosts: ['cloud'],
		method,
		path,
		key: 'cloud',
		errorBody: taskError,
		handle,
	});
	return [
		endpoint('GET', '/api/tasks', call => page(store, call)),
		endpoint('POST', '/api/tasks', call => create(store, call)),
		endpoint('GET', '/api/tasks/*', call => {
			checkedQuery(call.request.query);
			const task = existing(store, call);
			return jsonReply(task.id === taskIds.bare ? task : { task });
		}),
		endpoint('PATCH', '/api/tasks/*', call => stop(store, call)),
		endpoint('POST', '/api/tasks/*/continue', call => goOn(store, call)),
		endpoint('GET', '/api/tasks/*/stream', call => logStream(store, existing(store, call), call.request)),
	];
}

function existing(store: TaskStore, { parts: [id = ''] }: Call): Task {
	const task = store.find(id);
	if (task === undefined) {
		throw new Refusal(404, 'Task not found');
	}
	return task;
}

function checkMembership(key: string): void {
	if (key === specialKeys.outsideTeam) {
		throw new Refusal(403, 'You are not a member of the selected team');
	}
	if (key === specialKeys.brokenDatabase) {
		throw new Refusal(500, 'The database operation failed');
	}
}

function page(store: TaskStore, { request, key }: Call): Reply {
	const query = checkedQuery(request.query, 'limit', 'offset', 'filter', 'status');
	const limit = queryInteger(query['limit'], 'limit', 50, { from: 1, to: 100 });
	const offset = queryInteger(query['offset'], 'offset', 0, { from: 0 });
	const { filter = 'all', status } = query as { filter?: string; status?: string };
	oneOf('all', 'tasks', 'batch')(filter, 'filter');
	if (status !== undefined) {
		oneOf('active', 'completed', 'failed', 'stopped')(status, 'status');
	}
	checkMembership(key);
	const found = store
		.list(key)
		.filter(task => filter === 'all' || isOfBatch(task) === (filter === 'batch'))
		.filter(task => status === undefined || statesOf(status).includes(task.status));
	const end = offset + limit;
	return jsonReply({ tasks: found.slice(offset, end), hasMore: found.length > end, offset, limit });
}

function isOfBatch({ batchId }: Task): boolean {
	return batchId !== null && batchId !== absentText;
}

const agent = oneOf(...agents.map(({ id }) => id));

const chosenAgent: Check = (value, name) => {
	shape({ agent, model: filledText }, ['agent', 'model'])(value, name);
	const { agent: id, model } = value as { agent: string; model: string };
	checkAgentModel(id, model, `${name}.model`);
};

const repositoryUrl: Check = (value, name) => {
	if (typeof value !== 'string' || !/^https:\/\/[^\s/]+\/\S+$/.test(value)) {
		refuse(`${name} must be an HTTPS URL of a repository`);
	}
};

const creation: Record<string, Check> = {
	prompt: filledText,
	repoUrl: repositoryUrl,
	selectedBranch: filledText,
	selectedAgent: agent,
	selectedModel: filledText,
	installDependencies: flag,
	maxDuration: number({ above: 0 }),
	selectedAgents: list(chosenAgent, 1),
};

function checkAgentModel(agentId: unknown, model: unknown, name: string): void {
	if (agentId !== undefined && model !== undefined) {
		oneOf(...(agents.find(({ id }) => id === agentId)?.models ?? []))(model, name);
	}
}

function create(store: TaskStore, { request, key }: Call): Reply {
	checkedQuery(request.query);
	const body = checkedBody(request.json, creation, ['prompt']);
	const several = body['selectedAgents'] as { agent: string; model: string }[] | undefined;
	if (several !== undefined && (body['selectedAgent'] !== undefined || body['selectedModel'] !== undefined)) {
		refuse('selectedAgents stands in place of selectedAgent and selectedModel');
	}
	checkAgentModel(body['selectedAgent'], body['selectedModel'], 'selectedModel');
	checkMembership(key);
	const failures: Record<string, Refusal> = {
		[specialKeys.withoutCredit]: new Refusal(402, 'Not enough credit'),
		[specialKeys.withoutSourceLink]: new Refusal(404, 'Source-hosting token not found or expired'),
		[specialKeys.brokenSource]: new Refusal(502, 'The source host failed'),
	};
	const failure = failures[key];
	if (failure !== undefined) {
		throw failure;
	}
	const task = store.create({ ...body, ...(several === undefined ? {} : launched(several)) });
	return jsonReply(body['prompt'] === 'bare' ? task : { task });
}

function launched(several: { agent: string; model: string }[]): JsonObject {
	const [first] = several;
	const agentExecutions = several.map(({ agent: id }, index) => ({
		agent: id,
		status: 'pending',
		branchName: `agent/${id}-${index}`,
		gitDiff: null,
	}));
	return { selectedAgent: first?.agent, selectedModel: first?.model, multiLaunch: several.length > 1, agentExecutions };
}

function stop(store: TaskStore, call: Call): Reply {
	checkedQuery(call.request.query);
	checkedBody(call.request.json, { action: oneOf('stop') }, ['action']);
	const task = existing(store, call);
	if (!isActive(task)) {
		throw new Refusal(409, 'The task is not running');
	}
	store.stop(task);
	return jsonReply({ message: 'Task stopped', task });
}

function goOn(store: TaskStore, call: Call): Reply {
	const { request } = call;
	checkedQuery(request.query);
	const fields = { currentPrompt: filledText, selectedAgent: agent, selectedModel: filledText };
	const body = checkedBody(request.json, fields, ['currentPrompt']);
	const task = existing(store, call);
	const { currentPrompt, ...chosen } = body;
	checkAgentModel(chosen['selectedAgent'] ?? task['selectedAgent'], chosen['selectedModel'], 'selectedModel');
	if (isActive(task)) {
		throw new Refusal(409, 'The task is still running');
	}
	store.resume(task, String(currentPrompt), isObject(chosen) ? chosen : {});
	return jsonReply({ success: true, message: 'Task continued' });
}
