import * as vscode from 'vscode';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { AttestationPanel, type PanelDependencies } from './attestationPanel.ts';
import type { ActiveConnection } from './encrypted.ts';
import { type ChannelPlace, channelPlaces } from './model/places.ts';
import { noChannelText } from './strings.ts';

export interface ShowAttestationDependencies extends PanelDependencies {
	active(): Promise<ActiveConnection>;
}

/** `Errand: Show Attestation`: one tab, whatever it is of. */
export class ShowAttestation {
	private readonly dependencies: ShowAttestationDependencies;
	private panel: AttestationPanel | undefined;

	constructor(dependencies: ShowAttestationDependencies) {
		this.dependencies = dependencies;
	}

	async run(): Promise<void> {
		let active: ActiveConnection;
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
		const place = places.length === 1 ? places[0] : await pickPlace(places, active);
		if (place) {
			await this.open({ active, place });
		}
	}

	dispose(): void {
		this.panel?.dispose();
	}

	private async open(subject: { active: ActiveConnection; place: ChannelPlace }): Promise<void> {
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
	{ connection, label, isLocal }: ActiveConnection,
): Promise<ChannelPlace | undefined> {
	const items = places.map(place => {
		const { model, provider } = place.address;
		const known = connection.models.find(({ id }) => id === model)?.label ?? model;
		return {
			label: known ?? vscode.l10n.t('Shared address'),
			...(provider === undefined
				? {}
				: {
						description: vscode.l10n.t(
							'via {0}',
							connection.providers.find(({ slug }) => slug === provider)?.label ?? provider,
						),
					}),
			// What the local service is addressed by is no place that anybody could look at.
			...(isLocal ? {} : { detail: place.url }),
			place,
		};
	});
	const picked = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Show Attestation'),
		placeHolder: vscode.l10n.t('Which encrypted channel of {0}?', label),
		matchOnDescription: true,
		matchOnDetail: true,
	});
	return picked?.place;
}
