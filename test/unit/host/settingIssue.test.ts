import assert from 'node:assert/strict';
import type * as z from 'zod';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { upstreamSettingSchema } from '../../../src/contract/upstreams.ts';
import { settingIssueText } from '../../../src/platform/settingIssue.ts';

describe('what is wrong with a setting', () => {
	const said = (schema: z.ZodType, value: unknown) => {
		const [issue] = schema.safeParse(value).error?.issues ?? [];
		assert.ok(issue, JSON.stringify(value));
		return settingIssueText(issue, value);
	};

	it('is said of a connection by its field, what stands there and what may', () => {
		const fine = { apiUrl: 'https://api.example', service: 'acme' };
		for (const [wrong, sentence] of [
			[{ apiUrl: 'http://me:secret@api.example' }, /^apiUrl must be an https address without credentials, [^:]*$/],
			[{ apiUrl: undefined }, /^apiUrl is missing$/],
			[{ service: '' }, /^service is "", allowed: a non-empty value$/],
			[{ plan: 'private' }, /^plan is "private", allowed: "public", "enterprise"$/],
			[{ accountZdr: 'yes' }, /^accountZdr is "yes", allowed: true or false$/],
			[{ models: 'all' }, /^models is "all", allowed: a list$/],
			[{ models: [{}] }, /^models\.0\.id is missing$/],
			[{ models: [{ id: 'a', contextLength: 0.5 }] }, /^models\.0\.contextLength is 0\.5, allowed: a whole number$/],
			[{ models: [{ id: 'a', contextLength: 0 }] }, /^models\.0\.contextLength is 0, allowed: a number above 0$/],
			[{ aliases: [{ name: 'a', model: 'b', provider: 5 }] }, /is 5, allowed: text or a JSON object$/],
			[
				{ aliases: [{ name: 'a', model: 'b', provider: { zdr: 'on' } }] },
				/^aliases\.0\.provider\.zdr is "on", allowed: true or false$/,
			],
			[
				{ aliases: [{ name: 'a', model: 'b', provider: { olny: [] } }] },
				/^there’s no field aliases\.0\.provider\.olny$/,
			],
		] as const) {
			assert.match(said(connectionSchema, { ...fine, ...wrong }), sentence);
		}
		assert.equal(said(connectionSchema, 'acme'), 'it is "acme", allowed: a JSON object');
	});

	it('is said of a model server too, and of a long value only its beginning', () => {
		const url = 'https://models.example/v1';
		for (const [entry, sentence] of [
			[
				{ url: 'ftp://models.example' },
				/^url must be an http or https address without credentials, query or fragment$/,
			],
			[{ url, key: 'sk-secret' }, /^there’s no field key$/],
			[{ url, prices: { input: -1, output: 1 } }, /^prices\.input is -1, allowed: a number of at least 0$/],
			[{ url, prefixes: ['No Slug'] }, /^prefixes\.0 is "No Slug", allowed: lowercase letters, digits/],
			[{ url, models: [{ id: 'a', kinds: ['video'] }] }, /^models\.0\.kinds\.0 is "video", allowed: "chat", "image"/],
			[{ url, local: 'x'.repeat(500) }, /^local is "x{59}…, allowed: true or false$/],
		] as const) {
			assert.match(said(upstreamSettingSchema, entry), sentence);
		}
	});
});
