// The one question for a key, of whichever service: the service is asked about the key before it is accepted.
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';
import { askCheckedKey } from '../../platform/keyBox.ts';
import { showMessage } from '../../platform/notify.ts';
import { type AskingContext, askHost, failureAt, type HostAnswer, type HostContext } from '../hosts/askHost.ts';
import { isAboutKey } from '../hosts/messages.ts';
import { failedCheck, isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import type { StepEnd } from '../model/serviceDraft.ts';
import type { KeyUse } from './keyUse.ts';
import { answerSentence, keyProblem, keyTitle } from './messages.ts';

export interface KeyQuestion {
	/** Shown before the text about where the key is stored. */
	reason?: string;
	/** A key that was pasted earlier. */
	value?: string;
	/** The present key, which is not an answer, and which stays in use if the service says nothing about the new one. */
	replaces?: string;
	/** The answer without a key, if the key is optional. */
	withoutKey?: HostAnswer | undefined;
}

/** A key, and the host's answer to it. The key is empty, and not checked, if the user continues without one. */
export interface EnteredKey {
	key: string;
	answer: HostAnswer;
	check?: KeyCheck;
}

/**
 * Asks for a key, which is hidden while it is typed, and accepts it if the service does not refuse it, or if the user
 * insists on a refused one.
 */
export async function askKey(
	use: KeyUse,
	context: HostContext,
	{ reason = '', value = '', replaces, withoutKey }: KeyQuestion = {},
): Promise<EnteredKey | StepEnd> {
	const { slot, page } = use;
	const open = slot.origins.find(origin => !mayCarryKey(origin));
	if (open !== undefined) {
		const sentence = vscode.l10n.t(
			'The connection to {0} isn’t encrypted, so no key can be sent there. Use an https address.',
			open,
		);
		await showMessage('error', sentence);
		return 'back';
	}
	const keeping = vscode.l10n.t('Saved in the editor’s secret storage and sent only to {0}.', slot.origins.join(', '));
	const leaving = withoutKey && vscode.l10n.t('Leave empty to continue without a key.');
	return askCheckedKey<EnteredKey>({
		title: keyTitle(use),
		prompt: [reason, keeping, leaving].filter(Boolean).join(' '),
		value,
		...defined({
			page:
				page === undefined ? undefined : { address: page, tooltip: vscode.l10n.t('Open the Service’s API Keys Page') },
		}),
		formProblem(key) {
			if (key === '' && withoutKey !== undefined) {
				return undefined;
			}
			if (key !== '' && key === replaces) {
				return vscode.l10n.t('This is the current key. Paste the new one.');
			}
			return keyProblem(use, key);
		},
		async check(key, signal) {
			if (key === '' && withoutKey !== undefined) {
				return { accepted: { key, answer: withoutKey } };
			}
			const answer = await askWithKey(use, key, { ...context, signal });
			const check = checkOf(use, answer);
			const isDoubtful = isKeyRefusal(check) || (replaces !== undefined && check.answer === 'no-answer');
			return {
				accepted: { key, answer, check },
				...defined({ problem: isDoubtful ? answerSentence(check, use) : undefined }),
			};
		},
	});
}

/**
 * Checks whether the service accepts a key by sending a request that costs nothing. Never rejects, except with the
 * signal's reason.
 */
export async function checkKey(use: KeyUse, key: string, context: AskingContext): Promise<KeyCheck> {
	return checkOf(use, await askWithKey(use, key, context));
}

const CHECK_MS = 8_000;

/**
 * Asks the host with a key. A service that lists its models to anybody has another path that shows whether the key is
 * right, or none.
 */
async function askWithKey(
	{ host: { kind, url = '', form }, openList }: KeyUse,
	key: string,
	context: AskingContext,
): Promise<HostAnswer> {
	const path = openList?.checkPath;
	const request = { url, key, method: 'GET', milliseconds: CHECK_MS } as const;
	const failure = path === undefined ? undefined : await failureAt({ ...request, path }, context);
	// The host's usual answer, which is requested next, shows all problems that are not about the key.
	return failure && isAboutKey(failure)
		? { url, state: 'failed', error: failure }
		: askHost({ kind, url, form, key }, context);
}

function checkOf({ kind, openList }: KeyUse, answer: HostAnswer): KeyCheck {
	const at = Date.now();
	if (answer.state === 'failed') {
		return failedCheck(kind, answer.error, at);
	}
	const isOpen = openList !== undefined && openList.checkPath === undefined;
	return { at, answer: answer.state === 'fits' && !answer.noList && !isOpen ? 'accepted' : 'not-checkable' };
}
