import assert from 'node:assert/strict';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { createTask, finalTask, type TaskView } from '../helpers.ts';

/** What the tests of a `describe` have in common. */
export interface TaskService {
	/** One for all of them. */
	readonly service: ServiceProcess;
	/** Each test has a new one. */
	readonly repository: TemporaryRepository;
	/** Creates a task on the repository, unless the fields name another. */
	create(fields?: object): Promise<TaskView>;
	/** A task that has made a branch. */
	completed(fields?: object): Promise<TaskView & { branchName: string }>;
}

/** Call it in the body of a `describe`. */
export function useTaskService(): TaskService {
	let service: ServiceProcess;
	let repository: TemporaryRepository;
	before(async () => {
		// It must not end by itself while tests beside it take their time with services of their own.
		service = await ServiceProcess.start({ idleSeconds: 600 });
	});
	after(() => service.stop());
	beforeEach(async () => {
		repository = await TemporaryRepository.create();
	});
	afterEach(() => repository.remove());

	const create = (fields: object = {}) =>
		createTask(service, { prompt: 'Try it', repoUrl: repository.path, ...fields });
	return {
		get service() {
			return service;
		},
		get repository() {
			return repository;
		},
		create,
		async completed(fields) {
			const task = await finalTask(service, (await create(fields)).id);
			assert.equal(task.status, 'completed', task.error ?? '');
			return { ...task, branchName: task.branchName ?? assert.fail('no branch') };
		},
	};
}
