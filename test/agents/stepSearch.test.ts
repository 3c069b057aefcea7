import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type StepSearchEvent, stepSearchEventSchema, stepSearchPlanSchema } from '../../src/contract/stepSearch.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';
import { SECRET } from '../support/sandbox.ts';

describe('the search for the step that broke something, in the sandbox', () => {
	let tasks: AgentTasks;
	let id: string;

	before(async () => {
		const steps = Array.from({ length: 6 }, (_, at) => ({
			...{ do: 'write', path: `src/part${at}.js`, content: at === 3 ? 'export const part = ;\n' : 'export {};\n' },
		}));
		const scripts = { parts: [...steps, { do: 'say', text: 'Done.' }] as never };
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms(), scripts });
		await tasks.repository.write(
			'check.sh',
			'for file in src/*.js; do echo "$file"; node --check "$file" || exit 1; done\n',
		);
		await tasks.repository.write('AGENTS.md', 'Run the tests with `sh check.sh now`.\n');
		await tasks.repository.commitAll('Check');
		({ id } = await tasks.create('parts' as never));
		await tasks.completed(id);
	});
	after(() => tasks?.stop());

	async function search(body: object): Promise<StepSearchEvent[]> {
		const reply = await tasks.service.fetch(`/api/tasks/${id}/steps/search`, { json: body });
		assert.equal(reply.status, 200);
		const events = (await reply.text()).split('\n').filter(line => line.startsWith('data: '));
		return events.map(line => stepSearchEventSchema.parse(JSON.parse(line.slice('data: '.length))));
	}
	const linesOf = (events: readonly StepSearchEvent[]) =>
		events.flatMap(event => (event.type === 'output' ? event.lines : []));

	it('finds it with the repository’s tests, within its runs', async () => {
		const reply = await tasks.service.fetch(`/api/tasks/${id}/steps/search`);
		const plan = stepSearchPlanSchema.parse(await reply.json());
		assert.equal(plan.command, 'sh check.sh now');
		const events = await search({});
		const end = events.at(-1);
		assert.ok(end?.type === 'found' && end.runs <= plan.runs, JSON.stringify(end));
		const diff = await (await tasks.service.fetch(`/api/tasks/${id}/steps/${end.index}/diff`)).text();
		assert.match(diff, /\+export const part = ;/);
		assert.match(linesOf(events).join('\n'), /SyntaxError[\s\S]*"sh check\.sh now" ended with exit code 1\./);
	});

	it('lets no command reach the network, the service, or anything beside its copy', async () => {
		const { service, repository } = tasks;
		const { port } = new URL(service.address);
		await repository.write('own.txt', `${SECRET}\n`);
		const outside = path.join(repository.path, 'planted.txt');
		const connect = (host: string, to: string) =>
			`node -e "require('net').connect(${to}, '${host}').on('connect', () => { console.log('reached ${host}'); process.exit() }).on('error', () => {})"`;
		const command = [
			connect('127.0.0.1', port),
			connect('192.0.2.1', '443'),
			`cat ${repository.path}/own.txt; echo planted > ${outside}`,
			`ls ${service.stateFolder}* && echo listed`,
			'echo planted > ../planted.txt; ln -s / root; rm -rf .git src; (setsid sleep 1000 &)',
			'echo done; false',
		].join('; ');
		const events = await search({ command });
		const lines = linesOf(events);
		assert.deepEqual(events.at(-1)?.type, 'none');
		assert.ok(lines.includes('done'), lines.join('\n'));
		assert.deepEqual(
			lines.filter(line => line.startsWith('reached') || line === 'listed' || line === SECRET),
			[],
		);
		assert.equal(await repository.git('status', '--porcelain'), '?? own.txt\n');
		const work = `${service.stateFolder}-work`;
		const [folder = ''] = (await readdir(work)).filter(name => name.startsWith(id));
		assert.deepEqual(
			(await readdir(path.join(work, folder))).filter(name => /tests|planted/.test(name)),
			[],
		);
	});
});
