import assert from 'node:assert/strict';
import {
	ClientError,
	type ClientErrorCode,
	type ClientErrorOptions,
	UserFacingError,
} from '../../../src/base/errors.ts';
import { commands } from '../../../src/platform/ids.ts';
import { inertText } from '../../../src/platform/inertText.ts';
import { errorText, explainError } from '../../../src/platform/notify.ts';

/** What is known of the error beside its code, its sentence and its button. */
type Row = [options: ClientErrorOptions, sentence: RegExp, button?: string];

const { manageKeys, showLog, switchConnection } = commands;
const page = /^A web page, such as a sign-in page, responded instead of Quillon\. Check the address, and whether/;
const said = { serviceMessage: 'Plainly no.' };
const expired = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });

const codes: Record<ClientErrorCode, Row[]> = {
	'no-key': [[{}, /^Quillon requires a key\.$/, manageKeys]],
	unauthorised: [[said, /^Quillon rejected the key: Plainly no\.$/, manageKeys]],
	'plan-required': [[{}, /^This account’s plan on Quillon doesn’t include this\. Change the plan/, manageKeys]],
	forbidden: [[{}, /^Quillon doesn’t allow this for the key’s account\.$/, manageKeys]],
	'not-found': [
		[{}, /^Quillon couldn’t find what was requested\. Refresh, or check the connection’s address/],
		[{ isPage: true }, page, showLog],
	],
	'source-link-missing': [[{}, /^Quillon isn’t linked to your source hosting\. Link it in the service’s dashboard\.$/]],
	'invalid-request': [
		[{ unsent: true }, /^The request was not sent: for the log$/],
		[said, /^Quillon rejected the request: Plainly no\.$/],
		[{ status: 400 }, /^Quillon rejected the request \(HTTP 400\)\.$/],
	],
	'session-expired': [[{}, /^Quillon failed \(session-expired\)\. Try again\.$/, showLog]],
	'payment-required': [[said, /^The account on Quillon is out of credit or quota: Plainly no\. Add credit there/]],
	'too-large': [[said, /^The request is too large for Quillon: Plainly no\. Send a smaller request\.$/]],
	'rate-limited': [
		[{}, /^Quillon is limiting requests\. Try again in a moment\.$/],
		[{ ...said, retryAfterMs: 6_500 }, /^Quillon is limiting requests: Plainly no\. Try again in 7 s\.$/],
	],
	server: [[said, /^Quillon had an internal error: Plainly no\. Try again\.$/, showLog]],
	upstream: [
		[said, /^Quillon got no response from a service it depends on: Plainly no\. Try again\.$/, showLog],
		[{ isPage: true }, /^Quillon had an internal error\. Try again\.$/, showLog],
	],
	offline: [
		[{}, /^Quillon can’t be reached\. Check your network and the address, then try again\.$/, showLog],
		[
			{ cause: expired, unsent: true },
			/^The certificate of Quillon has expired\. Nothing was sent\. Check this machine’s date/,
			showLog,
		],
		[{ cause: expired }, /^The certificate of Quillon has expired\. Check this machine’s date/, showLog],
	],
	timeout: [[{}, /^Quillon didn’t respond in time\. Try again\.$/, showLog]],
	aborted: [[{}, /^Stopped\.$/]],
	truncated: [[{}, /^Quillon ended its reply early\. The part that arrived is kept\. Try again\.$/]],
	'bad-response': [
		[{}, /^Quillon sent a response that doesn’t match its API\. Check its address/, showLog],
		[{ isPage: true, status: 200 }, page, showLog],
		[
			{ status: 302, redirectedTo: 'https://login.example' },
			/^Quillon redirected the request to https:\/\/login\.example, for example to sign in.* Check the address/,
			showLog,
		],
		[
			{ status: 304 },
			/^Quillon redirected the request to an address that isn’t allowed \(HTTP 304\)\. Check the address/,
			showLog,
		],
	],
	tampered: [[{}, /^Quillon failed \(tampered\)\. Try again\.$/, showLog]],
	'not-supported': [[{}, /^Quillon has no address for this\. Select a different connection\.$/, switchConnection]],
};

const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

/** Each names what to do, too. */
const faults: [Error, RegExp][] = [
	[withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), /of Quillon is self-signed\. Nothing was sent\. If you trust it/],
	[withCode('SELF_SIGNED_CERT_IN_CHAIN'), /an authority that isn’t trusted on this machine.*add that authority’s/],
	[withCode('ERR_TLS_CERT_ALTNAME_INVALID'), /is for a different host name.*errand\.connections/],
	[expired, /has expired.*Check this machine’s date/],
	[withCode('CERT_NOT_YET_VALID'), /is not valid yet.*Check this machine’s date/],
	[withCode('CERT_REVOKED'), /was revoked.*Contact the service’s administrator/],
	[new URIError('malformed'), /http\.proxy\. Write “%” as %25/],
	[new Error('Proxy response (407)'), /requires a user name and password.*Add them to the setting http\.proxy/],
	[new Error('Proxy response (403)'), /didn’t open a tunnel to Quillon \(HTTP 403\)\. Check.*http\.noProxy/],
	[
		withCode('ECONNREFUSED', { address: '127.0.0.1', port: 9 }),
		/^Quillon can’t be reached: nothing responds at 127\.0\.0\.1:9 \(ECONNREFUSED\)\. If that’s your proxy, correct/,
	],
];

describe('the sentence for what went wrong', () => {
	for (const [code, rows] of Object.entries(codes)) {
		for (const [options, sentence, button] of rows) {
			it(`names cause and next step, with its button: ${code}, ${sentence.source}`, () => {
				const error = new ClientError(code as ClientErrorCode, 'for the log', options);
				const { message, action } = explainError(error, 'Quillon');
				assert.match(message, sentence);
				assert.equal(action?.command, button);
			});
		}
	}

	it('names why a service cannot be reached, and what to do', () => {
		for (const [cause, sentence] of faults) {
			const failed = (unsent: boolean) => errorText(new ClientError('offline', '', { cause, unsent }), 'Quillon');
			assert.match(failed(true), sentence);
			assert.doesNotMatch(failed(false), /othing was sent/);
		}
	});

	it('is the one that was written for it, even if another error has wrapped it', () => {
		const written = new UserFacingError('Write it down.', { action: 'manageKeys' });
		const { message, action } = explainError(new Error('around it', { cause: written }), 'Quillon');
		assert.equal(message, 'Write it down.');
		assert.deepEqual(action, { label: 'Manage Keys', command: manageKeys });
	});
});

describe('what a sentence repeats', () => {
	it('from elsewhere never becomes a link that runs a command', () => {
		const error = new ClientError('server', 'x', { serviceMessage: '[Go](command:workbench.action.quit)' });
		const { message } = explainError(error, 'Test');
		assert.match(message, /command:/);
		assert.doesNotMatch(inertText(message), /\]\(/);
	});

	it('of a fault is one line of a bounded length', () => {
		const { message } = explainError(new Error(`a\nb\u202e${'x'.repeat(5000)}`), 'Test');
		assert.match(message, /an unexpected error: a b x+…\. See the log for details\.$/);
		assert.ok(message.length < 400);
	});

	it('from elsewhere hides nothing', () => {
		const hidden = 'a\u3164b\u034fc\u{e0041}d 👩‍💻';
		assert.match(explainError(new Error(hidden), 'Test').message, /unexpected error: a b c d 👩‍💻\. See the log/);
	});
});
