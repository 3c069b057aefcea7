import assert from 'node:assert/strict';
import { parseFromReportPage } from '../../../../src/channel/model/protocolSchema.ts';

describe('a message that the report page may send', () => {
	for (const kind of ['page-ready', 'check-again', 'export-request']) {
		it(`is ${kind}, and nothing beside it`, () => {
			assert.deepEqual(parseFromReportPage({ kind }), { kind });
			assert.equal(parseFromReportPage({ kind, path: '/etc/passwd' }), undefined);
		});
	}

	it('is not read from anything else', () => {
		for (const message of [undefined, null, 'check-again', [], {}, { kind: 'run' }, { kind: ['check-again'] }]) {
			assert.equal(parseFromReportPage(message), undefined);
		}
	});
});
