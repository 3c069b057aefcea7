import * as vscode from 'vscode';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { explainError, offer, showMessage } from '../platform/notify.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import { type ConnectionKeys, openConnectionSettings, use } from './connections.ts';
import { type Answers, nameProblem, proposedService, readAddress, toSetting } from './model/newConnection.ts';
import { connectionNames } from './model/readConnection.ts';
import { askSteps, type ChoiceStep, type InputStep, type Step } from './multiStep.ts';

/** Asks for a connection step by step and adds it to the user's settings. Nothing is written before the last step. */
export async function addConnection(keys: ConnectionKeys): Promise<void> {
	if (!isRecord(readSetting('errand.connections'))) {
		const open = vscode.l10n.t('Open Settings');
		const message = vscode.l10n.t(
			'The setting errand.connections has another form than it must have. Correct it first.',
		);
		if ((await showMessage('error', message, open)) === open) {
			await openConnectionSettings();
		}
		return;
	}
	const answers: Answers = {
		name: '',
		apiUrl: '',
		enterpriseUrl: '',
		plan: 'enterprise',
		cloudUrl: '',
		agentUrl: '',
		service: '',
		model: '',
	};
	if (!(await askSteps(vscode.l10n.t('Add Connection'), () => steps(answers)))) {
		return;
	}
	const name = answers.name.trim();
	try {
		// The settings may have changed while the questions were answered, so they are read again.
		await writeSetting('errand.connections', { ...readSetting('errand.connections'), [name]: toSetting(answers) });
	} catch (error) {
		await sayNotSaved(error);
		return;
	}
	offer(
		vscode.l10n.t('The connection “{0}” was added.', name),
		vscode.l10n.t('Switch to It'),
		() => use(name, keys),
		error => explainError(error, name),
	);
}

function steps(answers: Answers): Step[] {
	const text = (field: Exclude<keyof Answers, 'plan'>, step: Omit<InputStep, 'value' | 'accept'>): InputStep => ({
		...step,
		value: answers[field],
		accept: value => {
			answers[field] = value;
		},
	});
	const optionalAddress = (field: 'enterpriseUrl' | 'cloudUrl' | 'agentUrl', prompt: string) =>
		text(field, {
			prompt,
			placeHolder: vscode.l10n.t('https://… or empty'),
			validate: value => (value.trim() === '' ? undefined : addressProblem(value)),
		});
	const plan: ChoiceStep = {
		placeHolder: vscode.l10n.t('The host that chat uses'),
		items: [
			{ label: vscode.l10n.t('Enterprise'), description: answers.enterpriseUrl, value: 'enterprise' },
			{ label: vscode.l10n.t('Public'), description: answers.apiUrl, value: 'public' },
		],
		value: answers.plan,
		accept: value => {
			answers.plan = value === 'public' ? 'public' : 'enterprise';
		},
	};
	return [
		text('name', {
			prompt: vscode.l10n.t('How the connection is called'),
			placeHolder: 'acme',
			validate: nameText,
		}),
		text('apiUrl', {
			prompt: vscode.l10n.t('The public host for chat'),
			placeHolder: 'https://',
			validate: addressProblem,
		}),
		optionalAddress('enterpriseUrl', vscode.l10n.t('The enterprise host, if the service has one')),
		...(answers.enterpriseUrl.trim() === '' ? [] : [plan]),
		optionalAddress('cloudUrl', vscode.l10n.t('The host of the cloud tasks, if the service has one')),
		optionalAddress('agentUrl', vscode.l10n.t('The host of the agent task API, if the service has one')),
		{
			...text('service', {
				prompt: vscode.l10n.t('The service’s own name inside its identifiers, as in “<name>-search”'),
				placeHolder: 'acme',
				validate: value =>
					value.trim() === '' ? vscode.l10n.t('Type the name; the service’s documents have it.') : undefined,
			}),
			value: answers.service || proposedService(answers.apiUrl),
		},
		text('model', {
			prompt: vscode.l10n.t('The id of a chat model, if you know one; more go into the settings'),
			placeHolder: vscode.l10n.t('Model id or empty'),
			validate: () => undefined,
		}),
	];
}

function nameText(value: string): string | undefined {
	switch (nameProblem(value.trim(), connectionNames(readSetting('errand.connections')))) {
		case 'empty':
			return vscode.l10n.t('Type a name.');
		case 'form':
			return vscode.l10n.t(
				'Use letters, digits, blanks, “.”, “_” and “-”, beginning with a letter or digit, 60 at most.',
			);
		case 'taken':
			return value.trim() === LOCAL_CONNECTION_NAME
				? vscode.l10n.t('“{0}” is the connection to this machine. Choose another name.', LOCAL_CONNECTION_NAME)
				: vscode.l10n.t('There is a connection of this name. Choose another name.');
		case undefined:
			return undefined;
	}
}

function addressProblem(value: string): string | undefined {
	return readAddress(value) === undefined
		? vscode.l10n.t(
				'Type an https address without user name, query or fragment; http is accepted for this machine only (localhost, 127.0.0.1).',
			)
		: undefined;
}

async function sayNotSaved(error: unknown): Promise<void> {
	const open = vscode.l10n.t('Open Settings');
	const reason = error instanceof Error ? error.message : '';
	const message = vscode.l10n.t('The connection was not added, because the settings cannot be written: {0}', reason);
	if ((await showMessage('error', message, open)) === open) {
		await openConnectionSettings();
	}
}

function isRecord(value: unknown): boolean {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
