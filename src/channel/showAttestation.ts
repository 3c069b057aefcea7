import * as vscode from 'vscode';
import * as z from 'zod';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { AttestationPanel, type PanelDependencies } from './attestationPanel.ts';
import { noChannelText, placeWords } from './messages.ts';
import { type ChannelConnection, type ChannelPlace, channelPlaces, isSame } from './model/places.ts';

const addressSchema = z.strictObject({ model: z.string().exactOptional(), provider: z.string().exactOptional() });

export interface ShowAttestationDependencies extends PanelDependencies {
	active(): Promise<ChannelConnection>;
}

/** The command `Errand: Show Encryption Evidence`. There is one tab, which changes its subject. */
export class ShowAttestation {
	private readonly dependencies: ShowAttestationDependencies;
	private panel: AttestationPanel | undefined;

	constructor(dependencies: ShowAttestationDependencies) {
		this.dependencies = dependencies;
	}

	/** `wanted` is the channel to show; with any other value, the user is asked which one. */
	async run(wanted?: unknown): Promise<void> {
		let active: ChannelConnection;
		try {
			active = await this.dependencies.active();
		} catch (error) {
			await showExplanation(explainError(error, ''));
			return;
		}
		const places = channelPlaces(active.connection);
		if (places.length === 0) {
			const action = vscode.l10n.t('Switch Connection');
			if ((await showMessage('warning', noChannelText(active.label), action)) === action) {
				await executeCommand(commands.switchConnection);
			}
			return;
		}
		const address = addressSchema.safeParse(wanted).data;
		const meant = address && places.find(place => isSame(place.address, address));
		const place = meant ?? (places.length === 1 ? places[0] : await pickPlace(places, active));
		if (place) {
			await this.open({ active, place });
		}
	}

	dispose(): void {
		this.panel?.dispose();
	}

	private async open(subject: { active: ChannelConnection; place: ChannelPlace }): Promise<void> {
		if (this.panel) {
			await this.panel.show(subject);
			return;
		}
		const panel = new AttestationPanel(subject, this.dependencies);
		this.panel = panel;
		panel.onDidDispose(() => {
			this.panel = undefined;
		});
		await panel.check();
	}
}

async function pickPlace(
	places: readonly ChannelPlace[],
	active: ChannelConnection,
): Promise<ChannelPlace | undefined> {
	const items = places.map(place => ({ ...placeWords(place, active), place }));
	const picked = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Show Encryption Evidence'),
		placeHolder: vscode.l10n.t('Select an encrypted channel of {0}', active.label),
		matchOnDescription: true,
		matchOnDetail: true,
	});
	return picked?.place;
}
