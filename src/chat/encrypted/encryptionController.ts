import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import type { EncryptedChannels } from '../conversation/conversationChannel.ts';
import type { OpenConversations } from '../conversation/openConversations.ts';
import { addressOf } from '../model/encryption.ts';
import type { EncryptionView } from '../protocol/encryptionProtocol.ts';
import type { PageHandlers } from '../protocol/protocol.ts';
import { encryptionView, noChoiceText, noImageText } from './messages.ts';

export interface DeskDependencies {
	channels: EncryptedChannels;
	conversations(): Promise<OpenConversations>;
	/** Resolves when the page has put the cursor there, or is gone. */
	focusComposer(): Promise<void>;
}

/** What the chat view does about encrypted conversations. */
export class EncryptionController {
	private readonly dependencies: DeskDependencies;
	/** What was typed in them and not sent. Written nowhere. */
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

	constructor(dependencies: DeskDependencies) {
		this.dependencies = dependencies;
	}

	/** Asks what a new one is to be, shows it with `focus`, which resolves when the composer has the keyboard, and opens its way. */
	async begin(focus: () => Promise<void>): Promise<void> {
		const { channels, conversations } = this.dependencies;
		const { askEncryption } = await import('./askEncryption.ts');
		const encryption = await askEncryption(channels);
		if (encryption) {
			const chat = await (await conversations()).showNewEncrypted(encryption);
			await focus();
			// Last: what this may ask would lose the keyboard to the composer, whose page may have been on its way.
			void chat.connect();
		}
	}

	/** Of the shown one, model and policy cannot be chosen where it is encrypted: that is said. */
	async refusesChoices(): Promise<boolean> {
		const isEncrypted = (await this.dependencies.conversations()).shown.conversation.encryption !== undefined;
		if (isEncrypted) {
			void showMessage('information', noChoiceText());
		}
		return isEncrypted;
	}

	/** A remote image would be asked for in clear, and its address can carry what was said. */
	async refusesImages(): Promise<string | undefined> {
		const { encryption } = (await this.dependencies.conversations()).shown.conversation;
		return encryption && noImageText();
	}

	/** Undefined for one that is not encrypted. */
	view({ wayState, conversation: { encryption } }: Chat): EncryptionView | undefined {
		return wayState && encryption && encryptionView(wayState, encryption);
	}

	/** The same for a snapshot: with the draft. */
	viewWithDraft(chat: Chat): EncryptionView | undefined {
		const view = this.view(chat);
		const draft = this.drafts.get(chat.conversation.id) ?? '';
		return view && { ...view, ...(draft === '' ? {} : { draft }) };
	}
}
