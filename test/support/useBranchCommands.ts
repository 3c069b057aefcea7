import assert from 'node:assert/strict';
import type { Client } from '../../src/client/types.ts';
import type { Task } from '../../src/contract/tasks.ts';
import { getGitApi } from '../../src/platform/git.ts';
import type { Choice } from '../../src/platform/pick.ts';
import { BranchCommands } from '../../src/tasks/branches/branchCommands.ts';
import type { Dialogs } from '../../src/tasks/branches/dialogs.ts';
import { readTask } from './readTask.ts';
import { State } from './state.ts';
import { TemporaryRepository } from './temporaryRepository.ts';

export const BRANCH = 'errand/work';

/**
 * Sets up the commands for a task's branch, with a repository that has the branch, for each test of a `describe`.
 * `open` makes the Git extension open the repository, and `close` close it before its folder is removed.
 */
export function useBranchCommands(
	open: (folder: string) => Promise<unknown>,
	close: (folder: string) => Promise<void> = async () => {},
) {
	let repository: TemporaryRepository;
	let task: Task;
	/** The user's answers, in turn: a button, the label of a row, or a text. Undefined dismisses. */
	let answers: (string | undefined)[];
	/** Everything that was shown and done. */
	let seen: string[];
	let problems: unknown[];
	/** The keys of results that were forgotten. */
	let forgotten: string[];
	let state: State;
	/** The address of the connection's dashboard. */
	let dashboard: string | undefined;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('config', 'user.name', 'Tester');
		await repository.git('config', 'user.email', 'tester@example.invalid');
		await repository.git('switch', '-q', '-c', BRANCH);
		await repository.write('README.md', 'done\n');
		await repository.write('new.txt', 'new\n');
		await repository.commitAll('Work');
		await repository.git('switch', '-q', 'main');
		task = readTask({ id: 'task-1', repoUrl: repository.path, branchName: BRANCH, selectedBranch: 'main' });
		[answers, seen, problems, forgotten, state] = [[], [], [], [], new State()];
		dashboard = undefined;
		await open(repository.path);
	});
	afterEach(async () => {
		await close(repository.path);
		await repository.remove();
	});

	/** Makes the Git extension read the repository again. */
	const readAgain = async () => {
		const opened = (await getGitApi()).repositories.find(({ rootUri }) => rootUri.fsPath === repository.path);
		await opened?.status();
	};

	const dialogs: Dialogs = {
		tell: async (severity, message) => {
			seen.push(`${severity}: ${message}`);
			return answers.shift();
		},
		ask: async (message, detail, ...buttons) => {
			seen.push(`ask: ${message} ${detail} [${buttons.join('|')}]`);
			return answers.shift();
		},
		choose: async <T>(title: string, items: readonly Choice<T>[]) => {
			seen.push(`choose: ${title}: ${items.map(({ label }) => label).join('|')}`);
			const label = answers.shift();
			return items.find(item => item.label === label)?.value;
		},
		input: async (title, _prompt, value, problem) => {
			const typed = answers.shift();
			seen.push(`input: ${title}: ${value}${typed === undefined ? '' : ` (${problem(typed) ?? 'fine'})`}`);
			return typed === '' ? value : typed;
		},
		during: (_title, run) => run(),
		openFolder: async folder => void seen.push(`open ${folder}`),
		openAddress: async address => void seen.push(`browse ${address}`),
		copy: async text => void seen.push(`copy ${text}`),
		runCommand: async (command, ...parameters) => void seen.push(`run ${command} ${JSON.stringify(parameters)}`),
	};
	const branches = () =>
		new BranchCommands({
			globalState: state,
			choose: async () => ({
				id: task.id,
				target: {
					connection: {
						name: 'test',
						label: 'Test',
						isLocal: true,
						hasLookUps: true,
						agents: [],
						...(dashboard === undefined ? {} : { dashboardUrl: dashboard }),
					},
					client: {} as Client,
				},
			}),
			store: { get: () => task },
			forgetBranch: async ({ key }) => void forgotten.push(key),
			explain: error => problems.push(error),
			dialogs,
		});
	const head = async () => (await repository.git('branch', '--show-current')).trim();
	const saw = (...patterns: RegExp[]) => {
		assert.deepEqual(problems, []);
		assert.equal(seen.length, patterns.length, seen.join('\n'));
		for (const [position, pattern] of patterns.entries()) {
			assert.match(seen[position] ?? '', pattern);
		}
		seen.length = 0;
	};
	const refused = (pattern: RegExp) => {
		assert.equal(problems.length, 1, seen.join('\n'));
		assert.match((problems[0] as Error).message, pattern);
		problems.length = 0;
	};

	return {
		get repository() {
			return repository;
		},
		get task() {
			return task;
		},
		set task(changed: Task) {
			task = changed;
		},
		set answers(given: (string | undefined)[]) {
			answers = given;
		},
		get seen() {
			return seen;
		},
		get forgotten() {
			return forgotten;
		},
		get state() {
			return state;
		},
		set dashboard(address: string) {
			dashboard = address;
		},
		dialogs,
		branches,
		readAgain,
		head,
		saw,
		refused,
	};
}
