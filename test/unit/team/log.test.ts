import assert from 'node:assert/strict';
import type { LogFields } from '../../../src/base/redact.ts';
import { createLoggers } from '../../../src/team/log.ts';

describe('the log of the service for a team', () => {
	it('has a line of JSON for each entry, with the allowed fields alone and without secrets', () => {
		const lines: string[] = [];
		const logger = createLoggers({ write: (line: string) => void lines.push(line) })('tasks');
		logger.log('warn', 'a stream failed', {
			...{ taskId: 'one', status: 502, reason: 'failed with sk-abcdef123456\nat last', prompt: 'secret plan' },
		} as LogFields);
		logger.log('debug', 'not for operators');
		const [line, ...others] = lines.map(text => JSON.parse(text));
		assert.deepEqual(others, []);
		const { time, ...rest } = line;
		assert.ok(!Number.isNaN(Date.parse(time)));
		assert.deepEqual(rest, {
			level: 'warn',
			topic: 'tasks',
			msg: 'a stream failed',
			taskId: 'one',
			status: 502,
			reason: 'failed with [redacted] at last',
		});
	});
});
