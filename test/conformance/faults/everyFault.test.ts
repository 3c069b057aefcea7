import assert from 'node:assert/strict';
import { requirements } from '../requirements.ts';
import { channelFaults } from './channelFaults.ts';
import { inferenceFaults } from './inferenceFaults.ts';
import { inferenceRuleFaults } from './inferenceRuleFaults.ts';
import { taskFaults } from './taskFaults.ts';
import { taskRuleFaults } from './taskRuleFaults.ts';

describe('the faults', () => {
	it('break every requirement of the contract', () => {
		const faults = [...inferenceFaults, ...inferenceRuleFaults, ...channelFaults, ...taskFaults, ...taskRuleFaults];
		const broken = new Set(faults.map(({ breaks }) => breaks));
		const without = requirements.filter(({ id }) => !broken.has(id)).map(({ id }) => id);
		assert.deepEqual(without, []);
	});
});
