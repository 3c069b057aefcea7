import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { CHECKS } from '../client/types.ts';
import type { Health } from '../contract/channel.ts';
import { PagePanel } from '../platform/pagePanel.ts';
import { exportJson } from '../platform/saveTarget.ts';
import { onDidChangeSetting, readSetting } from '../platform/settings.ts';
import { areRepliesWhole } from '../platform/streamedReplyMessages.ts';
import type { ChannelConsent } from './channelConsent.ts';
import { explainChannelError } from './errorMessages.ts';
import { checkLabel, healthText, sessionText, verdictSentence, verdictWord } from './messages.ts';
import { exportReport, harmlessLine, rawViews } from './model/evidence.ts';
import { type AttestationResult, type ChannelConnection, type ChannelPlace, withoutAddress } from './model/places.ts';
import type { CheckView, FromReportPage, ReportView } from './model/protocol.ts';
import { parseFromReportPage } from './model/protocolSchema.ts';
import { summarise } from './model/summary.ts';
import { verdictReasonText } from './reasonMessages.ts';

/** The channel of a report. */
export interface ReportSubject {
	active: ChannelConnection;
	place: ChannelPlace;
}

export interface PanelDependencies {
	extensionUri: vscode.Uri;
	consent: ChannelConsent;
	logger: Logger;
}

interface Checked {
	attested: AttestationResult;
	at: Date;
	/** The service's statement about itself: undefined while it is requested, `none` if it cannot be read. */
	health?: Health | 'none';
}

/** The report on an attestation, as an editor tab. It only reads and changes nothing. */
export class AttestationPanel {
	private readonly dependencies: PanelDependencies;
	private readonly store = new DisposableStore();
	private readonly panel: PagePanel<FromReportPage, ReportView>;
	private subject: ReportSubject;
	private checked: Checked | undefined;
	private problem: string | undefined;
	/** Aborted by the next check or when the panel is disposed. */
	private checking: AbortController | undefined;

	constructor(subject: ReportSubject, dependencies: PanelDependencies) {
		this.subject = subject;
		this.dependencies = dependencies;
		const { extensionUri, logger } = dependencies;
		const title = vscode.l10n.t('Attestation');
		this.panel = new PagePanel<FromReportPage, ReportView>({
			extensionUri,
			name: 'attestation',
			title,
			tabTitle: title,
			column: vscode.ViewColumn.Active,
			parse: parseFromReportPage,
			handle: ({ kind }) => (kind === 'check-again' ? this.check({ isAskedAnew: true }) : this.export()),
			view: () => this.view(),
			label: () => this.subject.active.label,
			logger,
		});
		const spoken = ['errand.channel.requireHardwareProof', 'errand.channel.wholeReplies'] as const;
		this.store.add(onDidChangeSetting(spoken, () => this.panel.update()));
	}

	onDidDispose(listener: () => void): void {
		this.panel.onDidDispose(() => {
			this.checking?.abort();
			// The result of the check is no longer shown.
			this.checking = undefined;
			this.store.dispose();
			listener();
		});
	}

	dispose(): void {
		this.panel.dispose();
	}

	/** Brings the tab to the front and shows another subject in it. */
	show(subject: ReportSubject): Promise<void> {
		this.subject = subject;
		this.checked = undefined;
		this.panel.reveal();
		return this.check();
	}

	async check({ isAskedAnew = false } = {}): Promise<void> {
		this.checking?.abort();
		const own = new AbortController();
		this.checking = own;
		this.problem = undefined;
		this.panel.update();
		const { active, place } = this.subject;
		try {
			const { channel } = active.client;
			const attested = await channel.attest({
				...place.address,
				askMaker: () => this.dependencies.consent.askMaker({ isAskedAnew }),
				signal: own.signal,
			});
			if (this.checking === own) {
				const checked: Checked = { attested: active.isLocal ? withoutAddress(attested) : attested, at: new Date() };
				this.checked = checked;
				void this.askHealth(checked, active, place);
			}
		} catch (error) {
			if (this.checking === own) {
				this.checked = undefined;
				this.problem = harmlessLine(explainChannelError(error, active.label).message);
				this.dependencies.logger.log('warn', 'An attestation could not be checked', { reason: describeError(error) });
			}
		} finally {
			if (this.checking === own) {
				this.checking = undefined;
				this.panel.update();
			}
		}
	}

	/** Asks the service for its health. The answer proves nothing, so nothing waits for it. Never rejects. */
	private async askHealth(checked: Checked, { client }: ChannelConnection, { address }: ChannelPlace): Promise<void> {
		checked.health = await client.channel.health(address).catch((): 'none' => 'none');
		if (this.checked === checked) {
			this.panel.update();
		}
	}

	private view(): ReportView {
		const { active, place } = this.subject;
		const { checked } = this;
		const isChecking = this.checking !== undefined;
		const name = [active.label, place.address.model, place.address.provider].filter(Boolean).join(' · ');
		const common = {
			title: vscode.l10n.t('Attestation of {0}', harmlessLine(name)),
			isChecking,
			canExport: checked !== undefined && !isChecking,
		};
		const details = active.isLocal ? [] : [harmlessLine(place.url)];
		if (!checked) {
			return {
				...common,
				sentence: this.problem ?? vscode.l10n.t('Checking…'),
				tone: this.problem === undefined ? 'pending' : 'bad',
				details,
				checks: (this.problem === undefined ? CHECKS : []).map(check => ({
					label: checkLabel(check),
					verdict: 'pending',
					word: verdictWord('pending'),
					reason: '',
				})),
				raw: [],
			};
		}
		const { attested, at } = checked;
		const summary = summarise(attested, active.isLocal);
		const time = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
		return {
			...common,
			sentence: isChecking ? vscode.l10n.t('Checking…') : this.sentence(attested),
			tone: isChecking ? 'pending' : summary.broken || summary.isDowngrade ? 'bad' : 'open',
			details: [
				...details,
				vscode.l10n.t('Checked {0}', time),
				sessionText(attested.needsSessionPerMessage),
				...(checked.health === undefined ? [] : [harmlessLine(healthText(checked.health))]),
			],
			checks: attested.verdicts.map(
				({ check, verdict, input, ...why }): CheckView => ({
					label: checkLabel(check),
					verdict,
					word: verdictWord(verdict),
					reason: harmlessLine(verdictReasonText(why)),
					...defined({ input: input === undefined ? undefined : harmlessLine(input) }),
				}),
			),
			raw: rawViews(attested),
		};
	}

	private sentence(attested: AttestationResult): string {
		const summary = summarise(attested, this.subject.active.isLocal);
		const isDemanded = readSetting('errand.channel.requireHardwareProof');
		return verdictSentence(summary, { isDemanded, isWhole: areRepliesWhole() });
	}

	private async export(): Promise<void> {
		const { checked } = this;
		if (!checked) {
			return;
		}
		const { attested, at, health } = checked;
		// The text is made before the save dialog, during which the tab may change to another subject.
		const text = exportReport({
			...attested,
			...defined({ health: health === undefined || health === 'none' ? undefined : health }),
			verdicts: attested.verdicts.map(verdict => ({ ...verdict, reason: verdictReasonText(verdict) })),
			connection: this.subject.active.label,
			checkedAt: at.toISOString(),
			summary: this.sentence(attested),
		});
		const name = `attestation-${at.toISOString().slice(0, 19).replaceAll(':', '-')}`;
		await exportJson(vscode.l10n.t('Export Attestation'), name, text);
	}
}
