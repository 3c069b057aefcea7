// Lists of tasks as services send them, and what git says about repositories.
import assert from 'node:assert/strict';
import { readPatch } from '../../../src/agent/tools/patch.ts';
import type { ToolCall } from '../../../src/agents/session/events.ts';
import { isGitsOwn } from '../../../src/base/decisiveFiles.ts';
import {
	filtersOf,
	findUnsafeName,
	ownFiltersOf,
	promisorRemotes,
	readSettings,
	STAGING,
	withoutHooks,
} from '../../../src/base/gitConfiguration.ts';
import { split } from '../../../src/base/gitNames.ts';
import { type HunkRanges, withHunks } from '../../../src/base/hunks.ts';
import { repositoryKey } from '../../../src/base/remoteUrl.ts';
import { lineHunks } from '../../../src/chat/model/hunks.ts';
import { lineDiff } from '../../../src/chat/model/lineDiff.ts';
import { resultsOf } from '../../../src/contract/taskResults.ts';
import { taskListSchema } from '../../../src/contract/tasks.ts';
import { outwardLinks } from '../../../src/service/tasks/checkoutFiles.ts';
import { dependenciesIn, isInRange } from '../../../src/service/tasks/dependencies/packageManifest.ts';
import type { RegistrySettings } from '../../../src/service/tasks/dependencies/registries.ts';
import * as registries from '../../../src/service/tasks/dependencies/registries.ts';
import { testRunOf } from '../../../src/service/tasks/steps/testRun.ts';
import { findTestCommand } from '../../../src/service/tasks/testCommand.ts';
import { readHunkRanges } from '../../../src/tasks/apply/hunks.ts';
import { taskDetails } from '../../../src/tasks/list/taskDetails.ts';
import { readBranches, refName } from '../../../src/tasks/model/branches.ts';
import { pathOf, readChangedFiles } from '../../../src/tasks/model/changedFile.ts';
import { distinctTitles } from '../../../src/tasks/model/distinctTitles.ts';
import { exportTask } from '../../../src/tasks/model/exportTask.ts';
import { matchesText } from '../../../src/tasks/model/taskFilter.ts';
import { groupTasks, sortTasks } from '../../../src/tasks/model/taskGroups.ts';
import { describeTask, repositoryName } from '../../../src/tasks/model/taskRow.ts';
import { rowWords } from '../../support/rowWords.ts';
import { assertLine, jsonOf, type Target } from '../fuzzer.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const taskList: Target = {
	name: 'taskList',
	iterations: 400,
	run(input) {
		const list = taskListSchema.safeParse(jsonOf(input)).data;
		if (list === undefined) {
			return 'unreadable';
		}
		const tasks = list.tasks.filter(task => task !== undefined);
		const titles = distinctTitles(tasks, 'Untitled');
		assert.equal(sortTasks(tasks).length, tasks.length);
		assert.equal(groupTasks(tasks, NOW, () => false).flatMap(group => group.tasks).length, tasks.length);
		for (const task of tasks) {
			const facts = { now: NOW, follow: undefined, isStopping: false, title: titles.get(task.id) };
			const { label, description, accessibleLabel } = describeTask(task, facts, rowWords);
			for (const text of [label, description, accessibleLabel, repositoryName(task.repoUrl ?? '')]) {
				assertLine(text, 'the row of a task');
				assert.ok(text.length <= 1_500, 'the row of a task is too long');
			}
			repositoryKey(task.repoUrl ?? '');
			matchesText(task, 'retry');
			resultsOf(task);
			taskDetails(task);
			JSON.parse(exportTask(task, { connection: { name: 'a', label: 'A' }, now: NOW, baseOf: () => undefined }));
		}
		return tasks.map(({ status, agentExecutions }) => [status, agentExecutions?.length]).join();
	},
};

const git: Target = {
	name: 'git',
	iterations: 800,
	run(input) {
		const bytes = input.toString('latin1');
		const changed = readChangedFiles(bytes);
		for (const file of changed) {
			assert.ok(['A', 'M', 'D', 'R', 'T'].includes(file.status));
			for (const side of [file.before, file.after]) {
				assert.ok(side === undefined || ['file', 'executable', 'link', 'submodule'].includes(side.kind));
			}
			pathOf(file);
			isGitsOwn(pathOf(file));
		}
		assert.ok(split(bytes).every(name => !name.includes('\0')));
		for (const branch of readBranches(bytes, ['origin', 'origin/b'])) {
			assert.ok(bytes.includes(refName(branch)), 'a branch is not what git has named');
		}
		checkConfiguration(bytes);
		checkDiffs(input);
		return [changed.length, changed.some(({ lines }) => lines !== undefined)].join();
	},
};

/** Every name that stays in force is plain, or the repository is refused. */
function checkConfiguration(output: string): void {
	const found = readSettings(output);
	if (found === undefined) {
		return;
	}
	const isRefused = findUnsafeName(found, 'filter') !== undefined;
	for (const { name } of ownFiltersOf(found, STAGING)) {
		assert.ok(isRefused || name === 'lfs' || /^[\w.-]*$/.test(name), 'an unsafe filter is used');
	}
	const hooks = withoutHooks(found).map(([key]) => key);
	assert.ok(hooks.every(key => key.startsWith('hook.') && key.endsWith('.enabled')));
	filtersOf(found);
	promisorRemotes(found);
}

/** What was cut out of two texts can be put together again. */
function checkDiffs(input: Buffer): void {
	const text = input.toString();
	const middle = text.length >> 1;
	const [before, after] = [text.slice(0, middle), text.slice(middle)].map(half => half.toWellFormed()) as [
		string,
		string,
	];
	for (const { before: old, after: now } of readHunkRanges(input.toString('latin1'))) {
		assert.ok(Number.isInteger(old.start + old.count + now.start + now.count));
	}
	lineDiff(before, after);
	const hunks = lineHunks(before, after);
	if (hunks !== undefined) {
		const put = (chosen: readonly HunkRanges[]) =>
			withHunks(Buffer.from(before), Buffer.from(after), chosen).toString();
		assert.deepEqual([put([]), put(hunks)], [before, after], 'hunks are not the whole change');
	}
	for (const { path, hunks: parts } of readPatch(text)) {
		assert.ok(path !== '' && parts.every(({ at }) => at >= 0));
	}
	const links = new Map(
		text.split('\n').flatMap(line => (line.includes('\t') ? [line.split('\t') as [string, string]] : [])),
	);
	assert.ok(outwardLinks(links).every(name => links.has(name)));
}

const REGISTRIES = Object.entries(registries).flatMap(([name, settings]) =>
	name.endsWith('Settings') && typeof settings === 'object' ? [settings as RegistrySettings] : [],
);

/** Files of a repository, and commands that an agent runs in it. */
const repositoryFiles: Target = {
	name: 'repositoryFiles',
	iterations: 150,
	async run(input) {
		const text = input.toString();
		const found: string[] = [];
		for (const settings of REGISTRIES) {
			const { addresses } = await registries.readSettings(settings, '', async () => text);
			found.push(...addresses.flatMap(address => registries.registryHost(address) ?? []));
		}
		assert.ok(
			found.every(place => /^[a-z0-9.:[\]-]+:\d+$/.test(place)),
			'a host is none',
		);
		for (const [name, range] of dependenciesIn(text)) {
			assert.equal(typeof name, typeof range);
			isInRange('1.2.3', range);
		}
		isInRange('1.2.3', text);
		const test = await findTestCommand(async () => text);
		assert.ok((test?.command ?? '').length <= 500);
		const call: ToolCall = {
			id: 'a',
			title: '',
			kind: 'execute',
			status: 'completed',
			locations: [],
			diffs: [],
			output: text,
			command: text,
		};
		const run = testRunOf(call, 'errand', test?.command);
		assert.ok(Array.from(run?.command ?? '').length <= 200);
		return [found.length, test?.source, run?.outcome].join();
	},
};

export const taskTargets: readonly Target[] = [taskList, git, repositoryFiles];
