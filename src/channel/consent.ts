import * as vscode from 'vscode';
import type { AcceptedAttestation, Attested } from '../client/types.ts';
import { withoutLinks } from '../platform/notify.ts';

/** In the extension's state: what the user has said once and for all. */
const ASK_MAKER_KEY = 'errand.channel.askMaker';
const NEW_KEYS_KEY = 'errand.channel.newKeys';
/** Addresses whose new keys are not asked about. Older ones are asked about again. */
const MAXIMUM_ADDRESSES = 100;

/** Asks the user what only the user can decide, and remembers what was decided for good. */
export class Consent {
	private readonly state: vscode.Memento;

	constructor(state: vscode.Memento) {
		this.state = state;
	}

	/** Whether the GPU maker may be asked for the keys of its tokens. `isAskedAnew`: a refusal does not hold any more. */
	async askMaker({ isAskedAnew = false } = {}): Promise<boolean> {
		const decided = this.state.get<boolean>(ASK_MAKER_KEY);
		if (decided === true || (decided === false && !isAskedAnew)) {
			return decided;
		}
		const yes = vscode.l10n.t('Ask the Maker');
		const no = vscode.l10n.t('Never Ask');
		const chosen = await vscode.window.showInformationMessage(
			vscode.l10n.t('Ask the GPU maker for the keys of its tokens?'),
			{
				modal: true,
				detail: vscode.l10n.t(
					'The attestation has a token that says it is the GPU maker’s. Checking it takes a request to the maker, who learns your address and that you use such a GPU, and nothing else. Without it the check stays unknown.',
				),
			},
			yes,
			no,
		);
		if (chosen !== undefined) {
			await this.state.update(ASK_MAKER_KEY, chosen === yes);
		}
		return chosen === yes;
	}

	/** New keys of the address are not asked about. */
	takesNewKeys(address: string): boolean {
		return this.newKeys().includes(address);
	}

	/** Whether to go on although something changed. Nothing has been sent by then. */
	async confirm(connection: string, before: AcceptedAttestation, now: Attested): Promise<boolean> {
		const lost = now.verdicts.find(({ check, verdict }) => check === 'memory' && verdict === 'fail');
		const isOtherKey = before.keyFingerprint !== now.keyFingerprint;
		const goOn = vscode.l10n.t('Continue');
		const always = vscode.l10n.t('Continue, and Take New Keys');
		const message = lost
			? vscode.l10n.t('{0} proves less than before. Continue?', connection)
			: isOtherKey
				? vscode.l10n.t('{0} has another key than before. Continue?', connection)
				: vscode.l10n.t('The attestation of {0} has changed. Continue?', connection);
		const detail = lost
			? vscode.l10n.t('{0} Nothing has been sent.', lost.reason)
			: vscode.l10n.t(
					'This is so when the service was restarted, or makes a new key for each session. If you did not expect it, somebody else may be answering. Nothing has been sent.',
				);
		const buttons = !lost && isOtherKey ? [goOn, always] : [goOn];
		const chosen = await vscode.window.showWarningMessage(
			withoutLinks(message),
			{ modal: true, detail: withoutLinks(detail) },
			...buttons,
		);
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
