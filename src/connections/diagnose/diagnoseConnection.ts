import os from 'node:os';
import * as vscode from 'vscode';
import type { Clock } from '../../base/async.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { EXTENSION_ID } from '../../platform/ids.ts';
import { explainError } from '../../platform/notify.ts';
import { choose, shownText } from '../../platform/pick.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import { askHost, HOST_FIELDS, type HostContext, type HostField } from '../hosts/askHost.ts';
import { hostContext } from '../hosts/hostContext.ts';
import { hostAnswerText, hostLabel, hostProblem } from '../hosts/hostMessages.ts';
import type { ConnectionsDependencies } from '../model/connectionsDependencies.ts';
import { type DiagnosisFinding, diagnosisText, type Section } from '../model/diagnosis.ts';
import { checkWay } from './networkChecks.ts';
import { checkLogStream, checkReplyStream, type StreamOptions } from './streamCheck.ts';

/** The longest time for everything that is asked without the user. */
const WHOLE_MS = 90_000;

const KEY_KINDS = ['inference', 'cloud', 'agent'] as const satisfies KeyKind[];

type Progress = (step: string) => void;

/** Checks a connection from its names to its streams and resolves with the report. */
export async function diagnose(
	connection: Connection,
	dependencies: Pick<ConnectionsDependencies, 'keys' | 'client' | 'logger'>,
): Promise<string> {
	const { label = connection.name } = connection;
	const hosts = hostContext(dependencies.logger);
	const run = new Diagnosis(connection, label, hosts, dependencies);
	const isStopped = await withProgressNotice(vscode.l10n.t('Diagnosing {0}', label), async (stopped, tell) => {
		await run.checkAll(stopped, tell);
		return stopped.aborted;
	});
	const model = isStopped ? undefined : run.modelToAsk();
	if (model !== undefined && (await mayAsk(label, model))) {
		await withProgressNotice(vscode.l10n.t('Reading a reply of {0}', model), stopped => run.checkReply(model, stopped));
	}
	return run.report();
}

async function mayAsk(label: string, model: string): Promise<boolean> {
	const chosen = await choose(
		vscode.l10n.t('Check the Stream of a Reply?'),
		[
			{
				label: vscode.l10n.t('Leave It Unchecked'),
				description: vscode.l10n.t('everything else is in the report'),
				value: false,
			},
			{
				label: vscode.l10n.t('Ask {0} to Count to 100', shownText(model)),
				description: vscode.l10n.t('costs what 300 tokens cost on {0}', shownText(label)),
				value: true,
			},
		],
		{ placeHolder: vscode.l10n.t('Nothing that streams could be read for free') },
	);
	return chosen === true;
}

class Diagnosis {
	private readonly connection: Connection;
	private readonly label: string;
	private readonly hosts: HostContext;
	private readonly dependencies: Pick<ConnectionsDependencies, 'keys' | 'client'>;
	private readonly sections: { title: string; findings: DiagnosisFinding[] }[] = [];
	private readonly streams: DiagnosisFinding[] = [];
	private isChatUsable = false;
	private readonly isLocal: boolean;

	constructor(
		connection: Connection,
		label: string,
		hosts: HostContext,
		dependencies: Pick<ConnectionsDependencies, 'keys' | 'client'>,
	) {
		this.connection = connection;
		this.label = label;
		this.hosts = hosts;
		this.dependencies = dependencies;
		this.isLocal = connection.name === LOCAL_CONNECTION_NAME;
	}

	private get clock(): Clock {
		return this.hosts.clock;
	}

	/** Never rejects: whatever fails is a finding, and what was stopped or took too long is said to be unchecked. */
	async checkAll(stopped: AbortSignal, progress: Progress): Promise<void> {
		const signal = AbortSignal.any([stopped, AbortSignal.timeout(WHOLE_MS)]);
		const steps: [title: string, check: (signal: AbortSignal) => Promise<DiagnosisFinding[]>][] = this.isLocal
			? [[vscode.l10n.t('Local service'), () => this.localService()]]
			: [
					[vscode.l10n.t('Network and clock'), ends => this.network(ends)],
					[vscode.l10n.t('Addresses'), ends => this.addresses(ends)],
					[vscode.l10n.t('Keys'), () => this.keys()],
					[vscode.l10n.t('Models and look-ups'), () => this.offers()],
				];
		for (const [title, check] of steps) {
			progress(title);
			this.sections.push({ title, findings: await this.guarded(title, check, signal, stopped) });
		}
		const title = vscode.l10n.t('Streaming');
		progress(title);
		this.streams.push(...(await this.guarded(title, ends => this.freeStream(ends), signal, stopped)));
	}

	private async guarded(
		subject: string,
		check: (signal: AbortSignal) => Promise<DiagnosisFinding[]>,
		signal: AbortSignal,
		stopped: AbortSignal,
	): Promise<DiagnosisFinding[]> {
		try {
			signal.throwIfAborted();
			const ended = Promise.withResolvers<never>();
			signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
			ended.promise.catch(() => {});
			return await Promise.race([check(signal), ended.promise]);
		} catch (error) {
			if (stopped.aborted) {
				return [{ state: 'unchecked', subject, found: vscode.l10n.t('you stopped the diagnosis.') }];
			}
			return signal.aborted
				? [{ state: 'unchecked', subject, found: vscode.l10n.t('the diagnosis took too long.') }]
				: [{ state: 'problem', subject, found: explainError(error, this.label).message }];
		}
	}

	private async network(signal: AbortSignal): Promise<DiagnosisFinding[]> {
		const origins = [...new Set(this.hostAddresses().map(({ url }) => new URL(url).origin))];
		const { transport } = this.hosts;
		const ways = await Promise.all(origins.map(origin => checkWay(origin, { transport, clock: this.clock, signal })));
		const clocks = ways.flatMap(({ clockFinding }) => clockFinding ?? []);
		// One clock is enough, unless they differ.
		const wrong = clocks.filter(({ state }) => state === 'problem');
		return [...ways.flatMap(({ findings }) => findings), ...(wrong.length > 0 ? wrong : clocks.slice(0, 1))];
	}

	private hostAddresses(): { field: HostField; url: string }[] {
		return HOST_FIELDS.flatMap(field => {
			const url = this.connection[field];
			return url === undefined ? [] : [{ field, url }];
		});
	}

	private async addresses(signal: AbortSignal): Promise<DiagnosisFinding[]> {
		const model = this.connection.models.find(({ channelProvider }) => channelProvider !== undefined);
		const channelModel =
			model?.channelProvider === undefined ? undefined : { model: model.id, provider: model.channelProvider };
		return Promise.all(
			this.hostAddresses().map(async ({ field, url }): Promise<DiagnosisFinding> => {
				const subject = `${hostLabel(field)} (${url})`;
				const answer = await askHost({ field, url, channelModel }, { ...this.hosts, signal });
				if (answer.state === 'failed') {
					const { cause, step } = hostProblem(answer.error, answer.url, field, false);
					return { state: 'problem', subject, found: cause, step };
				}
				return answer.url === url
					? { state: 'fine', subject, found: hostAnswerText(answer, field) }
					: {
							state: 'problem',
							subject,
							found: vscode.l10n.t('the service answers at {0}.', answer.url),
							step: vscode.l10n.t('Change the address with “Errand: Add Connection”.'),
						};
			}),
		);
	}

	private async keys(): Promise<DiagnosisFinding[]> {
		const found = KEY_KINDS.map(async (kind): Promise<DiagnosisFinding[]> => {
			const { keys } = this.dependencies;
			const subject = await keys.label(kind);
			switch (await keys.state(this.connection, kind)) {
				case 'not-needed':
					return [];
				case 'missing':
					return [
						{
							state: 'note',
							subject,
							found: vscode.l10n.t('not set.'),
							step: vscode.l10n.t('Add it with “Errand: Manage Keys” where you use what needs it.'),
						},
					];
				case 'unconfirmed':
					return [
						{
							state: 'problem',
							subject,
							found: vscode.l10n.t('not sent: the addresses changed since it was saved.'),
							step: vscode.l10n.t('Confirm it with “Errand: Manage Keys”.'),
						},
					];
				case 'set': {
					const { answer, sentence } = await keys.check(this.connection, kind);
					this.isChatUsable ||= kind === 'inference' && answer !== 'turned-down';
					const state = answer === 'accepted' ? 'fine' : answer === 'turned-down' ? 'problem' : 'note';
					return [{ state, subject, found: sentence }];
				}
			}
		});
		return (await Promise.all(found)).flat();
	}

	/** Compares what the settings say with what the service says. */
	private async offers(): Promise<DiagnosisFinding[]> {
		const { connection, label } = this;
		const { keys } = this.dependencies;
		const client = await this.dependencies.client(connection);
		const findings: DiagnosisFinding[] = [];
		if ((await keys.state(connection, 'inference')) === 'set') {
			const subject = vscode.l10n.t('Models of the settings');
			const listed = await client.models.discover().catch(() => undefined);
			const ids = new Set(listed?.map(({ id }) => id));
			const missing = connection.models.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
			if (connection.models.length === 0) {
				findings.push({
					state: 'note',
					subject,
					found: vscode.l10n.t('none.'),
					step: vscode.l10n.t('Add some with “Errand: Add Connection”, so that chat has one to begin with.'),
				});
			} else if (listed !== undefined) {
				findings.push(
					missing.length === 0
						? { state: 'fine', subject, found: vscode.l10n.t('the service lists all of them.') }
						: {
								state: 'note',
								subject,
								found: vscode.l10n.t('the service does not list {0}.', missing.join(', ')),
								step: vscode.l10n.t('Check their spelling, or remove them.'),
							},
				);
			}
		}
		if (connection.scm !== undefined && (await keys.state(connection, 'cloud')) === 'set') {
			const subject = vscode.l10n.t('Look-ups at “{0}”', connection.scm);
			try {
				const { length } = await client.sources.organisations();
				findings.push({ state: 'fine', subject, found: vscode.l10n.t('{0} organisations or users.', length) });
			} catch (error) {
				findings.push({ state: 'problem', subject, found: explainError(error, label).message });
			}
		}
		return findings;
	}

	private async localService(): Promise<DiagnosisFinding[]> {
		const subject = vscode.l10n.t('Service on this machine');
		const client = await this.dependencies.client(this.connection);
		const models = (await client.models.discover()) ?? [];
		return [
			{
				state: 'fine',
				subject,
				found:
					models.length === 1
						? vscode.l10n.t('It lists one model.')
						: vscode.l10n.t('It lists {0} models.', models.length),
			},
		];
	}

	private async freeStream(signal: AbortSignal): Promise<DiagnosisFinding[]> {
		const options = await this.streamOptions(signal);
		if (this.isLocal) {
			// The demo costs nothing.
			const demo = this.connection.models[0]?.id;
			return demo === undefined ? [] : [await checkReplyStream(demo, options)];
		}
		if ((await this.dependencies.keys.state(this.connection, 'cloud')) !== 'set') {
			return [];
		}
		// If the tasks cannot be listed, the findings about the key and the host say so.
		const log = await checkLogStream(options).catch(() => undefined);
		signal.throwIfAborted();
		return log ? [log] : [];
	}

	/** Returns the model that a reply could be asked of, where nothing has been found out for free. */
	modelToAsk(): string | undefined {
		const isOpen = this.streams.every(({ state }) => state === 'unchecked');
		const model = this.connection.models.find(({ kinds }) => kinds.includes('chat'))?.id;
		return isOpen && this.isChatUsable ? model : undefined;
	}

	async checkReply(model: string, signal: AbortSignal): Promise<void> {
		const options = await this.streamOptions(signal);
		const title = vscode.l10n.t('Streaming');
		const found = await this.guarded(title, async () => [await checkReplyStream(model, options)], signal, signal);
		this.streams.push(...found);
	}

	private async streamOptions(signal: AbortSignal): Promise<StreamOptions> {
		const client = await this.dependencies.client(this.connection);
		return { client, label: this.label, clock: this.clock, signal };
	}

	report(): string {
		const streams: DiagnosisFinding[] =
			this.streams.length > 0
				? this.streams
				: [
						{
							state: 'unchecked',
							subject: vscode.l10n.t('Replies and logs'),
							found: vscode.l10n.t(
								'there is no running task whose log could be read, and no reply was requested, because that may cost money.',
							),
							step: vscode.l10n.t('Run the diagnosis again while a task is running, or agree to the question.'),
						},
					];
		const sections: Section[] = [...this.sections, { title: vscode.l10n.t('Streaming'), findings: streams }];
		const found = sections.flatMap(({ findings }) => findings);
		const problems = found.filter(({ state }) => state === 'problem').length;
		const isWhole = found.every(({ state }) => state !== 'unchecked');
		const version = vscode.extensions.getExtension(EXTENSION_ID)?.packageJSON?.version ?? '';
		return diagnosisText(
			{
				title: vscode.l10n.t('Diagnosis of {0}', this.label),
				head: [
					problems === 0
						? isWhole
							? vscode.l10n.t('No problem was found.')
							: vscode.l10n.t('No problem was found, but not everything was checked.')
						: problems === 1
							? vscode.l10n.t('1 problem was found.')
							: vscode.l10n.t('{0} problems were found.', problems),
					`${new Date(this.clock.now()).toISOString()} · Errand ${version} · ${vscode.env.appName} ${vscode.version} · ${os.platform()} ${os.release()}`,
				],
				states: {
					fine: vscode.l10n.t('Fine'),
					problem: vscode.l10n.t('Problem'),
					note: vscode.l10n.t('Note'),
					unchecked: vscode.l10n.t('Not checked'),
				},
				step: vscode.l10n.t('What to do:'),
			},
			sections,
		);
	}
}
