import * as vscode from 'vscode';
import { isDowngrade } from '../client/channel/verdicts.ts';
import type { AcceptedAttestation, Attested } from '../client/types.ts';
import { askModal } from '../platform/notify.ts';
import type { AroundQuestion } from './api.ts';
import { changeWords } from './messages.ts';

/** The keys in the extension's state of the user's permanent answers. */
const ASK_MAKER_KEY = 'errand.channel.askMaker';
const NEW_KEYS_KEY = 'errand.channel.newKeys';
/**
 * The maximum number of addresses whose new keys are accepted without a question. For older ones, the user is asked
 * again.
 */
const MAXIMUM_ADDRESSES = 100;

/** Asks the user for decisions and remembers the permanent ones. */
export class ChannelConsent {
	private readonly state: vscode.Memento;

	constructor(state: vscode.Memento) {
		this.state = state;
	}

	/**
	 * Resolves with true if the GPU maker may be asked for the keys of its tokens. With `isAskedAnew`, an earlier
	 * refusal is ignored.
	 */
	async askMaker({
		isAskedAnew = false,
		around = run => run(),
	}: {
		isAskedAnew?: boolean;
		around?: AroundQuestion;
	} = {}): Promise<boolean> {
		const decided = this.state.get<boolean>(ASK_MAKER_KEY);
		if (decided === true || (decided === false && !isAskedAnew)) {
			return decided;
		}
		const yes = vscode.l10n.t('Allow');
		const no = vscode.l10n.t('Never Allow');
		const chosen = await around(() =>
			vscode.window.showInformationMessage(
				vscode.l10n.t('Get the GPU maker’s public keys to check its token?'),
				{
					modal: true,
					detail: vscode.l10n.t(
						'The attestation contains a token that claims to be from the GPU maker. Checking it requires a request to the maker, who learns your address and that you use such a GPU, and nothing else. Without it, the result of this check stays unknown.',
					),
				},
				yes,
				no,
			),
		);
		if (chosen !== undefined) {
			await this.state.update(ASK_MAKER_KEY, chosen === yes);
		}
		return chosen === yes;
	}

	/** Returns whether new keys of the address are accepted without a question. */
	takesNewKeys(address: string): boolean {
		return this.newKeys().includes(address);
	}

	/**
	 * Resolves with true if the user wants to continue despite a change. `wasSent`: the message was sent once under the
	 * previous attestation.
	 */
	async confirm(
		connection: string,
		before: AcceptedAttestation,
		now: Attested,
		sending: { wasSent: boolean },
	): Promise<boolean> {
		const { message, detail } = changeWords(connection, before, now, sending);
		const goOn = vscode.l10n.t('Continue');
		const always = vscode.l10n.t('Continue, and Accept New Keys');
		const isKeyAlone = !isDowngrade(now) && before.keyFingerprint !== now.keyFingerprint;
		const buttons = isKeyAlone ? [goOn, always] : [goOn];
		const chosen = await askModal(message, detail, ...buttons);
		if (chosen === always) {
			const others = this.newKeys().filter(address => address !== now.address);
			await this.state.update(NEW_KEYS_KEY, [...others, now.address].slice(-MAXIMUM_ADDRESSES));
		}
		return chosen !== undefined;
	}

	private newKeys(): string[] {
		const kept = this.state.get<unknown>(NEW_KEYS_KEY);
		return Array.isArray(kept) ? kept.filter(entry => typeof entry === 'string') : [];
	}
}
