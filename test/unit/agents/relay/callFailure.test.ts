import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describeFailure } from '../../../../src/agents/relay/clientModels.ts';
import { ClientError } from '../../../../src/base/errors.ts';
import { breakOff, sendEvents, sendJson } from '../../../support/faultServer.ts';
import { event } from '../../client/responsesWire.ts';
import { eventsOf } from '../../service/helpers.ts';
import { BOTH, begin, CHAT, RESPONSES, refusalOf, useClientModels } from './clientModelsHarness.ts';

describe('a call for a model that fails', () => {
	const models = useClientModels();

	describe('is refused', () => {
		it('with the status and the words of the service', async () => {
			for (const [status, expected, code] of [
				[400, 400, 'invalid_request'],
				[401, 401, 'unauthorised'],
				[402, 402, 'payment_required'],
				[403, 403, 'forbidden'],
				[404, 404, 'not_found'],
				[500, 500, 'server'],
				[502, 502, 'upstream'],
			] as const) {
				const { post, failures } = await models.open(response =>
					sendJson(response, status, { error: { message: 'As it is' } }),
				);
				for (const { path, body } of BOTH) {
					for (const stream of [true, false]) {
						const reply = await post(path, { ...body, stream });
						assert.equal(reply.status, expected);
						const refusal = await refusalOf(reply);
						assert.deepEqual([refusal.message, refusal.code], ['As it is', code]);
					}
				}
				assert.equal(failures.length, 4);
			}
		});

		it('with the time after which the service takes requests again', async () => {
			const { post } = await models.open(response =>
				sendJson(response, 429, { error: { message: 'Slower' } }, { 'retry-after': '90' }),
			);
			const reply = await post(CHAT.path, CHAT.body);
			assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '90']);
		});

		it('with 502 where no reply of a service is there', async () => {
			const answers: ((response: ServerResponse) => void)[] = [
				response => response.destroy(),
				response => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
				response => response.writeHead(302, { location: 'https://login.invalid/' }).end(),
				response => sendEvents(response, 'data: {"half\n\n'),
			];
			for (const answer of answers) {
				const { post, failures } = await models.open(answer);
				for (const { path, body } of BOTH) {
					const reply = await post(path, { ...body, stream: true });
					assert.equal(reply.status, 502);
					assert.equal((await refusalOf(reply)).type, 'server_error');
				}
				assert.equal(failures.length, 2);
			}
		});
	});

	describe('in the middle of a stream', () => {
		const fail = async (path: string, body: object, end: (response: ServerResponse) => void | Promise<void>) => {
			const opened = await models.open((response, received) => {
				begin(response, received.path);
				return end(response);
			});
			const events: { name: string | undefined; data: string }[] = [];
			for await (const sent of eventsOf(await opened.post(path, { ...body, stream: true }))) {
				events.push(sent);
			}
			return { ...opened, events };
		};

		it('says why, and ends without the mark of a whole reply', async () => {
			for (const [end, message, code] of [
				[
					(response: ServerResponse) => response.end(event('error', { error: { message: 'Broke', code: '502' } })),
					'Broke',
					'upstream',
				],
				[(response: ServerResponse) => void response.end(), 'the reply broke off before its end', 'truncated'],
				[breakOff, 'the reply broke off before its end', 'truncated'],
			] as const) {
				const chat = await fail(CHAT.path, CHAT.body, async response => void (await end(response)));
				assert.equal(chat.events.length, 2);
				const last = JSON.parse(chat.events[1]?.data ?? '') as { error: object };
				assert.deepEqual(last, { error: { message, type: 'server_error', code } });

				const responses = await fail(RESPONSES.path, RESPONSES.body, async response => void (await end(response)));
				assert.deepEqual(
					responses.events.map(({ name }) => name),
					['response.output_text.delta', 'error', 'response.failed'],
				);
				const [, error, failed] = responses.events.map(({ data }) => JSON.parse(data));
				assert.deepEqual([error.message, error.code, error.error.message], [message, code, message]);
				assert.deepEqual(failed.response.error, { code, message });

				for (const { calls, failures } of [chat, responses]) {
					assert.deepEqual([calls.map(({ outcome }) => outcome), failures.length], [['failed'], 1]);
				}
			}
		});

		it('says that a response was ended early, and why', async () => {
			const incomplete = { response: { incomplete_details: { reason: 'max_output_tokens' } } };
			const { events } = await fail(
				RESPONSES.path,
				RESPONSES.body,
				response => void response.end(event('response.incomplete', incomplete)),
			);
			assert.match(JSON.parse(events[1]?.data ?? '').message, /before it was complete: max_output_tokens$/);
		});

		it('has a status of its own where the agent waits for a whole reply', async () => {
			const { post, calls } = await models.open((response, { path }) => {
				begin(response, path);
				response.end();
			});
			for (const { path, body } of BOTH) {
				const reply = await post(path, body);
				assert.equal(reply.status, 502);
				assert.equal((await refusalOf(reply)).code, 'truncated');
			}
			assert.equal(calls.length, 2);
		});
	});
});

describe('the error of a client, as an agent is told of it', () => {
	it('has a status by its code where the service’s own says nothing', () => {
		const statuses = [
			['invalid-request', undefined, 400],
			['no-key', undefined, 401],
			['unauthorised', undefined, 401],
			['payment-required', undefined, 402],
			['payment-required', 429, 429],
			['too-large', undefined, 413],
			['rate-limited', undefined, 429],
			['timeout', undefined, 504],
			['offline', undefined, 502],
			['bad-response', 200, 502],
			['bad-response', 307, 502],
			['server', 503, 503],
			['not-found', 404, 404],
			['not-found', undefined, 404],
			['not-supported', undefined, 404],
			['plan-required', 403, 404],
		] as const;
		for (const [code, status, expected] of statuses) {
			const failure = describeFailure(new ClientError(code, 'it failed', { status }));
			assert.deepEqual([failure.status, failure.code], [expected, code.replaceAll('-', '_')], `${code} ${status}`);
		}
	});

	it('has the code that agents know for a conversation that is too long, whatever the service calls it', () => {
		const error = new ClientError('invalid-request', '', { status: 400, serviceMessage: 'The prompt is too long' });
		const { status, code, message } = describeFailure(error);
		assert.deepEqual([status, code, message], [400, 'context_length_exceeded', 'The prompt is too long']);
	});

	it('has the words of the service, or else those of the client', () => {
		const said = new ClientError('server', 'POST /x answered with HTTP 500', { serviceMessage: 'It is too long' });
		assert.equal(describeFailure(said).message, 'It is too long');
		assert.equal(describeFailure(new ClientError('offline', 'no connection')).message, 'no connection');
	});
});
