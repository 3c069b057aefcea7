import assert from 'node:assert/strict';
import { Measurements } from '../../../../src/service/inference/measurements.ts';

const SUBJECT = { slug: 'a', model: 'm' };
const MINUTE = 60_000;

describe('the measurements of providers', () => {
	it('know nothing of a provider that was never asked', () => {
		assert.deepEqual(new Measurements().read(SUBJECT, 0), {
			latency: undefined,
			throughput: undefined,
			uptime: 1,
			isResting: false,
			isBeingTried: false,
		});
	});

	it('weigh what is new more than what is old', () => {
		const measurements = new Measurements();
		measurements.answered(SUBJECT, 1, 0);
		measurements.answered(SUBJECT, 3, 0);
		assert.equal(measurements.read(SUBJECT, 0).latency, 2);
		measurements.answered(SUBJECT, 5, 10 * MINUTE);
		// After two half-lives the weight of the two is 0.5.
		assert.equal(measurements.read(SUBJECT, 10 * MINUTE).latency, (2 * 0.5 + 5) / 1.5);
	});

	it('forget a speed that has not been measured for a long time, so that it is measured again', () => {
		const measurements = new Measurements();
		measurements.generated(SUBJECT, 50, 0);
		assert.equal(measurements.read(SUBJECT, 15 * MINUTE).throughput, 50);
		assert.equal(measurements.read(SUBJECT, 20 * MINUTE).throughput, undefined);
	});

	it('lower the uptime with each failure, and let it grow again by itself', () => {
		const measurements = new Measurements();
		measurements.failed(SUBJECT, 0);
		assert.equal(measurements.read(SUBJECT, 0).uptime, 0.5);
		measurements.failed(SUBJECT, 0);
		assert.equal(measurements.read(SUBJECT, 0).uptime, 1 / 3);
		assert.ok(measurements.read(SUBJECT, 10 * MINUTE).uptime > 0.99);
	});

	it('let a provider rest that has failed, longer each time in a row, at most a minute', () => {
		const measurements = new Measurements();
		measurements.failed(SUBJECT, 0);
		assert.ok(measurements.read(SUBJECT, 1999).isResting);
		assert.ok(!measurements.read(SUBJECT, 2000).isResting);
		measurements.failed(SUBJECT, 2000);
		assert.ok(measurements.read(SUBJECT, 5999).isResting);
		for (let count = 0; count < 20; count++) {
			measurements.failed(SUBJECT, 10_000);
		}
		assert.ok(measurements.read(SUBJECT, 69_999).isResting);
		assert.ok(!measurements.read(SUBJECT, 70_000).isResting);
		measurements.answered(SUBJECT, 1, 70_000);
		assert.ok(measurements.read(SUBJECT, 60_000).isResting, 'a first chunk is no success yet');
		measurements.served(SUBJECT, 70_000);
		measurements.failed(SUBJECT, 70_000);
		assert.ok(!measurements.read(SUBJECT, 72_000).isResting, 'a success begins the row anew');
	});

	it('let a provider rest as long as it asks for, within bounds', () => {
		const measurements = new Measurements();
		measurements.failed(SUBJECT, 0, 30_000);
		assert.ok(measurements.read(SUBJECT, 29_999).isResting);
		assert.ok(!measurements.read(SUBJECT, 30_000).isResting);
		measurements.failed(SUBJECT, 30_000, 24 * 60 * MINUTE);
		assert.ok(!measurements.read(SUBJECT, 90_000).isResting);
	});

	it('are kept for each model of each provider', () => {
		const measurements = new Measurements();
		measurements.failed(SUBJECT, 0);
		assert.ok(!measurements.read({ slug: 'a', model: 'n' }, 0).isResting);
		assert.ok(!measurements.read({ slug: 'b', model: 'm' }, 0).isResting);
	});
});
