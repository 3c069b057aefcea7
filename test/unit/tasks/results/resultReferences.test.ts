import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SharedState } from '../../../../src/platform/sharedState.ts';
import { ResultReferences } from '../../../../src/tasks/results/resultReferences.ts';
import { fetchTip, referenceOf } from '../../../../src/tasks/results/taskBranch.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

const resultOf = (key: string) => ({ key, taskId: key, branch: 'errand/work', agent: undefined });

describe('Errand’s references to results', () => {
	let repository: TemporaryRepository;
	let folder: string;
	let connection = 'local';

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('branch', 'errand/work');
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-state-'));
		connection = 'local';
	});
	afterEach(async () => {
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	const place = (directory = repository.path) => ({ gitPath: 'git', directory, credentials: {} });

	/** Creates the references as a window that was just opened has them. */
	const open = () =>
		new ResultReferences({
			workspaceState: new SharedState(folder, { log: () => {} }),
			connection: () => connection,
			place: directory => Promise.resolve(place(directory)),
			logger: { log: () => {} },
		});

	/** Returns the sorted names of the references to results that the repository has. */
	async function listReferences(): Promise<string[]> {
		const names = await repository.git('for-each-ref', '--format=%(refname)', 'refs/errand');
		return names.split('\n').filter(Boolean).sort();
	}

	async function make(references: ResultReferences, ...keys: string[]): Promise<void> {
		for (const key of keys) {
			await fetchTip(place(), undefined, resultOf(key));
			references.remember(resultOf(key), repository.path);
		}
	}

	it('are removed after a reload where the service no longer has the task, and no other', async () => {
		await make(open(), 'gone', 'older', 'listed');
		connection = 'other';
		await make(open(), 'of-another');
		const asked: string[] = [];
		await open().sweep(
			'local',
			id => id === 'listed',
			id => {
				asked.push(id);
				return Promise.resolve(id === 'gone');
			},
		);
		assert.deepEqual(asked.sort(), ['gone', 'older']);
		assert.deepEqual(await listReferences(), ['listed', 'of-another', 'older'].map(referenceOf));
	});

	it('stay where the service cannot be asked, which happens once in a window', async () => {
		const references = open();
		await make(references, 'task-1');
		let asked = 0;
		const fail = () => {
			asked++;
			return Promise.reject(new Error('offline'));
		};
		await references.sweep('local', () => false, fail);
		await references.sweep('local', () => false, fail);
		assert.equal(asked, 1);
		assert.deepEqual(await listReferences(), [referenceOf('task-1')]);
	});

	it('are removed when asked, and forgotten where the repository is gone', async () => {
		const references = open();
		await make(references, 'task-1', 'task-2');
		await references.remove('task-1');
		assert.deepEqual(await listReferences(), [referenceOf('task-2')]);
		await repository.remove();
		await references.remove('task-2');
		let asked = 0;
		await open().sweep(
			'local',
			() => false,
			() => {
				asked++;
				return Promise.resolve(true);
			},
		);
		assert.equal(asked, 0);
	});
});
