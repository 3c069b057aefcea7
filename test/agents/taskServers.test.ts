import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { controlPaths } from '../../src/contract/control.ts';
import { workFolderOf } from '../../src/service/stateFolder.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';
import type { Step } from '../support/scriptedModel.ts';
import { errorOf, logOf } from '../unit/service/helpers.ts';

const SECRET = 'a-secret-of-a-server-7c1f';
const OWN = path.resolve('test/support/mcpServer.mjs');
const PACKAGES = path.resolve('test/support/agents/node_modules/@modelcontextprotocol');

/** A server as a window hands it over. */
const handed = (name: string, args: string[], further: object = {}) => ({
	...{ name, inputs: { token: SECRET }, variables: {}, packages: '/nowhere' },
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the declaration.
	declaration: { command: process.execPath, args, env: { SECRET: '${input:token}' }, files: 'write' },
	...further,
});

const use = (tool: string, given: object): Step => ({ do: 'call', tool: 'mcp', input: { tool, arguments: given } });
const done: Step[] = [
	{ do: 'write', path: 'notes.txt', content: 'done\n' },
	{ do: 'say', text: 'Done.' },
];
/** The pattern does not match itself, in the command that looks for it. */
const LOOK = `cat /proc/*/cmdline /proc/*/environ 2>/dev/null | grep -a -c '${SECRET.replace('secret', 'secre[t]')}'; echo looked`;

const SCRIPTS: Record<string, Step[]> = {
	others: [
		use('everything/echo', { message: 'from a task\u202e' }),
		use('files/read_text_file', { path: 'src/math.js' }),
		...done,
	],
	own: [
		use('own/add', { a: 'x'.repeat(70_000) }),
		use('own/add', { a: 2, b: 3 }),
		{ do: 'run', command: LOOK },
		use('own/write', {}),
		...done,
	],
	sum: [
		use('own/add', { a: 4, b: 5 }),
		{ do: 'write', path: 'more.txt', content: 'more\n' },
		{ do: 'say', text: 'Done.' },
	],
};

describe('the MCP servers of a task', () => {
	let tasks: AgentTasks;

	before(async () => {
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms(), scripts: SCRIPTS });
	});
	after(() => tasks?.stop());

	const request = (script: string, mcpServers: object[], fields: object = {}) =>
		tasks.service.fetch(controlPaths.tasks, { json: { task: { ...tasks.request(script), ...fields }, mcpServers } });

	async function run(script: string, ...mcpServers: object[]) {
		const reply = await request(script, mcpServers);
		const { task } = (await reply.json()) as { task: { id: string } };
		assert.equal(reply.status, 200, JSON.stringify(task));
		return tasks.completed(task.id);
	}
	const logText = async (id: string) => (await logOf(tasks.service, id)).map(({ log }) => log.message).join('\n');

	it('are called by its agent, and the log names server, tool and arguments', async () => {
		const tree = tasks.seenTree;
		const { id, errand } = await run(
			'others',
			handed('everything', [path.join(PACKAGES, 'server-everything', 'dist', 'index.js'), 'stdio']),
			handed('files', [path.join(PACKAGES, 'server-filesystem', 'dist', 'index.js'), tree]),
		);
		assert.deepEqual(errand.mcpServers, ['everything', 'files']);
		const results = tasks.model.results.join('\n');
		assert.match(results, /Echo: from a task/);
		assert.match(results, /export const add/);
		const log = await logText(id);
		assert.match(
			log,
			/The agent can use these MCP servers: everything, in a sandbox of its own; files, in a sandbox of its own\./,
		);
		assert.ok(log.includes('MCP tool everything/echo\n{"message":"from a task\u202e"}'), log);
		assert.ok(log.includes('MCP tool files/read_text_file\n{"path":"src/math.js"}'), log);
	});

	it('write into its clone where they may, and their secrets are nowhere but in themselves', async () => {
		const task = await run('own', handed('own', [OWN, 'honest']));
		const [long, sum, found, written] = tasks.model.results.slice(-5);
		assert.match(long ?? '', /arguments of this call are too long/);
		assert.match(await logText(task.id), /Refused: MCP tool own\/add/);
		assert.equal(sum, '5');
		assert.match(found ?? '', /^0\n(?:.*\n)?looked/, found);
		assert.equal(written, 'written');
		assert.equal(await tasks.repository.git('show', `${task.branchName}:written-by-server.txt`), 'x');
		const { stateFolder } = tasks.service;
		assert.deepEqual([await filesWith(stateFolder), await filesWith(workFolderOf(stateFolder))], [[], []]);
	});

	it('are ended where they flood or describe their tools in another way, with a line in the log', async () => {
		const flooding = await run('sum', handed('own', [OWN, 'flooding']));
		assert.match(
			await logText(flooding.id),
			/The MCP server “own” has failed: The server sent a message of more than 8 MB/,
		);
		const changed = await run('sum', handed('own', [OWN, 'honest'], { tools: { add: 'another digest' } }));
		assert.match(await logText(changed.id), /“own” was ended: it describes its tools in another way than before/);
		assert.ok(!(await logText(changed.id)).includes('MCP tool own/add'));
		const missing = await run('sum', handed('own', [], { declaration: { command: 'there-is-no-such-program' } }));
		assert.match(await logText(missing.id), /“own” has failed: its program .* was not found/);
	});

	it('are there in a follow-up, and gone once the service has been started again, which the log says', async () => {
		const { id } = await run('own', handed('own', [OWN, 'honest']));
		const goOn = async () => {
			const json = { currentPrompt: 'More [[script sum]]' };
			assert.equal((await tasks.service.fetch(`/api/tasks/${id}/continue`, { json })).status, 200);
			await tasks.completed(id);
		};
		await goOn();
		assert.equal(tasks.model.results.at(-2), '9');
		const { stateFolder } = tasks.service;
		await tasks.service.crash();
		await tasks.startService(stateFolder);
		await goOn();
		assert.match(
			await logText(id),
			/The MCP servers of this task are gone \(own\): .* The agent goes on without them\./,
		);
	});

	it('are refused where two have one name, or one has what no server has', async () => {
		const own = handed('own', [OWN]);
		assert.match(await errorOf(await request('sum', [own, own]), 400), /mcpServers: a name stands there twice/);
		assert.match(await errorOf(await request('sum', [{ ...own, name: '../x' }]), 400), /mcpServers\[0\]\.name/);
		assert.match(await errorOf(await request('sum', [own], { prompt: '' }), 400), /prompt/);
	});
});

/** Returns the files below a folder that hold the secret. */
async function filesWith(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const found: string[] = [];
	for (const entry of entries.filter(each => each.isFile())) {
		const file = path.join(entry.parentPath, entry.name);
		if ((await readFile(file, 'latin1')).includes(SECRET)) {
			found.push(file);
		}
	}
	return found;
}
