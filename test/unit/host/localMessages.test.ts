import assert from 'node:assert/strict';
import { retentionText } from '../../../src/chat/protocol/labels.ts';
import { retentionLabel } from '../../../src/chat/settings/messages.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { zeroDataRetentionOf } from '../../../src/contract/zeroDataRetention.ts';
import { findingText } from '../../../src/tasks/launch/preflightMessages.ts';
import type { ServiceCheck } from '../../../src/tasks/model/findings.ts';

const NOT_HERE = /account|dashboard|credit|plan\b/i;

describe('texts on the local connection', () => {
	it('do not mention an account or dashboard in the words about zero data retention', () => {
		for (const zdr of [undefined, false, true]) {
			const request = { model: 'demo', ...(zdr === undefined ? {} : { provider: { zdr } }) };
			assert.doesNotMatch(retentionText(zeroDataRetentionOf(localConnection, request, 'chat')), NOT_HERE);
			assert.doesNotMatch(retentionLabel(zdr ?? 'account'), NOT_HERE);
		}
	});

	it('do not mention an account or dashboard in the words about a repository that the service was asked for', () => {
		const names = { connection: 'Local', repository: 'widgets', branch: 'main', agent: 'Demo' };
		// Its look-ups never answer that a link is missing.
		const looks: ServiceCheck[] = [
			{ kind: 'asking' },
			{ kind: 'known', branches: new Set(), isWhole: true },
			{ kind: 'unlisted' },
			{ kind: 'failed', reason: '' },
		];
		for (const look of looks) {
			const { label, detail } = findingText({ kind: 'service', look }, names);
			assert.doesNotMatch(`${label} ${detail}`, NOT_HERE);
		}
	});
});
