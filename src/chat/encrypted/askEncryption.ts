import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { ChannelOffer, EncryptedChannels, OfferedChannel } from '../../channel/api.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { explainError, showExplanation, showMessage } from '../../platform/notify.ts';
import type { Encryption } from '../model/encryption.ts';

/**
 * Asks the user for the options of an encrypted conversation. Resolves to undefined if there is to be none; the user is
 * told why if one is not possible.
 */
export async function askEncryption(channels: EncryptedChannels): Promise<Encryption | undefined> {
	let offer: ChannelOffer;
	try {
		offer = await channels.offer();
	} catch (error) {
		await showExplanation(explainError(error, ''));
		return undefined;
	}
	if (offer.refusal !== undefined) {
		const action = vscode.l10n.t('Switch Connection');
		if ((await showMessage('warning', offer.refusal, action)) === action) {
			await executeCommand(commands.switchConnection);
		}
		return undefined;
	}
	const channel = offer.channels.length === 1 ? offer.channels[0] : await pickChannel(offer);
	const isKept = channel && (await pickKept());
	return channel && isKept !== undefined
		? {
				connection: offer.connection,
				label: offer.label,
				...channel.address,
				...defined({ isUnkept: !isKept || undefined }),
			}
		: undefined;
}

async function pickChannel({ label, channels }: ChannelOffer): Promise<OfferedChannel | undefined> {
	const rows = channels.map(channel => ({ ...channel, label: escapeIcons(channel.label) }));
	return vscode.window.showQuickPick(rows, {
		title: vscode.l10n.t('New Encrypted Conversation'),
		placeHolder: vscode.l10n.t('Select an encrypted channel of {0}', label),
		matchOnDescription: true,
		matchOnDetail: true,
	});
}

async function pickKept(): Promise<boolean | undefined> {
	const rows = [
		{
			label: vscode.l10n.t('Save the Conversation'),
			detail: vscode.l10n.t(
				'Saved on this machine, readable like other conversations. It’s encrypted only in transit.',
			),
			isKept: true,
		},
		{
			label: vscode.l10n.t('Don’t Save the Conversation'),
			detail: vscode.l10n.t('Nothing is written to disk. It’s lost when the window closes or reloads.'),
			isKept: false,
		},
	];
	const picked = await vscode.window.showQuickPick(rows, {
		title: vscode.l10n.t('New Encrypted Conversation'),
		placeHolder: vscode.l10n.t('Save it on this machine?'),
	});
	return picked?.isKept;
}
