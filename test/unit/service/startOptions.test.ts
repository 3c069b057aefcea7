import assert from 'node:assert/strict';
import path from 'node:path';
import { readStartOptions } from '../../../src/service/startOptions.ts';

const read = (...args: string[]) => {
	const options = readStartOptions(args, { ERRAND_STATE_HOME: '/state' });
	assert.ok(options !== 'help');
	return options;
};

describe('readStartOptions', () => {
	it('has a value for each option that is not given', () => {
		assert.deepEqual(read(), {
			port: 0,
			stateFolder: path.resolve('/state'),
			idleSeconds: 30,
			runningTasks: 2,
			tokenFile: undefined,
			upstreamsFromStdin: false,
		});
	});

	it('takes files and folders from the folder that it is started in', () => {
		assert.equal(read('--token-file', 'token').tokenFile, path.resolve('token'));
		assert.equal(read('--data', 'data').stateFolder, path.resolve('data'));
	});

	it('takes as many agents as are allowed, and names the range for others', () => {
		assert.equal(read('--running-tasks', '16').runningTasks, 16);
		for (const number of ['0', '17', 'many', '', ' ']) {
			assert.throws(() => read('--running-tasks', number), {
				name: 'UserFacingError',
				message: /^--running-tasks takes a number from 1 to 16/,
			});
		}
		assert.throws(() => read('--running-tasks', '-1'), { name: 'UserFacingError', message: /--running-tasks/ });
	});
});
