import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TEST_LIMIT_MS } from '../../../../scripts/stages/limits.ts';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, eventsOf, finalTask, logOf, readTask, type TaskView } from '../helpers.ts';

/** `ERRAND_TEST_KILLS=100` for a longer look. */
const KILLS = Number(process.env['ERRAND_TEST_KILLS'] ?? 10);
const LONGEST_LIFE_MS = 900;
const FINAL = ['completed', 'error', 'stopped', 'timeout'];

/** What a client has been told, by task: what it must find again. */
interface Told {
	prompt: string;
	entries: string[];
	final: TaskView | undefined;
}

describe('a service that is killed again and again', function () {
	this.timeout(TEST_LIMIT_MS + KILLS * 5_000);

	it('has lost nothing that it had acknowledged, and ends every task with the truth', async () => {
		const stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-kills-'));
		const repository = await TemporaryRepository.create();
		const told = new Map<string, Told>();
		let service = await ServiceProcess.start({ stateFolder });
		try {
			for (let kill = 1; kill <= KILLS; kill++) {
				const life = Math.random() * LONGEST_LIFE_MS;
				await Promise.all([live(service, kill), delay(life).then(() => service.crash())]);
				service = await ServiceProcess.start({ stateFolder });
				await nothingIsLost(`after kill ${kill}, ${Math.round(life)} ms into its life`);
			}
			for (const id of told.keys()) {
				const task = await finalTask(service, id);
				const entry = told.get(id);
				assert.ok(entry);
				entry.final ??= task;
				const branch = `errand/${entry.prompt.toLowerCase().replaceAll(' ', '-')}-${id.slice(0, 8)}`;
				const isThere = (await repository.branches()).includes(branch);
				if (task.status === 'completed') {
					assert.equal(task.branchName, branch);
					assert.ok(isThere);
				} else {
					assert.match(task.error ?? '', /^Interrupted: /);
					assert.ok(!isThere || task.error?.includes(branch), 'a branch is there of which nothing is said');
				}
			}
			await nothingIsLost('at the end');
			assert.ok(told.size > 0);
			assert.ok([...told.values()].some(({ entries }) => entries.length > 0));
			assert.match(await repository.git('fsck', '--strict', '--no-dangling'), /^$/);
		} finally {
			await service.stop();
			await repository.remove();
			await rm(stateFolder, { recursive: true, force: true });
			await rm(workFolderOf(stateFolder), { recursive: true, force: true });
		}

		/** Makes a task and reads along with one of the others, until the service is gone. */
		async function live(own: ServiceProcess, kill: number): Promise<void> {
			const made = createTask(own, { prompt: `Kill ${kill}`, repoUrl: repository.path }).then(({ id, status }) => {
				assert.equal(status, 'pending');
				told.set(id, { prompt: `Kill ${kill}`, entries: [], final: undefined });
			}, assertIsGone);
			const readings = [...told]
				.filter(([, { final }]) => final === undefined)
				.map(([id, entry]) => read(own, id, entry));
			await Promise.all([made, ...readings]);
		}

		async function read(own: ServiceProcess, id: string, entry: Told): Promise<void> {
			try {
				for await (const event of eventsOf(
					await own.fetch(`/api/tasks/${id}/stream?fromIndex=${entry.entries.length}`),
				)) {
					const data = JSON.parse(event.data) as { index: number; log: object };
					if (event.name === 'log') {
						assert.equal(data.index, entry.entries.length);
						entry.entries.push(JSON.stringify(data.log));
					}
				}
				const task = await readTask(own, id);
				entry.final = FINAL.includes(task.status) ? task : undefined;
			} catch (error) {
				assertIsGone(error);
			}
		}

		async function nothingIsLost(when: string): Promise<void> {
			for (const [id, { prompt, entries, final }] of told) {
				const task = (await readTask(service, id)) as TaskView & { prompt: string };
				assert.equal(task.prompt, prompt, when);
				if (final !== undefined) {
					assert.deepEqual(task, final, when);
				}
				if (entries.length > 0) {
					const isFinal = FINAL.includes(task.status);
					const log = isFinal ? await logOf(service, id) : await waitFor('the log', () => firstOf(id, entries.length));
					assert.deepEqual(
						log.slice(0, entries.length).map(entry => JSON.stringify(entry.log)),
						entries,
						when,
					);
				}
			}
		}

		async function firstOf(id: string, count: number) {
			const log: { index: number; log: object }[] = [];
			for await (const event of eventsOf(await service.fetch(`/api/tasks/${id}/stream`))) {
				if (event.name === 'log') {
					log.push(JSON.parse(event.data));
				}
				if (log.length === count) {
					break;
				}
			}
			return log;
		}
	});
});

/** The service has ended in the middle; anything else is a failure of its own. */
function assertIsGone(error: unknown): void {
	if (error instanceof assert.AssertionError || !(error instanceof Error)) {
		throw error;
	}
	assert.match(`${error.message} ${String(error.cause)}`, /fetch failed|terminated|ECONNRE|socket|other side closed/i);
}
