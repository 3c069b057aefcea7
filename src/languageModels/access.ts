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
				'The setting {0} cannot be read: it must be one of {1}. Correct it.',
				'errand.languageModels.access',
				ACCESS.join(', '),
			),
		);
	}
	return access;
}

/** What the first request of a window is about. */
export interface AccessQuestion {
	/** The name of the connection in the settings. */
	connection: string;
	/** The names by which the user knows connection and model. */
	label: string;
	model: string;
	/** Who may serve it, and the routing policy. */
	served: string;
}

/**
 * Whether others may use the models. The editor's stable interface neither asks the user itself nor tells who sends a
 * request, and each may cost something.
 */
export class ModelAccess {
	/** The answers that hold for this window, by connection. */
	private readonly answers = new Map<string, Promise<boolean>>();

	/** Forgets the answers, as the setting has changed. */
	reset(): void {
		this.answers.clear();
	}

	/** Resolves with whether the request may be sent, and asks the user where nothing has decided that. */
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
		// What could not be asked or written down is asked again.
		answer.catch(() => this.answers.delete(connection));
		return answer;
	}
}

async function ask({ label, model, served }: AccessQuestion): Promise<boolean> {
	// It comes first, because Enter presses the first button of a dialog that nobody has expected.
	const no = vscode.l10n.t('Refuse');
	const here = vscode.l10n.t('Allow in This Window');
	const always = vscode.l10n.t('Always Allow');
	const chosen = await askModal(
		vscode.l10n.t('Let the editor’s chat and other extensions use the models of {0}?', label),
		vscode.l10n.t(
			'One of them has sent a request to {0} ({1}). What they send goes to {2} under your routing policy and key, and may cost something, which “Errand: Show Costs” adds up. The editor does not say which extension asks. The setting errand.languageModels.access changes the answer later.',
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
