import assert from 'node:assert/strict';
import { Measurements } from '../../../../src/service/inference/measurements.ts';

const MINUTE = 60_000;

describe('the measurements of providers', () => {
	it('know nothing of a provider that was never asked', () => {
		assert.deepEqual(new Measurements().of('a', 'm').read(0), {
			latency: undefined,
			throughput: undefined,
			uptime: 1,
			isResting: false,
			isBeingTried: false,
		});
	});

	it('weigh what is new more than what is old', () => {
		const record = new Measurements().of('a', 'm');
		record.answered(1, 0);
		record.answered(3, 0);
		assert.equal(record.read(0).latency, 2);
		record.answered(5, 10 * MINUTE);
		// After two half-lives the weight of the two is 0.5.
		assert.equal(record.read(10 * MINUTE).latency, (2 * 0.5 + 5) / 1.5);
	});

	it('forget a speed that has not been measured for a long time, so that it is measured again', () => {
		const record = new Measurements().of('a', 'm');
		record.generated(50, 0);
		assert.equal(record.read(15 * MINUTE).throughput, 50);
		assert.equal(record.read(20 * MINUTE).throughput, undefined);
	});

	it('lower the uptime with each failure, and let it grow again by itself', () => {
		const record = new Measurements().of('a', 'm');
		record.failed(0);
		assert.equal(record.read(0).uptime, 0.5);
		record.failed(0);
		assert.equal(record.read(0).uptime, 1 / 3);
		assert.ok(record.read(10 * MINUTE).uptime > 0.99);
	});

	it('let a provider rest that has failed, longer each time in a row, at most a minute', () => {
		const record = new Measurements().of('a', 'm');
		record.failed(0);
		assert.ok(record.read(1999).isResting);
		assert.ok(!record.read(2000).isResting);
		record.failed(2000);
		assert.ok(record.read(5999).isResting);
		for (let count = 0; count < 20; count++) {
			record.failed(10_000);
		}
		assert.ok(record.read(69_999).isResting);
		assert.ok(!record.read(70_000).isResting);
		record.answered(1, 70_000);
		assert.ok(record.read(60_000).isResting, 'a first chunk is no success yet');
		record.served(70_000);
		record.failed(70_000);
		assert.ok(!record.read(72_000).isResting, 'a success begins the row anew');
	});

	it('let a provider rest as long as it asks for, within bounds', () => {
		const record = new Measurements().of('a', 'm');
		record.failed(0, 30_000);
		assert.ok(record.read(29_999).isResting);
		assert.ok(!record.read(30_000).isResting);
		record.failed(30_000, 24 * 60 * MINUTE);
		assert.ok(!record.read(90_000).isResting);
	});

	it('are kept for each model of each provider', () => {
		const measurements = new Measurements();
		measurements.of('a', 'm').failed(0);
		assert.ok(!measurements.of('a', 'n').read(0).isResting);
		assert.ok(!measurements.of('b', 'm').read(0).isResting);
	});
});
