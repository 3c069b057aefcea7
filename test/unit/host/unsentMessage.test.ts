import assert from 'node:assert/strict';
import { RequestRefusal } from '../../../src/chat/model/applySettings.ts';
import type { PreviewReason } from '../../../src/chat/model/preview.ts';
import { explainRequestFailure } from '../../../src/chat/settings/messages.ts';

describe('a message that no provider may have', () => {
	const row = (slug: string, kind: string) => ({
		slug,
		label: undefined,
		verdict: 'out' as const,
		reasons: [{ kind } as PreviewReason],
	});
	const explained = (...rows: ReturnType<typeof row>[]) =>
		explainRequestFailure(new RequestRefusal({ kind: 'nobody', rows }), undefined, 'chat')?.message;

	it('names each provider of the policy with its reason, and all of them if the policy names none', () => {
		const lead = 'Not sent: the routing policy leaves no provider.';
		const other = row('other', 'not-in-only');
		assert.equal(explained(row('fast', 'ignored'), other), `${lead} fast: listed in ignore.`);
		assert.equal(explained(other), `${lead} other: not listed in only.`);
	});

	it('names the first providers where there are many', () => {
		const rows = ['a', 'b', 'c', 'd', 'e'].map(slug => row(slug, 'ignored'));
		assert.match(explained(...rows) ?? '', / a: listed in ignore; .* d: listed in ignore…$/);
	});
});
