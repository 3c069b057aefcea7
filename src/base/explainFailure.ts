// Explains each failure, wherever it is shown: who failed, why, and what to do. Only a place that has asked for
// something special may know more about a code.

import * as l10n from '@vscode/l10n';
import { defined } from './defined.ts';
import { ClientError, type HelpfulAction, type UpstreamProblem } from './errors.ts';
import { type FaultParts, offlineParts } from './networkFault.ts';
import { oneLine } from './plainText.ts';

/** The length to which a service's own message is cut. */
export const MAXIMUM_QUOTE = 200;

const MAXIMUM_NAME = 60;

/** The number of failed servers that one explanation names. */
const MAXIMUM_UPSTREAMS = 3;

/** The service or the model server that was asked. */
export interface FailureSubject {
	/** The name by which the user knows it. */
	name: string;
	/** The address, if the user has entered it. */
	url?: string | undefined;
	/** True if a key was sent. Undefined where a key is sent whenever one is wanted. */
	hasKey?: boolean | undefined;
	/** The name of its entry, for a model server behind the local service. */
	server?: string | undefined;
}

/** A sentence about who failed and why, and one about what to do, which is empty if nothing helps. */
export interface ExplainedFailure extends FaultParts {
	/** True if the step is to ask again. It is left out where a button does that. */
	isRetry?: boolean;
	/** The action that helps, with the name of the server's entry if it concerns the key of a model server. */
	help?: { action: HelpfulAction; server?: string };
}

/** Explains an error of the client. If model servers behind the service have failed, the explanation is about them. */
export function explainFailure(error: ClientError, subject: FailureSubject): ExplainedFailure {
	const explained = error.upstreams.slice(0, MAXIMUM_UPSTREAMS).map(explainUpstream);
	const decisive = explained.find(({ help }) => help?.server !== undefined) ?? explained.at(-1);
	return decisive === undefined
		? explain(error, subject)
		: { ...decisive, cause: explained.map(({ cause }) => cause).join(' ') };
}

export function explainUpstream(problem: UpstreamProblem): ExplainedFailure {
	const { slug, label = slug, origin, hasKey } = problem;
	return explain(errorOfUpstream(problem), { name: oneLine(label, MAXIMUM_NAME), url: origin, hasKey, server: slug });
}

export function errorOfUpstream({ origin, code, system, said, ...rest }: UpstreamProblem): ClientError {
	const hostname = origin === undefined ? undefined : new URL(origin).host;
	const cause = system === undefined ? undefined : Object.assign(new Error(system), { code: system, hostname });
	return new ClientError(code, '', { ...defined(rest), serviceMessage: said, cause });
}

function explain(error: ClientError, subject: FailureSubject): ExplainedFailure {
	const { name, url, hasKey, server } = subject;
	const says = (words: string, step: string, action?: HelpfulAction): ExplainedFailure => ({
		cause: withWords(words, error),
		step,
		...defined({ help: action && { action, ...(isForKey(action) && defined({ server })) } }),
	});
	const again = l10n.t('Try again.');
	const isRefusal = error.code === 'unauthorised' || error.code === 'forbidden';
	switch (isRefusal && hasKey === false ? 'no-key' : error.code) {
		case 'no-key':
			return says(l10n.t('{0} requires a key', name), l10n.t('Enter one to continue.'), 'enterKey');
		case 'unauthorised':
			return says(l10n.t('{0} rejected the key', name), l10n.t('Check it, or enter a different one.'), 'changeKey');
		case 'forbidden':
			return says(
				l10n.t('{0} doesn’t allow this for the key’s account', name),
				l10n.t('Use the key of an account with permission.'),
				'changeKey',
			);
		case 'plan-required':
			return says(
				l10n.t('This account’s plan on {0} doesn’t include this', name),
				l10n.t('Change the plan in the service’s dashboard, or use the key of a different account.'),
				'manageKeys',
			);
		case 'not-found':
			if (error.isPage) {
				return { ...pageParts(name), help: { action: 'showLog' } };
			}
			return server === undefined
				? says(
						l10n.t('{0} couldn’t find what was requested', name),
						l10n.t('Refresh, or check the connection’s address.'),
					)
				: says(
						l10n.t('{0} no longer has the model, or nothing serves models at its address', name),
						l10n.t('Select a different model, or check the server’s address.'),
						'chooseModel',
					);
		case 'source-link-missing':
			return says(
				l10n.t('{0} isn’t linked to your source hosting', name),
				l10n.t('Link it in the service’s dashboard.'),
			);
		case 'invalid-request':
			return error.wasSent
				? says(
						l10n.t('{0} rejected the request', name),
						server === undefined ? '' : l10n.t('Change the message or its settings, or select a different model.'),
					)
				: { cause: l10n.t('The request was not sent: {0}', error.message), step: '' };
		case 'payment-required':
			return says(
				l10n.t('The account on {0} is out of credit or quota', name),
				l10n.t('Add credit there, then try again.'),
			);
		case 'too-large':
			return says(l10n.t('The request is too large for {0}', name), l10n.t('Send a smaller request.'));
		case 'rate-limited': {
			const words = l10n.t('{0} is limiting requests', name);
			return error.retryAfterMs === undefined
				? { ...says(words, l10n.t('Try again in a moment.')), isRetry: true }
				: says(words, l10n.t('Try again in {0} s.', Math.ceil(error.retryAfterMs / 1000)));
		}
		case 'server':
		case 'upstream':
			return { ...says(failedWords(error, name), again, 'showLog'), isRetry: true };
		case 'offline':
			// The error has a message of its own if the request was held back before there was a connection.
			return error.serviceMessage === undefined
				? { ...offlineParts(error, subject), help: { action: 'showLog' } }
				: says(
						l10n.t('{0} can’t be reached', name),
						l10n.t('Check your network and the address, then try again.'),
						'showLog',
					);
		case 'timeout': {
			const words = l10n.t('{0} didn’t respond in time', name);
			return url === undefined || server !== undefined
				? { ...says(words, again, 'showLog'), isRetry: true }
				: says(words, l10n.t('Check the address and port, or try again when the server is ready.'), 'showLog');
		}
		case 'aborted':
			return { cause: l10n.t('Stopped.'), step: '' };
		case 'truncated':
			return says(l10n.t('{0} ended its reply early', name), l10n.t('The part that arrived is kept. Try again.'));
		case 'bad-response':
			return { ...badResponseParts(error, subject), help: { action: 'showLog' } };
		case 'not-supported':
			return says(
				l10n.t('{0} has no address for this', name),
				l10n.t('Select a different connection.'),
				'switchConnection',
			);
		default:
			return says(l10n.t('{0} failed ({1})', name, oneLine(error.code, MAXIMUM_NAME)), again, 'showLog');
	}
}

const isForKey = (action: HelpfulAction): boolean => action === 'changeKey' || action === 'enterKey';

/** Ends a sentence with the service's own message, or with the status if it has none. */
function withWords(words: string, { serviceMessage, status }: ClientError): string {
	const said = oneLine(serviceMessage ?? '', MAXIMUM_QUOTE);
	if (said !== '') {
		return `${words}: ${/[.!?…]$/.test(said) ? said : `${said}.`}`;
	}
	return status === undefined || status < 400 ? `${words}.` : `${words} (HTTP ${status}).`;
}

function failedWords({ code, isPage, status }: ClientError, name: string): string {
	// A page comes from a gateway in front of the service, which is itself what failed.
	if (code === 'upstream' && !isPage) {
		return l10n.t('{0} got no response from a service it depends on', name);
	}
	return status === 503 ? l10n.t('{0} is temporarily unavailable', name) : l10n.t('{0} had an internal error', name);
}

function badResponseParts(error: ClientError, { name, server }: FailureSubject): FaultParts {
	const { isPage, status, redirectedTo } = error;
	if (isPage) {
		return pageParts(name);
	}
	if (redirectedTo !== undefined) {
		return {
			cause: l10n.t(
				'{0} redirected the request to {1}, for example to sign in or because it has moved. A key isn’t sent there.',
				name,
				oneLine(redirectedTo, MAXIMUM_QUOTE),
			),
			step: l10n.t('Check the address, and whether your network requires you to sign in first.'),
		};
	}
	if (status !== undefined && status >= 300 && status < 400) {
		return {
			cause: l10n.t('{0} redirected the request to an address that isn’t allowed (HTTP {1}).', name, status),
			step: l10n.t('Check the address.'),
		};
	}
	const words =
		server === undefined
			? l10n.t('{0} sent a response that doesn’t match its API', name)
			: l10n.t('{0} sent a response that isn’t a reply', name);
	return { cause: withWords(words, error), step: l10n.t('Check its address, then try again.') };
}

function pageParts(name: string): FaultParts {
	return {
		cause: l10n.t('A web page, such as a sign-in page, responded instead of {0}.', name),
		step: l10n.t('Check the address, and whether your network requires you to sign in first.'),
	};
}
