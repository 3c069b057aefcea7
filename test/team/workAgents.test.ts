import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { HOST_TOKEN, type TeamWorker, useTeamWorkers } from '../support/useTeamWorkers.ts';
import { waitFor } from '../support/waitFor.ts';

const LONG_COMMAND = `sleep ${1_000_000 + process.pid}`;
/** Three calls of the model cost more than this, and two do not. */
const MAXIMUM_COST = 0.003;
const SCRIPTS: Record<string, Step[]> = {
	look: [
		{
			do: 'run',
			command: 'env; cat /proc/*/environ /proc/*/cmdline | tr "\\\\0" "\\\\n"; cat /proc/*/fd/3 </dev/null',
		},
		{ do: 'run', command: 'grep -rs "url =\\|helper" / --include=config --exclude-dir=proc --exclude-dir=sys' },
		{ do: 'write', path: 'notes.txt', content: 'done\n' },
		{ do: 'say', text: 'Looked.' },
	],
	wait: [
		{ do: 'write', path: 'begun.txt', content: 'begun\n' },
		{ do: 'run', command: LONG_COMMAND },
		{ do: 'say', text: 'Waited.' },
	],
};

describe('an agent on a worker', () => {
	const workers = useTeamWorkers();
	let model: ScriptedModel;
	beforeEach(async () => {
		model = await ScriptedModel.start({ scripts: SCRIPTS, tree: insidePlaces('project').tree });
	});
	afterEach(() => model.stop());

	const start = (limits: object = {}): Promise<TeamWorker> =>
		workers.start({
			slots: 1,
			configuration: { upstreams: [{ slug: 'scripted', url: model.url, prices: { input: 1, output: 2 } }], limits },
		});
	const create = (script: string) =>
		workers.create(`Work [[script ${script}]]`, { agents: [{ agent: 'errand', model: model.name }] });

	/** Returns what any user of the machine, or any program of a run, could read of the processes. */
	async function processes(): Promise<string> {
		const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name) && name !== String(process.pid));
		const files = ids.flatMap(id => [`/proc/${id}/cmdline`, `/proc/${id}/environ`]);
		return (await Promise.all(files.map(file => readFile(file, 'latin1').catch(() => '')))).join('\n');
	}

	/** Returns the content of all files of runs. */
	async function filesOf({ workFolder }: TeamWorker): Promise<string> {
		const entries = await readdir(workFolder, { recursive: true, withFileTypes: true });
		const files = entries.filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath, entry.name));
		return (await Promise.all(files.map(file => readFile(file, 'latin1').catch(() => '')))).join('\n');
	}

	it('and everybody else finds no token of the source host, nor a secret of the worker', async () => {
		const worker = await start();
		const seen: string[] = [];
		let looking = Promise.resolve();
		workers.host.fault = (request, response) => {
			if (request.method !== 'POST') {
				return false;
			}
			looking = looking.then(async () => {
				seen.push(await processes(), await filesOf(worker));
				workers.host.serve(request, response);
			});
			return true;
		};
		const { id } = await create('look');
		const task = await workers.final(id);
		await looking;
		assert.equal(task.status, 'completed', task.error ?? '');
		assert.ok(seen.length >= 4);
		assert.ok(
			seen.some(text => text.includes('credential.')),
			'git was seen at work',
		);
		assert.ok(model.results.some(text => text.includes('ERRAND_AGENT_MODEL')));
		const everything = [...seen, ...model.results, worker.output, ...(await workers.log(id))].join('\n');
		for (const secret of [HOST_TOKEN, Buffer.from(`x-access-token:${HOST_TOKEN}`).toString('base64')]) {
			assert.ok(!everything.includes(secret));
		}
		const { password } = new URL(workers.team.database.url);
		assert.ok(!model.results.join('\n').includes(password));
	});

	it('has what an earlier attempt has left of the limit of the cost', async () => {
		const first = await start({ maxCost: MAXIMUM_COST });
		const { id } = await create('wait');
		await waitFor('the long command', () => model.requests.some(({ step }) => step === 1));
		await workers.logged(id, new RegExp(LONG_COMMAND));
		await waitFor('the cost', async () => (await useOf(id)).cost > 0.002);
		await first.end('SIGKILL');
		await start({ maxCost: MAXIMUM_COST });
		const task = await workers.final(id);
		assert.equal(task.status, 'error');
		assert.match(task.error ?? '', /has spent its limit/);
		assert.equal((await useOf(id)).calls, 3);
		const [execution] = await workers.team.tasks.executions(task);
		assert.equal(execution?.maxCost?.toFixed(6), MAXIMUM_COST.toFixed(6));
		assert.deepEqual(await workers.branches(), []);
	});

	async function useOf(id: string): Promise<{ calls: number; cost: number }> {
		const task = await workers.team.tasks.get(id);
		const use = task === undefined ? [] : await workers.team.tasks.modelUse(task);
		return {
			calls: use.reduce((sum, { calls }) => sum + calls, 0),
			cost: use.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
		};
	}
});
