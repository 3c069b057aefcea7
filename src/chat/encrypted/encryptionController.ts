import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { EncryptedChannels } from '../../channel/api.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import { areRepliesWhole, streamedReplyWords } from '../../platform/streamedReplyMessages.ts';
import type { Chat } from '../conversation/chat.ts';
import type { ConversationChannelState } from '../conversation/conversationChannel.ts';
import type { OpenConversations } from '../conversation/openConversations.ts';
import { addressOf, type Encryption } from '../model/encryption.ts';
import type { EncryptionView, PageHandlers } from '../protocol/protocol.ts';

export interface EncryptionDependencies {
	channels: EncryptedChannels;
	conversations(): Promise<OpenConversations>;
	/** Resolves when the page has put the cursor into the composer or is gone. */
	focusComposer(): Promise<void>;
}

/** Handles everything in the chat view that concerns encrypted conversations. */
export class EncryptionController {
	private readonly dependencies: EncryptionDependencies;
	/** The drafts of encrypted conversations, by conversation id. They are never written to disk. */
	private readonly drafts = new Map<string, string>();
	readonly handlers: PageHandlers<'encryption-begin' | 'attestation-show' | 'draft-hold'> = {
		'encryption-begin': () => this.begin(() => this.dependencies.focusComposer()),
		'attestation-show': async () => {
			const { encryption } = (await this.dependencies.conversations()).shown.conversation;
			await executeCommand(commands.showAttestation, encryption && addressOf(encryption));
		},
		'draft-hold': ({ conversation, text }) => {
			this.drafts.set(conversation, text);
		},
	};

	constructor(dependencies: EncryptionDependencies) {
		this.dependencies = dependencies;
	}

	/**
	 * Asks for the options of a new encrypted conversation, shows it and opens its channel. `focus` resolves when the
	 * composer has the focus.
	 */
	async begin(focus: () => Promise<void>): Promise<void> {
		const { channels, conversations } = this.dependencies;
		const { askEncryption } = await import('./askEncryption.ts');
		const encryption = await askEncryption(channels);
		if (encryption) {
			const chat = await (await conversations()).showNewEncrypted(encryption);
			await focus();
			// The channel opens last: the composer, whose page may still be loading, would take the focus from a
			// question of the channel.
			void chat.channel?.connect();
		}
	}

	/**
	 * Resolves to whether the shown conversation is encrypted, so that model and policy are fixed. The user is told so.
	 */
	async refusesChoices(): Promise<boolean> {
		const isEncrypted = (await this.dependencies.conversations()).shown.conversation.encryption !== undefined;
		if (isEncrypted) {
			void showMessage(
				'information',
				vscode.l10n.t(
					'An encrypted conversation uses the model of its channel, without routing or parameters. Start a new conversation to select them.',
				),
			);
		}
		return isEncrypted;
	}

	/**
	 * Resolves to the reason why images cannot be loaded: the request would not be encrypted, and its address can reveal
	 * the conversation.
	 */
	async refusesImages(): Promise<string | undefined> {
		const { encryption } = (await this.dependencies.conversations()).shown.conversation;
		return (
			encryption &&
			vscode.l10n.t('Not loaded: the request wouldn’t be encrypted, and the address can reveal what was said here.')
		);
	}

	/** Returns undefined for a conversation that is not encrypted. */
	view({ channel, conversation: { encryption } }: Chat): EncryptionView | undefined {
		return channel && encryption && encryptionView(channel.state, encryption);
	}

	/** Returns whether an encrypted conversation has a draft that has not been sent. */
	hasDraft(conversation: string): boolean {
		return (this.drafts.get(conversation) ?? '').trim() !== '';
	}

	/** Returns the same view for a snapshot, which includes the draft. */
	viewWithDraft(chat: Chat): EncryptionView | undefined {
		const view = this.view(chat);
		const draft = this.drafts.get(chat.conversation.id) ?? '';
		return view && { ...view, ...defined({ draft: draft || undefined }) };
	}
}

/** Returns the heading of an encrypted conversation, with the state of its channel. */
function encryptionView(state: ConversationChannelState, { isUnkept, connection }: Encryption): EncryptionView {
	const unkept = isUnkept ? [vscode.l10n.t('Not saved: it’s lost when this window closes')] : [];
	const isKept = !isUnkept;
	const view = { isConnecting: false, isRefused: false, isKept, emptyText: emptyText(isKept), details: unkept };
	switch (state.kind) {
		case 'idle':
			return connection === undefined
				? { ...view, label: vscode.l10n.t('Encrypted conversation, read-only'), isRefused: true }
				: { ...view, label: vscode.l10n.t('Encrypted, connects with the next message') };
		case 'connecting':
			return { ...view, label: vscode.l10n.t('Connecting; nothing is sent yet'), isConnecting: true };
		case 'open':
			return { ...view, label: state.label, details: [...unkept, ...state.details] };
		case 'refused':
			return { ...view, label: state.message.replace(/[.。]$/u, ''), isRefused: true };
		case 'ended':
			return {
				...view,
				label: vscode.l10n.t('Ended: a reply was modified in transit, or came from someone else'),
				isRefused: true,
			};
	}
}

function emptyText(isKept: boolean): string {
	return [
		vscode.l10n.t(
			'Messages, context and replies are encrypted between you and whoever holds the key of the attestation.',
		),
		...(areRepliesWhole() ? [] : [`${streamedReplyWords()}.`]),
		isKept
			? vscode.l10n.t('On this machine, the conversation is saved as readably as others.')
			: vscode.l10n.t('Nothing of this conversation is saved on this machine.'),
	].join(' ');
}
