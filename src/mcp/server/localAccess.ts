import path from 'node:path';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isOnOtherMachine } from '../../base/remoteUrl.ts';
import { createClient } from '../../client/client.ts';
import { createFetchTransport } from '../../client/core/fetchTransport.ts';
import { createLocalTransport } from '../../client/local/localTransport.ts';
import { askControl } from '../../client/local/serviceExchange.ts';
import { provesItself } from '../../client/local/serviceProof.ts';
import { decideWhole, logEvents, searchWhole } from '../../client/plainAnswers.ts';
import type { Client } from '../../client/types.ts';
import { type TaskCheck, type TaskCheckRequest, taskCheckSchema } from '../../contract/agents.ts';
import { controlPaths, type Discovery, gatewayDescriptionSchema, readDiscovery } from '../../contract/control.ts';
import type { LaunchFinding, PipeAnswer, PipeArguments } from '../../contract/editorPipe.ts';
import { localConnection } from '../../contract/localConnection.ts';
import { isActiveTask, type Task, type TaskCreateRequest } from '../../contract/tasks.ts';
import type { Access, ActingCall, Action, ActionValues, Question, ReadingCall } from './access.ts';
import { currentBranch, listBranchChanges, readFileDiff } from './branchChanges.ts';

const TIMEOUT_MS = 30_000;

const WHERE = { name: 'On', text: 'the local service of this machine' };

type Refused = { done: false; reason: string; findings?: LaunchFinding[] };

/**
 * Works with the local service of this user, if one runs with this state folder. Only the client's user can be asked
 * here, so an action that needs an answer for which only the editor can ask is refused.
 */
export function createLocalAccess(stateFolder: string): Access {
	const service = async (): Promise<Discovery> => {
		const found = await readDiscovery(stateFolder);
		if (!found || !(await provesItself(found))) {
			throw new UserFacingError(
				'No local service of Errand runs for this user. Open the editor with Errand, or start the service by itself (node dist/service.js --help), then try again.',
			);
		}
		return found;
	};
	const transport = createLocalTransport(
		createFetchTransport((input, init) => fetch(input, init)),
		service,
	);
	// The transport replaces this value by the service's token, so it never leaves the process.
	const key = crypto.randomUUID();
	const client = createClient({ connection: localConnection, keys: async () => key, transport });
	const reading: { [Call in ReadingCall]: (asked: PipeArguments<Call>) => Promise<PipeAnswer<Call>> } = {
		list: query => client.tasks.list(query),
		get: ({ id }) => client.tasks.get(id),
		changes: async ({ id }) => listBranchChanges(await client.tasks.get(id)),
		diff: async ({ id, result, path: file }) => readFileDiff(await client.tasks.get(id), result, file),
	};
	const actions = actionsOf(client, service);
	return {
		read: (call, asked) => reading[call](asked as never) as Promise<never>,
		follow: (asked, signal) => logEvents(client, asked, signal),
		prepare: (call, asked) => actions[call](asked as never) as Promise<never>,
	};
}

type Actions = {
	[Call in ActingCall]: (asked: PipeArguments<Call>) => Promise<Action<ActionValues[Call]> | Refused>;
};

function actionsOf(client: Client, service: () => Promise<Discovery>): Actions {
	return {
		start: asked => prepareStart(client, service, asked),
		async continue({ id, prompt }) {
			const task = await client.tasks.get(id);
			if (isActiveTask(task)) {
				return refused('The task is still at work. Wait for its end with follow_task, or stop it.');
			}
			const question: Question = {
				title: 'Continue this task?',
				yes: 'Continue the task',
				parts: [WHERE, ...partsOf(task), { name: 'Further prompt', text: prompt }],
			};
			const run = async () => {
				await client.tasks.continue(id, { prompt });
				return { done: true as const, value: { task: await client.tasks.get(id), isNew: false } };
			};
			return { question, run };
		},
		async stop({ id }) {
			const task = await client.tasks.get(id);
			if (!isActiveTask(task)) {
				return refused('The task is over already, so there is nothing to stop.');
			}
			return {
				question: {
					title: 'Stop this task? What its agent has not finished may be lost.',
					yes: 'Stop the task',
					parts: [WHERE, ...partsOf(task)],
				},
				run: async () => ({ done: true as const, value: await client.tasks.stop(id) }),
			};
		},
		async decide({ state, questions }) {
			return {
				question: {
					title: 'Ask a model to decide this?',
					yes: 'Ask the model',
					parts: [
						WHERE,
						{ name: 'State', text: JSON.stringify(state, undefined, 2) },
						{ name: 'Questions', text: JSON.stringify(questions, undefined, 2) },
					],
				},
				run: async signal => ({ done: true, value: await decideWhole(client, { state, questions }, signal) }),
			};
		},
		async search({ query }) {
			return {
				question: {
					title: 'Search the web for this?',
					yes: 'Search',
					// The editor's settings, which contain the policy, are not known here.
					parts: [WHERE, { name: 'Routing policy', text: 'none' }, { name: 'Query', text: query }],
				},
				run: async signal => ({ done: true, value: await searchWhole(client, query, undefined, signal) }),
			};
		},
	};
}

async function prepareStart(
	client: Client,
	service: () => Promise<Discovery>,
	{ prompt, repository, branch, agent, model }: PipeArguments<'start'>,
): Promise<Action<ActionValues['start']> | Refused> {
	if (repository === undefined || !path.isAbsolute(repository) || isOnOtherMachine(repository)) {
		return refused('Without the editor, “repository” has to be the absolute path of a repository on this machine.');
	}
	const from = branch ?? (await currentBranch(repository));
	if (from === undefined) {
		return refused(`${repository} is no repository of git with a branch that is checked out. Name a “branch” of one.`);
	}
	const found = await service();
	const { agents } = await askControl(found, {
		timeoutMs: TIMEOUT_MS,
		path: controlPaths.description,
		reply: gatewayDescriptionSchema,
	});
	const chosen = agents.find(({ id }) => id === (agent ?? agents[0]?.id));
	if (!chosen) {
		return refused(`There is no agent “${agent ?? ''}”. There is ${agents.map(({ id }) => id).join(', ') || 'none'}.`);
	}
	const usedModel = model ?? chosen.models[0];
	const check: TaskCheckRequest = {
		repoUrl: repository,
		selectedBranch: from,
		agents: [chosen.id],
		models: usedModel === undefined ? [] : [usedModel],
		installDependencies: false,
	};
	const findings = findingsOf(
		await askControl(found, {
			timeoutMs: TIMEOUT_MS,
			path: controlPaths.taskCheck,
			reply: taskCheckSchema,
			body: check,
		}),
		from,
	);
	const blocking = findings.find(({ isBlocking }) => isBlocking);
	if (blocking) {
		return { done: false, reason: [blocking.text, blocking.detail].filter(Boolean).join(' '), findings };
	}
	const request: TaskCreateRequest = {
		prompt,
		repoUrl: repository,
		selectedBranch: from,
		selectedAgent: chosen.id,
		installDependencies: false,
		...defined({ selectedModel: usedModel }),
	};
	const sent = [repository, from, chosen.id, ...(usedModel === undefined ? [] : [usedModel])].join(', ');
	return {
		question: {
			title: 'Start this task?',
			yes: 'Start the task',
			parts: [
				WHERE,
				{ name: 'Repository', text: repository },
				{ name: 'Branch', text: from },
				{ name: 'Agent', text: usedModel === undefined ? chosen.id : `${chosen.id} with ${usedModel}` },
				...findings.map(({ text, detail }) => ({ name: 'Note', text: [text, detail].filter(Boolean).join(' ') })),
				{ name: 'Prompt', text: prompt },
			],
		},
		run: async () => ({ done: true, value: { task: await client.tasks.create(request), findings, sent } }),
	};
}

/**
 * Returns the service's findings about the task, as the editor would show them. They can only be resolved in the
 * editor.
 */
function findingsOf(check: TaskCheck, branch: string): LaunchFinding[] {
	const inEditor = 'Start a task for this repository in the editor once, where this can be answered.';
	return [
		...check.unusable.map(({ label }) => ({
			text: `The agent ${label} cannot run now.`,
			detail: 'Choose another one, or set it up in the editor (“Errand: Set Up Agents”).',
			isBlocking: true,
		})),
		...(check.asksForUnsandboxed
			? [
					{
						text: 'The agent would run without a sandbox, which nobody has allowed.',
						detail: inEditor,
						isBlocking: true,
					},
				]
			: []),
		...check.unpricedModels.map(model => ({
			text: `The limit on costs does not hold for ${model}, as it has no price.`,
			isBlocking: false,
		})),
		{
			text: `The task starts from the last commit of “${branch}” in this repository.`,
			detail: 'What is not committed stays out of it.',
			isBlocking: false,
		},
	];
}

const refused = (reason: string): Refused => ({ done: false, reason });

function partsOf({ id, repoUrl, branchName, selectedAgent, prompt }: Task): Question['parts'] {
	const parts = { Task: id, Repository: repoUrl, Branch: branchName, Agent: selectedAgent, 'First prompt': prompt };
	return Object.entries(defined(parts)).map(([name, text]) => ({ name, text: String(text) }));
}
