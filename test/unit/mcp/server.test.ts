import assert from 'node:assert/strict';
import { McpClient } from '../../support/mcpClient.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

const yes = () => ({ action: 'accept', content: { allow: true } });
const FORMS = { elicitation: { form: {} } };

describe('the MCP server beside a local service that runs by itself', () => {
	let service: ServiceProcess;
	let repository: TemporaryRepository;
	let client: McpClient | undefined;

	before(async () => {
		service = await ServiceProcess.start();
		repository = await TemporaryRepository.create();
	});
	afterEach(async () => {
		await client?.stop();
		client = undefined;
	});
	after(async () => {
		await service?.stop();
		await repository?.remove();
	});

	/** Starts the server for a client whose user answers each form with `answer`. */
	async function start(answer?: (message: string) => object): Promise<{ client: McpClient; asked: string[] }> {
		const asked: string[] = [];
		client = await McpClient.start({
			args: ['--data', service.stateFolder],
			...(answer ? { capabilities: FORMS } : {}),
			onRequest: ({ params }) => {
				asked.push(params.message);
				return answer?.(params.message) ?? {};
			},
		});
		return { client, asked };
	}

	/** Reads a log to its end, as an agent does. */
	async function followToTheEnd(used: McpClient, taskId: string): Promise<string[]> {
		const texts: string[] = [];
		for (let from = 0; ; ) {
			const { json } = await used.call('follow_task', { task_id: taskId, from_index: from, max_entries: 3 });
			texts.push(...json.entries.map(({ text }: { text: string }) => text));
			from = json.next_index;
			if (json.has_ended) {
				return texts;
			}
		}
	}

	const taskCount = async () =>
		((await (await service.fetch('/api/tasks')).json()) as { tasks: unknown[] }).tasks.length;

	it('starts a task after a yes that has seen all of it, follows it to the end, and reads its changes', async () => {
		const prompt = 'Say what is here\n\nand nothing else';
		const { client, asked } = await start(yes);
		const { json: started, texts } = await client.call('start_task', { prompt, repository: repository.path });
		assert.match(texts[0] ?? '', /text from outside/);
		assert.equal(started.repository, repository.path);
		assert.match(JSON.stringify(started.findings), /last commit of “main”/);
		assert.equal(asked.length, 1);
		for (const part of [
			prompt.replace(/^/gm, '│ '),
			repository.path,
			'main',
			'demo',
			'the local service of this machine',
		]) {
			assert.ok(asked[0]?.includes(part), `${part} in ${asked[0]}`);
		}

		const log = await followToTheEnd(client, started.task_id);
		assert.ok(log.length > 3, log.join('\n'));
		const { json: task } = await client.call('get_task', { task_id: started.task_id });
		assert.deepEqual([task.status, task.is_active, task.prompt], ['completed', false, prompt]);
		const { json: page } = await client.call('list_tasks', { limit: 1 });
		assert.equal(page.tasks[0].task_id, started.task_id);

		const { json: changes } = await client.call('task_changes', { task_id: started.task_id });
		const [{ files, branch, total_files: total }] = changes.results;
		assert.equal(total, files.length);
		assert.equal(branch, task.branch);
		const [file] = files;
		assert.equal(file.status, 'A');
		const { json: diff } = await client.call('task_changes', { task_id: started.task_id, path: file.path });
		assert.equal(diff.diff.split('\n').filter((line: string) => /^\+(?!\+\+)/.test(line)).length, file.added);
		assert.equal(diff.is_cut, false);
		assert.ok(!/[\r\u202e]/.test(diff.diff), 'what is not seen has a name');
		assert.equal((await repository.git('status', '--porcelain')).trim(), '', 'the user’s tree is as it was');
		assert.equal((await repository.git('branch', '--show-current')).trim(), 'main');

		const { json: going } = await client.call('continue_task', { task_id: started.task_id, prompt: 'Once more' });
		assert.deepEqual([going.task_id, going.is_new_task], [started.task_id, false]);
		assert.ok(asked[1]?.includes('Once more') && asked[1].includes(started.task_id));
		await followToTheEnd(client, started.task_id);
	});

	it('stops a task after a yes', async () => {
		const { client, asked } = await start(yes);
		const { json } = await client.call('start_task', { prompt: '/demo slow', repository: repository.path });
		const { isError } = await client.call('stop_task', { task_id: json.task_id });
		assert.equal(isError, false);
		assert.match(asked[1] ?? '', /^Stop this task\? What its agent has not finished may be lost\./);
		await followToTheEnd(client, json.task_id);
		const { json: task } = await client.call('get_task', { task_id: json.task_id });
		assert.equal(task.status, 'stopped');
		const again = await client.call('stop_task', { task_id: json.task_id });
		assert.match(again.texts[0] ?? '', /over already/);
	});

	it('searches and decides after a yes, and marks what it found as text of others', async () => {
		const { client, asked } = await start(yes);
		const found = await client.call('search_web', { query: 'What is new?' });
		assert.match(found.texts[0] ?? '', /text from outside/);
		assert.ok(found.json.answer.length > 0 && found.json.sources.length > 0, found.texts[1]);
		assert.ok(asked[0]?.includes('What is new?'));
		const criteria = { true: 'they are', false: 'they are not' };
		const decided = await client.call('decide', {
			state: { tests: 'green' },
			questions: { ready: { type: 'noul', instructions: 'Are the tests green?', criteria } },
		});
		assert.equal(typeof decided.json.answers.ready.noul, 'number', decided.texts.join());
		assert.ok(asked[1]?.includes('"tests": "green"') && asked[1].includes('Are the tests green?'));
	});

	it('does nothing that spends where the user says no, closes the form, or leaves the box empty', async () => {
		const before = await taskCount();
		for (const answer of [
			{ action: 'decline' },
			{ action: 'cancel' },
			{ action: 'accept', content: { allow: false } },
		]) {
			const { client } = await start(() => answer);
			const { isError, texts } = await client.call('start_task', { prompt: 'Do it', repository: repository.path });
			assert.equal(isError, true);
			assert.match(texts[0] ?? '', /didn’t allow it, so nothing was sent/);
			await client.stop();
		}
		assert.equal(await taskCount(), before);
	});

	it('refuses what costs money if the user cannot be asked, and says why', async () => {
		const before = await taskCount();
		const { client } = await start();
		for (const [tool, asked] of [
			['start_task', { prompt: 'Do it', repository: repository.path }],
			['search_web', { query: 'What is new?' }],
		] as const) {
			const { isError, texts } = await client.call(tool, asked);
			assert.equal(isError, true);
			assert.match(texts[0] ?? '', /nobody can be asked.*Nothing was sent\./);
		}
		assert.equal((await client.call('list_tasks')).isError, false, 'reading needs nobody');
		assert.equal(await taskCount(), before);
	});

	it('says what each tool is by its annotations', async () => {
		const { client } = await start();
		const { result } = await client.request('tools/list', {});
		const kinds = result.tools.map(({ name, annotations }: { name: string; annotations: Record<string, boolean> }) => [
			name,
			annotations['readOnlyHint'] ? 'reads' : annotations['destructiveHint'] ? 'ends something' : 'spends',
		]);
		assert.deepEqual(Object.fromEntries(kinds), {
			list_tasks: 'reads',
			get_task: 'reads',
			follow_task: 'reads',
			task_changes: 'reads',
			start_task: 'spends',
			continue_task: 'spends',
			stop_task: 'ends something',
			decide: 'spends',
			search_web: 'spends',
		});
		for (const { name, annotations, description } of result.tools) {
			assert.equal(annotations.openWorldHint, true, name);
			assert.match(description, annotations.readOnlyHint ? /Costs nothing/ : /The user is asked first/, name);
		}
	});

	it('tells progress while a task is followed, where the client has asked for it', async () => {
		const { client } = await start(yes);
		const { json } = await client.call('start_task', { prompt: 'Say what is here', repository: repository.path });
		client.progress.length = 0;
		await client.call('follow_task', { task_id: json.task_id, wait_seconds: 50 }, { progressToken: 'p' });
		assert.ok(client.progress.length > 0);
		const steps = client.progress.map(({ progress }) => progress);
		assert.deepEqual(
			[...new Set(steps)].sort((one, other) => one - other),
			steps,
		);
		assert.ok(client.progress.every(({ progressToken }) => progressToken === 'p'));
	});

	it('reads a log within its limits', async () => {
		const { client } = await start(yes);
		const { json } = await client.call('start_task', { prompt: '/demo slow', repository: repository.path });
		const one = await client.call('follow_task', { task_id: json.task_id, max_entries: 1 });
		assert.deepEqual([one.json.entries.length, one.json.ends_because], [1, 'enough entries']);
		const late = await client.call('follow_task', { task_id: json.task_id, from_index: 5_000, wait_seconds: 1 });
		assert.deepEqual([late.json.entries.length, late.json.ends_because], [0, 'time is over']);
		const early = await client.call('task_changes', { task_id: json.task_id });
		assert.match(early.texts[0] ?? '', /still at work/);
		await client.call('stop_task', { task_id: json.task_id });
	});

	it('names the cause and the next step where no service runs', async () => {
		const { folder } = repository;
		client = await McpClient.start({ args: ['--data', folder] });
		const { isError, texts } = await client.call('list_tasks');
		assert.equal(isError, true);
		assert.match(texts[0] ?? '', /No local service of Errand runs for this user\. Open the editor/);
	});
});
