import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import { askModal } from '../platform/notify.ts';
import { notWritten, readSetting, writeSetting } from '../platform/settings.ts';

const ACCESS = ['ask', 'allow', 'never'] as const;
type Access = (typeof ACCESS)[number];

/** @throws UserFacingError if the setting has another value. */
export function accessSetting(): Access {
	const value: unknown = readSetting('errand.languageModels.access');
	const access = ACCESS.find(allowed => allowed === value);
	if (access === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Couldn’t read the setting {0}: it must be one of {1}. Correct it.',
				'errand.languageModels.access',
				ACCESS.join(', '),
			),
		);
	}
	return access;
}

/** The subject of the first request in a window. */
export interface AccessQuestion {
	/** The name of the connection in the settings. */
	connection: string;
	/** The names of the connection and the model for the user. */
	label: string;
	model: string;
	/** The providers that may serve it, and the routing policy. */
	served: string;
}

/**
 * Decides whether other extensions may use the models. The editor's stable interface neither asks the user itself nor
 * identifies the sender of a request, and each may cost something.
 */
export class ModelAccess {
	/** The answers for this window, by connection. */
	private readonly answers = new Map<string, Promise<boolean>>();

	/** Forgets the answers, because the setting has changed. */
	reset(): void {
		this.answers.clear();
	}

	/** Resolves with true if the request may be sent, and asks the user if that is not decided yet. */
	isAllowed(question: AccessQuestion): Promise<boolean> {
		const access = accessSetting();
		if (access !== 'ask') {
			return Promise.resolve(access === 'allow');
		}
		const { connection } = question;
		const known = this.answers.get(connection);
		if (known) {
			return known;
		}
		const answer = ask(question);
		this.answers.set(connection, answer);
		// A question that failed, or an answer that could not be stored, is asked again.
		answer.catch(() => this.answers.delete(connection));
		return answer;
	}
}

async function ask({ label, model, served }: AccessQuestion): Promise<boolean> {
	// It comes first, because Enter presses the first button of an unexpected dialog.
	const no = vscode.l10n.t('Refuse');
	const here = vscode.l10n.t('Allow in This Window');
	const always = vscode.l10n.t('Always Allow');
	const chosen = await askModal(
		vscode.l10n.t('Let the editor’s chat and other extensions use the models of {0}?', label),
		vscode.l10n.t(
			'One of them sent a request to {0} ({1}). Their requests are sent to {2} with your routing policy and key, and may cost money; “Errand: Show Costs” shows the total. The editor doesn’t report which extension it is. You can change your answer with the setting errand.languageModels.access.',
			model,
			served,
			label,
		),
		no,
		here,
		always,
	);
	if (chosen === always) {
		await writeSetting('errand.languageModels.access', 'allow').then(undefined, (error: unknown) => {
			throw notWritten(error);
		});
	}
	return chosen === here || chosen === always;
}
